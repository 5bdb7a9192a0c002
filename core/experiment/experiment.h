#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep {

enum class Precision { Fp32, Tf32, Fp16, Bf16 };
enum class Architecture { SingleNode, ParameterServer, AllReduce };
enum class ServerPlacement { Dedicated, CoLocated };
enum class AllReduceAlgorithm { Ring, Tree, HalvingDoubling, Hierarchical, Naive, Auto };
enum class Sharding { Bytes, Tensors };
enum class SynchronizationKind { BulkSynchronous, StaleSynchronous, Asynchronous, LocalSgd, None };
enum class OptimizerKind { Sgd, Momentum, Nesterov, Adam, Lars };
enum class RateScaling { None, Linear, Sqrt };
enum class RateSchedule { Constant, Step, Cosine };
enum class Initialization { Same, Different };
enum class PartitionKind { Disjoint, ByLabel, Replicated };
enum class GradientKind { MiniBatch, Full };
enum class Compression { None, Fp16, TopK };

/// What the modelled cluster trains. Empty optionals mean "the dataset's or the model's own".
struct WorkloadSettings {
    std::string model = "resnet50";       ///< key of the model catalogue
    std::string dataset = "imagenet-1k";  ///< key of the dataset catalogue
    std::optional<int> resolutionPx;      ///< 8..1024
    std::optional<int> sequenceLength;    ///< 1..65536 tokens
    Precision precision = Precision::Fp32;

    bool operator==(const WorkloadSettings&) const = default;
};

/// One machine that differs from the others; empty optionals keep the cluster's value.
struct NodeOverride {
    int node = 0;
    std::optional<double> bandwidthBitPerS;
    std::optional<double> latencyS;
    std::optional<double> slowdown;  ///< >= 1: how many times slower it computes

    bool operator==(const NodeOverride&) const = default;
};

/// The machines. Field for field the keys `cluster.*` of the contract.
struct ClusterSettings {
    Architecture architecture = Architecture::ParameterServer;
    int workers = 4;  ///< 1..65536
    int servers = 1;  ///< 0..65536
    ServerPlacement serverPlacement = ServerPlacement::Dedicated;
    int fixedNodes = 0;                       ///< 0 or 2..65536: workers + servers are then this many
    std::string device = "v100";              ///< key of the device catalogue
    int devicesPerNode = 1;                   ///< 1..16
    std::string intraNodeLink = "pcie3-x16";  ///< key of the link catalogue
    double intraNodeBandwidthBitPerS = 0;     ///< 0: the catalogue's
    double linkBandwidthBitPerS = 1e10;       ///< > 0, in each direction
    double linkLatencyS = 5e-6;               ///< >= 0, added to every message
    int nodesPerRack = 0;                     ///< 0: one switch
    double oversubscription = 1;              ///< >= 1
    AllReduceAlgorithm allreduce = AllReduceAlgorithm::Ring;
    bool overlap = false;
    double bucketBytes = 26214400;  ///< 1..2^40
    Sharding sharding = Sharding::Bytes;
    double serverAggregationBytePerS = 0;  ///< 0: unlimited
    double loaderSamplesPerS = 0;          ///< 0: unlimited
    int prefetchBatches = 2;               ///< 0..64
    double storageBandwidthBitPerS = 0;    ///< 0: unlimited
    int stragglerCount = 0;                ///< 0..workers
    double stragglerSlowdown = 1;          ///< >= 1
    double computeJitter = 0;              ///< 0..1, coefficient of variation
    int zeroStage = 0;                     ///< 0..3
    bool activationRecomputation = false;
    double pricePerDeviceHour = 0;  ///< >= 0
    std::vector<NodeOverride> nodeOverrides;

    bool operator==(const ClusterSettings&) const = default;
};

/// A layer of a network of one's own. `training.layers` is a list of them in order:
///
///     [{"kind": "conv", "outputs": 16, "kernel": 3}, {"kind": "batch-norm"}, {"kind": "relu"},
///      {"kind": "residual", "layers": [{"kind": "conv", "outputs": 32, "kernel": 3, "stride": 2},
///                                      {"kind": "batch-norm"}]},
///      {"kind": "average-pool"}, {"kind": "dense"}]
///
/// | kind | takes | does |
/// | --- | --- | --- |
/// | conv | outputs 1..1024, kernel 1, 3, 5 or 7, stride 1 (default) or 2 | convolution, zero padding kernel / 2 |
/// | batch-norm | | normalizes each channel over batch and pixels; learnable scale and shift |
/// | relu | | |
/// | max-pool | kernel 2..8 | the largest of each window, stride = kernel |
/// | average-pool | | the mean of each channel over all pixels |
/// | residual | layers | ReLU(layers + shortcut); a shortcut convolution where the layers change the shape |
/// | dense | outputs 1..4096 | all inputs to each output; no image layer can follow |
///
/// The last must be dense; its outputs are the data's classes and may be left out. Layers inside `residual` are
/// conv, batch-norm, relu and max-pool.
struct TrainingLayer {
    std::string kind;
    int outputs = 0;  ///< channels or units; 0: not given
    int kernel = 0;   ///< side of the convolution or pooling window; 0: not given
    int stride = 1;
    std::vector<TrainingLayer> layers = {};  ///< of a residual block

    bool operator==(const TrainingLayer&) const = default;
};

/// The run whose arithmetic is real. Field for field the keys `training.*` of the contract.
struct TrainingSettings {
    std::string model = "cnn";              ///< softmax, mlp, cnn, residual-cnn
    std::vector<TrainingLayer> layers;      ///< empty: the model's own
    std::string dataset = "fashion-mnist";  ///< fashion-mnist, shapes, or a path
    std::optional<int> resolutionPx;        ///< 8..64; otherwise workload.resolution_px / 8, clamped
    std::optional<int> workers;             ///< 1..256; otherwise the cluster's, clamped
    std::optional<int> servers;             ///< 0..64; otherwise the cluster's, clamped
    int batchPerWorker = 32;                ///< 1..65536
    SynchronizationKind synchronization = SynchronizationKind::BulkSynchronous;
    int stalenessBound = 3;  ///< 0..1024
    int localSteps = 8;      ///< 1..1024
    int backupWorkers = 0;   ///< 0..workers-1
    OptimizerKind optimizer = OptimizerKind::Momentum;
    double momentum = 0.9;        ///< 0..1, exclusive of 1
    double weightDecay = 0;       ///< >= 0
    double gradientClipNorm = 0;  ///< 0: off
    int accumulationSteps = 1;    ///< >= 1
    double learningRate = 0.01;   ///< > 0, meant for baseBatch samples
    int baseBatch = 32;           ///< >= 1
    RateScaling learningRateScaling = RateScaling::Linear;
    int warmupSteps = 0;  ///< >= 0
    RateSchedule schedule = RateSchedule::Constant;
    bool augmentation = false;
    Initialization initialization = Initialization::Same;
    PartitionKind partition = PartitionKind::Disjoint;
    GradientKind gradient = GradientKind::MiniBatch;
    Compression compression = Compression::None;
    double topKFraction = 0.01;  ///< > 0, <= 1
    double epochs = 3;           ///< > 0
    int maxSteps = 0;            ///< 0: unlimited
    std::uint64_t seed = 1;      ///< 0..2^63-1

    bool operator==(const TrainingSettings&) const = default;
};

/// Everything a person can set: the one value that sliders edit, files hold, `predict` reads and runs train with.
/// A default-constructed Experiment is what the JSON document `{}` means.
struct Experiment {
    WorkloadSettings workload;
    ClusterSettings cluster;
    TrainingSettings training;

    bool operator==(const Experiment&) const = default;
};

}  // namespace lockstep
