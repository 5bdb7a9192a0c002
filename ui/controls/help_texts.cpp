#include "controls/help_texts.h"

#include <QCoreApplication>
#include <cmath>
#include <limits>

#include "base/format.h"
#include "controls/key_text.h"
#include "experiment/keys.h"

namespace lockstep::ui {
namespace {

struct Help {
    const char *key, *text, *formula;
};

constexpr Help kHelp[] = {
    {"cluster.architecture",
     QT_TRANSLATE_NOOP("Help",
                       "Who holds the parameters and who talks to whom. With parameter servers, workers pull weights "
                       "and push gradients; with all-reduce, equal workers sum their gradients among themselves."),
     ""},
    {"cluster.workers",
     QT_TRANSLATE_NOOP("Help",
                       "Replicas of the model; each computes gradients on its own share of the data. More of them "
                       "finish more samples per iteration, and have more to tell each other."),
     QT_TRANSLATE_NOOP("Help", "global batch = W × batch per worker")},
    {"cluster.servers",
     QT_TRANSLATE_NOOP("Help",
                       "Machines that keep the parameters; each holds one S-th of them. Their links carry every "
                       "worker's traffic, so that more servers relieve them until the workers' own links are full."),
     QT_TRANSLATE_NOOP("Help", "pull = push = max(W/S, 1) × 8M/B + latency")},
    {"cluster.fixed_nodes",
     QT_TRANSLATE_NOOP("Help",
                       "Keeps the number of machines: what becomes a server is lost as a worker. One slider then moves "
                       "the split, and the best split is a matter of measuring."),
     QT_TRANSLATE_NOOP("Help", "W + S = K")},
    {"cluster.server_placement",
     QT_TRANSLATE_NOOP("Help",
                       "Dedicated servers have machines of their own. Co-located ones share the workers' machines and "
                       "links, and need not send what stays at home."),
     QT_TRANSLATE_NOOP("Help", "co-located: (W − 1)/S × 8M/B + latency")},
    {"cluster.link_bandwidth_bit_per_s",
     QT_TRANSLATE_NOOP("Help",
                       "What each machine's network link carries in each direction. Divided by eight it is bytes per "
                       "second: 10 Gbit/s move 1.25 GB each second."),
     QT_TRANSLATE_NOOP("Help", "transfer time = 8M/B")},
    {"cluster.link_latency_s",
     QT_TRANSLATE_NOOP("Help",
                       "The time before a message's first byte arrives, however small the message is. Algorithms with "
                       "many small steps pay it often."),
     QT_TRANSLATE_NOOP("Help", "ring: 2(W − 1) × latency")},
    {"cluster.allreduce",
     QT_TRANSLATE_NOOP(
         "Help",
         "How equal workers sum their gradients. A ring keeps every link equally busy; a tree takes fewer "
         "steps; halving-doubling combines both for powers of two; naive sends all to one worker."),
     QT_TRANSLATE_NOOP("Help", "ring: 2(W − 1)/W × 8M/B + 2(W − 1) × latency")},
    {"cluster.device",
     QT_TRANSLATE_NOOP("Help",
                       "The accelerator that holds one replica. Its arithmetic rate sets the compute time, its memory "
                       "the largest batch."),
     QT_TRANSLATE_NOOP("Help", "compute time = 3 × 2 × MAC × batch / (rate × efficiency)")},
    {"workload.model",
     QT_TRANSLATE_NOOP(
         "Help",
         "What the modelled cluster trains, counted layer by layer from its architecture. Where it is too "
         "large for this computer, a small network is trained in its place, with the same workers and "
         "batches."),
     ""},
    {"workload.dataset",
     QT_TRANSLATE_NOOP(
         "Help",
         "What the modelled cluster reads: the number of samples, their size on disk and their resolution. "
         "It decides how long an epoch takes and what the storage must deliver."),
     QT_TRANSLATE_NOOP("Help", "epoch = samples / throughput")},
    {"workload.resolution_px",
     QT_TRANSLATE_NOOP("Help",
                       "Side of the square input image. Convolutions cost in proportion to its square, and so does the "
                       "memory that their activations take; the parameters stay what they are."),
     QT_TRANSLATE_NOOP("Help", "work, activations ∝ resolution²")},
    {"workload.precision",
     QT_TRANSLATE_NOOP("Help",
                       "The number format of the modelled training. It decides how many bytes an element has, and at "
                       "which of its rates the device computes."),
     ""},
    {"training.batch_per_worker",
     QT_TRANSLATE_NOOP("Help",
                       "Samples that one worker looks at for one gradient. Larger batches communicate less often, take "
                       "more memory, and make fewer updates in an epoch."),
     QT_TRANSLATE_NOOP("Help", "global batch = W × batch per worker")},
    {"training.synchronization",
     QT_TRANSLATE_NOOP(
         "Help",
         "When replicas wait for each other. Bulk-synchronous replicas average at every step and stay equal; "
         "without synchronization each goes its own way. The model lets equal asynchronous workers pull and push "
         "in step, which is the slowest they can be."),
     ""},
    {"training.learning_rate",
     QT_TRANSLATE_NOOP("Help",
                       "The length of a step per unit of gradient, meant for 32 samples behind it. It is taken live: a "
                       "running training goes on with the new value."),
     QT_TRANSLATE_NOOP("Help", "w ← w − rate × v,  v ← µ v + gradient")},
    {"training.learning_rate_scaling",
     QT_TRANSLATE_NOOP("Help",
                       "How the rate grows with the samples behind one update. A mean over more samples is less noisy, "
                       "so that a longer step can be trusted, up to a point."),
     QT_TRANSLATE_NOOP("Help", "linear: rate × (global batch / 32)")},
    {"training.optimizer",
     QT_TRANSLATE_NOOP(
         "Help",
         "The rule that turns a gradient into a step. Momentum adds up past gradients, and costs one more "
         "number per parameter."),
     QT_TRANSLATE_NOOP("Help", "v ← µ v + g,  w ← w − rate × v")},
    {"training.momentum",
     QT_TRANSLATE_NOOP("Help",
                       "The share of the last step that is kept. At 0.9 a steady gradient moves ten times as far as "
                       "without it."),
     QT_TRANSLATE_NOOP("Help", "v ← µ v + gradient")},
    {"training.staleness_bound",
     QT_TRANSLATE_NOOP("Help",
                       "How many steps the fastest worker may be ahead of the slowest before it waits. 0 is "
                       "bulk-synchronous; more hides slow workers, at the price of older gradients."),
     QT_TRANSLATE_NOOP("Help", "a step at clock c uses parameters of version ≥ c − bound")},
    {"training.local_steps",
     QT_TRANSLATE_NOOP("Help",
                       "Steps that each replica takes alone before all of them are averaged. Parameters travel that "
                       "much less often, and drift apart in between."),
     QT_TRANSLATE_NOOP("Help", "communication per step ÷ H")},
    {"training.backup_workers",
     QT_TRANSLATE_NOOP("Help",
                       "A synchronous step goes on without the slowest so many gradients, which are dropped. One slow "
                       "worker then holds up nobody, and its work is wasted."),
     QT_TRANSLATE_NOOP("Help", "batch behind a step = (W − k) × batch per worker")},
    {"training.compression",
     QT_TRANSLATE_NOOP("Help",
                       "What gradients look like on the wire: whole, as half-precision numbers, or only the entries "
                       "that are largest, the rest being kept back and added next time."),
     ""},
    {"training.top_k_fraction",
     QT_TRANSLATE_NOOP("Help",
                       "The share of the gradient's entries that is sent, each with its index. What is not sent is "
                       "added to the next gradient."),
     QT_TRANSLATE_NOOP("Help", "bytes = share × entries × (value + index), × (W − 1) in an all-reduce")},
    {"training.weight_decay",
     QT_TRANSLATE_NOOP("Help",
                       "Pulls every parameter towards zero a little at each step, which keeps a network from leaning "
                       "on any one of them."),
     QT_TRANSLATE_NOOP("Help", "g ← g + decay × w")},
    {"training.gradient_clip_norm",
     QT_TRANSLATE_NOOP("Help",
                       "A longer gradient is shortened to this length after averaging, so that one bad batch cannot "
                       "throw the parameters far away. 0 is off."),
     QT_TRANSLATE_NOOP("Help", "g ← g × min(1, clip / |g|)")},
    {"training.accumulation_steps",
     QT_TRANSLATE_NOOP("Help",
                       "Mini-batches whose gradients a worker adds up before it synchronizes: a larger batch in the "
                       "memory of a small one."),
     QT_TRANSLATE_NOOP("Help", "batch behind a step = W × batches × batch per worker")},
    {"training.schedule",
     QT_TRANSLATE_NOOP("Help",
                       "How the learning rate falls as training goes on: not at all, in steps of ten at half and three "
                       "quarters, or along half a cosine."),
     ""},
    {"training.warmup_steps",
     QT_TRANSLATE_NOOP("Help",
                       "Steps over which the learning rate rises from near zero to its value. Large batches with a "
                       "scaled rate often diverge without it."),
     ""},
    {"training.partition",
     QT_TRANSLATE_NOOP("Help",
                       "How the training data are dealt out: at random without overlap, sorted by class so that no two "
                       "workers see the same kinds, or all of it to everyone."),
     ""},
    {"training.initialization",
     QT_TRANSLATE_NOOP("Help",
                       "Whether all replicas start from the same random weights or each from its own. Averages of "
                       "networks that started apart mean nothing."),
     ""},
    {"training.gradient",
     QT_TRANSLATE_NOOP("Help",
                       "What a step looks at: a mini-batch (stochastic gradient descent) or all the data that the "
                       "worker holds (gradient descent), which makes one step an epoch."),
     ""},
    {"cluster.sharding",
     QT_TRANSLATE_NOOP("Help",
                       "How the parameters are dealt to the servers: in equal slices, or as whole tensors, of which "
                       "one large tensor makes one server busier than the rest."),
     ""},
    {"training.model",
     QT_TRANSLATE_NOOP("Help",
                       "The network that is trained for real on this computer. Its curves are measured, whatever the "
                       "modelled cluster trains."),
     ""},
    {"training.dataset",
     QT_TRANSLATE_NOOP(
         "Help",
         "The images of the real run. Fashion-MNIST has 70,000 photographs of clothing; shapes are drawn by "
         "the program and need no file."),
     ""},
    {"training.augmentation",
     QT_TRANSLATE_NOOP("Help",
                       "Shows each training image a little moved, and at times mirrored where that leaves it what it "
                       "is, another way in each epoch. Training takes longer and generalizes better."),
     ""},
    {"training.epochs",
     QT_TRANSLATE_NOOP(
         "Help",
         "Passes over the training data before the run ends. An epoch has fewer steps the larger the global "
         "batch is."),
     QT_TRANSLATE_NOOP("Help", "steps per epoch = ⌊samples / global batch⌋")},
    {"training.seed",
     QT_TRANSLATE_NOOP(
         "Help", "Where every random number of the run starts. The same seed gives the same result, bit for bit."),
     ""},
    {"cluster.straggler_count",
     QT_TRANSLATE_NOOP(
         "Help",
         "Workers that compute slower than the others. Synchronous training waits for the slowest, so that "
         "one is enough to be felt."),
     QT_TRANSLATE_NOOP("Help", "iteration = slowest worker's time")},
    {"cluster.straggler_slowdown",
     QT_TRANSLATE_NOOP("Help", "How many times longer a slow worker computes. It matters only where a worker is slow."),
     ""},
    {"cluster.loader_samples_per_s",
     QT_TRANSLATE_NOOP(
         "Help",
         "What one machine's input pipeline delivers. Where it delivers less than the device could train, "
         "the device waits for data."),
     QT_TRANSLATE_NOOP("Help", "iteration = max(load, train)")},
    {"cluster.storage_bandwidth_bit_per_s",
     QT_TRANSLATE_NOOP(
         "Help",
         "The storage that all machines read from together. Each gets its share, so that more workers need "
         "more of it."),
     ""},
    {"cluster.server_aggregation_byte_per_s",
     QT_TRANSLATE_NOOP("Help",
                       "What one server can sum. It is usually memory-bound and seldom the limit, until links are fast "
                       "and workers many."),
     QT_TRANSLATE_NOOP("Help", "aggregate = W × M / (S × rate)")},
};

QString rangeText(const KeyDescription& key, const QString& unit) {
    if (key.type != KeyType::Integer && key.type != KeyType::Number) return {};
    const auto text = [&](double value) {
        constexpr int kEveryDigit = 15;
        return QString::fromStdString(unit.isEmpty() ? formatNumber(value, kEveryDigit)
                                                     : formatQuantity(value, unit.toStdString()));
    };
    const bool unbounded = key.maximum >= std::numeric_limits<std::int32_t>::max();
    if (unbounded && key.minimumExcluded)
        return QCoreApplication::translate("Help", "more than %1").arg(text(key.minimum));
    if (unbounded) return QCoreApplication::translate("Help", "%1 or more").arg(text(key.minimum));
    return QCoreApplication::translate("Help", "%1 to %2").arg(text(key.minimum), text(key.maximum));
}

}  // namespace

Popover::Content helpFor(const QString& key) {
    const KeyDescription* description = findKey(key.toStdString());
    Popover::Content content;
    content.title = keyLabel(key);
    if (description) {
        content.text =
            QString::fromUtf8(description->meaning.data(), static_cast<qsizetype>(description->meaning.size()));
        content.unit = rangeText(*description, keyUnit(key));
        if (!content.unit.isEmpty())
            content.unit = QCoreApplication::translate("Help", "Allowed: %1").arg(content.unit);
    }
    content.unit += (content.unit.isEmpty() ? QString() : QStringLiteral("  ·  ")) + key;
    for (const Help& help : kHelp) {
        if (key != QLatin1String(help.key)) continue;
        content.text = QCoreApplication::translate("Help", help.text);
        if (*help.formula) content.formula = QCoreApplication::translate("Help", help.formula);
    }
    return content;
}

}  // namespace lockstep::ui
