#include "window/window_settings.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "experiment/experiment_json.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMaxBytes = 1'000'000;
constexpr int kVersion = 1;
constexpr const char* kThemeNames[] = {"light", "dark", "high-contrast"};
constexpr int kMaxSizePx = 100'000;

QString say(const char* text) { return QCoreApplication::translate("WindowSettings", text); }

QList<int> sizesFrom(const nlohmann::json& values) {
    QList<int> sizes;
    for (const int size : values.get<std::vector<int>>()) sizes << std::clamp(size, 0, kMaxSizePx);
    return sizes;
}

ThemeKind themeNamed(const std::string& name) {
    for (int kind = 0; kind < 3; ++kind)
        if (name == kThemeNames[kind]) return static_cast<ThemeKind>(kind);
    throw std::out_of_range("theme");
}

/// Throws what nlohmann throws where a key is absent or of another type.
WindowSettings settingsFrom(const nlohmann::json& document) {
    WindowSettings settings;
    settings.geometry = QByteArray::fromBase64(QByteArray::fromStdString(document.at("geometry").get<std::string>()));
    settings.columns = sizesFrom(document.at("columns"));
    settings.rows = sizesFrom(document.at("rows"));
    settings.theme = themeNamed(document.at("theme").get<std::string>());
    settings.controlsShown = document.at("controls_shown").get<bool>();
    settings.quizShown = document.at("quiz_shown").get<bool>();
    settings.reducedMotion = document.at("reduced_motion").get<bool>();
    settings.runWhenOpened = document.at("run_when_opened").get<bool>();
    settings.presentingScale = std::clamp(document.at("presenting_scale").get<double>(), 1.2, 3.0);
    settings.sceneTitle = QString::fromStdString(document.at("scene_title").get<std::string>()).left(200);
    settings.file = QString::fromStdString(document.at("file").get<std::string>());
    return settings;
}

QString setAside(const QString& path) {
    for (int number = 1; number < 1000; ++number) {
        const QString other =
            path + (number == 1 ? QStringLiteral(".damaged") : QStringLiteral(".damaged-%1").arg(number));
        if (QFileInfo::exists(other)) continue;
        if (QFile::rename(path, other)) return other;
        break;
    }
    return {};
}

RestoredSettings damaged(const QString& path, const QString& reason) {
    const QString other = setAside(path);
    const QString done = other.isEmpty()
                             ? say(QT_TRANSLATE_NOOP("WindowSettings", "It stays where it is; defaults are used."))
                             : say(QT_TRANSLATE_NOOP("WindowSettings", "It is kept as %1; defaults are used."))
                                   .arg(QFileInfo(other).fileName());
    return {{}, say(QT_TRANSLATE_NOOP("WindowSettings", "The settings file is damaged (%1). %2")).arg(reason, done)};
}

std::vector<int> toVector(const QList<int>& sizes) { return {sizes.begin(), sizes.end()}; }

}  // namespace

RestoredSettings restoreSettings(const QString& path) {
    if (!QFileInfo::exists(path)) return {};
    const std::filesystem::path file = path.toStdString();
    const Result<std::string> text = readTextFile(file, kMaxBytes);
    if (!text) return damaged(path, QString::fromStdString(text.error().message));
    const Result<nlohmann::json> document = parseJson(*text, QFileInfo(path).fileName().toStdString());
    if (!document) return damaged(path, QString::fromStdString(document.error().message));
    RestoredSettings restored;
    try {
        restored.settings = settingsFrom(*document);
        const Result<Experiment> experiment = experimentFromJson(document->at("experiment"));
        const Result<Experiment> baseline = experimentFromJson(document->at("baseline"));
        if (experiment && baseline) {
            restored.settings.experiment = *experiment;
            restored.settings.baseline = *baseline;
        } else {
            restored.settings.sceneTitle.clear();
            restored.settings.file.clear();
            restored.notice =
                say(QT_TRANSLATE_NOOP("WindowSettings",
                                      "The last experiment cannot be used any more (%1); this is the default one."))
                    .arg(QString::fromStdString((experiment ? baseline : experiment).error().message));
        }
    } catch (const std::exception&) {
        return damaged(path, say(QT_TRANSLATE_NOOP("WindowSettings", "a setting is missing or of the wrong kind")));
    }
    return restored;
}

Result<void> saveSettings(const QString& path, const WindowSettings& settings) {
    nlohmann::ordered_json document;
    document["version"] = kVersion;
    document["geometry"] = settings.geometry.toBase64().toStdString();
    document["columns"] = toVector(settings.columns);
    document["rows"] = toVector(settings.rows);
    document["theme"] = kThemeNames[static_cast<int>(settings.theme)];
    document["controls_shown"] = settings.controlsShown;
    document["quiz_shown"] = settings.quizShown;
    document["reduced_motion"] = settings.reducedMotion;
    document["run_when_opened"] = settings.runWhenOpened;
    document["presenting_scale"] = settings.presentingScale;
    document["scene_title"] = settings.sceneTitle.toStdString();
    document["file"] = settings.file.toStdString();
    document["baseline"] = experimentToJson(settings.baseline);
    document["experiment"] = experimentToJson(settings.experiment);
    if (!QDir().mkpath(QFileInfo(path).path()))
        return fail((QFileInfo(path).path() + QStringLiteral(": cannot be made")).toStdString());
    return writeFileAtomically(path.toStdString(), document.dump(2) + "\n");
}

}  // namespace lockstep::ui
