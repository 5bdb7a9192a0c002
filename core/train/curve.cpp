#include "train/curve.h"

#include <cmath>
#include <utility>

namespace lockstep {
namespace {

void dropDetails(Snapshot& snapshot) {
    snapshot.replicas = {};
    snapshot.servers = {};
    snapshot.layers = {};
}

bool hasTest(const Snapshot& snapshot) { return !std::isnan(snapshot.testAccuracy); }

}  // namespace

void Curve::add(const Snapshot& snapshot) {
    if (m_newestIsExtra) m_points.pop_back();
    while (!m_points.empty() && m_points.back().step > snapshot.step) m_points.pop_back();
    if (!m_points.empty()) dropDetails(m_points.back());
    m_newestIsExtra = m_added++ % m_stride != 0 && !hasTest(snapshot);
    m_points.push_back(snapshot);
    if (m_points.size() > kMost) thin();
}

void Curve::thin() {
    m_stride *= 2;
    dropEverySecond([](const Snapshot& point) { return hasTest(point); });
    // Where nearly every point has test figures, they thin out like the others.
    if (m_points.size() > kMost / 4 * 3) dropEverySecond([](const Snapshot&) { return false; });
}

template <class Keep>
void Curve::dropEverySecond(Keep keep) {
    std::vector<Snapshot> kept;
    for (std::size_t i = 0; i < m_points.size(); ++i)
        if (i % 2 == 0 || i + 1 == m_points.size() || keep(m_points[i])) kept.push_back(std::move(m_points[i]));
    m_points = std::move(kept);
}

}  // namespace lockstep
