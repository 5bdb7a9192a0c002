#include "experiment/key_table.h"

namespace lockstep {

std::vector<KeyRow> workloadRows() {
    using W = WorkloadSettings;
    const auto group = &Experiment::workload;
    return {
        row({.path = "workload.model",
             .type = KeyType::Text,
             .meaning =
                 "The model that the modelled cluster trains. Its parameters, operations and activations are counted "
                 "layer by layer from its architecture."},
            group, &W::model),
        row({.path = "workload.dataset",
             .type = KeyType::Text,
             .meaning = "The data that the modelled cluster reads: how many samples, how large each is on disk, and at "
                        "which resolution."},
            group, &W::dataset),
        row({.path = "workload.resolution_px",
             .type = KeyType::Integer,
             .unit = "px",
             .meaning =
                 "Side of the square input image. Convolutions cost, and their activations occupy, in proportion to "
                 "its square.",
             .minimum = 8,
             .maximum = 1024,
             .emptyMeaning = "the dataset's own"},
            group, &W::resolutionPx),
        row({.path = "workload.sequence_length",
             .type = KeyType::Integer,
             .unit = "tokens",
             .meaning = "Tokens in one sample of a text model.",
             .minimum = 1,
             .maximum = 65536,
             .emptyMeaning = "the model's own"},
            group, &W::sequenceLength),
        row({.path = "workload.precision",
             .meaning =
                 "Number format of the modelled training: it decides the bytes of an element and the rate of the "
                 "device."},
            group, &W::precision),
    };
}

}  // namespace lockstep
