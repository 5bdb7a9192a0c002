#include "window/experiment_files.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>

#include "base/atomic_file.h"
#include "experiment/experiment_json.h"
#include "experiment_store.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMaxBytes = 4'000'000;
const QString kEnding = QStringLiteral("lockstep");

QString filter() { return ExperimentFiles::tr("Lockstep experiments (*.lockstep *.lockstep.json *.json)"); }

}  // namespace

ExperimentFiles::ExperimentFiles(ExperimentStore& store, QWidget& window)
    : QObject(&window), m_store(store), m_window(window) {}

bool ExperimentFiles::take(const std::string& text, const QString& where, const QString& step) {
    const Result<Experiment> experiment = experimentFromText(text, where.toStdString());
    if (!experiment) {
        const QString message = QString::fromStdString(experiment.error().message);
        emit noticeRaised(message.startsWith(where) ? message : QStringLiteral("%1: %2").arg(where, message));
        return false;
    }
    if (!m_store.replace(*experiment, step)) return false;
    m_store.setBaseline(*experiment);
    return true;
}

bool ExperimentFiles::open(const QString& path) {
    const Result<std::string> text = readTextFile(path.toStdString(), kMaxBytes);
    if (!text) {
        emit noticeRaised(QString::fromStdString(text.error().message));
        return false;
    }
    const QString name = QFileInfo(path).fileName();
    if (!take(*text, name, tr("Open %1").arg(name))) return false;
    m_path = path;
    emit pathChanged(path);
    return true;
}

bool ExperimentFiles::save(const QString& path) {
    const std::string text = experimentToJson(m_store.experiment()).dump(2) + "\n";
    if (const Result<void> written = writeFileAtomically(path.toStdString(), text); !written) {
        emit noticeRaised(QString::fromStdString(written.error().message));
        return false;
    }
    m_path = path;
    m_store.setBaseline(m_store.experiment());
    emit pathChanged(path);
    return true;
}

void ExperimentFiles::askAndOpen() {
    const QString path = QFileDialog::getOpenFileName(&m_window, tr("Open experiment"), m_path, filter());
    if (!path.isEmpty()) open(path);
}

void ExperimentFiles::saveOrAsk() { m_path.isEmpty() ? askAndSave() : static_cast<void>(save(m_path)); }

void ExperimentFiles::askAndSave() {
    const QString proposed = m_path.isEmpty() ? tr("experiment") + QLatin1Char('.') + kEnding : m_path;
    QFileDialog dialog(&m_window, tr("Save experiment"), proposed, filter());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(kEnding);
    if (dialog.exec() == QDialog::Accepted) save(dialog.selectedFiles().constFirst());
}

void ExperimentFiles::copy() {
    const std::string text = experimentToJson(m_store.experiment()).dump(2);
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
}

void ExperimentFiles::paste() {
    const QString text = QGuiApplication::clipboard()->text().left(static_cast<int>(kMaxBytes));
    take(text.toStdString(), tr("clipboard"), tr("Paste experiment"));
}

}  // namespace lockstep::ui
