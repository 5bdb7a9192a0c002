#include "theme/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QStyleFactory>

#include "theme/contrast.h"
#include "theme/palettes.h"
#include "theme/style_sheet.h"

namespace lockstep::ui {
namespace {

/// Inter where it is installed: an unmistakable l, 1, I. Otherwise what the desktop uses.
QFont baseFont(double points, QFont::Weight weight) {
    static const QString family = QFontDatabase::hasFamily(QStringLiteral("Inter"))
                                      ? QStringLiteral("Inter")
                                      : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    QFont font(family);
    font.setStyleHint(QFont::SansSerif);
    font.setPointSizeF(points);
    font.setWeight(weight);
#if QT_VERSION >= QT_VERSION_CHECK(6, 7, 0)
    font.setFeature("tnum", 1);
#endif
    return font;
}

Metrics makeMetrics(double scale) {
    Metrics m;
    m.scale = scale;
    m.gapPx = m.px(8), m.radiusPx = m.px(8), m.marginPx = m.px(14), m.controlHeightPx = m.px(28);
    m.body = baseFont(10 * scale, QFont::Normal);
    m.strong = baseFont(10 * scale, QFont::DemiBold);
    m.value = baseFont(12 * scale, QFont::DemiBold);
    m.small = baseFont(9 * scale, QFont::Normal);
    m.heading = baseFont(10 * scale, QFont::DemiBold);
    m.title = baseFont(12 * scale, QFont::DemiBold);
    m.display = baseFont(18 * scale, QFont::DemiBold);
    return m;
}

QPalette makePalette(const Colours& c) {
    QPalette p;
    p.setColor(QPalette::Window, c.window);
    p.setColor(QPalette::WindowText, c.text);
    p.setColor(QPalette::Base, c.surface);
    p.setColor(QPalette::AlternateBase, c.window);
    p.setColor(QPalette::Text, c.text);
    p.setColor(QPalette::Button, c.raised);
    p.setColor(QPalette::ButtonText, c.text);
    p.setColor(QPalette::BrightText, c.bad);
    p.setColor(QPalette::Highlight, c.accent);
    p.setColor(QPalette::HighlightedText, c.onAccent);
    p.setColor(QPalette::ToolTipBase, c.raised);
    p.setColor(QPalette::ToolTipText, c.text);
    p.setColor(QPalette::PlaceholderText, c.mutedText);
    p.setColor(QPalette::Link, c.accent);
    p.setColor(QPalette::LinkVisited, c.accent);
    p.setColor(QPalette::Light, c.surface);
    p.setColor(QPalette::Mid, c.hairline);
    p.setColor(QPalette::Dark, c.mutedText);
    p.setColor(QPalette::Shadow, c.hairline);
    const QColor disabled = Colours::blend(c.mutedText, c.surface, 0.75);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled);
    return p;
}

}  // namespace

QColor Colours::blackout() { return Qt::black; }

QColor Colours::readableOn(const QColor& background) {
    const QColor black(0, 0, 0), white(255, 255, 255);
    return contrastRatio(black, background) >= contrastRatio(white, background) ? black : white;
}

QColor Colours::blend(const QColor& over, const QColor& under, double share) {
    const auto mixed = [share](int a, int b) { return static_cast<int>(a * share + b * (1 - share) + 0.5); };
    return {mixed(over.red(), under.red()), mixed(over.green(), under.green()), mixed(over.blue(), under.blue())};
}

Theme::Theme(QObject* parent) : QObject(parent) {
    m_reducedMotion = qEnvironmentVariableIntValue("LOCKSTEP_REDUCED_MOTION") != 0;
    rebuild();
}

void Theme::setKind(ThemeKind kind) {
    if (kind == m_kind) return;
    m_kind = kind;
    rebuild();
}

void Theme::setPresenting(bool presenting, double scale) {
    if (presenting == m_presenting && scale == m_presentingScale) return;
    m_presenting = presenting;
    m_presentingScale = scale;
    rebuild();
}

void Theme::setReducedMotion(bool reduced) {
    if (reduced == m_reducedMotion) return;
    m_reducedMotion = reduced;
    emit themeChanged();
}

void Theme::rebuild() {
    const bool strong = m_presenting || m_kind == ThemeKind::HighContrast;
    m_colours = makeColours(m_kind, strong ? 7.0 : 4.5);
    m_metrics = makeMetrics(m_presenting ? m_presentingScale : 1.0);
    if (m_application) applyTo(*m_application);
    emit themeChanged();
}

void Theme::applyTo(QApplication& application) {
    if (!m_application) QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    m_application = &application;
    QApplication::setPalette(makePalette(m_colours));
    QApplication::setFont(m_metrics.body);
    application.setStyleSheet(makeStyleSheet(m_colours, m_metrics));
}

}  // namespace lockstep::ui
