#pragma once

#include <QTemporaryDir>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "experiment/experiment.h"

namespace lockstep::test {

/// A folder of the four IDX files of MNIST's naming: 256 + 64 grey images of 28 x 28 in four classes, each of which
/// lights one quadrant under noise. Format: LeCun, MNIST database.
class TinyImages {
public:
    static constexpr std::uint32_t kTrain = 256, kTest = 64, kSide = 28;

    TinyImages() {
        write("train", kTrain, 0);
        write("t10k", kTest, 1);
    }
    [[nodiscard]] std::string folder() const { return m_folder.path().toStdString(); }

    /// A quick experiment on them: `workers` in a ring train a softmax with batches of 8 each, so that an epoch is
    /// 256 / (8 workers) steps: 8 steps with four workers.
    [[nodiscard]] Experiment experiment(int workers = 4, double epochs = 5) const {
        Experiment experiment;
        experiment.cluster.architecture = Architecture::AllReduce;
        experiment.cluster.workers = workers;
        experiment.training.model = "softmax";
        experiment.training.dataset = folder();
        experiment.training.batchPerWorker = 8;
        experiment.training.epochs = epochs;
        return experiment;
    }

private:
    void write(const std::string& name, std::uint32_t count, std::uint32_t stream) const {
        RandomStream random(11, RandomPurpose::Test, stream);
        std::vector<std::uint8_t> labels, pixels;
        for (std::uint32_t i = 0; i < count; ++i) {
            labels.push_back(static_cast<std::uint8_t>(random.nextBelow(4)));
            for (std::uint32_t at = 0; at < kSide * kSide; ++at) {
                const std::uint32_t quadrant = at / kSide / (kSide / 2) * 2 + at % kSide / (kSide / 2);
                pixels.push_back(static_cast<std::uint8_t>((quadrant == labels.back() ? 80 : 0) +
                                                           static_cast<int>(random.nextBelow(170))));
            }
        }
        writeIdx(name + "-images-idx3-ubyte", {count, kSide, kSide}, pixels);
        writeIdx(name + "-labels-idx1-ubyte", {count}, labels);
    }
    void writeIdx(const std::string& name, const std::vector<std::uint32_t>& sides,
                  const std::vector<std::uint8_t>& values) const {
        std::vector<char> bytes{0, 0, 8, static_cast<char>(sides.size())};
        for (const std::uint32_t side : sides)
            for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(side >> shift));
        bytes.insert(bytes.end(), values.begin(), values.end());
        std::ofstream(folder() + "/" + name, std::ios::binary)
            .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

    QTemporaryDir m_folder;
};

}  // namespace lockstep::test
