#include "train/gradient_compression.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "optim/vector_math.h"

namespace lockstep {

GradientCompression::GradientCompression(Compression kind, double topKFraction, std::size_t size) : m_kind(kind) {
    if (kind != Compression::TopK) return;
    m_kept = keptEntries(topKFraction, size);
    m_residual.resize(size);
}

std::size_t GradientCompression::keptEntries(double topKFraction, std::size_t size) {
    const auto wanted = static_cast<std::size_t>(std::llround(topKFraction * static_cast<double>(size)));
    return std::clamp<std::size_t>(wanted, 1, size);
}

void GradientCompression::apply(std::span<float> gradient) {
    if (m_kind == Compression::Fp16)
        for (float& value : gradient) value = static_cast<float>(Eigen::half(value));
    if (m_kind == Compression::TopK) keepLargest(gradient);
}

void GradientCompression::keepLargest(std::span<float> gradient) {
    add(gradient, m_residual);
    std::vector<float> magnitudes(m_residual.size());
    std::ranges::transform(m_residual, magnitudes.begin(), [](float value) { return std::abs(value); });
    // A gradient that is not a number has no order; it ends the run by its loss.
    if (!std::ranges::all_of(magnitudes, [](float value) { return std::isfinite(value); })) return;
    std::ranges::nth_element(magnitudes, magnitudes.begin() + static_cast<std::ptrdiff_t>(m_kept - 1),
                             std::greater<>{});
    const float threshold = magnitudes[m_kept - 1];
    std::size_t ties = m_kept - static_cast<std::size_t>(std::ranges::count_if(
                                    m_residual, [&](float value) { return std::abs(value) > threshold; }));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        const float magnitude = std::abs(m_residual[i]);
        const bool sent = magnitude > threshold || (magnitude == threshold && ties > 0);
        if (sent && magnitude == threshold) --ties;
        gradient[i] = sent ? m_residual[i] : 0;
        if (sent) m_residual[i] = 0;
    }
}

}  // namespace lockstep
