#include "stage/replica_trails.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

bool ReplicaTrails::add(const Snapshot& snapshot) {
    if (snapshot.replicas.empty()) return false;
    if (snapshot.step < m_step || snapshot.replicas.size() != m_now.size()) clear();
    if (snapshot.step == m_step) return false;
    const int plane = snapshot.divergence.planeVersion;
    if (m_plane > 0 && plane != m_plane) m_trails.clear();  // where replicas were is not known in the new plane
    m_plane = plane;
    m_step = snapshot.step;
    m_now = snapshot.replicas;
    m_divergence = snapshot.divergence;
    m_equal = snapshot.divergence.maxPairwiseDistance == 0 && snapshot.divergence.meanDistanceToAverage == 0;
    m_trails.resize(m_now.size());
    for (size_t i = 0; i < m_now.size(); ++i) {
        auto& trail = m_trails[i];
        if (!std::isfinite(m_now[i].x) || !std::isfinite(m_now[i].y)) continue;
        trail.emplace_back(m_now[i].x, m_now[i].y);
        if (trail.size() <= kTrailLength) continue;
        // Every other older place goes, so that the trail keeps its beginning and thins out evenly.
        size_t kept = 0;
        for (size_t k = 0; k < trail.size(); ++k)
            if (k % 2 == 0 || k + 8 >= trail.size()) trail[kept++] = trail[k];
        trail.resize(kept);
    }
    return true;
}

void ReplicaTrails::clear() {
    m_now.clear();
    m_trails.clear();
    m_divergence = {};
    m_step = -1;
    m_plane = 0;
    m_equal = true;
}

double ReplicaTrails::extent() const {
    double extent = 0;
    for (const auto& trail : m_trails)
        for (const QPointF& p : trail) extent = std::max({extent, std::abs(p.x()), std::abs(p.y())});
    return extent;
}

}  // namespace lockstep::ui
