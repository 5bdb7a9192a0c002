#pragma once

#include <QPointF>
#include <vector>

#include "train/snapshot.h"

namespace lockstep::ui {

/// Where the replicas were: collected from the newest snapshots, because a run keeps places only in those. Measured.
class ReplicaTrails {
public:
    /// Takes the newest snapshot. A step that goes back, or another number of replicas, is another run and starts anew;
    /// the same step again changes nothing; another plane of the places ends the trails. True when something is new.
    bool add(const Snapshot& snapshot);
    void clear();

    [[nodiscard]] bool empty() const { return m_now.empty(); }
    [[nodiscard]] const std::vector<ReplicaState>& now() const { return m_now; }
    /// Oldest first, at most kTrailLength; the last is the present place.
    [[nodiscard]] const std::vector<QPointF>& trail(size_t replica) const { return m_trails[replica]; }
    [[nodiscard]] bool allEqual() const { return m_equal; }
    [[nodiscard]] long long step() const { return m_step; }
    [[nodiscard]] const Divergence& divergence() const { return m_divergence; }
    /// Half the side of the square around the average that holds every trail; 0 while all are equal.
    [[nodiscard]] double extent() const;

    static constexpr size_t kTrailLength = 240;

private:
    std::vector<ReplicaState> m_now;
    std::vector<std::vector<QPointF>> m_trails;
    Divergence m_divergence;
    long long m_step = -1;
    int m_plane = 0;
    bool m_equal = true;
};

}  // namespace lockstep::ui
