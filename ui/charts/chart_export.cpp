#include "charts/chart_export.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>
#include <cmath>

#include "stage/phase_style.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("ChartExport", text); }

QString quoted(QString text) {
    static const QRegularExpression needsQuotes(QStringLiteral("[\",\n]"));
    if (!text.contains(needsQuotes)) return text;
    return QLatin1Char('"') + text.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString plainNumber(double value) { return std::isfinite(value) ? QString::number(value, 'g', 9) : QString(); }

/// The chart with its caption above, in logical pixels.
struct Picture {
    const ExportSource& source;
    const Theme& theme;
    [[nodiscard]] int captionHeight() const { return QFontMetrics(theme.metrics().strong).height() + 12; }
    [[nodiscard]] QSize size() const { return source.widget->size() + QSize(16, captionHeight() + 8); }
    void paint(QPainter& painter) const {
        painter.fillRect(QRect(QPoint(), size()), theme.colours().surface);
        painter.setFont(theme.metrics().strong);
        painter.setPen(theme.colours().text);
        painter.drawText(QRect(8, 6, size().width() - 16, captionHeight() - 6), Qt::AlignLeft | Qt::AlignTop,
                         source.caption);
        source.widget->render(&painter, QPoint(8, captionHeight()));
    }
};

QImage imageOf(const ExportSource& source, const Theme& theme) {
    const Picture picture{source, theme};
    constexpr double kScale = 2;
    QImage image(picture.size() * kScale, QImage::Format_RGB32);
    image.setDevicePixelRatio(kScale);
    image.fill(theme.colours().surface);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    picture.paint(painter);
    return image;
}

Result<void> saveSvg(const ExportSource& source, const Theme& theme, const QString& path) {
    const Picture picture{source, theme};
    QSvgGenerator generator;
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return fail(tr("%1 cannot be written: %2").arg(path, file.errorString()).toStdString());
    generator.setOutputDevice(&file);
    generator.setSize(picture.size());
    generator.setViewBox(QRect(QPoint(), picture.size()));
    generator.setTitle(source.caption);
    QPainter painter(&generator);
    picture.paint(painter);
    painter.end();
    if (!file.commit()) return fail(tr("%1 cannot be written: %2").arg(path, file.errorString()).toStdString());
    return {};
}

Result<void> saveBytes(const QByteArray& bytes, const QString& path) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail(tr("%1 cannot be written: %2").arg(path, file.errorString()).toStdString());
    return {};
}

void askAndSave(const ExportSource& source, const Theme& theme, const QString& ending) {
    QString name = source.caption.toLower();
    name.replace(QRegularExpression(QStringLiteral("[^\\w]+")), QStringLiteral("-"));
    const QString path = QFileDialog::getSaveFileName(source.widget->window(), tr("Save chart"),
                                                      name + QLatin1Char('.') + ending, QStringLiteral("*.") + ending);
    if (path.isEmpty()) return;
    const QString whole = QFileInfo(path).suffix().isEmpty() ? path + QLatin1Char('.') + ending : path;
    if (const Result<void> saved = saveChart(source, theme, whole); !saved)
        QMessageBox::warning(source.widget->window(), tr("Save chart"), QString::fromStdString(saved.error().message));
}

}  // namespace

QString chartCsv(const ChartData& data) {
    QString csv = QStringLiteral("curve,%1,%2\n").arg(quoted(data.x.title), quoted(data.y.title));
    for (const Curve& curve : data.curves)
        for (const QPointF& p : curve.points)
            csv += quoted(curve.name) + QLatin1Char(',') + plainNumber(p.x()) + QLatin1Char(',') + plainNumber(p.y()) +
                   QLatin1Char('\n');
    return csv;
}

QString breakdownCsv(const BreakdownData& data) {
    QString csv = QStringLiteral("case,phase,seconds\n");
    for (const BreakdownBar& bar : data.bars)
        for (const auto& [kind, seconds] : bar.parts)
            csv += quoted(bar.name) + QLatin1Char(',') + quoted(phaseName(kind)) + QLatin1Char(',') +
                   plainNumber(seconds) + QLatin1Char('\n');
    return csv;
}

Result<void> saveChart(const ExportSource& source, const Theme& theme, const QString& path) {
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QStringLiteral("svg")) return saveSvg(source, theme, path);
    if (ending == QStringLiteral("csv")) return saveBytes(source.csv.toUtf8(), path);
    if (ending != QStringLiteral("png"))
        return fail(tr("%1: a chart is saved as .png, .svg or .csv").arg(path).toStdString());
    if (!imageOf(source, theme).save(path, "PNG")) return fail(tr("%1 cannot be written").arg(path).toStdString());
    return {};
}

void showExportMenu(const ExportSource& source, const Theme& theme, const QPoint& globalPosition) {
    QMenu menu(source.widget);
    QAction* png = menu.addAction(tr("Save as PNG …"));
    QAction* svg = menu.addAction(tr("Save as SVG …"));
    QAction* csv = menu.addAction(tr("Save numbers as CSV …"));
    menu.addSeparator();
    QAction* copyPicture = menu.addAction(tr("Copy picture"));
    QAction* copyNumbers = menu.addAction(tr("Copy numbers"));
    const QAction* chosen = menu.exec(globalPosition);
    if (chosen == png) askAndSave(source, theme, QStringLiteral("png"));
    if (chosen == svg) askAndSave(source, theme, QStringLiteral("svg"));
    if (chosen == csv) askAndSave(source, theme, QStringLiteral("csv"));
    if (chosen == copyPicture) QApplication::clipboard()->setImage(imageOf(source, theme));
    if (chosen == copyNumbers) QApplication::clipboard()->setText(source.csv);
}

}  // namespace lockstep::ui
