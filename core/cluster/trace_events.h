#pragma once

#include <nlohmann/json.hpp>

#include "cluster/prediction.h"

namespace lockstep {

/// A modelled iteration in the Trace Event format that Perfetto and chrome://tracing open (Google, "Trace Event
/// Format"): complete events ("X") with times in microseconds, workers and servers as two processes, a thread for each
/// lane, and the average use of each kind of link as counters ("C").
[[nodiscard]] nlohmann::ordered_json traceEvents(const Timeline& timeline, const Prediction& prediction);

}  // namespace lockstep
