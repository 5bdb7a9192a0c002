#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <functional>
#include <vector>

namespace lockstep::ui {

/// Operates a window without a person: acts one after another, each followed by waiting until its condition holds. The
/// event loop runs in between, as it does for a person.
class WindowScript : public QObject {
    Q_OBJECT
public:
    struct Step {
        QString what;  ///< what holds at its end: "the run has begun"
        std::function<void()> act;
        std::function<bool()> until;  ///< empty: holds once everything has been painted
        int patience_ms = 20'000;
        std::function<void()> then{};  ///< once it holds
    };
    explicit WindowScript(QObject* parent = nullptr);

    void add(Step step);
    void start();
    /// The steps whose conditions did not come to hold, one line each.
    [[nodiscard]] const QStringList& faults() const { return m_faults; }

signals:
    void finished();

private:
    void next();
    void look();

    std::vector<Step> m_steps;
    size_t m_position = 0;
    QTimer m_timer;
    QElapsedTimer m_waiting;
    QStringList m_faults;
};

}  // namespace lockstep::ui
