#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QToolButton;

namespace lockstep::ui {

class Theme;

/// One line at the top of the window: what happened, and what was done about it. Goes by itself after a while, or at
/// its button. Read aloud by screen readers when it appears.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    explicit NoticeBar(Theme& theme, QWidget* parent = nullptr);

    /// Replaces the line that was there. An empty one hides the bar.
    void show(const QString& line);
    [[nodiscard]] QString text() const;

signals:
    /// It has become visible, or says something else.
    void shown();

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void restyle();

    Theme& m_theme;
    QLabel* m_label;
    QToolButton* m_close;
    QTimer m_hide;
};

}  // namespace lockstep::ui
