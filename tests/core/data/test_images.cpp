#include <QtTest>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "data/resample.h"
#include "data/shapes.h"
#include "data/training_images.h"

using namespace lockstep;

namespace {

ImageSet randomImages(int height, int width, int channels, std::size_t count) {
    RandomStream stream(1, RandomPurpose::Test);
    ImageSetContent content{
        .name = "random", .height = height, .width = width, .channels = channels, .classNames = {"a", "b"}};
    content.pixels.resize(static_cast<std::size_t>(height * width * channels) * count);
    for (std::uint8_t& pixel : content.pixels) pixel = static_cast<std::uint8_t>(stream.nextBelow(256));
    for (std::size_t i = 0; i < count; ++i) content.labels.push_back(static_cast<std::uint8_t>(i % 2));
    return ImageSet::make(std::move(content)).value();
}

double mean(std::span<const std::uint8_t> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The integral over a new pixel's area with real-valued bounds, one image and channel.
double integral(const ImageSet& images, std::size_t index, int side, int row, int column, int channel) {
    double sum = 0;
    for (int y = 0; y < images.height(); ++y)
        for (int x = 0; x < images.width(); ++x) {
            const double h = images.height(), w = images.width(), s = side;
            const double down = std::min((y + 1) / h, (row + 1) / s) - std::max(y / h, row / s);
            const double across = std::min((x + 1) / w, (column + 1) / s) - std::max(x / w, column / s);
            if (down > 0 && across > 0)
                sum += down * across *
                       images.image(
                           index)[static_cast<std::size_t>((y * images.width() + x) * images.channels() + channel)];
        }
    return sum * side * side;
}

}  // namespace

class TestImages : public QObject {
    Q_OBJECT
private slots:
    /// Each new pixel is the rounded integral, computed independently in doubles; oblong and colour images included.
    void resamplingIsTheIntegral() {
        for (const int side : {8, 11, 14, 28, 37, 64})
            for (const ImageSet& images : {randomImages(28, 28, 1, 2), randomImages(13, 30, 3, 2)}) {
                const ImageSet resampled = resampleArea(images, side);
                QCOMPARE(resampled.width(), side);
                QCOMPARE(resampled.height(), side);
                const int channels = images.channels();
                for (int row = 0; row < side; ++row)
                    for (int column = 0; column < side; ++column)
                        for (int channel = 0; channel < channels; ++channel) {
                            const double value = resampled.image(
                                1)[static_cast<std::size_t>((row * side + column) * channels + channel)];
                            QVERIFY(std::abs(value - integral(images, 1, side, row, column, channel)) <= 0.5 + 1e-9);
                        }
            }
    }

    /// Rounding is unbiased enough that the mean over an image moves by far less than the half level of one pixel.
    void meanBrightnessIsKept() {
        const ImageSet images = randomImages(28, 28, 1, 200);
        for (int side = 8; side <= 64; ++side) {
            const ImageSet resampled = resampleArea(images, side);
            for (std::size_t i = 0; i < images.size(); ++i)
                QVERIFY(std::abs(mean(resampled.image(i)) - mean(images.image(i))) <= 0.5);
            QVERIFY(std::abs(mean(resampled.pixels()) - mean(images.pixels())) < 0.15);
        }
    }

    void resamplingKeepsWhetherImagesMayBeMirrored() {
        ImageSetContent content{.name = "m",
                                .height = 9,
                                .width = 9,
                                .mirrors = true,
                                .classNames = {"a"},
                                .pixels = Bytes(81),
                                .labels = {0}};
        QVERIFY(resampleArea(ImageSet::make(content).value(), 8).mirrors());
        content.mirrors = false;
        QVERIFY(!resampleArea(ImageSet::make(content).value(), 8).mirrors());
    }

    void ownSizeIsFreeAndThreadsDoNotMatter() {
        const ImageSet images = randomImages(28, 28, 1, 1500);
        QCOMPARE(resampleArea(images, 28).pixels().data(), images.pixels().data());
        ThreadPool pool(3);
        QVERIFY(std::ranges::equal(resampleArea(images, 19, &pool).pixels(), resampleArea(images, 19).pixels()));
    }

    void resamplingStopsOnRequest() {
        std::stop_source source;
        source.request_stop();
        const ImageSet images = randomImages(28, 28, 1, 100);
        QCOMPARE(resampleArea(images, 19, nullptr, source.get_token()).pixels().data(), images.pixels().data());
    }

    /// Mean and deviation against two passes in double; batches against the bytes.
    void trainingImagesFillBatches() {
        const ImageSet images = randomImages(20, 20, 3, 50);
        ThreadPool pool(2);
        const TrainingImages training(images, 20, &pool);
        double squares = 0;
        for (const std::uint8_t value : images.pixels()) squares += std::pow(value - mean(images.pixels()), 2);
        QVERIFY(std::abs(training.mean() - mean(images.pixels()) / 255) < 1e-6);
        QVERIFY(std::abs(training.deviation() -
                         std::sqrt(squares / static_cast<double>(images.pixels().size())) / 255) < 1e-6);
        const std::array<std::uint32_t, 3> samples{49, 0, 49};
        std::vector<float> values(3 * training.valuesPerImage());
        std::array<std::uint8_t, 3> labels{};
        training.fillBatch(samples, values, labels);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::size_t image = samples[i / training.valuesPerImage()];
            QCOMPARE(values[i], static_cast<float>(images.image(image)[i % training.valuesPerImage()]) / 255.0F);
        }
        QVERIFY((labels == std::array<std::uint8_t, 3>{1, 0, 1}));
        training.fillRange(47, values, labels);
        QCOMPARE(values.back(), static_cast<float>(images.image(49).back()) / 255.0F);
        QVERIFY((labels == std::array<std::uint8_t, 3>{1, 0, 1}));
    }

    void constantImagesHaveDeviationOne() {
        ImageSetContent content{.name = "grey", .height = 8, .width = 8, .classNames = {"a"}};
        content.pixels.assign(64 * 3, 51);
        content.labels.assign(3, 0);
        const TrainingImages training(ImageSet::make(std::move(content)).value(), 8);
        QCOMPARE(training.deviation(), 1.0F);
        QVERIFY(std::abs(training.mean() - 0.2F) < 1e-6F);
    }

    void imageSetsAreChecked() {
        const auto refused = [](ImageSetContent content) { return !ImageSet::make(std::move(content)); };
        const ImageSetContent good{
            .name = "x", .height = 2, .width = 2, .classNames = {"a"}, .pixels = Bytes(4), .labels = {0}};
        QVERIFY(!refused(good));
        ImageSetContent bad = good;
        bad.labels = {1};
        QVERIFY(refused(bad));
        bad = good;
        bad.pixels.push_back(0);
        QVERIFY(refused(bad));
        bad = good;
        bad.channels = 2;
        QVERIFY(refused(bad));
        bad = good;
        bad.height = 4096;
        QVERIFY(refused(bad));
        bad = good;
        bad.pixels.clear();
        bad.labels.clear();
        QVERIFY(refused(bad));
    }

    /// The same for a seed whatever the threads or the number of images; another for another seed, and for test images.
    void shapesAreSeeded() {
        ThreadPool pool(3);
        const TrainTest a = shapes(28, 300, 1),
                        b = makeShapes({.resolutionPx = 28, .train = 200, .test = 50}, &pool).value();
        QVERIFY(std::ranges::equal(a.train.pixels().first(200 * 784), b.train.pixels()));
        QVERIFY(!std::ranges::equal(a.train.image(0), shapes(28, 300, 2).train.image(0)));
        QVERIFY(!std::ranges::equal(a.train.image(0), a.test.image(0)));
    }

    void shapesHaveTenEqualClasses() {
        const TrainTest data = shapes(8, 10000, 1);
        QCOMPARE(data.train.classes(), 10);
        std::array<int, 10> counts{};
        for (const std::uint8_t label : data.train.labels()) ++counts[label];
        for (const int count : counts) QVERIFY(std::abs(count - 1000) < 150);  // deviation 30
    }

    /// The scene does not depend on the resolution: drawn at 56 px and averaged down it is what is drawn at 28 and 8
    /// px, up to a few levels (strokes are drawn as if level). And detail is real: at 56 px there is more than 28 px
    /// hold.
    void shapesAreOneSceneAtEveryResolution() {
        const TrainTest fine = shapes(56, 300, 1);
        for (const int side : {8, 14, 28}) {
            const ImageSet reduced = resampleArea(fine.train, side), drawn = shapes(side, 300, 1).train;
            double off = 0;
            for (std::size_t i = 0; i < drawn.pixels().size(); ++i)
                off += std::abs(drawn.pixels()[i] - reduced.pixels()[i]);
            QVERIFY2(off / static_cast<double>(drawn.pixels().size()) < 3,
                     qPrintable(QString::number(off / static_cast<double>(drawn.pixels().size()))));
            QVERIFY(std::ranges::equal(drawn.labels(), fine.train.labels()));
        }
        const ImageSet blurred = resampleArea(resampleArea(fine.train, 28), 56);
        double lost = 0;
        for (std::size_t i = 0; i < blurred.pixels().size(); ++i)
            lost += std::abs(blurred.pixels()[i] - fine.train.pixels()[i]);
        QVERIFY(lost / static_cast<double>(blurred.pixels().size()) > 2);
    }

    void drawingStopsOnRequest() {
        std::stop_source source;
        source.request_stop();
        QCOMPARE(makeShapes({}, nullptr, source.get_token()).error().message, std::string("stopped"));
    }

private:
    using Bytes = std::vector<std::uint8_t>;
    static TrainTest shapes(int side, std::size_t count, std::uint64_t seed) {
        return makeShapes({.resolutionPx = side, .train = count, .test = 10, .seed = seed}).value();
    }
};

QTEST_GUILESS_MAIN(TestImages)
#include "test_images.moc"
