#include "run/retired_runs.h"

#include <chrono>

namespace lockstep::ui {

void RetiredRuns::take(std::shared_ptr<Run> run) {
    std::erase_if(m_ending, [](const std::future<void>& ending) {
        return ending.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    if (!run) return;
    run->requestStop();
    m_ending.push_back(std::async(std::launch::async, [run = std::move(run)]() mutable { run.reset(); }));
}

}  // namespace lockstep::ui
