#pragma once

#include <QApplication>
#include <QColor>
#include <QFont>
#include <QObject>
#include <QPointer>
#include <array>

namespace lockstep::ui {

enum class ThemeKind { Light, Dark, HighContrast };

/// Every colour of the program, by role. Opaque; blends are computed here beforehand. Only theme/ writes colours.
struct Colours {
    QColor window, surface, raised, hairline, text, mutedText, accent, accentSoft, onAccent;
    QColor good, goodSoft, warning, warningSoft, bad, badSoft, focus;
    QColor load, forward, backward, pull, push, allReduce, aggregate, update, wait;  ///< phases of an iteration
    std::array<QColor, 8> series;         ///< categorical, safe for colour-blind eyes
    std::array<QColor, 8> seriesGrounds;  ///< series that readableOn() stands out on as text must
    std::array<QColor, 8> ghosts;         ///< series blended far towards the surface
    QColor gridLine, axisText;
    /// The series colour of worker or server `index`, cycling.
    [[nodiscard]] QColor seriesColour(int index) const { return series[static_cast<size_t>(index) % series.size()]; }
    /// A screen that shows nothing.
    [[nodiscard]] static QColor blackout();
    /// Black or white, whichever reads better on `background`.
    [[nodiscard]] static QColor readableOn(const QColor& background);
    /// `share` of `over` on `under`, opaque.
    [[nodiscard]] static QColor blend(const QColor& over, const QColor& under, double share);
};

/// Type sizes and spacing, scaled together when presenting.
struct Metrics {
    double scale = 1.0;  ///< 1.6 when presenting, by default
    int gapPx = 8, radiusPx = 8, marginPx = 14, controlHeightPx = 28;
    QFont body, strong, value, small, heading, title, display;  ///< tabular figures in all of them
    [[nodiscard]] int px(double designPx) const { return static_cast<int>(designPx * scale + 0.5); }
};

/// The one look of the program. Owned by the application's composition root and passed by reference; widgets keep a
/// pointer and repaint on themeChanged.
class Theme : public QObject {
    Q_OBJECT
public:
    explicit Theme(QObject* parent = nullptr);

    [[nodiscard]] ThemeKind kind() const { return m_kind; }
    [[nodiscard]] const Colours& colours() const { return m_colours; }
    [[nodiscard]] const Metrics& metrics() const { return m_metrics; }
    [[nodiscard]] bool reducedMotion() const { return m_reducedMotion; }
    [[nodiscard]] bool presenting() const { return m_presenting; }

    void setKind(ThemeKind kind);
    /// Grows all type and spacing by `scale` and raises contrast.
    void setPresenting(bool presenting, double scale = 1.6);
    void setReducedMotion(bool reduced);
    /// Palette, font and style sheet of the whole application.
    void applyTo(QApplication& application);

signals:
    void themeChanged();

private:
    void rebuild();

    QPointer<QApplication> m_application;  ///< set by applyTo; follows every later change
    ThemeKind m_kind = ThemeKind::Light;
    bool m_presenting = false, m_reducedMotion = false;
    double m_presentingScale = 1.6;
    Colours m_colours;
    Metrics m_metrics;
};

}  // namespace lockstep::ui
