// Images moved and mirrored, against pixel-by-pixel definitions, and the streams that decide it.
#include "data/augmentation.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "base/random.h"

using namespace lockstep;

namespace {

using Bytes = std::vector<std::uint8_t>;

ImageSet images(int side, int channels, std::size_t count, bool mirrors) {
    RandomStream stream(1, RandomPurpose::Test, static_cast<std::uint32_t>(side * channels));
    ImageSetContent content{
        .name = "random", .height = side, .width = side, .channels = channels, .mirrors = mirrors, .classNames = {"a"}};
    content.pixels.resize(static_cast<std::size_t>(side * side * channels) * count);
    for (std::uint8_t& pixel : content.pixels) pixel = static_cast<std::uint8_t>(stream.nextBelow(256));
    content.labels.resize(count);
    return ImageSet::make(std::move(content)).value();
}

/// The changed image by the definition: each pixel of the result, where it comes from.
Bytes byDefinition(std::span<const std::uint8_t> image, int side, int channels, const ImageChange& change) {
    Bytes result;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            const int shown = change.mirrored ? side - 1 - x : x;
            const int fromX = std::clamp(shown - change.right, 0, side - 1);
            const int fromY = std::clamp(y - change.down, 0, side - 1);
            for (int c = 0; c < channels; ++c)
                result.push_back(image[static_cast<std::size_t>((fromY * side + fromX) * channels + c)]);
        }
    return result;
}

}  // namespace

class TestAugmentation : public QObject {
    Q_OBJECT
private slots:
    void changesAreThoseOfTheDefinition() {
        for (const int side : {8, 9, 28, 64})
            for (const int channels : {1, 3}) {
                const ImageSet set = images(side, channels, 1, true);
                const int reach = side / 8;
                for (const int right : {-reach, -1, 0, 1, reach})
                    for (const int down : {-reach, 0, reach})
                        for (const bool mirrored : {false, true}) {
                            const ImageChange change{right, down, mirrored};
                            Bytes changed(set.bytesPerImage());
                            changeImage(set.image(0), side, change, changed);
                            QVERIFY(changed == byDefinition(set.image(0), side, channels, change));
                        }
            }
    }

    // An eighth of the side, uniformly: each of the 2 r + 1 moves of 20,000 within 5 deviations of its share.
    void movesAreUniformWithinAnEighthOfTheSide() {
        constexpr int kDraws = 20000;
        for (const auto& [side, reach] : {std::pair{8, 1}, {15, 1}, {28, 3}, {32, 4}, {64, 8}}) {
            const Augmentation augmentation(1, images(side, 1, 1, true));
            std::map<int, int> right, down;
            int mirrored = 0;
            for (std::uint32_t sample = 0; sample < kDraws; ++sample) {
                const ImageChange change = augmentation.change(sample, 3);
                ++right[change.right];
                ++down[change.down];
                mirrored += change.mirrored;
            }
            for (const auto& counts : {right, down}) {
                QCOMPARE(counts.begin()->first, -reach);
                QCOMPARE(counts.rbegin()->first, reach);
                const double share = 1.0 / (2 * reach + 1);
                const double deviation = std::sqrt(kDraws * share * (1 - share));
                for (const auto& [move, count] : counts) QVERIFY(std::abs(count - kDraws * share) < 5 * deviation);
            }
            QVERIFY(std::abs(mirrored - kDraws / 2) < 5 * std::sqrt(kDraws / 4.0));
        }
    }

    void setsThatMayNotBeMirroredAreNot() {
        const Augmentation augmentation(1, images(28, 1, 1, false));
        for (std::uint32_t sample = 0; sample < 1000; ++sample) QVERIFY(!augmentation.change(sample, 0).mirrored);
    }

    void changesDependOnSeedSampleAndEpoch() {
        const ImageSet set = images(64, 1, 1, true);
        const Augmentation augmentation(1, set), other(2, set);
        const auto all = [](const Augmentation& from, long long epoch, std::uint32_t first) {
            std::vector<ImageChange> changes;
            for (std::uint32_t sample = first; sample < first + 50; ++sample)
                changes.push_back(from.change(sample, epoch));
            return changes;
        };
        const auto reference = all(augmentation, 0, 0);
        QVERIFY(all(augmentation, 0, 0) == reference);
        QVERIFY(all(augmentation, 1, 0) != reference);
        QVERIFY(all(augmentation, 0, 1) != reference);
        QVERIFY(all(other, 0, 0) != reference);
    }

    void batchesAreChangedImageByImage() {
        const ImageSet set = images(28, 3, 20, true);
        const Augmentation augmentation(5, set);
        const std::vector<std::uint32_t> samples{7, 0, 19, 7};
        Bytes filled(samples.size() * set.bytesPerImage());
        augmentation.fill(set, samples, 2, filled);
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const Bytes expected = byDefinition(set.image(samples[i]), 28, 3, augmentation.change(samples[i], 2));
            QVERIFY(
                std::ranges::equal(std::span(filled).subspan(i * set.bytesPerImage(), set.bytesPerImage()), expected));
        }
    }
};

QTEST_GUILESS_MAIN(TestAugmentation)
#include "test_augmentation.moc"
