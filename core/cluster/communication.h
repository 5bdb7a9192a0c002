#pragma once

#include "cluster/prediction.h"
#include "experiment/experiment.h"

namespace lockstep {

/// A cluster of equal nodes behind one switch, one device a node.
struct Network {
    int workers = 1;
    int servers = 0;
    bool coLocated = false;
    double bandwidthBitPerS = 1;  ///< of each node's link, in each direction
    double latency_s = 0;         ///< of every message
    double oversubscription = 1;  ///< the switch carries (sum of the links in one direction) / this
};

/// One exchange: how long, what limits it, what crosses the busiest kinds of link.
struct Exchange {
    double transfer_s = 0;  ///< bytes over rates
    double latency_s = 0;   ///< the messages that wait for each other
    Bottleneck limit = Bottleneck::WorkerLink;
    double workerBytes = 0;  ///< the most that a worker's link carries in the exchange's direction

    [[nodiscard]] double total_s() const { return transfer_s + latency_s; }
};

/// Every worker exchanges `bytes` with the servers, `bytes` / S with each, all at once, in one direction (push; pull is
/// its mirror image). Flows share links by max-min fairness, so the exchange ends when the most loaded link does:
///   dedicated: the servers' links carry W bytes / S, the workers' bytes, the switch W bytes of its (W + S) B / o
///   co-located: server s lives on node s mod W and its own worker's share stays at home: the fullest node carries
///     ceil(S / W) (W - 1) bytes / S, the switch (W - 1) bytes of its W B / o
/// Latency is that of one message, and none where nothing leaves a node.
[[nodiscard]] Exchange serverExchange(const Network& network, double bytes);

/// When a push ends, from the moment at which the slow workers begin theirs; the fast ones may be done before.
struct PushEnds {
    double fast_s = 0, slow_s = 0;
};

/// The push when `slow` of the workers begin `delay_s` after the others. Until then the fast ones have the links for
/// themselves; afterwards all share, until the fast ones are done. For dedicated servers this is what max-min fairness
/// gives; for co-located ones everything is taken to begin with the slowest, an upper bound, as servers share their
/// links with workers of either kind.
[[nodiscard]] PushEnds delayedPush(const Network& network, double bytes, int slow, double delay_s);

/// All-reduce of `bytes` over all workers; Auto takes the cheapest. Steps follow each other:
///   ring: 2 (W - 1) steps of bytes / W (Patarasuk and Yuan 2009)
///   tree: binomial, reduce and then broadcast, 2 ceil(log2 W) steps of all bytes
///   halving-doubling: with P the largest power of two in W, 2 log2 P steps of bytes / 2, bytes / 4, ..., and where
///     W > P one step before, in which W - P ranks add their buffer into a partner's, and one after, in which they get
///     the result back (Thakur, Rabenseifner and Gropp 2005)
///   naive: everyone sends to one node at once, which sends the result to everyone at once
/// A step in which n of the W nodes send is slowed by the switch when n > W / oversubscription.
[[nodiscard]] Exchange allReduceExchange(const Network& network, AllReduceAlgorithm algorithm, double bytes);

/// The algorithm that `auto` stands for; others stand for themselves.
[[nodiscard]] AllReduceAlgorithm cheapestAllReduce(const Network& network, AllReduceAlgorithm algorithm, double bytes);

/// Bytes that leave (and, in all, arrive at) nodes in one all-reduce: of rank 0, and the mean of the others.
struct RankTraffic {
    double firstOut = 0, firstIn = 0, othersOut = 0, othersIn = 0;
};
[[nodiscard]] RankTraffic allReduceTraffic(int workers, AllReduceAlgorithm algorithm, double bytes);

}  // namespace lockstep
