#include "train/replica_plane.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep {
namespace {

/// Replicas by replicas whose products one task sums, coordinates at a time: both operands stay in a core's cache.
constexpr std::size_t kTile = 32, kColumns = 1024;
constexpr std::size_t kBlock = 16384;
/// Of the largest principal value: what is below is rounding of float differences.
constexpr double kNoDirection = 1e-9;

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Tile {
    std::size_t row, column;  ///< of the first replicas
};

std::vector<Tile> lowerTiles(std::size_t replicas) {
    std::vector<Tile> tiles;
    for (std::size_t row = 0; row < replicas; row += kTile)
        for (std::size_t column = 0; column <= row; column += kTile) tiles.push_back({row, column});
    return tiles;
}

void loadDifferences(ReplicaPlane::Replicas replicas, std::span<const float> average, std::size_t begin,
                     RowMatrix& differences) {
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        float* row = differences.row(static_cast<Eigen::Index>(i)).data();
        const float* values = replicas[i].data() + begin;
        for (std::size_t k = 0; k < average.size(); ++k) row[k] = values[k] - average[k];
    }
}

Eigen::MatrixXd tileProducts(ReplicaPlane::Replicas rows, ReplicaPlane::Replicas columns,
                             std::span<const float> average, const std::stop_token& stop) {
    const auto height = static_cast<Eigen::Index>(rows.size()), width = static_cast<Eigen::Index>(columns.size());
    Eigen::MatrixXd products = Eigen::MatrixXd::Zero(height, width);
    for (std::size_t begin = 0; begin < average.size() && !stop.stop_requested(); begin += kColumns) {
        const auto part = average.subspan(begin, std::min(kColumns, average.size() - begin));
        RowMatrix left(height, static_cast<Eigen::Index>(part.size()));
        RowMatrix right(width, static_cast<Eigen::Index>(part.size()));
        loadDifferences(rows, part, begin, left);
        loadDifferences(columns, part, begin, right);
        const Eigen::MatrixXf partial = left * right.transpose();
        products += partial.cast<double>();
    }
    return products;
}

/// The entry of largest magnitude; of those that are equal to rounding the first.
double farthest(std::span<const double> values) {
    double found = values.front();
    for (const double value : values)
        if (std::abs(value) > std::abs(found) * (1 + 1e-6)) found = value;
    return found;
}

}  // namespace

/// A principal direction as a combination of the differences, and the replicas' coordinates along it.
struct ReplicaPlane::Axis {
    std::vector<double> coefficients, coordinates;
};

double shownSquared(std::span<const ReplicaPlace> places) {
    double sum = 0;
    for (const ReplicaPlace& place : places) sum += place.x * place.x + place.y * place.y;
    return sum;
}

bool ReplicaPlane::due(double shown, double distanceSquared, double averageNorm) const {
    if (!(distanceSquared > 0) || !std::isfinite(distanceSquared)) return false;
    if (m_directions.empty()) return std::sqrt(distanceSquared) > kMeasurable * averageNorm;
    return m_uses >= kLeastUses && shown < kStale * m_shareWhenFixed * distanceSquared;
}

bool ReplicaPlane::use(Replicas replicas, std::span<const float> average, double distanceSquared, double averageNorm,
                       std::vector<ReplicaPlace>& places, const std::stop_token& stop) {
    if (!due(shownSquared(places), distanceSquared, averageNorm)) {
        ++m_uses;
        return true;
    }
    const auto products = innerProducts(replicas, average, stop);
    if (!products) return false;
    const std::vector<Axis> axes = principalAxes(*products, places);
    std::vector<FloatVector> directions;
    for (const Axis& axis : axes) directions.push_back(direction(axis, replicas, average, stop));
    if (stop.stop_requested()) return false;
    for (std::size_t i = 0; i < replicas.size(); ++i)
        places[i] = {axes[0].coordinates[i], axes.size() > 1 ? axes[1].coordinates[i] : 0};
    m_directions = std::move(directions);
    m_shareWhenFixed = shownSquared(places) / distanceSquared;
    m_uses = 0;
    ++m_version;
    return true;
}

std::optional<std::vector<double>> ReplicaPlane::innerProducts(Replicas replicas, std::span<const float> average,
                                                               const std::stop_token& stop) const {
    const std::vector<Tile> tiles = lowerTiles(replicas.size());
    std::vector<double> products(replicas.size() * replicas.size());
    m_pool.parallelFor(tiles.size(), [&](std::size_t index, int) {
        const auto [row, column] = tiles[index];
        const auto rows = replicas.subspan(row, std::min(kTile, replicas.size() - row));
        const auto columns = replicas.subspan(column, std::min(kTile, replicas.size() - column));
        const Eigen::MatrixXd tile = tileProducts(rows, columns, average, stop);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < columns.size(); ++j)
                products[(row + i) * replicas.size() + column + j] =
                    tile(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    });
    if (stop.stop_requested()) return std::nullopt;
    return products;
}

std::vector<ReplicaPlane::Axis> ReplicaPlane::principalAxes(std::span<const double> products,
                                                            std::span<const ReplicaPlace> places) const {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto size = static_cast<Eigen::Index>(places.size());
    const Eigen::MatrixXd gram = Eigen::Map<const Matrix>(products.data(), size, size);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);  // reads the lower half
    const double largest = solver.eigenvalues()[size - 1];
    std::vector<Axis> axes;
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(2, size); ++k) {
        const double value = solver.eigenvalues()[size - 1 - k];
        if (k > 0 && !(value > kNoDirection * largest)) break;
        const Eigen::VectorXd column = solver.eigenvectors().col(size - 1 - k);
        const std::vector<double> vector(column.begin(), column.end());
        double sense = 0;
        for (std::size_t i = 0; i < vector.size(); ++i) sense += vector[i] * (k == 0 ? places[i].x : places[i].y);
        const double length = std::copysign(std::sqrt(value), sense == 0 ? farthest(vector) : sense);
        Axis axis;
        for (const double one : vector) {
            axis.coefficients.push_back(one / length);
            axis.coordinates.push_back(one * length);
        }
        axes.push_back(std::move(axis));
    }
    return axes;
}

FloatVector ReplicaPlane::direction(const Axis& axis, Replicas replicas, std::span<const float> average,
                                    const std::stop_token& stop) const {
    FloatVector direction(average.size());
    m_pool.parallelFor((average.size() + kBlock - 1) / kBlock, [&](std::size_t block, int) {
        const std::size_t begin = block * kBlock, size = std::min(kBlock, average.size() - begin);
        float* to = direction.data() + begin;
        const float* centre = average.data() + begin;
        for (std::size_t i = 0; i < replicas.size() && !stop.stop_requested(); ++i) {
            const auto coefficient = static_cast<float>(axis.coefficients[i]);
            const float* values = replicas[i].data() + begin;
            for (std::size_t k = 0; k < size; ++k) to[k] += coefficient * (values[k] - centre[k]);
        }
    });
    return direction;
}

}  // namespace lockstep
