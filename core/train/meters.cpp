#include "train/meters.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep {
namespace {

constexpr Meters kNone{.divergence = false, .noise = false, .times = false, .fullGradients = false};

bool* meterNamed(Meters& meters, std::string_view name) {
    if (name == "divergence") return &meters.divergence;
    if (name == "noise") return &meters.noise;
    if (name == "times") return &meters.times;
    if (name == "full-gradients") return &meters.fullGradients;
    return nullptr;
}

}  // namespace

Result<Meters> parseMeters(std::string_view text) {
    if (text == "on") return Meters{};
    if (text == "sampled") return Meters{.sampled = true};
    Meters meters = kNone;
    if (text == "off") return meters;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view name = text.substr(begin, end - begin);
        bool* meter = meterNamed(meters, name);
        if (meter == nullptr)
            return fail(
                fmt::format("meters: \"{}\" is not known; allowed are on, off, sampled, or some of divergence, "
                            "noise, times, full-gradients",
                            name));
        *meter = true;
        begin = end + 1;
    }
    return meters;
}

}  // namespace lockstep
