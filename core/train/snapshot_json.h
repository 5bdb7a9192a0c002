#pragma once

#include <nlohmann/json.hpp>

#include "train/snapshot.h"

namespace lockstep {

/// The contract's snapshot: `step`, `epoch`, ..., `divergence` {...}; not-a-number is null.
[[nodiscard]] nlohmann::ordered_json snapshotToJson(const Snapshot& snapshot);

/// The contract's last line: {"summary": {the last snapshot's fields, `parameters_hash`, `parameters_hash_per_replica`,
/// `outcome`, `diverged_at_step`}}. Hashes are 16 hexadecimal digits, since JSON numbers do not hold 64 bits safely.
[[nodiscard]] nlohmann::ordered_json summaryToJson(const RunResult& result);

}  // namespace lockstep
