#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/state_archive.h"
#include "experiment/experiment.h"

namespace lockstep {

/// What one worker's gradient loses on the wire. fp16: each value is rounded to half precision (to nearest, ties to
/// even) once, where it leaves the worker; sums stay in float. top-k: the k = fraction * size values of largest
/// magnitude travel (of equal ones those of lower index), the rest is kept and added to the next gradient: error
/// feedback (Stich, Cordonnier, Jaggi, NeurIPS 2018). Each worker owns one.
class GradientCompression {
public:
    GradientCompression(Compression kind, double topKFraction, std::size_t size);

    /// k of top-k.
    [[nodiscard]] static std::size_t keptEntries(double topKFraction, std::size_t size);
    /// Replaces the gradient by what arrives.
    void apply(std::span<float> gradient);
    void archive(StateArchive& archive) { archive.elements(std::span(m_residual)); }

private:
    void keepLargest(std::span<float> gradient);

    Compression m_kind;
    std::size_t m_kept = 0;
    std::vector<float> m_residual;
};

}  // namespace lockstep
