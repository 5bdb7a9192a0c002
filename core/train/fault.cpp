#include "train/fault.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace lockstep {
namespace {

constexpr double kLargestSlowdown = 1e6, kMostIterations = 1e9;
constexpr int kLargestIndex = 1 << 20;

struct KindName {
    FaultKind kind;
    std::string_view name, past;
};
constexpr std::array kKinds{KindName{FaultKind::Slow, "slow", "slowed down"},
                            KindName{FaultKind::Pause, "pause", "paused"}, KindName{FaultKind::Kill, "kill", "killed"},
                            KindName{FaultKind::Revive, "revive", "revived"}};

std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t colon = text.find(':');
        parts.push_back(text.substr(0, colon));
        if (colon == std::string_view::npos) return parts;
        text.remove_prefix(colon + 1);
    }
}

template <class Number>
std::optional<Number> number(std::string_view text, Number least, Number most) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) return {};
    return value;
}

tl::unexpected<Error> bad(std::string_view text, std::string_view what) {
    return fail(
        fmt::format("fault \"{}\": {}; write STEP:KIND:worker:N or STEP:KIND:server:N with KIND slow, pause, "
                    "kill or revive, after slow :FACTOR, at the end :for:ITERATIONS",
                    text, what));
}

}  // namespace

Result<ScheduledFault> parseFault(std::string_view text) {
    std::vector<std::string_view> parts = split(text);
    ScheduledFault scheduled;
    if (parts.size() >= 2 && parts[parts.size() - 2] == "for") {
        scheduled.iterations = number<double>(parts.back(), 0, kMostIterations);
        if (!scheduled.iterations) return bad(text, "the iterations are not a number from 0 to 1e9");
        parts.resize(parts.size() - 2);
    }
    if (parts.size() < 4) return bad(text, "something is missing");
    const auto step = number<long long>(parts[0], 0, 1LL << 40);
    if (!step) return bad(text, "the step is not a whole number from 0");
    scheduled.step = *step;
    Fault& fault = scheduled.fault;
    bool known = false;
    for (const KindName& kind : kKinds) {
        if (kind.name != parts[1]) continue;
        fault.kind = kind.kind;
        known = true;
    }
    if (!known) return bad(text, fmt::format("there is no fault \"{}\"", parts[1]));
    if (parts[2] != "worker" && parts[2] != "server") return bad(text, "the machine is neither a worker nor a server");
    fault.server = parts[2] == "server";
    const auto index = number<int>(parts[3], 0, kLargestIndex);
    if (!index) return bad(text, "the machine's number is not a whole number from 0");
    fault.index = *index;
    if (fault.kind == FaultKind::Slow && parts.size() == 5) {
        const auto slowdown = number<double>(parts[4], 1, kLargestSlowdown);
        if (!slowdown) return bad(text, "the slowdown is not a number from 1 to 1e6");
        fault.slowdown = *slowdown;
    } else if (parts.size() != 4) {
        return bad(text, "there is something too much");
    }
    if (fault.kind == FaultKind::Revive && scheduled.iterations) return bad(text, "reviving takes no time");
    return scheduled;
}

std::string describe(const Fault& fault) {
    std::string_view past;
    for (const KindName& kind : kKinds)
        if (kind.kind == fault.kind) past = kind.past;
    const std::string machine = fmt::format("{} {} is {}", fault.server ? "server" : "worker", fault.index, past);
    return fault.kind == FaultKind::Slow ? fmt::format("{} {:g} times", machine, fault.slowdown) : machine;
}

Result<void> checkFault(const Fault& fault, int workers, int servers) {
    const int machines = fault.server ? servers : workers;
    if (fault.index >= 0 && fault.index < machines) return {};
    if (machines == 0) return fail(fmt::format("fault: {}, but there are no parameter servers", describe(fault)));
    return fail(fmt::format("fault: {}, but the run has {} of them, counted from 0", describe(fault), machines));
}

MachineHealth MachineHealth::after(const Fault& fault) const {
    MachineHealth next = *this;
    switch (fault.kind) {
        case FaultKind::Slow:
            next.slowdown = std::isfinite(fault.slowdown) && fault.slowdown >= 1 ? fault.slowdown : 1;
            break;
        case FaultKind::Pause:
            next.paused = !dead;
            break;
        case FaultKind::Kill:
            next = {.slowdown = 1, .paused = false, .dead = true};
            break;
        case FaultKind::Revive:
            next = {};
            break;
    }
    return next;
}

}  // namespace lockstep
