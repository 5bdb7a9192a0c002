#include "base/interrupt_watch.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace lockstep {
namespace {

constexpr std::chrono::milliseconds kPollInterval{10};

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void onSignal(int number) {
    interrupted = true;
    std::signal(number, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    m_thread = std::jthread([source = m_source](const std::stop_token& ending) mutable {
        while (!ending.stop_requested() && !source.stop_requested()) {
            if (interrupted) source.request_stop();
            std::this_thread::sleep_for(kPollInterval);
        }
    });
}

}  // namespace lockstep
