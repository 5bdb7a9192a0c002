#include <fmt/format.h>

#include <limits>

#include "experiment/key_table.h"
#include "experiment/training_layers.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr double kUnbounded = std::numeric_limits<double>::max();
constexpr double kMaxInteger = std::numeric_limits<int>::max();
Result<void> setLayers(Experiment& experiment, const json& list) {
    Result<std::vector<TrainingLayer>> layers = layersFromJson(list);
    if (!layers) return tl::unexpected(layers.error());
    experiment.training.layers = *std::move(layers);
    return {};
}

Result<void> setModel(Experiment& experiment, const json& value) {
    experiment.training.model = value.get<std::string>();
    return {};
}

using T = TrainingSettings;
const auto kGroup = &Experiment::training;

std::vector<KeyRow> whatRows() {
    return {
        {{.path = "training.model",
          .type = KeyType::Choice,
          .meaning = "The network that is trained for real on this computer.",
          .choices = {"softmax", "mlp", "cnn", "residual-cnn"}},
         [](const Experiment& experiment) { return json(experiment.training.model); },
         setModel},
        {{.path = "training.layers",
          .type = KeyType::List,
          .meaning = "A network of one's own, layer by layer; empty takes the model's."},
         [](const Experiment& experiment) { return layersToJson(experiment.training.layers); },
         setLayers},
        row({.path = "training.dataset",
             .type = KeyType::Text,
             .meaning = "The images that are trained on: fashion-mnist, shapes (drawn by the program), or a folder or "
                        "file of IDX "
                        "or CIFAR binary images."},
            kGroup, &T::dataset),
        row({.path = "training.resolution_px",
             .type = KeyType::Integer,
             .unit = "px",
             .meaning = "Side of the images that are trained on.",
             .minimum = 8,
             .maximum = 64,
             .emptyMeaning = "an eighth of workload.resolution_px, 8 to 64"},
            kGroup, &T::resolutionPx),
        row({.path = "training.workers",
             .type = KeyType::Integer,
             .meaning = "Replicas of the real run, each with its own parameters and data.",
             .minimum = 1,
             .maximum = 256,
             .emptyMeaning = "the cluster's workers, at most 256"},
            kGroup, &T::workers),
        row({.path = "training.servers",
             .type = KeyType::Integer,
             .meaning = "Parameter servers of the real run.",
             .minimum = 0,
             .maximum = 64,
             .emptyMeaning = "the cluster's servers, at most 64"},
            kGroup, &T::servers),
        row({.path = "training.batch_per_worker",
             .type = KeyType::Integer,
             .unit = "samples",
             .meaning =
                 "Samples that one worker looks at for one gradient. The global batch is this times the workers.",
             .minimum = 1,
             .maximum = 65536},
            kGroup, &T::batchPerWorker),
    };
}

std::vector<KeyRow> synchronizationRows() {
    return {
        row({.path = "training.synchronization",
             .meaning =
                 "When replicas wait for each other: at every step, within a bound, never for each other, every few "
                 "steps, or not at all."},
            kGroup, &T::synchronization),
        row({.path = "training.staleness_bound",
             .type = KeyType::Integer,
             .unit = "steps",
             .meaning = "How many steps the fastest worker may be ahead of the slowest.",
             .minimum = 0,
             .maximum = 1024},
            kGroup, &T::stalenessBound),
        row({.path = "training.local_steps",
             .type = KeyType::Integer,
             .unit = "steps",
             .meaning = "Steps that replicas take alone between two averages.",
             .minimum = 1,
             .maximum = 1024},
            kGroup, &T::localSteps),
        row({.path = "training.backup_workers",
             .type = KeyType::Integer,
             .meaning = "Gradients that a synchronous step does not wait for: the slowest so many are dropped.",
             .minimum = 0,
             .maximum = 65535},
            kGroup, &T::backupWorkers),
    };
}

std::vector<KeyRow> optimizerRows() {
    return {
        row({.path = "training.optimizer", .meaning = "The rule that turns a gradient into a step."}, kGroup,
            &T::optimizer),
        row({.path = "training.momentum",
             .type = KeyType::Number,
             .meaning = "Share of the last step that is kept: v = momentum v + gradient.",
             .minimum = 0,
             .maximum = 0.9999},
            kGroup, &T::momentum),
        row({.path = "training.weight_decay",
             .type = KeyType::Number,
             .meaning = "Pull of every parameter towards zero, per unit of learning rate.",
             .minimum = 0,
             .maximum = 1},
            kGroup, &T::weightDecay),
        row({.path = "training.gradient_clip_norm",
             .type = KeyType::Number,
             .meaning = "Longest gradient that is applied as it is, after averaging; 0 is off.",
             .minimum = 0,
             .maximum = kUnbounded},
            kGroup, &T::gradientClipNorm),
        row({.path = "training.accumulation_steps",
             .type = KeyType::Integer,
             .meaning = "Mini-batches whose gradients a worker adds up before it synchronizes.",
             .minimum = 1,
             .maximum = 1024},
            kGroup, &T::accumulationSteps),
        row({.path = "training.learning_rate",
             .type = KeyType::Number,
             .meaning = "Length of a step per unit of gradient, meant for training.base_batch samples behind it.",
             .minimum = 0,
             .maximum = 1000,
             .minimumExcluded = true},
            kGroup, &T::learningRate),
        row({.path = "training.base_batch",
             .type = KeyType::Integer,
             .unit = "samples",
             .meaning = "The batch that training.learning_rate is meant for.",
             .minimum = 1,
             .maximum = 16777216},
            kGroup, &T::baseBatch),
        row({.path = "training.learning_rate_scaling",
             .meaning =
                 "How the learning rate grows with the samples behind one update: not at all, in proportion, or with "
                 "the square root."},
            kGroup, &T::learningRateScaling),
        row({.path = "training.warmup_steps",
             .type = KeyType::Integer,
             .unit = "steps",
             .meaning = "Steps over which the learning rate rises from near zero to its value.",
             .minimum = 0,
             .maximum = kMaxInteger},
            kGroup, &T::warmupSteps),
        row({.path = "training.schedule", .meaning = "How the learning rate falls as training goes on."}, kGroup,
            &T::schedule),
    };
}

std::vector<KeyRow> dataRows() {
    return {
        row({.path = "training.augmentation",
             .type = KeyType::Boolean,
             .meaning = "Show each image moved, and where it may be mirrored, differently in every epoch."},
            kGroup, &T::augmentation),
        row({.path = "training.initialization",
             .meaning = "Whether the replicas start from the same parameters or each from its own."},
            kGroup, &T::initialization),
        row({.path = "training.partition",
             .meaning =
                 "How data are dealt to the workers: shuffled parts that do not overlap, sorted by label, or all to "
                 "everyone."},
            kGroup, &T::partition),
        row({.path = "training.gradient",
             .meaning = "Whether a step looks at a mini-batch or at all the data that the worker holds."},
            kGroup, &T::gradient),
        row({.path = "training.compression",
             .meaning =
                 "What is done to gradients before they travel: nothing, halved precision, or only the largest."},
            kGroup, &T::compression),
        row({.path = "training.top_k_fraction",
             .type = KeyType::Number,
             .meaning = "Share of the gradient's entries that travel under top-k compression.",
             .minimum = 0,
             .maximum = 1,
             .minimumExcluded = true},
            kGroup, &T::topKFraction),
        row({.path = "training.epochs",
             .type = KeyType::Number,
             .unit = "epochs",
             .meaning = "Passes over the training data before the run ends.",
             .minimum = 0,
             .maximum = 1e6,
             .minimumExcluded = true},
            kGroup, &T::epochs),
        row({.path = "training.max_steps",
             .type = KeyType::Integer,
             .unit = "steps",
             .meaning = "Steps before the run ends, if that comes first; 0 is unlimited.",
             .minimum = 0,
             .maximum = kMaxInteger},
            kGroup, &T::maxSteps),
        row({.path = "training.seed",
             .type = KeyType::Integer,
             .meaning = "Start of every random number of the run: the same seed gives the same bits.",
             .minimum = 0,
             .maximum = static_cast<double>(std::numeric_limits<std::int64_t>::max())},
            kGroup, &T::seed),
    };
}

}  // namespace

std::vector<KeyRow> trainingRows() {
    std::vector<KeyRow> rows = whatRows();
    for (std::vector<KeyRow> part : {synchronizationRows(), optimizerRows(), dataRows()})
        for (KeyRow& entry : part) rows.push_back(std::move(entry));
    return rows;
}

}  // namespace lockstep
