#include "cluster/flow_network.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace lockstep {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Bytes that are too few to tell apart, as a share of what a link has served.
constexpr double kRounding = 1e-12;

}  // namespace

LinkId FlowNetwork::addLink(double capacity) {
    m_links.emplace_back().capacity = capacity;
    return static_cast<LinkId>(m_links.size()) - 1;
}

void FlowNetwork::touch(LinkId link) {
    Link& one = m_links[static_cast<std::size_t>(link)];
    if (one.touched) return;
    one.touched = true;
    m_touched.push_back(link);
}

void FlowNetwork::start(const Route& route, double bytes, std::uint64_t tag, double /*now*/) {
    const std::uint64_t order = m_started++;
    bool limited = false;
    for (const LinkId link : route.links()) limited |= std::isfinite(m_links[static_cast<std::size_t>(link)].capacity);
    if (!limited || !(bytes > 0)) {
        m_immediate.emplace_back(order, tag);
        return;
    }
    int index = static_cast<int>(m_flows.size());
    if (m_free.empty()) {
        m_flows.emplace_back();
    } else {
        index = m_free.back();
        m_free.pop_back();
    }
    Flow& flow = m_flows[static_cast<std::size_t>(index)];
    const std::uint32_t stamp = flow.stamp + 1;
    flow = {};
    flow.stamp = stamp;
    flow.tag = tag;
    flow.order = order;
    flow.bytes = bytes;
    flow.alive = true;
    for (const LinkId link : route.links()) {
        Link& one = m_links[static_cast<std::size_t>(link)];
        if (!std::isfinite(one.capacity)) continue;
        flow.places[flow.route.links().size()] = static_cast<int>(one.flows.size());
        flow.route.add(link);
        one.flows.push_back(index);
        touch(link);
    }
    m_begun.push_back(index);
    ++m_active;
}

double FlowNetwork::nextEnd(double now) {
    if (!m_immediate.empty()) return now;
    settle(now);
    while (!m_ends.empty()) {
        const End& end = m_ends.top();
        if (m_links[static_cast<std::size_t>(end.link)].version == end.version) return std::max(now, end.time);
        m_ends.pop();
    }
    return kInfinite;
}

void FlowNetwork::takeEnded(double now, std::vector<std::uint64_t>& tags) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ended = std::exchange(m_immediate, {});
    if (ended.empty()) {
        while (!m_ends.empty() && m_ends.top().time <= now) {
            const End end = m_ends.top();
            m_ends.pop();
            Link& link = m_links[static_cast<std::size_t>(end.link)];
            if (link.version != end.version) continue;
            serve(link, now);
            const double reached = link.served * (1 + kRounding);
            m_ending.clear();
            for (dropOldMarks(link); !link.marks.empty() && link.marks.top().at <= reached; dropOldMarks(link)) {
                m_ending.push_back(link.marks.top().flow);
                link.marks.pop();
            }
            for (const int index : m_ending) {
                ended.emplace_back(m_flows[static_cast<std::size_t>(index)].order,
                                   m_flows[static_cast<std::size_t>(index)].tag);
                remove(index, now);
            }
            if (m_ending.empty()) schedule(end.link, now);  // rounding: a little later
        }
    }
    std::sort(ended.begin(), ended.end());
    for (const auto& [order, tag] : ended) tags.push_back(tag);
}

double FlowNetwork::rateOf(std::uint64_t tag, double now) {
    settle(now);
    for (const Flow& flow : m_flows)
        if (flow.alive && flow.tag == tag) return flow.rate;
    return 0;
}

void FlowNetwork::remove(int index, double now) {
    Flow& flow = m_flows[static_cast<std::size_t>(index)];
    leave(flow, now);
    const auto links = flow.route.links();
    for (std::size_t i = 0; i < links.size(); ++i) {
        Link& link = m_links[static_cast<std::size_t>(links[i])];
        const int place = flow.places[i], moved = link.flows.back();
        link.flows[static_cast<std::size_t>(place)] = moved;
        link.flows.pop_back();
        Flow& other = m_flows[static_cast<std::size_t>(moved)];
        const auto otherLinks = other.route.links();
        for (std::size_t k = 0; k < otherLinks.size(); ++k)
            if (otherLinks[k] == links[i]) other.places[k] = place;
        link.load = link.flows.empty() ? 0 : link.load - flow.rate;
        touch(links[i]);
    }
    flow.alive = false;
    ++flow.stamp;
    m_free.push_back(index);
    --m_active;
}

void FlowNetwork::settle(double now) {
    if (m_touched.empty()) return;
    ++m_visit;
    m_variable.clear();
    m_included.clear();
    for (const int flow : m_begun) makeVariable(flow);
    for (const LinkId link : m_touched)
        if (m_links[static_cast<std::size_t>(link)].own > 0) include(link);
    for (const LinkId link : m_touched) m_links[static_cast<std::size_t>(link)].touched = false;
    m_touched.clear();
    m_begun.clear();
    while (!fill()) {
    }
    apply(now);
}

/// All flows of the link are to be looked at, and with them the other full links that they pass.
void FlowNetwork::include(LinkId link) {
    if (m_links[static_cast<std::size_t>(link)].visit == m_visit) return;
    std::vector<LinkId> todo{link};
    m_links[static_cast<std::size_t>(link)].visit = m_visit;
    while (!todo.empty()) {
        const LinkId next = todo.back();
        todo.pop_back();
        m_included.push_back(next);
        for (const int flow : m_links[static_cast<std::size_t>(next)].flows) {
            if (m_flows[static_cast<std::size_t>(flow)].visit == m_visit) continue;
            makeVariable(flow);
            for (const LinkId other : m_flows[static_cast<std::size_t>(flow)].route.links()) {
                Link& passed = m_links[static_cast<std::size_t>(other)];
                if (passed.own == 0 || passed.visit == m_visit) continue;
                passed.visit = m_visit;
                todo.push_back(other);
            }
        }
    }
}

void FlowNetwork::makeVariable(int flow) {
    Flow& one = m_flows[static_cast<std::size_t>(flow)];
    if (!one.alive || one.visit == m_visit) return;
    one.visit = m_visit;
    m_variable.push_back(flow);
    // A new flow is looked at together with those that fill its links.
    if (one.bottleneck >= 0) return;
    for (const LinkId link : one.route.links())
        if (m_links[static_cast<std::size_t>(link)].own > 0) include(link);
}

/// Progressive filling among the variable flows; the others' rates are taken from the links' room.
bool FlowNetwork::fill() {
    m_passed.clear();
    m_heap.clear();
    m_found.assign(m_variable.size(), {});
    for (const int index : m_variable) {
        Flow& flow = m_flows[static_cast<std::size_t>(index)];
        flow.frozen = false;
        for (const LinkId id : flow.route.links()) {
            Link& link = m_links[static_cast<std::size_t>(id)];
            if (link.waiting++ == 0) {
                link.room = link.capacity - link.load;
                m_passed.push_back(id);
            }
            link.room += flow.rate;
        }
    }
    for (const LinkId id : m_passed) {
        Link& link = m_links[static_cast<std::size_t>(id)];
        // Exact where nobody else is on the link.
        if (link.visit == m_visit || static_cast<std::size_t>(link.waiting) == link.flows.size())
            link.room = link.capacity;
        m_heap.emplace_back(link.room / link.waiting, id);
    }
    for (std::size_t i = 0; i < m_variable.size(); ++i)
        m_flows[static_cast<std::size_t>(m_variable[i])].found = static_cast<int>(i);
    std::make_heap(m_heap.begin(), m_heap.end(), std::greater<>{});
    LinkId full = -1;
    while (!m_heap.empty()) {
        std::pop_heap(m_heap.begin(), m_heap.end(), std::greater<>{});
        const auto [share, id] = m_heap.back();
        m_heap.pop_back();
        Link& link = m_links[static_cast<std::size_t>(id)];
        if (link.waiting == 0) continue;
        const double now = std::max(0.0, link.room) / link.waiting;
        if (now > share) {  // shares only grow: others have left room meanwhile
            m_heap.emplace_back(now, id);
            std::push_heap(m_heap.begin(), m_heap.end(), std::greater<>{});
            continue;
        }
        // Is there somebody on it who would have to give way?
        if (link.visit != m_visit && static_cast<std::size_t>(link.waiting) < link.flows.size()) {
            bool faster = false;
            for (const int index : link.flows) {
                const Flow& flow = m_flows[static_cast<std::size_t>(index)];
                faster |= flow.visit != m_visit && flow.rate > share;
            }
            if (faster) {
                full = id;
                break;
            }
        }
        for (const int index : link.flows) {
            Flow& flow = m_flows[static_cast<std::size_t>(index)];
            if (flow.visit != m_visit || flow.frozen) continue;
            flow.frozen = true;
            m_found[static_cast<std::size_t>(flow.found)] = {share, id};
            for (const LinkId other : flow.route.links()) {
                Link& passed = m_links[static_cast<std::size_t>(other)];
                passed.room -= share;
                --passed.waiting;
            }
        }
    }
    for (const LinkId id : m_passed) m_links[static_cast<std::size_t>(id)].waiting = 0;
    if (full < 0) return true;
    include(full);
    return false;
}

void FlowNetwork::apply(double now) {
    for (const LinkId id : m_included) {
        m_links[static_cast<std::size_t>(id)].load = 0;
        serve(m_links[static_cast<std::size_t>(id)], now);
    }
    for (std::size_t i = 0; i < m_variable.size(); ++i) {
        const int index = m_variable[i];
        Flow& flow = m_flows[static_cast<std::size_t>(index)];
        const Found found = m_found[i];
        for (const LinkId id : flow.route.links()) {
            Link& link = m_links[static_cast<std::size_t>(id)];
            link.load += link.visit == m_visit ? found.rate : found.rate - flow.rate;
        }
        if (flow.bottleneck != found.bottleneck) {
            leave(flow, now);
            join(index, found.bottleneck, found.rate, now);
        }
        flow.rate = found.rate;
        Link& link = m_links[static_cast<std::size_t>(found.bottleneck)];
        if (link.rate != found.rate || !link.changed) {
            serve(link, now);
            link.rate = found.rate;
            link.changed = true;
        }
    }
    for (std::size_t i = 0; i < m_variable.size(); ++i) {
        const LinkId id = m_found[i].bottleneck;
        if (!std::exchange(m_links[static_cast<std::size_t>(id)].changed, false)) continue;
        schedule(id, now);
    }
}

void FlowNetwork::serve(Link& link, double now) {
    link.served += link.rate * (now - link.since);
    link.since = now;
}

void FlowNetwork::leave(Flow& flow, double now) {
    if (flow.bottleneck < 0) return;
    Link& link = m_links[static_cast<std::size_t>(flow.bottleneck)];
    serve(link, now);
    flow.bytes = std::max(0.0, flow.mark - link.served);
    flow.bottleneck = -1;
    ++flow.stamp;
    if (--link.own > 0) return;
    link.rate = link.served = 0;
    link.marks = {};
    ++link.version;
}

void FlowNetwork::join(int index, LinkId id, double rate, double now) {
    Link& link = m_links[static_cast<std::size_t>(id)];
    Flow& flow = m_flows[static_cast<std::size_t>(index)];
    serve(link, now);
    link.rate = rate;
    ++link.own;
    flow.bottleneck = id;
    flow.mark = link.served + flow.bytes;
    link.marks.push({flow.mark, flow.order, index, flow.stamp});
}

void FlowNetwork::dropOldMarks(Link& link) {
    while (!link.marks.empty()) {
        const Mark& mark = link.marks.top();
        const Flow& flow = m_flows[static_cast<std::size_t>(mark.flow)];
        if (flow.alive && flow.stamp == mark.stamp) return;
        link.marks.pop();
    }
}

void FlowNetwork::schedule(LinkId id, double now) {
    Link& link = m_links[static_cast<std::size_t>(id)];
    ++link.version;
    dropOldMarks(link);
    if (link.marks.empty() || !(link.rate > 0)) return;
    const double left = std::max(0.0, link.marks.top().at - link.served);
    m_ends.push({std::max(now + left / link.rate, std::nextafter(now, kInfinite)), id, link.version});
}

}  // namespace lockstep
