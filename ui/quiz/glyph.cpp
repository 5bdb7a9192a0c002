#include "quiz/glyph.h"

#include <QColor>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

/// Resources of a static library are linked only when somebody asks for them; outside any namespace, as Qt requires.
static void provideIcons() { Q_INIT_RESOURCE(icons); }

namespace lockstep::ui {
namespace {

QPixmap tinted(const QString& name, QSize sizePx, const QColor& colour) {
    provideIcons();
    QPixmap pixmap(sizePx);
    pixmap.fill(Qt::transparent);
    QSvgRenderer drawing(QStringLiteral(":/icons/actions/%1.svg").arg(name));
    QPainter painter(&pixmap);
    drawing.render(&painter, QRectF(QPointF(0, 0), QSizeF(sizePx)));
    painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
    painter.fillRect(pixmap.rect(), colour);
    return pixmap;
}

}  // namespace

void paintGlyph(QPainter& painter, const QRectF& area, const QString& name, const QColor& colour) {
    const qreal ratio = painter.device()->devicePixelRatioF();
    QPixmap pixmap = tinted(name, (area.size() * ratio).toSize(), colour);
    pixmap.setDevicePixelRatio(ratio);
    painter.drawPixmap(area.topLeft().toPoint(), pixmap);
}

QIcon glyphIcon(const QString& name, int sizePx, const QColor& colour, const QColor& disabled) {
    QIcon icon;
    for (const int ratio : {1, 2, 3}) {
        for (const auto& [mode, tint] : {std::pair{QIcon::Normal, colour}, std::pair{QIcon::Disabled, disabled}}) {
            QPixmap pixmap = tinted(name, QSize(sizePx, sizePx) * ratio, tint);
            pixmap.setDevicePixelRatio(ratio);
            icon.addPixmap(pixmap, mode);
        }
    }
    return icon;
}

}  // namespace lockstep::ui
