#pragma once

#include <QObject>
#include <QString>

class QWidget;

namespace lockstep::ui {

class ExperimentStore;

/// Opening and saving experiments, and their way to and from the clipboard. Whatever cannot be read leaves the present
/// experiment as it is.
class ExperimentFiles : public QObject {
    Q_OBJECT
public:
    ExperimentFiles(ExperimentStore& store, QWidget& window);

    /// Reads a file into the store as one undo step; false, and a notice, when it cannot be.
    bool open(const QString& path);
    bool save(const QString& path);
    /// The file that the experiment was last read from or saved to; empty when there is none.
    [[nodiscard]] QString path() const { return m_path; }
    void forgetPath() { m_path.clear(); }
    /// Goes on with the file of an earlier session, without reading it.
    void setPath(const QString& path) { m_path = path; }

    void askAndOpen();
    void saveOrAsk();
    void askAndSave();
    void copy();
    void paste();

signals:
    /// A file has become the present experiment, or the present experiment a file.
    void pathChanged(const QString& path);
    void noticeRaised(const QString& line);

private:
    bool take(const std::string& text, const QString& where, const QString& step);

    ExperimentStore& m_store;
    QWidget& m_window;
    QString m_path;
};

}  // namespace lockstep::ui
