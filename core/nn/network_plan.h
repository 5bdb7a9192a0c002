#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "nn/kernels/kernels.h"
#include "nn/network_layout.h"

namespace lockstep {

/// A step on images: a convolution or a pooling, with what is fused into it. Its input is stored as the kernel wants it
/// (a convolution's with its zero border).
struct ImageStep {
    std::variant<kernels::Convolution, kernels::Pooling> kernel;
    std::size_t weights = 0, bias = 0;  ///< offsets of a convolution's parameters

    [[nodiscard]] const kernels::Convolution* convolution() const { return std::get_if<kernels::Convolution>(&kernel); }
    [[nodiscard]] std::size_t inputElements() const;
    [[nodiscard]] std::size_t outputElements() const;
    /// Where the image starts in the stored input, and how far its rows are apart.
    [[nodiscard]] int inputOrigin() const;
    [[nodiscard]] int inputRowStride() const;
};

struct DenseStep {
    int inputs = 0, outputs = 0;
    bool relu = false;
    bool sparse =
        false;  ///< reads raw pixels and skips zeros; weights [inputs x outputs] instead of [outputs x inputs]
    std::size_t weights = 0, bias = 0;

    [[nodiscard]] std::size_t weightCount() const {
        return static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs);
    }
};

/// What a network whose samples do not depend on each other compiles to: steps on images, then dense steps, all offsets
/// known.
class NetworkPlan : public NetworkLayout {
public:
    std::vector<ImageStep> images;
    std::vector<DenseStep> dense;

    [[nodiscard]] bool startsSparse() const { return images.empty() && dense.front().sparse; }

    [[nodiscard]] static Result<NetworkPlan> compile(NetworkSpec spec);
};

}  // namespace lockstep
