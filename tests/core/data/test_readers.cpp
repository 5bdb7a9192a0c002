#include <zlib.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/idx.h"

using namespace lockstep;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes idxHeader(const std::vector<std::uint32_t>& dimensions) {
    Bytes bytes{0, 0, 8, static_cast<std::uint8_t>(dimensions.size())};
    for (const std::uint32_t dimension : dimensions)
        for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(dimension >> shift));
    return bytes;
}

Bytes idx(const std::vector<std::uint32_t>& dimensions, const Bytes& values) {
    Bytes bytes = idxHeader(dimensions);
    bytes.insert(bytes.end(), values.begin(), values.end());
    return bytes;
}

Bytes counting(std::size_t count) {
    Bytes values(count);
    std::iota(values.begin(), values.end(), std::uint8_t{0});
    return values;
}

void write(const std::filesystem::path& path, const Bytes& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

void writeGzip(const std::filesystem::path& path, const Bytes& bytes) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
}

constexpr std::size_t kLimit = 1 << 20;

}  // namespace

class TestReaders : public QObject {
    Q_OBJECT
    QTemporaryDir m_folder;
    [[nodiscard]] std::filesystem::path at(const std::string& name) const {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }

private slots:
    void init() {
        for (const auto& entry : std::filesystem::directory_iterator(m_folder.path().toStdString()))
            std::filesystem::remove_all(entry.path());
    }

    void readsPlainAndGzip() {
        const Bytes values = counting(24), bytes = idx({2, 3, 4}, values);
        write(at("plain"), bytes);
        writeGzip(at("packed.gz"), bytes);
        for (const char* name : {"plain", "packed.gz"}) {
            const Result<IdxArray> array = readIdx(at(name), 3, 1024, kLimit);
            QVERIFY2(array, array ? "" : array.error().message.c_str());
            QVERIFY(array->values == values);
            QVERIFY((array->dimensions == std::vector<std::uint32_t>{2, 3, 4}));
        }
    }

    void refusesDamagedFiles_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Bytes& bytes, const char* says) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()),
                                              static_cast<qsizetype>(bytes.size()))
                                << QString(says);
        };
        row("empty", {}, "is truncated: 0 of 4 bytes of its header");
        row("half a header", {0, 0, 8, 3, 0, 0}, "is truncated: 2 of 4 bytes of its header");
        row("truncated", idx({2, 3, 4}, counting(23)), "is truncated: 23 of 24 bytes");
        row("too long", idx({2, 3, 4}, counting(25)), "is too long");
        row("other type", {0, 0, 13, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, "begins with 00000d03");
        row("labels for images", idx({4}, counting(4)), "begins with 00000801");
        row("text", {'h', 'e', 'l', 'l', 'o'}, "begins with 68656c6c");
        row("no image", idx({0, 3, 4}, {}), "dimension 1 is 0");
        row("no width", idx({2, 3, 0}, {}), "dimension 3 is 0");
        row("absurd width", idx({1, 3, 4000000000U}, {}), "dimension 3 is 4000000000; allowed are 1 to 1024");
        row("absurd number", idx({4294967295U, 1024, 1024}, {}), "announces more than the 1.05 MB");
        row("just over the limit", idx({1025, 1, 1024}, {}), "announces more than the 1.05 MB");
        // What it announces fits, what it holds does not: nothing near the announced size may be allocated.
        row("promises too much", idx({1024, 1, 1024}, counting(10)), "is truncated: 10 of 1048576 bytes");
    }
    void refusesDamagedFiles() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, says);
        write(at("file"), Bytes(bytes.begin(), bytes.end()));
        const Result<IdxArray> array = readIdx(at("file"), 3, 1024, kLimit);
        QVERIFY(!array);
        const QString message = QString::fromStdString(array.error().message);
        QVERIFY2(message.startsWith(QString::fromStdString(at("file").string()) + ": "), qPrintable(message));
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(!message.contains('\n'));
    }

    /// Cut anywhere, a gzip'd file fails, and so does one with a flipped bit in its data or checksum. The only bits
    /// that may change are those that fill up the last byte of the packed data: nothing is read from them.
    void refusesDamagedGzip() {
        const Bytes values = counting(1280);
        writeGzip(at("good.gz"), idx({20, 8, 8}, values));
        std::ifstream in(at("good.gz"), std::ios::binary);
        const Bytes good{std::istreambuf_iterator<char>(in), {}};
        for (std::size_t length = 0; length < good.size(); ++length) {
            write(at("cut.gz"), Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)));
            QVERIFY2(!readIdx(at("cut.gz"), 3, 1024, kLimit), qPrintable(QString::number(length)));
        }
        for (std::size_t i = 12; i < good.size(); ++i) {
            Bytes flipped = good;
            flipped[i] ^= 0x10;
            write(at("flipped.gz"), flipped);
            const Result<IdxArray> read = readIdx(at("flipped.gz"), 3, 1024, kLimit);
            constexpr std::size_t kTrailer = 8;
            const bool isFiller = read && i == good.size() - kTrailer - 1 && read->values == values;
            QVERIFY2(!read || isFiller, qPrintable(QString::number(i)));
        }
    }

    void refusesWhatIsNoFile() {
        QVERIFY(readIdx(at("absent"), 3, 1024, kLimit).error().message.ends_with("there is no such file"));
        QVERIFY(readIdx(at(""), 3, 1024, kLimit).error().message.ends_with("is no regular file"));
        QVERIFY(readIdx("/dev/zero", 3, 1024, kLimit).error().message.ends_with("is no regular file"));
    }

    void loadsAFolderOfIdxFiles() {
        writeFolder(6, 6, {0, 1, 2, 0, 1, 2}, {2, 0});
        const Result<TrainTest> data = loadDataset(m_folder.path().toStdString());
        QVERIFY2(data, data ? "" : data.error().message.c_str());
        QCOMPARE(data->train.size(), std::size_t{6});
        QCOMPARE(data->test.size(), std::size_t{2});
        QCOMPARE(data->train.classes(), 3);
        QCOMPARE(data->train.width(), 4);
        QCOMPARE(data->train.image(1)[0], std::uint8_t{12});
        QCOMPARE(data->test.labels()[0], std::uint8_t{2});
    }

    void refusesFoldersThatDoNotFit() {
        const std::string folder = m_folder.path().toStdString();
        QVERIFY(loadDataset(folder).error().message.find("holds no dataset") != std::string::npos);
        QVERIFY(loadDataset("no-such-dataset").error().message.find("allowed are fashion-mnist, shapes") !=
                std::string::npos);
        writeFolder(6, 5, {0, 1, 2, 0, 1}, {0, 1});
        QVERIFY(loadDataset(folder).error().message.ends_with("5 labels for 6 images; there must be one each"));
        writeFolder(6, 6, {0, 1, 2, 0, 1, 2}, {0, 3});
        QVERIFY(loadDataset(folder).error().message.ends_with("label 3 of image 1; allowed are 0 to 2"));
        std::filesystem::remove(at("t10k-labels-idx1-ubyte"));
        QVERIFY(loadDataset(folder).error().message.ends_with("t10k-labels-idx1-ubyte: there is no such file"));
        DatasetOptions small;
        small.memoryLimitBytes = 50;
        QVERIFY(loadDataset(folder, small).error().message.find("announces more than") != std::string::npos);
    }

    /// Fashion-MNIST as published: 60,000 and 10,000 images of 28 x 28, each class equally often; mean 0.2860 and
    /// deviation 0.3530 are the figures its users commonly quote.
    void loadsFashionMnist() {
        const Result<TrainTest> data = loadDataset("fashion-mnist");
        if (!data) QSKIP("the package dataset-fashion-mnist is not installed");
        QCOMPARE(data->train.size(), std::size_t{60000});
        QCOMPARE(data->test.size(), std::size_t{10000});
        QCOMPARE(data->train.height(), 28);
        QCOMPARE(data->train.width(), 28);
        std::array<int, 10> counts{};
        for (const std::uint8_t label : data->train.labels()) ++counts[label];
        for (const int count : counts) QCOMPARE(count, 6000);
        QCOMPARE(data->train.labels()[0], std::uint8_t{9});
        QVERIFY(data->train.mirrors());
        double sum = 0;
        for (const std::uint8_t value : data->train.pixels()) sum += value;
        QVERIFY(std::abs(sum / 255 / 47040000 - 0.2860) < 0.0001);
    }

    void fallsBackToShapesOnlyWhereFashionMnistIsAbsent() {
        DatasetOptions options;
        options.fashionMnistFolder = m_folder.path().toStdString();
        options.resolutionPx = 8;
        QVERIFY(loadDataset("fashion-mnist", options).error().message.find("dataset-fashion-mnist") !=
                std::string::npos);
        const Result<DatasetChoice> choice = loadDatasetOrShapes("fashion-mnist", options);
        QVERIFY(choice);
        QCOMPARE(choice->data.train.name(), std::string("Shapes, training"));
        QVERIFY(choice->notice.find("not installed") != std::string::npos);
        write(at("train-images-idx3-ubyte"), {1, 2, 3});
        QVERIFY(!loadDatasetOrShapes("fashion-mnist", options));
        QVERIFY(!loadDatasetOrShapes("no-such-dataset", options));
    }

    /// One record differs from zero: red plane all 10, green 20, blue 30 must come out interleaved.
    void loadsCifar() {
        Bytes file(10000 * 3073);
        const std::size_t record = 3 * 3073;
        file[record] = 7;
        for (std::size_t i = 0; i < 1024; ++i) {
            file[record + 1 + i] = 10;
            file[record + 1025 + i] = 20;
            file[record + 2049 + i] = 30;
        }
        for (const char* name :
             {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"})
            write(at(name), file);
        const std::string folder = m_folder.path().toStdString();
        QVERIFY(loadDataset(folder).error().message.ends_with("test_batch.bin: there is no such file"));
        write(at("test_batch.bin"), file);
        const Result<TrainTest> data = loadDataset(folder);
        QVERIFY2(data, data ? "" : data.error().message.c_str());
        QCOMPARE(data->train.size(), std::size_t{50000});
        QCOMPARE(data->train.channels(), 3);
        QCOMPARE(data->train.labels()[20003], std::uint8_t{7});
        const auto image = data->train.image(20003);
        for (std::size_t i = 0; i < image.size(); ++i) QCOMPARE(image[i], static_cast<std::uint8_t>(10 + 10 * (i % 3)));
        file[5 * 3073] = 10;
        write(at("test_batch.bin"), file);
        QVERIFY(loadDataset(folder).error().message.ends_with("label 10 of image 6; allowed are 0 to 9"));
        file[5 * 3073] = 0;
        file.pop_back();
        write(at("test_batch.bin"), file);
        QVERIFY(loadDataset(folder).error().message.find("is truncated") != std::string::npos);
    }

    /// 50,000 and 10,000 records of a coarse and a fine label and three planes.
    void loadsCifar100() {
        Bytes train(50000 * 3074), test(10000 * 3074);
        const std::size_t record = 4321 * std::size_t{3074};
        train[record] = 19;      // coarse: not used
        train[record + 1] = 99;  // fine
        train[record + 2] = 1;
        train[record + 2 + 1024] = 2;
        train[record + 2 + 2048] = 3;
        write(at("train.bin"), train);
        const std::string folder = m_folder.path().toStdString();
        QVERIFY(loadDataset(folder).error().message.ends_with("test.bin: there is no such file"));
        write(at("test.bin"), test);
        std::ofstream(at("fine_label_names.txt")) << "apple\naquarium_fish\n";
        const Result<TrainTest> data = loadDataset(folder);
        QVERIFY2(data, data ? "" : data.error().message.c_str());
        QCOMPARE(data->train.size(), std::size_t{50000});
        QCOMPARE(data->test.size(), std::size_t{10000});
        QCOMPARE(data->train.classes(), 100);
        QCOMPARE(data->train.classNames()[1], std::string("aquarium_fish"));
        QCOMPARE(data->train.classNames()[99], std::string("99"));
        QCOMPARE(data->train.labels()[4321], std::uint8_t{99});
        QVERIFY(std::ranges::equal(data->train.image(4321).first(3), Bytes{1, 2, 3}));
        QVERIFY(data->train.mirrors() && data->test.mirrors());
        test[3074 + 1] = 100;
        write(at("test.bin"), test);
        QVERIFY(loadDataset(folder).error().message.ends_with("label 100 of image 2; allowed are 0 to 99"));
        test[3074 + 1] = 0;
        test.push_back(0);
        write(at("test.bin"), test);
        QVERIFY(loadDataset(folder).error().message.find("test.bin: is too long") != std::string::npos);
        DatasetOptions small;
        small.memoryLimitBytes = 100 << 20;
        QVERIFY(loadDataset(folder, small).error().message.find("more than the 105 MB") != std::string::npos);
    }

    /// Without images to test on a sixth is set aside: every image is then in exactly one part, with its label.
    void setsASixthAsideWhereThereIsNoTest() {
        Bytes labels(100), pixels;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            labels[i] = static_cast<std::uint8_t>(i % 7);
            pixels.insert(pixels.end(), 12, static_cast<std::uint8_t>(i));
        }
        write(at("train-images-idx3-ubyte"), idx({100, 3, 4}, pixels));
        write(at("train-labels-idx1-ubyte"), idx({100}, labels));
        write(at("digits-images-idx3-ubyte"), idx({100, 3, 4}, pixels));
        writeGzip(at("digits-labels-idx1-ubyte.gz"), idx({100}, labels));
        const std::string folder = m_folder.path().toStdString();
        for (const std::string& path :
             {folder, at("train-images-idx3-ubyte").string(), at("digits-images-idx3-ubyte").string()}) {
            const Result<TrainTest> data = loadDataset(path);
            QVERIFY2(data, data ? "" : data.error().message.c_str());
            QCOMPARE(data->train.size(), std::size_t{84});
            QCOMPARE(data->test.size(), std::size_t{16});
            QCOMPARE(data->train.classes(), 7);
            QCOMPARE(data->test.classes(), 7);
            QVERIFY(!data->train.mirrors());
            std::vector<int> seen(100);
            for (const ImageSet& part : {data->train, data->test})
                for (std::size_t i = 0; i < part.size(); ++i) {
                    const std::uint8_t image = part.image(i).front();
                    ++seen[image];
                    QCOMPARE(part.labels()[i], labels[image]);
                }
            QVERIFY(std::ranges::all_of(seen, [](int count) { return count == 1; }));
            QVERIFY(std::ranges::equal(loadDataset(path)->test.pixels(), data->test.pixels()));
        }
        // With only one of the test's files the other is missed.
        write(at("t10k-images-idx3-ubyte"), idx({100, 3, 4}, pixels));
        QVERIFY(loadDataset(folder).error().message.ends_with("t10k-labels-idx1-ubyte: there is no such file"));
    }

    void loadsSingleCifarFiles() {
        Bytes file(12 * 3073);
        for (std::size_t i = 0; i < 12; ++i) file[i * 3073] = static_cast<std::uint8_t>(i % 10);
        write(at("some.bin"), file);
        const Result<TrainTest> ten = loadDataset(at("some.bin").string());
        QVERIFY2(ten, ten ? "" : ten.error().message.c_str());
        QCOMPARE(ten->train.size(), std::size_t{10});
        QCOMPARE(ten->test.size(), std::size_t{2});
        QCOMPARE(ten->train.classes(), 10);
        write(at("some.bin"), Bytes(12 * 3074));
        QCOMPARE(loadDataset(at("some.bin").string())->train.classes(), 100);
    }

    void refusesSingleFilesThatAreNone_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("says");
        QTest::newRow("no length of either") << "a.bin" << 3000 << "is 3000 bytes long; allowed are multiples of 3073";
        QTest::newRow("empty") << "a.bin" << 0 << "is 0 bytes long";
        QTest::newRow("one image") << "a.bin" << 3073 << "one image cannot be both";
        QTest::newRow("other name") << "a.png" << 3073 << "a.png: is no dataset by its name";
        QTest::newRow("labels absent") << "a-images-idx3-ubyte" << 28 << "a-labels-idx1-ubyte: there is no such file";
        QTest::newRow("wrong magic") << "b-images-idx3-ubyte" << 27 << "begins with 01010101";
    }
    void refusesSingleFilesThatAreNone() {
        QFETCH(QString, name);
        QFETCH(int, bytes);
        QFETCH(QString, says);
        Bytes content(static_cast<std::size_t>(bytes), std::uint8_t{1});
        if (bytes == 28) content = idx({1, 3, 4}, counting(12));
        write(at(name.toStdString()), content);
        const Result<TrainTest> data = loadDataset(at(name.toStdString()).string());
        QVERIFY(!data);
        const QString message = QString::fromStdString(data.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        QVERIFY(!message.contains('\n'));
    }

private:
    void writeFolder(std::uint32_t images, std::uint32_t trainLabels, const Bytes& labels, const Bytes& testLabels) {
        write(at("train-images-idx3-ubyte"), idx({images, 3, 4}, counting(images * 12)));
        write(at("train-labels-idx1-ubyte"), idx({trainLabels}, labels));
        write(at("t10k-images-idx3-ubyte"), idx({2, 3, 4}, counting(24)));
        write(at("t10k-labels-idx1-ubyte"), idx({2}, testLabels));
    }
};

QTEST_GUILESS_MAIN(TestReaders)
#include "test_readers.moc"
