#pragma once

#include <string>
#include <tl/expected.hpp>

namespace lockstep {

/// Why something could not be done, as one line for a person: what, where, what is allowed.
struct Error {
    std::string message;
};

/// A value, or the reason why there is none. Expected failure is returned, never thrown.
template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message) {
    return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace lockstep
