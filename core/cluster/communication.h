#pragma once

#include <vector>

#include "cluster/prediction.h"
#include "experiment/experiment.h"

namespace lockstep {

/// A cluster of equal nodes behind one switch, one device a node.
struct ClusterNetwork {
    int workers = 1;
    int servers = 0;
    bool coLocated = false;
    double bandwidthBitPerS = 1;  ///< of each node's link, in each direction
    double latency_s = 0;         ///< of every message
    double oversubscription = 1;  ///< the switch carries (sum of the links in one direction) / this
    /// Of the parameters, the fullest server's first, where whole tensors are dealt (tensorShares); empty: equal
    /// shares.
    std::vector<double> serverShares{};

    [[nodiscard]] double fullestShare() const { return serverShares.empty() ? 1.0 / servers : serverShares.front(); }
};

/// One exchange: how long, what limits it, what crosses the busiest kinds of link.
struct ExchangeCost {
    double transfer_s = 0;  ///< bytes over rates
    double latency_s = 0;   ///< the messages that wait for each other
    Bottleneck limit = Bottleneck::WorkerLink;
    double workerBytes = 0;  ///< the most that a worker's link carries in the exchange's direction

    [[nodiscard]] double total_s() const { return transfer_s + latency_s; }
};

/// N of the W workers exchange `bytes` with the servers, `bytes` / S with each, all at once, in one direction (push;
/// pull is its mirror image). Flows share links by max-min fairness, so the exchange ends when the most loaded link
/// does:
///   dedicated: the servers' links carry N bytes / S, the workers' bytes, the switch N bytes of its (W + S) B / o
///   co-located: server s lives on node s mod W and its own worker's share stays at home: the fullest node carries
///     ceil(S / W) min(N, W - 1) bytes / S, the switch min(N, W - 1) bytes of its W B / o
/// Where whole tensors are dealt, the flows to the emptier servers end first and leave their room on the workers' links
/// and the switch to the others; a server's link stays shared by N flows. With the k-th fullest share f_k the exchange
/// takes the sum over k of (f_k - f_(k+1)) bytes / r_k, where r_k is the rate of one of the flows to k servers, the
/// least of B / k (worker), B / N (server), and (W + S) B / o / (k N) (switch). For N >= S and o = 1 that is f_1 N
/// bytes / B. Latency is that of one message, and none where nothing leaves a node.
[[nodiscard]] ExchangeCost serverExchange(const ClusterNetwork& network, double bytes, int senders);

/// Who pushes, and how late the slow ones are.
struct PushTimes {
    int senders = 1, slow = 0;
    double delay_s = 0;
};

/// When a push ends, from the moment at which the slow workers begin theirs; the fast ones may be done before.
struct PushEnds {
    double fast_s = 0, slow_s = 0;
};

/// The push when `slow` of the `senders` begin `delay_s` after the others. Until then the fast ones have the links for
/// themselves; afterwards all share, until the fast ones are done. For dedicated servers this is what max-min fairness
/// gives (with whole tensors an approximation: what is left of a push is taken to be so of every flow); for co-located
/// ones everything is taken to begin with the slowest, an upper bound, as servers share their links with workers of
/// either kind.
[[nodiscard]] PushEnds delayedPush(const ClusterNetwork& network, double bytes, const PushTimes& times);

/// All-reduce of `bytes` over all workers; Auto takes the cheapest. Steps follow each other:
///   ring: 2 (W - 1) steps of bytes / W (Patarasuk and Yuan 2009)
///   tree: binomial, reduce and then broadcast, 2 ceil(log2 W) steps of all bytes
///   halving-doubling: with P the largest power of two in W, 2 log2 P steps of bytes / 2, bytes / 4, ..., and where
///     W > P one step before, in which W - P ranks add their buffer into a partner's, and one after, in which they get
///     the result back (Thakur, Rabenseifner and Gropp 2005)
///   naive: everyone sends to one node at once, which sends the result to everyone at once
/// A step in which n of the W nodes send is slowed by the switch when n > W / oversubscription.
[[nodiscard]] ExchangeCost allReduceExchange(const ClusterNetwork& network, AllReduceAlgorithm algorithm, double bytes);

/// The algorithm that `auto` stands for; others stand for themselves.
[[nodiscard]] AllReduceAlgorithm cheapestAllReduce(const ClusterNetwork& network, AllReduceAlgorithm algorithm,
                                                   double bytes);

/// Sparse all-gather, which takes the place of an all-reduce where gradients are sparse (top-k): everyone's list of
/// `bytes` goes round a ring, W - 1 steps in each of which every worker passes one on whole, so (W - 1) (8 bytes / B +
/// a). Lists do not shrink with W as a ring's chunks do (Renggli et al., "SparCML", SC 2019). Where backups are
/// dropped some places in the ring are empty, and the steps take as long.
[[nodiscard]] ExchangeCost sparseGatherExchange(const ClusterNetwork& network, double bytes);

/// Bytes that leave (and, in all, arrive at) nodes in one all-reduce: of rank 0, and the mean of the others.
struct RankTraffic {
    double firstOut = 0, firstIn = 0, othersOut = 0, othersIn = 0;
};
[[nodiscard]] RankTraffic allReduceTraffic(int workers, AllReduceAlgorithm algorithm, double bytes);

}  // namespace lockstep
