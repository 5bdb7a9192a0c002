#pragma once

#include <QAbstractButton>

#include "widgets/popover.h"

namespace lockstep::ui {

/// The round "?" beside a control. Opens the term's explanation.
class HelpButton : public QAbstractButton {
    Q_OBJECT
public:
    HelpButton(Theme& theme, Popover::Content content, QWidget* parent = nullptr);
    [[nodiscard]] const Popover::Content& content() const { return m_content; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    Popover::Content m_content;
};

}  // namespace lockstep::ui
