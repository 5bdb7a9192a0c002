#include "optim/vector_math.h"

#include <array>

namespace lockstep {
namespace {

// Independent partial sums let the compiler use vector registers without being allowed to reorder additions.
constexpr std::size_t kLanes = 8;

template <class Term>
double laneSum(std::size_t size, Term term) {
    std::array<double, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= size; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
    for (; i < size; ++i) lanes[i % kLanes] += term(i);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

}  // namespace

double squaredNorm(std::span<const float> x) {
    return laneSum(x.size(), [p = x.data()](std::size_t i) { return double{p[i]} * double{p[i]}; });
}

double squaredDistance(std::span<const float> x, std::span<const float> y) {
    return laneSum(x.size(), [p = x.data(), q = y.data()](std::size_t i) {
        const double difference = double{p[i]} - double{q[i]};
        return difference * difference;
    });
}

double dotProduct(std::span<const float> x, std::span<const float> y) {
    return laneSum(x.size(), [p = x.data(), q = y.data()](std::size_t i) { return double{p[i]} * double{q[i]}; });
}

void add(std::span<const float> x, std::span<float> y) {
    const float* from = x.data();
    float* to = y.data();
    for (std::size_t i = 0; i < y.size(); ++i) to[i] += from[i];
}

void multiply(std::span<float> y, float factor) {
    for (float& value : y) value *= factor;
}

}  // namespace lockstep
