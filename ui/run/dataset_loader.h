#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "data/dataset.h"

namespace lockstep::ui {

/// Which images a run needs.
struct DatasetRequest {
    std::string name;
    int resolutionPx = 28;  ///< drawn images have it; files keep their own size
    /// Whether images loaded for `other` serve this request too.
    [[nodiscard]] bool sameImages(const DatasetRequest& other) const;
};

/// Loads images in the background and keeps the last ones. One load at a time: a request that comes meanwhile replaces
/// what was asked for.
class DatasetLoader : public QObject {
    Q_OBJECT
public:
    explicit DatasetLoader(QObject* parent = nullptr);
    ~DatasetLoader() override;

    /// `loaded` or `failed` follows, later, once for the newest request.
    void request(const DatasetRequest& request);
    /// Nothing follows any more.
    void cancel();

signals:
    void loaded(std::shared_ptr<const lockstep::TrainTest> data, const QString& notice);
    void failed(const QString& line);

private:
    using Outcome = Result<DatasetChoice>;
    void start();
    void finish(const std::shared_ptr<Outcome>& outcome);

    std::optional<DatasetRequest> m_wanted;   ///< not yet answered
    std::optional<DatasetRequest> m_loading;  ///< what the thread works on
    std::optional<DatasetRequest> m_held;
    std::shared_ptr<const TrainTest> m_data;
    QString m_notice;
    std::jthread m_thread;
};

}  // namespace lockstep::ui
