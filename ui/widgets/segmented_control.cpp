#include "widgets/segmented_control.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QRadioButton>
#include <QSignalBlocker>

#include "theme/theme.h"

namespace lockstep::ui {
namespace {

/// A radio button drawn as a segment; its text wraps.
class Segment : public QRadioButton {
public:
    Segment(Theme& theme, const QString& text, QWidget* parent) : QRadioButton(text, parent), m_theme(theme) {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
        setAttribute(Qt::WA_Hover);
    }
    QSize sizeHint() const override {
        const QFontMetrics metrics(m_theme.metrics().strong);
        int widestWord = 0;
        for (const QString& word : text().split(QLatin1Char(' ')))
            widestWord = std::max(widestWord, metrics.horizontalAdvance(word));
        const int padding = m_theme.metrics().px(6);
        return {widestWord + 2 * padding, 2 * metrics.lineSpacing() + padding};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    bool hitButton(const QPoint& at) const override { return rect().contains(at); }
    void paintEvent(QPaintEvent*) override {
        const Colours& colours = m_theme.colours();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRect inner = rect().adjusted(1, 1, -1, -1);
        if (isChecked() || underMouse()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isChecked() ? colours.accentSoft
                                         : Colours::blend(colours.accentSoft, colours.surface, 0.5));
            painter.drawRoundedRect(inner, m_theme.metrics().px(4), m_theme.metrics().px(4));
        }
        if (isChecked()) {  // not by colour alone
            painter.setPen(Qt::NoPen);
            painter.setBrush(colours.accent);
            const int bar = m_theme.metrics().px(2);
            painter.drawRect(QRect(inner.left() + bar * 2, inner.bottom() - bar, inner.width() - bar * 4, bar));
        }
        if (hasFocus()) {
            painter.setPen(QPen(colours.focus, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(inner, m_theme.metrics().px(4), m_theme.metrics().px(4));
        }
        painter.setFont(isChecked() ? m_theme.metrics().strong : m_theme.metrics().body);
        painter.setPen(isChecked() ? colours.accent : colours.text);
        const int padding = m_theme.metrics().px(3);
        painter.drawText(rect().adjusted(padding, 0, -padding, 0), Qt::AlignCenter | Qt::TextWordWrap, text());
    }

private:
    Theme& m_theme;
};

}  // namespace

SegmentedControl::SegmentedControl(Theme& theme, const QString& name, const QStringList& options, QWidget* parent)
    : QFrame(parent), m_theme(theme) {
    setAccessibleName(name);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);
    layout->setSpacing(0);
    for (const QString& option : options) {
        auto* segment = new Segment(theme, option, this);
        segment->setAccessibleName(tr("%1: %2", "name of a choice and one of its options").arg(name, option));
        const int index = static_cast<int>(m_buttons.size());
        connect(segment, &QRadioButton::toggled, this, [this, index](bool on) {
            if (on) emit chosen(index);
        });
        layout->addWidget(segment, 1);
        m_buttons.push_back(segment);
    }
    connect(&theme, &Theme::themeChanged, this, [this] {
        for (QRadioButton* segment : m_buttons) segment->updateGeometry();
        update();
    });
}

int SegmentedControl::current() const {
    for (size_t i = 0; i < m_buttons.size(); ++i)
        if (m_buttons[i]->isChecked()) return static_cast<int>(i);
    return -1;
}

void SegmentedControl::showCurrent(int index) {
    std::vector<std::unique_ptr<QSignalBlocker>> blockers;
    for (QRadioButton* segment : m_buttons) blockers.push_back(std::make_unique<QSignalBlocker>(segment));
    m_buttons[static_cast<size_t>(index)]->setChecked(true);
    for (QRadioButton* segment : m_buttons) segment->update();
}

void SegmentedControl::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.colours().hairline);
    painter.setBrush(m_theme.colours().surface);
    const double radius = m_theme.metrics().px(5);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    for (size_t i = 1; i < m_buttons.size(); ++i) {
        const int x = m_buttons[i]->x();
        painter.drawLine(x, 1, x, height() - 2);
    }
}

}  // namespace lockstep::ui
