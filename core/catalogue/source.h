#pragma once

#include <string>

namespace lockstep {

/// A figure's origin, shown beside it.
struct Source {
    std::string text;  ///< author, title, page or table
    std::string url;
};

}  // namespace lockstep
