#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

namespace lockstep {

/// Of at least one value; of an even number of them the upper of the two in the middle.
[[nodiscard]] inline double median(std::vector<double> values) {
    assert(!values.empty());
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace lockstep
