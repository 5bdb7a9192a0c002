#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {

double scheduleFactor(const ScheduleSettings& settings, long long step) {
    if (step < settings.warmupSteps) return static_cast<double>(step + 1) / settings.warmupSteps;
    if (settings.totalSteps <= 0) return 1;
    switch (settings.schedule) {
        case RateSchedule::Constant:
            break;
        case RateSchedule::Step:
            if (4 * step >= 3 * settings.totalSteps) return 0.01;
            return 2 * step >= settings.totalSteps ? 0.1 : 1;
        case RateSchedule::Cosine: {
            const auto length = static_cast<double>(std::max(settings.totalSteps - settings.warmupSteps, 1LL));
            const double part = std::min(static_cast<double>(step - settings.warmupSteps) / length, 1.0);
            return 0.5 * (1 + std::cos(std::numbers::pi * part));
        }
    }
    return 1;
}

}  // namespace lockstep
