#pragma once

#include <array>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/thread_pool.h"
#include "nn/float_vector.h"

namespace lockstep {

/// A replica's place in the plane; distances in it are Euclidean distances of parameters, never more than the true.
struct ReplicaPlace {
    double x = 0, y = 0;
};

/// The plane in which replicas are shown: through their average, along the two largest principal directions of their
/// differences (Pearson 1901), which is the plane that shows the most of their squared distances to it. Found from the
/// N x N matrix of the differences' inner products, whose eigenvectors are the replicas' places (principal coordinates,
/// Gower, Biometrika 53, 1966).
///
/// Directions stay as they were fixed, so that a replica that moves in the picture has moved. They are fixed
///  - when replicas first differ measurably: by more than kMeasurable of their average's norm, which rounding does not
///    reach;
///  - anew when replicas have turned away: when the plane shows less than kStale of the share that it showed when it
///    was fixed, but not within kLeastUses measurements. Each direction then keeps the sense in which the replicas
///    lay along the old one.
/// The first time the replica farthest out (the first of equal ones) lies on the positive side. Where differences have
/// one direction only (two replicas) y is 0.
///
/// Cost: fixing takes N^2 P multiply-adds in float for N replicas of P parameters, placing 2 N P. No result depends on
/// the number of threads.
class ReplicaPlane {
public:
    static constexpr double kMeasurable = 1e-6, kStale = 0.25;
    static constexpr int kLeastUses = 10;
    using Replicas = std::span<const std::span<const float>>;

    explicit ReplicaPlane(ThreadPool& pool) : m_pool(pool) {}

    /// 0, 1 or 2 unit vectors, in the order of x and y.
    [[nodiscard]] std::span<const FloatVector> directions() const { return m_directions; }
    /// How often it has been fixed.
    [[nodiscard]] int version() const { return m_version; }

    /// Fixes the directions if it is time. `places`: what the directions say so far, one for each replica; replaced
    /// when they were fixed. `distanceSquared`: sum over replicas of the squared distances to the average;
    /// `averageNorm` its norm. False when stopped, with everything as it was.
    [[nodiscard]] bool use(Replicas replicas, std::span<const float> average, double distanceSquared,
                           double averageNorm, std::vector<ReplicaPlace>& places, const std::stop_token& stop = {});

private:
    struct Axis;

    [[nodiscard]] bool due(double shownSquared, double distanceSquared, double averageNorm) const;
    [[nodiscard]] std::vector<Axis> principalAxes(std::span<const double> products,
                                                  std::span<const ReplicaPlace> places) const;
    [[nodiscard]] std::optional<std::vector<double>> innerProducts(Replicas replicas, std::span<const float> average,
                                                                   const std::stop_token& stop) const;
    /// Of no use when stopped.
    [[nodiscard]] FloatVector direction(const Axis& axis, Replicas replicas, std::span<const float> average,
                                        const std::stop_token& stop) const;

    ThreadPool& m_pool;
    std::vector<FloatVector> m_directions;
    int m_version = 0, m_uses = 0;
    double m_shareWhenFixed = 0;
};

/// Sum of the squared distances of the places from the origin.
[[nodiscard]] double shownSquared(std::span<const ReplicaPlace> places);

}  // namespace lockstep
