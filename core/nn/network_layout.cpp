#include "nn/network_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep {
namespace {

constexpr int kMostClasses = 256;

Result<void> checkEnds(const NetworkSpec& spec) {
    const ImageShape& input = spec.input;
    if (input.heightPx < 1 || input.widthPx < 1 || input.heightPx > 512 || input.widthPx > 512 || input.channels < 1 ||
        input.channels > 16)
        return fail(
            fmt::format("images of {} x {} pixels and {} channels: allowed are 1..512 pixels and 1..16 channels",
                        input.heightPx, input.widthPx, input.channels));
    if (spec.layers.empty() || spec.layers.back().type != LayerType::Dense)
        return fail("the last layer must be dense: its outputs are the classes");
    if (spec.layers.back().outputs > kMostClasses)
        return fail(fmt::format("at most {} classes, not {}", kMostClasses, spec.layers.back().outputs));
    return {};
}

}  // namespace

Result<void> NetworkLayout::begin(NetworkSpec given) {
    spec = std::move(given);
    if (Result<void> checked = checkEnds(spec); !checked) return checked;
    const auto channels = static_cast<std::size_t>(spec.input.channels);
    const auto fits = [&](const std::vector<float>& v) { return v.size() <= 1 || v.size() == channels; };
    if (!fits(spec.standardization.mean) || !fits(spec.standardization.deviation))
        return fail(fmt::format("standardization needs 0, 1 or {} means and deviations", channels));
    const auto at = [](const std::vector<float>& v, std::size_t c, float absent) {
        return v.empty() ? absent : v[v.size() == 1 ? 0 : c];
    };
    for (std::size_t c = 0; c < channels; ++c) {
        const float deviation = at(spec.standardization.deviation, c, 1.0F);
        if (!(deviation > 0.0F)) return fail(fmt::format("a standard deviation must be above 0, not {}", deviation));
        scale.push_back(1.0F / deviation);
        shift.push_back(at(spec.standardization.mean, c, 0.0F) / deviation);
    }
    return {};
}

std::size_t NetworkLayout::add(ParameterRange range) {
    range.offset = parameterCount;
    parameterCount += range.count;
    if (!range.isStatistics()) trainedCount = parameterCount;
    ranges.push_back(std::move(range));
    return ranges.back().offset;
}

void NetworkLayout::standardize(const float* image, float* to, int rowStride) const {
    const ImageShape& shape = spec.input;
    const int row = shape.widthPx * shape.channels;
    const float firstScale = scale[0], firstShift = shift[0];
    for (int y = 0; y < shape.heightPx; ++y, image += row) {
        float* target = to + static_cast<std::ptrdiff_t>(y) * rowStride;
        if (shape.channels == 1) {
            for (int x = 0; x < row; ++x) target[x] = image[x] * firstScale - firstShift;
        } else {
            for (int x = 0; x < row; ++x) {
                const auto channel = static_cast<std::size_t>(x % shape.channels);
                target[x] = image[x] * scale[channel] - shift[channel];
            }
        }
    }
}

void NetworkLayout::initialize(std::span<float> parameters, RandomStream& stream) const {
    for (const ParameterRange& range : ranges) {
        const std::span<float> values = parameters.subspan(range.offset, range.count);
        const bool one = range.role == ParameterRole::Scale || range.role == ParameterRole::RunningVariance;
        std::ranges::fill(values, one ? 1.0F : 0.0F);
        if (range.role != ParameterRole::Weights) continue;
        const float bound = std::sqrt(6.0F / static_cast<float>(range.inputs));
        for (float& weight : values) weight = bound * (2.0F * stream.nextFloat() - 1.0F);
    }
}

}  // namespace lockstep
