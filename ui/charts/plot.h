#pragma once

#include <QWidget>

#include "charts/chart_data.h"

namespace lockstep::ui {

class PlotView;
class Theme;

/// An xy chart: axes in round steps, direct labels, hover readout, a click pins it, the wheel zooms in x, a double
/// click resets, the context menu saves and copies. What it draws with stays behind this class.
class Plot : public QWidget {
    Q_OBJECT
public:
    explicit Plot(Theme& theme, QWidget* parent = nullptr);

    /// Shows `data` from the next paint on. Cheap: curves are decimated to the width, axes move in round steps only.
    void setData(const ChartData& data);
    [[nodiscard]] const ChartData& data() const;
    /// What the picture is of; also its caption when saved: "Throughput against workers (modelled)".
    void setSubject(const QString& subject);
    [[nodiscard]] QString subject() const { return m_subject; }
    /// Back to the whole range, nothing pinned.
    void resetView();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

    /// For tests: the chart's frame, and the texts it has placed with where they stand.
    struct PlacedText {
        QRectF rect;
        QString text;
    };
    [[nodiscard]] std::vector<PlacedText> placedTexts() const;

private:
    void describe();

    Theme& m_theme;
    PlotView* m_view;
    QString m_subject;
};

}  // namespace lockstep::ui
