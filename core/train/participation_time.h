#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "train/busy_time.h"

namespace lockstep {

/// For each worker, the seconds by this computer's wall clock that the work it took part in lasted. Work that several
/// share counts whole for each of them, as they all wait for it.
class ParticipationTime {
public:
    explicit ParticipationTime(std::size_t workers) : m_seconds(workers) {}

    void setEnabled(bool enabled) { m_enabled = enabled; }
    [[nodiscard]] std::span<const double> seconds() const { return m_seconds; }

    template <class Work>
    void measure(std::span<const int> ranks, Work work) {
        if (!m_enabled) return work();
        double seconds = 0;
        {
            const BusyTime busy(&seconds);
            work();
        }
        for (const int rank : ranks) m_seconds[static_cast<std::size_t>(rank)] += seconds;
    }

private:
    bool m_enabled = true;
    std::vector<double> m_seconds;  ///< by rank
};

}  // namespace lockstep
