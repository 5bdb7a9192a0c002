#pragma once

#include <cstddef>
#include <span>

#include "experiment/experiment.h"
#include "optim/vector_math.h"
#include "train/parameter_shard.h"

namespace lockstep {

/// What a gradient's values take on the wire, in bytes: 4 each as they are, 2 as fp16 (partial sums of an all-reduce
/// included, although they are summed in float here), and 8 (value and 32-bit index) for each value that top-k kept,
/// which is each that is not zero. Running statistics, behind the first `trained` values, travel as they are.
class WireFormat {
public:
    explicit WireFormat(Compression compression = Compression::None, std::size_t trained = kAllTrained)
        : m_compression(compression), m_trained(trained) {}

    /// Of the slice of this gradient, as it leaves the worker.
    [[nodiscard]] double bytes(std::span<const float> gradient, IndexRange slice) const;
    /// Of any gradient's slice; not for top-k, where it depends on the values.
    [[nodiscard]] double denseBytes(IndexRange slice) const;

private:
    [[nodiscard]] IndexRange trainedPart(IndexRange slice) const;

    Compression m_compression;
    std::size_t m_trained;
};

}  // namespace lockstep
