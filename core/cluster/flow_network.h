#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

namespace lockstep {

/// One direction of a link, by its number.
using LinkId = int;

/// The links that a flow passes, at most kMost, each once. None: it takes no time.
class Route {
public:
    static constexpr int kMost = 8;

    Route() = default;
    void add(LinkId link) { m_links[static_cast<std::size_t>(m_count++)] = link; }
    [[nodiscard]] std::span<const LinkId> links() const { return {m_links.data(), static_cast<std::size_t>(m_count)}; }

private:
    std::array<LinkId, kMost> m_links{};
    int m_count = 0;
};

/// A network on which concurrent flows share links by max-min fairness (Bertsekas and Gallager, "Data Networks", 2nd
/// edition 1992, section 6.5.2): rates are raised together until a link is full, whose flows then keep theirs, and so
/// on. So every flow has a bottleneck: a full link on which no other flow is faster.
///
/// When flows begin or end, only those are looked at again that a chain of full links connects with them; the others
/// keep their bottlenecks and so their rates. Flows with the same bottleneck have the same rate, so each link counts
/// how much it has served to one of its own since it began, and a flow ends when that count reaches its mark: a change
/// of rate touches the link, not its flows. Deterministic: ties fall to the lower link and to the flow that began
/// first.
class FlowNetwork {
public:
    /// Bytes per second, > 0; infinite: no limit.
    LinkId addLink(double capacity);

    /// Begins a flow of `bytes` at `now`, which never goes back. `tag` is the caller's.
    void start(const Route& route, double bytes, std::uint64_t tag, double now);
    [[nodiscard]] bool idle() const { return m_active == 0 && m_immediate.empty(); }
    /// When the next flows end; infinite when there are none. All flows that begin now must have begun.
    [[nodiscard]] double nextEnd(double now);
    /// Ends the flows that end at `now` (which nextEnd() gave); appends their tags in the order in which they began.
    void takeEnded(double now, std::vector<std::uint64_t>& tags);

    [[nodiscard]] std::size_t active() const { return m_active; }
    /// The present rate of a flow; for tests. 0 when there is no such flow.
    [[nodiscard]] double rateOf(std::uint64_t tag, double now);

private:
    struct Flow {
        Route route;
        std::array<int, Route::kMost> places{};  ///< in each link's list of flows
        std::uint64_t tag = 0, order = 0;
        double bytes = 0;  ///< left when it joined its bottleneck
        double rate = 0;
        LinkId bottleneck = -1;   ///< -1: not known yet
        double mark = 0;          ///< of the bottleneck's count
        std::uint32_t stamp = 0;  ///< of its entry among the bottleneck's marks
        int visit = 0;
        int found = 0;  ///< among m_found
        bool alive = false, frozen = false;
    };
    struct Mark {
        double at = 0;
        std::uint64_t order = 0;
        int flow = 0;
        std::uint32_t stamp = 0;
        bool operator>(const Mark& other) const { return at != other.at ? at > other.at : order > other.order; }
    };
    using Marks = std::priority_queue<Mark, std::vector<Mark>, std::greater<>>;
    struct Link {
        double capacity = 0;
        double load = 0;         ///< sum of its flows' rates
        std::vector<int> flows;  ///< active ones that pass it
        // Of the flows that have their bottleneck here:
        int own = 0;
        double rate = 0, served = 0, since = 0;
        Marks marks;
        std::uint32_t version = 0;  ///< of its entry among the ends
        // While rates are found:
        int visit = 0, waiting = 0;
        double room = 0;
        bool touched = false, changed = false;
    };
    struct End {
        double time = 0;
        LinkId link = 0;
        std::uint32_t version = 0;
        bool operator>(const End& other) const { return time != other.time ? time > other.time : link > other.link; }
    };

    void touch(LinkId link);
    void settle(double now);
    void include(LinkId link);
    void makeVariable(int flow);
    /// False when a link that was taken for free turned out full: it is included now.
    bool fill();
    void apply(double now);
    void serve(Link& link, double now);
    void leave(Flow& flow, double now);
    void join(int index, LinkId link, double rate, double now);
    void schedule(LinkId link, double now);
    void dropOldMarks(Link& link);
    void remove(int index, double now);

    std::vector<Link> m_links;
    std::vector<Flow> m_flows;
    std::vector<int> m_free;
    std::priority_queue<End, std::vector<End>, std::greater<>> m_ends;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_immediate;  ///< order and tag of flows that take no time
    std::size_t m_active = 0;
    std::uint64_t m_started = 0;

    // While rates are found.
    std::vector<LinkId> m_touched;   ///< by flows that began or ended
    std::vector<int> m_begun;        ///< flows without a bottleneck
    std::vector<int> m_variable;     ///< flows whose rates are found again
    std::vector<LinkId> m_included;  ///< links all of whose flows are variable
    std::vector<LinkId> m_passed;    ///< links that variable flows pass
    std::vector<std::pair<double, LinkId>> m_heap;
    struct Found {
        double rate = 0;
        LinkId bottleneck = -1;
    };
    std::vector<Found> m_found;  ///< for each variable flow
    std::vector<int> m_ending;
    int m_visit = 0;
};

}  // namespace lockstep
