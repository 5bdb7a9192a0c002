#pragma once

#include <QWidget>

#include "widgets/panel.h"

namespace lockstep::ui {

/// The pill that tells modelled numbers (dashed outline) from measured ones (filled), by shape, colour and word.
class SourceTag : public QWidget {
    Q_OBJECT
public:
    SourceTag(Theme& theme, QWidget* parent = nullptr);

    void setSource(NumberSource source, const QString& detail);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    NumberSource m_source = NumberSource::None;
    QString m_text, m_shortText;
};

}  // namespace lockstep::ui
