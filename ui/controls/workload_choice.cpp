#include "controls/workload_choice.h"

#include <QRegularExpression>
#include <algorithm>

namespace lockstep::ui {

QString shortName(const std::string& name) {
    const QString text = QString::fromStdString(name);
    return text.section(QStringLiteral(" ("), 0, 0).section(QLatin1Char(','), 0, 0).trimmed();
}

QString shortDeviceName(const std::string& name) {
    static const QRegularExpression unsaid(QStringLiteral("^NVIDIA | SXM\\d"));
    return shortName(name).remove(unsaid);
}

const DatasetSpec* datasetFor(const ModelSpec& model, const Catalogue& catalogue) {
    const auto fits = [&](const DatasetSpec& dataset) {
        if (model.readsText()) return dataset.resolutionPx == 0;
        return dataset.resolutionPx == model.resolutionPx() && dataset.channels == model.channels();
    };
    const auto found = std::find_if(catalogue.datasets.begin(), catalogue.datasets.end(), fits);
    if (found != catalogue.datasets.end()) return &*found;
    if (model.readsText()) return nullptr;
    const auto alike =
        std::find_if(catalogue.datasets.begin(), catalogue.datasets.end(), [&](const DatasetSpec& dataset) {
            return dataset.channels == model.channels() && dataset.resolutionPx >= model.minimumResolutionPx();
        });
    return alike == catalogue.datasets.end() ? nullptr : &*alike;
}

std::vector<std::pair<QString, QString>> modelEntries(const Catalogue& catalogue) {
    std::vector<std::pair<QString, QString>> entries;
    for (const ModelSpec& model : catalogue.models) {
        // Models of pure messages are for files: alone they take no time at all.
        const auto totals = model.totals({.resolutionPx = model.resolutionPx(), .sequenceLength = 0});
        if (totals && totals->macs == 0) continue;
        const DatasetSpec* dataset = datasetFor(model, catalogue);
        const QString text =
            shortName(model.name()) + (dataset ? QStringLiteral(" / ") + shortName(dataset->name) : QString());
        entries.emplace_back(QString::fromStdString(model.key()), text);
    }
    return entries;
}

}  // namespace lockstep::ui
