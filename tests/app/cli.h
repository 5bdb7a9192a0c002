#pragma once

#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"

namespace lockstep::test {

/// What one call of lockstep-cli left behind.
struct Called {
    int status = -1;  ///< -1: it did not end by itself
    std::string output, messages;

    [[nodiscard]] std::vector<std::string> lines() const {
        std::vector<std::string> lines;
        for (const QByteArray& line : QByteArray::fromStdString(output).split('\n'))
            if (!line.isEmpty()) lines.push_back(line.toStdString());
        return lines;
    }
    /// Every line of the output as a document of its own; empty unless all of them are.
    [[nodiscard]] std::vector<nlohmann::json> documents() const {
        std::vector<nlohmann::json> documents;
        for (const std::string& line : lines()) {
            documents.push_back(nlohmann::json::parse(line, nullptr, false));
            if (documents.back().is_discarded()) return {};
        }
        return documents;
    }
    /// The whole output as one document; discarded when it is none.
    [[nodiscard]] nlohmann::json document() const { return nlohmann::json::parse(output, nullptr, false); }
};

inline Called call(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    process.start(LOCKSTEP_CLI, arguments);
    process.write(input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(120000) && process.exitStatus() == QProcess::NormalExit;
    return {ended ? process.exitCode() : -1, process.readAllStandardOutput().toStdString(),
            process.readAllStandardError().toStdString()};
}

/// A folder of IDX files with 640 noisy 8 x 8 images of four classes, and 100 to test on.
class SmallDataset {
public:
    SmallDataset() {
        write("train", 640, 0);
        write("t10k", 100, 1);
    }
    [[nodiscard]] QString path() const { return m_folder.path(); }

private:
    void write(const std::string& name, std::uint32_t count, std::uint32_t stream) const {
        const std::string folder = m_folder.path().toStdString() + "/";
        std::ofstream images(folder + name + "-images-idx3-ubyte", std::ios::binary);
        std::ofstream labels(folder + name + "-labels-idx1-ubyte", std::ios::binary);
        images << header({count, 8, 8});
        labels << header({count});
        RandomStream random(3, RandomPurpose::Test, stream);
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t label = i % 4;
            labels.put(static_cast<char>(label));
            for (std::uint32_t pixel = 0; pixel < 64; ++pixel)
                images.put(static_cast<char>(random.nextBelow(180) + (pixel / 16 == label ? 70 : 0)));
        }
    }
    static std::string header(const std::vector<std::uint32_t>& dimensions) {
        std::string bytes{'\0', '\0', '\x08', static_cast<char>(dimensions.size())};
        for (const std::uint32_t dimension : dimensions)
            for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(dimension >> shift));
        return bytes;
    }

    QTemporaryDir m_folder;
};

}  // namespace lockstep::test
