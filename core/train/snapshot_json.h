#pragma once

#include <nlohmann/json.hpp>

#include "train/snapshot.h"

namespace lockstep {

/// The contract's snapshot: `step`, `epoch`, ..., `divergence` {...}; not-a-number, and what no meter looked at, is
/// null. Beside the contract's names it has
///   divergence.measured_at_step   the step that distances and places are from (Meters::sampled); null when off
///   divergence.per_layer   [{`layer`, `mean_distance_to_average`, `relative`}]: each layer's own parameters
///   divergence.projection  {`version`, `shown_share`} of the plane in which `workers.x`, `workers.y` lie
///   (ReplicaPlane) gradient_noise_scale_standard_error, suggested_global_batch   in samples (NoiseScaleMeter)
///   gradient_variance      {`before_averaging`, `after_averaging`}: squared norms, smoothed over updates
///   full_gradient          {`mean_relative_error`, `max_relative_error`, `mean_angle_deg`, `max_angle_deg` over the
///                          workers; `weighted_mean_relative_difference`} with training.gradient = full
///                          (FullGradientMeter)
///   workers                columns by rank: `loss`, `test_accuracy`, `x`, `y`, `bytes_sent`, `bytes_received`;
///                          `compute_thread_s` (measured: wall-clock seconds of this computer's threads, added up),
///                          `communication_wall_s` (measured: wall clock of the exchanges it took part in),
///                          `waiting_modelled_share` (on the modelled clock: share of it spent waiting for others);
///                          `gradient_relative_error`, `gradient_angle_deg` of its shard's full gradient
///   servers                columns by server: `bytes_sent`, `bytes_received`
/// What workers and servers sent adds up to `bytes_sent`, and so does what they received.
[[nodiscard]] nlohmann::ordered_json snapshotToJson(const Snapshot& snapshot);

/// The contract's last line: {"summary": {the last snapshot's fields, `parameters_hash`, `parameters_hash_per_replica`,
/// `outcome`, `diverged_at_step`}}. Hashes are 16 hexadecimal digits, since JSON numbers do not hold 64 bits safely.
[[nodiscard]] nlohmann::ordered_json summaryToJson(const RunResult& result);

}  // namespace lockstep
