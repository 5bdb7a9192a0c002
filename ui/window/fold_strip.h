#pragma once

#include <QAbstractButton>

namespace lockstep::ui {

class Theme;

/// What is left of a folded panel: a narrow upright strip with its name that unfolds it.
class FoldStrip : public QAbstractButton {
    Q_OBJECT
public:
    FoldStrip(Theme& theme, const QString& name, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
};

}  // namespace lockstep::ui
