#pragma once

#include <QString>
#include <vector>

#include "cluster/prediction.h"

namespace lockstep::ui {

/// The stretch of the iteration that the timeline shows, and how it changes. Pure.
struct TimeWindow {
    double start_s = 0, end_s = 1;
    [[nodiscard]] double length() const { return end_s - start_s; }
    bool operator==(const TimeWindow&) const = default;
};
/// Zoomed by `factor` (< 1: closer) around `anchor_s`, within [0, duration]; never closer than a ten-thousandth of it.
[[nodiscard]] TimeWindow zoomed(const TimeWindow& window, double anchor_s, double factor, double duration_s);
/// Moved by `shift_s`, within [0, duration].
[[nodiscard]] TimeWindow panned(const TimeWindow& window, double shift_s, double duration_s);

struct TimeTick {
    double time_s = 0;
    QString text;  ///< the number; the last one also carries the unit
};
/// Round ticks in one unit (µs, ms or s, after the window's end); at most `most`.
[[nodiscard]] std::vector<TimeTick> timeTicks(const TimeWindow& window, int most);

/// Indices of the lanes to show in `rows` rows: all of them, or the first workers, the last one, and the servers
/// likewise.
[[nodiscard]] std::vector<int> shownLanes(const Timeline& timeline, int rows);

/// "W1", "W3–64 ×62", "S1": a lane's name for the margin. `shortName` drops the count.
[[nodiscard]] QString laneName(const Timeline& timeline, int lane, bool shortName);

/// Visible spans of a lane, as indices [first, last) into timeline.spans, found by binary search.
struct SpanRange {
    size_t first = 0, last = 0;
};
[[nodiscard]] SpanRange visibleSpans(const Timeline& timeline, int lane, const TimeWindow& window);

}  // namespace lockstep::ui
