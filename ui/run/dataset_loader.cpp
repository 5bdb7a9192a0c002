#include "run/dataset_loader.h"

#include <QMetaObject>

namespace lockstep::ui {

bool DatasetRequest::sameImages(const DatasetRequest& other) const {
    // Where Fashion-MNIST is not installed it is drawn, too.
    const bool mayBeDrawn = name == "shapes" || name == "fashion-mnist";
    return name == other.name && (!mayBeDrawn || resolutionPx == other.resolutionPx);
}

DatasetLoader::DatasetLoader(QObject* parent) : QObject(parent) {}

DatasetLoader::~DatasetLoader() { m_thread.request_stop(); }

void DatasetLoader::request(const DatasetRequest& request) {
    m_wanted = request;
    if (m_loading) {
        if (!m_loading->sameImages(request)) m_thread.request_stop();
    } else {
        start();
    }
}

void DatasetLoader::cancel() {
    m_wanted.reset();
    m_thread.request_stop();
}

void DatasetLoader::start() {
    if (m_held && m_held->sameImages(*m_wanted)) {
        m_wanted.reset();
        QMetaObject::invokeMethod(
            this, [this] { emit loaded(m_data, m_notice); }, Qt::QueuedConnection);
        return;
    }
    m_loading = m_wanted;
    // The thread that was here has ended: its last act was to post finish().
    m_thread = std::jthread([this, request = *m_wanted](std::stop_token stop) {
        DatasetOptions options;
        options.resolutionPx = request.resolutionPx;
        options.stop = stop;
        const auto outcome = std::make_shared<Outcome>(loadDatasetOrShapes(request.name, options));
        QMetaObject::invokeMethod(
            this, [this, outcome] { finish(outcome); }, Qt::QueuedConnection);
    });
}

void DatasetLoader::finish(const std::shared_ptr<Outcome>& outcome) {
    const DatasetRequest done = *m_loading;
    m_loading.reset();
    if (*outcome) {
        m_held = done;
        m_data = std::make_shared<const TrainTest>(std::move((*outcome)->data));
        m_notice = QString::fromStdString((*outcome)->notice);
    }
    if (!m_wanted) return;
    if (!m_wanted->sameImages(done) || (!*outcome && m_thread.get_stop_token().stop_requested())) return start();
    m_wanted.reset();
    if (*outcome)
        emit loaded(m_data, m_notice);
    else
        emit failed(QString::fromStdString(outcome->error().message));
}

}  // namespace lockstep::ui
