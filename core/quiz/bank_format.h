#pragma once

namespace lockstep {

/// How a bank file names itself.
inline constexpr const char* kBankFormat = "lockstep-quiz";
inline constexpr int kBankVersion = 1;

}  // namespace lockstep
