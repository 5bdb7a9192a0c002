#pragma once

#include <algorithm>
#include <memory>

#include "base/random.h"
#include "data/dataset.h"
#include "experiment/experiment.h"

namespace lockstep::test {

/// 8 x 8 images of four classes: each class lights one quadrant, under noise strong enough that a network must learn.
inline ImageSet quadrants(std::size_t samples, std::uint32_t stream) {
    RandomStream random(3, RandomPurpose::Test, stream);
    ImageSetContent content;
    content.name = "quadrants";
    content.source = "test";
    content.height = content.width = 8;
    content.classNames = {"top left", "top right", "bottom left", "bottom right"};
    for (std::size_t i = 0; i < samples; ++i) {
        const auto label = static_cast<std::uint8_t>(random.nextBelow(4));
        content.labels.push_back(label);
        for (int y = 0; y < 8; ++y)
            for (int x = 0; x < 8; ++x) {
                const int signal = (y / 4) * 2 + x / 4 == label ? 70 : 0;
                content.pixels.push_back(static_cast<std::uint8_t>(signal + static_cast<int>(random.nextBelow(180))));
            }
    }
    return ImageSet::make(std::move(content)).value();
}

inline std::shared_ptr<const TrainTest> smallData() {
    static const auto data = std::make_shared<const TrainTest>(TrainTest{quadrants(1536, 0), quadrants(300, 1)});
    return data;
}

/// A quick experiment on it: a small convolutional network, four workers with batches of 8, one epoch (48 steps).
inline Experiment smallExperiment(Architecture architecture = Architecture::AllReduce, int workers = 4,
                                  int servers = 1) {
    Experiment experiment;
    experiment.cluster.architecture = architecture;
    experiment.cluster.workers = workers;
    experiment.cluster.servers = servers;
    experiment.training.resolutionPx = 8;
    experiment.training.batchPerWorker = 8;
    experiment.training.epochs = 1;
    return experiment;
}

}  // namespace lockstep::test
