#include "train/wire_format.h"

#include <algorithm>
#include <cassert>

namespace lockstep {
namespace {

constexpr double kFloat = 4, kHalf = 2, kIndex = 4;

}  // namespace

IndexRange WireFormat::trainedPart(IndexRange slice) const {
    return {std::min(slice.begin, m_trained), std::min(slice.end, m_trained)};
}

double WireFormat::bytes(std::span<const float> gradient, IndexRange slice) const {
    if (m_compression != Compression::TopK) return denseBytes(slice);
    const IndexRange trained = trainedPart(slice);
    const auto kept =
        std::ranges::count_if(gradient.subspan(trained.begin, trained.size()), [](float value) { return value != 0; });
    return (kFloat + kIndex) * static_cast<double>(kept) + kFloat * static_cast<double>(slice.size() - trained.size());
}

double WireFormat::denseBytes(IndexRange slice) const {
    assert(m_compression != Compression::TopK);
    const double value = m_compression == Compression::Fp16 ? kHalf : kFloat;
    const auto trained = static_cast<double>(trainedPart(slice).size());
    return value * trained + kFloat * (static_cast<double>(slice.size()) - trained);
}

}  // namespace lockstep
