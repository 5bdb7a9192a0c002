#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "experiment/experiment.h"
#include "train/batch_source.h"
#include "train/loading_pace.h"
#include "train/prefetch_queue.h"

namespace lockstep {

/// What one computing thread has seen of loading.
struct LoadingTally {
    double samples = 0;    ///< delivered to it
    double limited_s = 0;  ///< the time that the limit asked for them, over the nodes one after another
    double made = 0;       ///< samples that it made by itself,
    double making_s = 0;   ///< and its time for that
    double blocked_s = 0;  ///< time of the run in which nothing was computed for want of data

    void add(const LoadingTally& other);
};

/// What loading amounted to since it was last looked at.
struct LoadingReport {
    double samplesPerS = 0;  ///< not a number when nothing was loaded
    double blocked_s = 0;
};

/// The input pipelines of the run's nodes: at most cluster.loader_samples_per_s for each (LoadingPace), which its
/// devices_per_node workers share, up to cluster.prefetch_batches ahead.
///
/// Threads of its own make the batches ahead of their use only where that is more than gathering bytes, with
/// augmentation, and where there may be anything ahead (prefetch_batches > 0). Otherwise whoever computes gathers its
/// own batch just before, which is the quicker way while every core computes: making a batch elsewhere takes a copy
/// and a wake-up more and frees no core. (8 workers with batches of 32 at 28 px, 2 threads on 2 busy cores, processor
/// time a sample, medians of interleaved rounds: CNN 31.9 us, with a loader thread 32.3; MLP 5.0 and 5.3. Changing an
/// image costs 0.7 us; with it CNN 32.0 and 33.5, MLP 5.7 and 6.0, which a core that does not compute wins back.) The
/// limit needs no thread: who is ahead of it waits.
class BatchLoader {
public:
    struct Settings {
        int workers = 1;
        int devicesPerNode = 1;
        int prefetchBatches = 2;  ///< of a whole shard: pieces
        int batchPerWorker = 32;
        bool fullShard = false;
        int threads = 1;           ///< of its own; 0: those that compute make their batches
        int computingThreads = 1;  ///< that call load()
    };

    /// Settings of a run on so many threads.
    [[nodiscard]] static Settings settingsFor(const Experiment& experiment, int workers, int computingThreads);
    /// Bytes of what is loaded ahead.
    [[nodiscard]] static double bytes(const Settings& settings, double valuesPerImage);

    /// Source and pace outlive it.
    BatchLoader(BatchSource& source, LoadingPace& pace, const Settings& settings);

    /// The piece, once the pipeline has it; `values` and `labels` hold exactly that much. False when stopped before.
    /// `share` is the share of the run's threads that stand still meanwhile. One thread at a time for each rank.
    bool load(const PiecePlace& place, std::span<float> values, std::span<std::uint8_t> labels, double share,
              LoadingTally& tally, const std::stop_token& stop);

    /// `tally` is that of all threads. Pipelines together deliver what the limit and what the making threads allow,
    /// whichever is less.
    [[nodiscard]] LoadingReport report(const LoadingTally& tally);

private:
    [[nodiscard]] static std::size_t queueDepth(const Settings& settings);

    BatchSource& m_source;
    LoadingPace& m_pace;
    Settings m_settings;
    std::optional<PrefetchQueue> m_queue;
};

}  // namespace lockstep
