#include "run/run_title.h"

#include <QCoreApplication>
#include <QDir>
#include <QStringList>
#include <algorithm>

#include "controls/key_text.h"
#include "controls/workload_choice.h"
#include "experiment/resolved.h"

namespace lockstep::ui {
namespace {

QString say(const char* text) { return QCoreApplication::translate("RunTitle", text); }

QString imagesName(const Experiment& experiment, const std::string& images) {
    if (!images.empty()) return shortName(images);
    const QString name = QString::fromStdString(experiment.training.dataset);
    return name.contains(QLatin1Char('/')) ? QDir(name).dirName()
                                           : choiceText(QStringLiteral("training.dataset"), name);
}

QString replicasText(const Experiment& experiment) {
    const int trained = trainingWorkers(experiment), modelled = clusterWorkers(experiment);
    if (trained == 1) return say(QT_TRANSLATE_NOOP("RunTitle", "1 replica"));
    if (trained < modelled && !experiment.training.workers)
        return say(QT_TRANSLATE_NOOP("RunTitle", "%1 of %2 replicas")).arg(trained).arg(modelled);
    return say(QT_TRANSLATE_NOOP("RunTitle", "%1 replicas")).arg(trained);
}

/// The modelled workload's name when it is not what is trained; empty otherwise.
QString standsInFor(const Experiment& experiment, const Catalogue& catalogue) {
    const std::string& modelled = experiment.workload.model;
    if (modelled == "lockstep-" + experiment.training.model) return {};
    const auto found = std::find_if(catalogue.models.begin(), catalogue.models.end(),
                                    [&](const ModelSpec& model) { return model.key() == modelled; });
    return found == catalogue.models.end() ? QString() : shortName(found->name());
}

}  // namespace

QString runTitleOf(const Experiment& experiment, const Catalogue& catalogue, const std::string& images) {
    const QString model =
        choiceText(QStringLiteral("training.model"), QString::fromStdString(experiment.training.model));
    QStringList parts{say(QT_TRANSLATE_NOOP("RunTitle", "%1 on %2")).arg(model, imagesName(experiment, images)),
                      say(QT_TRANSLATE_NOOP("RunTitle", "%1 px")).arg(trainingResolutionPx(experiment)),
                      replicasText(experiment)};
    if (const QString other = standsInFor(experiment, catalogue); !other.isEmpty())
        parts << say(QT_TRANSLATE_NOOP("RunTitle", "standing in for %1")).arg(other);
    return parts.join(QStringLiteral(", "));
}

}  // namespace lockstep::ui
