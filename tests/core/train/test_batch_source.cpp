// What batches consist of and who makes them ahead: the same whoever makes them, in whatever order.
#include "train/batch_source.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "core/train/small_data.h"
#include "train/prefetch_queue.h"

using namespace lockstep;
using lockstep::test::quadrants;

namespace {

constexpr std::size_t kSamples = 700;

struct Data {
    explicit Data(int workers, int batch, const BatchSource::Settings& settings = {})
        : images(quadrants(kSamples, 0), 8),
          partition(
              Partition::make({.workers = workers, .batchPerWorker = batch, .seed = settings.seed}, images.labels())
                  .value()),
          source(images, partition, settings) {}

    TrainingImages images;
    Partition partition;
    BatchSource source;
};

struct Piece {
    std::vector<float> values;
    std::vector<std::uint8_t> labels;
    bool operator==(const Piece&) const = default;
};

Piece emptyPiece(const BatchSource& source, const PiecePlace& place) {
    const std::size_t samples = source.pieceSamples(place);
    return {std::vector<float>(samples * source.valuesPerImage()), std::vector<std::uint8_t>(samples)};
}

Piece made(BatchSource& source, const PiecePlace& place) {
    Piece piece = emptyPiece(source, place);
    source.fill(place, std::span(piece.values), std::span(piece.labels));
    return piece;
}

Piece taken(PrefetchQueue& queue, const BatchSource& source, const PiecePlace& place) {
    Piece piece = emptyPiece(source, place);
    if (!queue.take(place, piece.values, piece.labels, {})) qFatal("not taken");
    return piece;
}

using Image = std::vector<float>;

std::multiset<Image> imagesOf(const Piece& piece) {
    std::multiset<Image> images;
    for (std::size_t i = 0; i < piece.labels.size(); ++i)
        images.emplace(piece.values.begin() + static_cast<std::ptrdiff_t>(64 * i),
                       piece.values.begin() + static_cast<std::ptrdiff_t>(64 * (i + 1)));
    return images;
}

}  // namespace

class TestBatchSource : public QObject {
    Q_OBJECT

private slots:
    // 4 workers with batches of 8 together have the images of one with 32, step by step of the first epoch, changed
    // alike; and not those of a run without augmentation.
    void workersTogetherSeeWhatOneWorkerSees() {
        Data four(4, 8, {.augmentation = true}), one(1, 32, {.augmentation = true}), plain(1, 32);
        for (long long batch = 0; batch < four.partition.stepsPerEpoch(); ++batch) {
            std::multiset<Image> together;
            for (int rank = 0; rank < 4; ++rank) together.merge(imagesOf(made(four.source, {rank, batch, 0})));
            QVERIFY(together == imagesOf(made(one.source, {0, batch, 0})));
            QVERIFY(together != imagesOf(made(plain.source, {0, batch, 0})));
        }
    }

    void everyEpochShowsOtherChanges() {
        Data data(1, 350, {.fullShard = true, .augmentation = true});
        const auto all = [&](long long epoch) {
            std::multiset<Image> images;
            for (std::size_t piece = 0; piece < data.source.pieceCount(0); ++piece)
                images.merge(imagesOf(made(data.source, {0, epoch, piece})));
            return images;
        };
        QCOMPARE(all(0).size(), kSamples);
        QVERIFY(all(0) == all(0));
        QVERIFY(all(0) != all(1));
    }

    void withoutAugmentationImagesAreTheirBytes() {
        Data data(2, 300);
        QCOMPARE(data.source.pieceCount(0), std::size_t{2});
        QCOMPARE(data.source.pieceSamples({0, 0, 1}), std::size_t{44});
        const Piece second = made(data.source, {1, 0, 1});
        const auto batch = data.partition.batch(1, 0, 0).subspan(256);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            QCOMPARE(second.labels[i], data.images.labels()[batch[i]]);
            for (std::size_t j = 0; j < 64; ++j)
                QCOMPARE(second.values[64 * i + j],
                         static_cast<float>(data.images.images().image(batch[i])[j]) / 255.0F);
        }
        QVERIFY(data.source.after({1, 4, 0}) == (PiecePlace{1, 4, 1}));
        QVERIFY(data.source.after({1, 4, 1}) == (PiecePlace{1, 5, 0}));
    }

    // Any number of threads, any depth, over several epochs.
    void aQueueHoldsWhatTheSourceMakes() {
        for (const bool augmentation : {false, true})
            for (const int threads : {1, 2, 4})
                for (const std::size_t depth : {1, 3, 64}) {
                    Data queued(3, 70, {.augmentation = augmentation}), direct(3, 70, {.augmentation = augmentation});
                    PrefetchQueue queue(queued.source, {.ranks = 3, .threads = threads, .depth = depth});
                    for (long long batch = 0; batch < 10; ++batch)
                        for (int rank = 0; rank < 3; ++rank)
                            QVERIFY(taken(queue, queued.source, {rank, batch, 0}) ==
                                    made(direct.source, {rank, batch, 0}));
                }
    }

    // A stop within a batch lets it begin again, a restored run elsewhere.
    void aQueueFollowsJumps() {
        Data queued(2, 300, {.augmentation = true}), direct(2, 300, {.augmentation = true});
        PrefetchQueue queue(queued.source, {.ranks = 2, .threads = 2, .depth = 4});
        for (const PiecePlace& place : {PiecePlace{0, 0, 0},
                                        {0, 0, 0},
                                        {0, 0, 1},
                                        {1, 7, 0},
                                        {1, 7, 1},
                                        {1, 2, 1},
                                        {0, 0, 0},
                                        {0, 1, 0},
                                        {0, 1, 1},
                                        {0, 2, 0}})
            QVERIFY(taken(queue, queued.source, place) == made(direct.source, place));
    }

    void aQueueEndsWhileItsThreadsWait() {
        Data data(4, 10);
        for (int i = 0; i < 50; ++i) {
            PrefetchQueue queue(data.source, {.ranks = 4, .threads = 3, .depth = 2});
            if (i % 2 == 0) taken(queue, data.source, {1, 0, 0});
        }
    }
};

QTEST_GUILESS_MAIN(TestBatchSource)
#include "test_batch_source.moc"
