#pragma once

#include <QString>
#include <functional>

#include "base/result.h"
#include "charts/chart_data.h"

class QPoint;
class QWidget;

namespace lockstep::ui {

class Theme;

/// A chart that can be saved or copied: the widget as it stands, its caption and its numbers.
struct ExportSource {
    QWidget* widget = nullptr;
    QString caption;
    QString csv;
};

/// "curve,x,y" with a header that carries the axes' titles; numbers in C notation, empty where there is no value.
[[nodiscard]] QString chartCsv(const ChartData& data);
[[nodiscard]] QString breakdownCsv(const BreakdownData& data);

/// Saves by the path's ending: .png (twice the size on screen), .svg or .csv. Fails with one line.
[[nodiscard]] Result<void> saveChart(const ExportSource& source, const Theme& theme, const QString& path);

/// The context menu of every chart: save as PNG, SVG, CSV; copy picture, copy numbers.
void showExportMenu(const ExportSource& source, const Theme& theme, const QPoint& globalPosition);

}  // namespace lockstep::ui
