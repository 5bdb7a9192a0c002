#pragma once

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStringList>
#include <QTabBar>
#include <QWidget>

#include "widgets/choice_box.h"
#include "widgets/source_tag.h"
#include "widgets/stat_tile.h"
#include "window/fold_strip.h"

namespace lockstep::test {

/// What a widget is called in a message.
inline QString nameOf(const QWidget& widget) {
    QString name = QString::fromLatin1(widget.metaObject()->className()).section(QStringLiteral("::"), -1);
    if (!widget.objectName().isEmpty()) name += QStringLiteral(" ") + widget.objectName();
    return name;
}

inline QSize textSize(const QWidget& widget, const QString& text) {
    return widget.fontMetrics().size(Qt::TextShowMnemonic, text);
}

/// How a widget's text is cut; empty where it is not, or where the widget has none.
inline QString cutOf(const QWidget& widget) {
    const auto wide = [&](const QString& text, int needed, int room) {
        return needed <= room ? QString() : QStringLiteral("\"%1\" needs %2 px of %3").arg(text).arg(needed).arg(room);
    };
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
        if (label->text().isEmpty()) return {};
        if (label->wordWrap()) {
            const int needed = label->heightForWidth(label->width());
            return needed <= label->height() ? QString()
                                             : QStringLiteral("\"%1\" needs %2 px of height, has %3")
                                                   .arg(label->text())
                                                   .arg(needed)
                                                   .arg(label->height());
        }
        return wide(label->text(), textSize(*label, label->text()).width(), label->contentsRect().width());
    }
    if (const auto* strip = qobject_cast<const ui::FoldStrip*>(&widget))
        return wide(strip->text(), textSize(*strip, strip->text()).width(), strip->height());
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        return wide(button->text(), button->minimumSizeHint().width(), button->width());
    if (const auto* box = qobject_cast<const ui::ChoiceBox*>(&widget)) {
        // Drawn with 8 px before and 20 px behind; "ResNet-50 / ImageNet-1K" may stand as "ResNet-50".
        const QString text = box->currentText().section(QStringLiteral(" / "), 0, 0);
        const double scale = box->sizeHint().height() / 23.0;
        return wide(text, textSize(*box, text).width(), box->width() - static_cast<int>(28 * scale + 0.5));
    }
    if (const auto* line = qobject_cast<const QLineEdit*>(&widget))
        return wide(line->text(), textSize(*line, line->text()).width(), line->contentsRect().width());
    if (const auto* tile = qobject_cast<const ui::StatTile*>(&widget))
        return wide(tile->accessibleName(), tile->sizeHint().width(), tile->width());
    if (const auto* tag = qobject_cast<const ui::SourceTag*>(&widget))
        return wide(tag->accessibleName(), tag->minimumSizeHint().width(), tag->width());
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i)
            if (const QString cut = wide(tabs->tabText(i), textSize(*tabs, tabs->tabText(i)).width(),
                                         tabs->tabRect(i).intersected(tabs->rect()).width());
                !cut.isEmpty())
                return cut;
    }
    return {};
}

/// Whether a widget is what a scroll area scrolls, so that it may stick out of its parent.
inline bool isScrolled(const QWidget& widget) {
    const QWidget* viewport = widget.parentWidget();
    const auto* area = viewport ? qobject_cast<const QAbstractScrollArea*>(viewport->parentWidget()) : nullptr;
    return area && area->viewport() == viewport;
}

/// Every visible text that is cut, every widget that sticks out of its parent, and every two that overlap.
inline QStringList cutTexts(const QWidget& window) {
    QStringList cuts;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->isWindow()) continue;
        if (const QString cut = cutOf(*widget); !cut.isEmpty()) cuts << nameOf(*widget) + ": " + cut;
        const QRect room = widget->parentWidget()->rect(), place = widget->geometry();
        const bool sideways = place.left() < room.left() || place.right() > room.right();
        const bool upright = place.top() < room.top() || place.bottom() > room.bottom();
        if (sideways || (upright && !isScrolled(*widget)))
            cuts << QStringLiteral("%1 sticks out of %2").arg(nameOf(*widget), nameOf(*widget->parentWidget()));
        if (!widget->parentWidget()->layout()) continue;
        const auto isOverlay = [](const QWidget& any) { return nameOf(any).startsWith(QLatin1String("NoticeBar")); };
        for (const QWidget* other : widget->parentWidget()->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
            if (other < widget && !isOverlay(*other) && !isOverlay(*widget) && other->isVisible() &&
                !other->isWindow() && other->geometry().intersects(place))
                cuts << QStringLiteral("%1 overlaps %2").arg(nameOf(*widget), nameOf(*other));
    }
    cuts.removeDuplicates();
    return cuts;
}

}  // namespace lockstep::test
