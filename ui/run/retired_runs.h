#pragma once

#include <future>
#include <memory>
#include <vector>

#include "train/run.h"

namespace lockstep::ui {

/// Where replaced runs end: each is told to stop and joined by a thread of its own, so that the window never waits for
/// one. The destructor waits for those that are still ending.
class RetiredRuns {
public:
    void take(std::shared_ptr<Run> run);

private:
    std::vector<std::future<void>> m_ending;
};

}  // namespace lockstep::ui
