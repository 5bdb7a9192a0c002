#include "theme/palettes.h"

#include "theme/contrast.h"

namespace lockstep::ui {
namespace {

/// Okabe and Ito's set ("Color universal design", 2008) with a violet and a slate added, told apart by colour-blind
/// eyes.
constexpr std::array kSeriesOnLight = {0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0xE69F00, 0x56B4E9, 0x7A5195, 0x5A6472};
constexpr std::array kSeriesOnDark = {0x4BA3DB, 0xF08A3C, 0x2DBE93, 0xDC95BC, 0xF0B93A, 0x86CCF2, 0xA06DB8, 0x808B9A};
constexpr std::array kSeriesOnBlack = {0x5CB8FF, 0xFF9A4D, 0x3DDCAA, 0xFF9FD0, 0xFFD24D, 0x9FE0FF, 0xB583D0, 0x98A2AE};

QColor rgb(int value) { return QColor::fromRgb(static_cast<QRgb>(0xFF000000u | static_cast<unsigned>(value))); }

Colours lightColours() {
    Colours c;
    c.window = rgb(0xF4F5F7), c.surface = rgb(0xFFFFFF), c.raised = rgb(0xFFFFFF), c.hairline = rgb(0xD9DDE3);
    c.text = rgb(0x1A1F27), c.mutedText = rgb(0x5A6472);
    c.accent = rgb(0x0B63B6), c.accentSoft = rgb(0xE3EEF8), c.onAccent = rgb(0xFFFFFF), c.focus = rgb(0x0B63B6);
    c.good = rgb(0x00704F), c.goodSoft = rgb(0xEAF6F0);
    c.warning = rgb(0xB54708), c.warningSoft = rgb(0xFDF1EA);
    c.bad = rgb(0xB3261E), c.badSoft = rgb(0xFCEEED);
    return c;
}

Colours darkColours() {
    Colours c;
    c.window = rgb(0x12161B), c.surface = rgb(0x1B2027), c.raised = rgb(0x252B34), c.hairline = rgb(0x353D48);
    c.text = rgb(0xE8ECF1), c.mutedText = rgb(0xA6B0BD);
    c.accent = rgb(0x6DB3F2), c.accentSoft = rgb(0x1E3448), c.onAccent = rgb(0x0B1520), c.focus = rgb(0x8CC6F7);
    c.good = rgb(0x4FCB9F), c.goodSoft = rgb(0x17322A);
    c.warning = rgb(0xF3A266), c.warningSoft = rgb(0x3A271A);
    c.bad = rgb(0xF58B83), c.badSoft = rgb(0x3B2021);
    return c;
}

Colours highContrastColours() {
    Colours c;
    c.window = rgb(0x000000), c.surface = rgb(0x000000), c.raised = rgb(0x101010), c.hairline = rgb(0xB8B8B8);
    c.text = rgb(0xFFFFFF), c.mutedText = rgb(0xE6E6E6);
    c.accent = rgb(0xFFD83D), c.accentSoft = rgb(0x3A3000), c.onAccent = rgb(0x000000), c.focus = rgb(0xFFFFFF);
    c.good = rgb(0x5CF2B8), c.goodSoft = rgb(0x002A1C);
    c.warning = rgb(0xFFB070), c.warningSoft = rgb(0x331800);
    c.bad = rgb(0xFF9D96), c.badSoft = rgb(0x360A08);
    return c;
}

void addSeries(Colours& c, const std::array<int, 8>& series) {
    for (size_t i = 0; i < series.size(); ++i) {
        c.series[i] = rgb(series[i]);
        c.ghosts[i] = Colours::blend(c.series[i], c.surface, 0.35);
    }
    c.pull = c.series[5], c.push = c.series[4], c.allReduce = c.series[4], c.aggregate = c.series[6];
    c.forward = c.series[2], c.backward = Colours::blend(c.series[2], rgb(0x00302A), 0.6);
    c.load = c.series[3], c.update = c.series[7], c.wait = Colours::blend(c.mutedText, c.surface, 0.12);
    c.gridLine = Colours::blend(c.hairline, c.surface, 0.6);
}

/// Text stands on the window, on surfaces, and each signal colour on its own soft ground.
void strengthenText(Colours& c, double ratio) {
    for (const QColor& ground : {c.window, c.surface, c.raised, c.accentSoft}) {
        c.text = withContrast(c.text, ground, ratio);
        c.mutedText = withContrast(c.mutedText, ground, ratio);
        c.accent = withContrast(c.accent, ground, ratio);
    }
    for (const QColor& ground : {c.window, c.surface, c.goodSoft}) c.good = withContrast(c.good, ground, ratio);
    for (const QColor& ground : {c.window, c.surface, c.warningSoft})
        c.warning = withContrast(c.warning, ground, ratio);
    for (const QColor& ground : {c.window, c.surface, c.badSoft}) c.bad = withContrast(c.bad, ground, ratio);
    for (const QColor& ground : {c.goodSoft, c.warningSoft, c.badSoft}) c.text = withContrast(c.text, ground, ratio);
    c.onAccent = withContrast(c.onAccent, c.accent, ratio);
    c.axisText = c.mutedText;
}

/// Colours that names are written on in black or white.
void strengthenGrounds(Colours& c, double ratio) {
    const auto strengthened = [ratio](const QColor& ground) {
        return withContrast(ground, Colours::readableOn(ground), ratio);
    };
    for (QColor* phase :
         {&c.load, &c.forward, &c.backward, &c.pull, &c.push, &c.allReduce, &c.aggregate, &c.update, &c.wait})
        *phase = strengthened(*phase);
    for (size_t i = 0; i < c.series.size(); ++i) c.seriesGrounds[i] = strengthened(c.series[i]);
}

}  // namespace

Colours makeColours(ThemeKind kind, double textContrast) {
    Colours c;
    switch (kind) {
        case ThemeKind::Light:
            c = lightColours(), addSeries(c, kSeriesOnLight);
            break;
        case ThemeKind::Dark:
            c = darkColours(), addSeries(c, kSeriesOnDark);
            break;
        case ThemeKind::HighContrast:
            c = highContrastColours(), addSeries(c, kSeriesOnBlack);
            break;
    }
    strengthenText(c, textContrast);
    strengthenGrounds(c, textContrast);
    return c;
}

}  // namespace lockstep::ui
