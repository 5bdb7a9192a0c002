#include "cli/train_output.h"

#include <fmt/format.h>

#include <cmath>

#include "base/format.h"
#include "cli/console.h"

namespace lockstep::cli {
namespace {

std::string percent(double fraction) { return formatQuantity(fraction, "%"); }

}  // namespace

void printSnapshot(const Snapshot& snapshot) {
    const std::string loss = std::isnan(snapshot.loss) ? "–" : fmt::format("{:.4f}", snapshot.loss);
    printLine(fmt::format("{:>8}  {:>7.2f}  {:>8}  {:>7}  {:>7}  {:>10.4g}  {:>14}", snapshot.step, snapshot.epoch,
                          loss, percent(snapshot.trainAccuracy), percent(snapshot.testAccuracy),
                          snapshot.divergence.meanDistanceToAverage,
                          formatQuantity(snapshot.measuredSamplesPerS, "images/s")));
}

void printSummary(const RunResult& result) {
    const std::string end = result.divergedAtStep ? fmt::format("diverged at step {}", *result.divergedAtStep)
                                                  : std::string(runStateName(result.outcome));
    if (result.last.restarts > 0)
        printLine(fmt::format("{}, {} done again", counted(result.last.restarts, "restart"),
                              counted(result.last.lostSteps, "step")));
    printLine(fmt::format(
        "{} after {} steps: test accuracy {}, replicas {:.3g} from their average, {} sent, parameters {:016x}", end,
        result.last.step, percent(result.last.testAccuracy), result.last.divergence.meanDistanceToAverage,
        formatQuantity(result.last.bytesSent, "B"), result.parametersHash));
}

}  // namespace lockstep::cli
