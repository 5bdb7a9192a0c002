#pragma once

#include <vector>

#include "train/snapshot.h"

namespace lockstep {

/// The snapshots of a run so far, bounded: when there are more than kMost, every second one goes (except the first, the
/// newest and those with test figures) and from then on half as many are kept. A snapshot of an earlier step than the
/// newest follows a restart: the steps that it undid go. Only the newest holds what is known of each
/// worker, server and layer.
class Curve {
public:
    static constexpr std::size_t kMost = 4000;

    void add(const Snapshot& snapshot);
    [[nodiscard]] const std::vector<Snapshot>& points() const { return m_points; }

private:
    void thin();
    template <class Keep>
    void dropEverySecond(Keep keep);

    std::vector<Snapshot> m_points;
    long long m_added = 0, m_stride = 1;
    bool m_newestIsExtra = false;  ///< the newest is kept only because it is the newest
};

}  // namespace lockstep
