#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "base/state_archive.h"
#include "base/thread_pool.h"
#include "data/partition.h"
#include "data/training_images.h"
#include "nn/network.h"
#include "train/batch_loader.h"
#include "train/gradient_compression.h"
#include "train/worker.h"

namespace lockstep {

/// Computes the workers' gradients on the pool's threads, each on the next samples of the worker's own shard. While
/// there are workers enough each thread takes whole ones; what is left over is shared part by part. A batch is cut by
/// its size alone, so bits do not depend on the number of threads.
class GradientEngine {
public:
    struct Settings {
        int accumulationSteps = 1;                     ///< batches of the partition behind one gradient
        BatchSource::Settings batches;                 ///< what a batch is
        BatchLoader::Settings loading;                 ///< how it comes
        std::vector<GradientCompression> compression;  ///< one for each worker, or empty
    };

    /// Larger batches are cut into pieces of this many samples, whose gradients are added in order. Batch normalization
    /// then normalizes over a piece.
    static constexpr int kMaxPieceSamples = static_cast<int>(BatchSource::kMaxPieceSamples);

    /// Everything outlives it. The partition is then its own alone: batches may be loaded ahead by other threads.
    GradientEngine(const Network& network, const TrainingImages& images, Partition& partition, LoadingPace& pace,
                   Settings settings, ThreadPool& pool);

    /// Gradient, loss and counts of every worker that is pending, which then no longer is. False when stopped before
    /// all were done; the rest is then still pending.
    [[nodiscard]] bool compute(std::span<Worker> workers, std::stop_token stop);

    /// Seconds that the pool's threads spent on the worker's gradients so far, added up over threads; loading and
    /// waiting for samples aside. Measured by the wall clock, while timed.
    [[nodiscard]] double computeSeconds(int rank) const { return m_compute_s[static_cast<std::size_t>(rank)]; }
    void setTimed(bool timed) { m_timed = timed; }

    [[nodiscard]] double samplesPerGradient(int rank) const;
    /// Every worker has taken this many batches of its shard before.
    void continueFrom(long long batches) { std::ranges::fill(m_batchesDone, batches); }
    void archive(StateArchive& archive);
    /// Batches of the partition; one where a batch is everything the worker holds.
    [[nodiscard]] int batchesPerGradient() const;
    /// What loading amounted to since the last call.
    [[nodiscard]] LoadingReport takeLoading();
    /// Bytes of one thread's working memory.
    [[nodiscard]] static double scratchBytes(const Network& network, double samplesPerGradient);

private:
    /// One thread's working memory.
    struct Scratch {
        Workspace workspace;
        FloatVector images;
        std::vector<std::uint8_t> labels;
        FloatVector gradient;  ///< of a piece, where a batch has several
        LoadingTally loading;
    };
    void computeAlone(Worker& worker, Scratch& scratch, std::stop_token stop);
    void computeTogether(Worker& worker, std::stop_token stop);
    /// How a batch is computed: by whom, and how much of the run stands still while its data are not there.
    struct Turn {
        Scratch& scratch;
        double share = 1;
        std::stop_token stop;
    };
    template <class PieceGradient>
    void computeBatch(Worker& worker, Turn turn, PieceGradient pieceGradient);
    void finish(Worker& worker);
    /// Empty when stopped before the piece was there.
    [[nodiscard]] LabelledBatch load(const PiecePlace& place, const Turn& turn);

    const Network& m_network;
    Settings m_settings;
    ThreadPool& m_pool;
    std::vector<Scratch> m_scratch;        ///< one for each thread
    std::vector<long long> m_batchesDone;  ///< one for each worker
    std::vector<double> m_compute_s;       ///< one for each worker
    bool m_timed = true;
    BatchSource m_source;
    BatchLoader m_loader;  ///< last: its threads read the source
};

}  // namespace lockstep
