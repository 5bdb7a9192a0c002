#pragma once

#include "train/snapshot.h"

namespace lockstep::cli {

/// One line of the table that a run prints, and its last lines.
void printSnapshot(const Snapshot& snapshot);
void printSummary(const RunResult& result);

}  // namespace lockstep::cli
