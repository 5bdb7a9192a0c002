#include <QImage>
#include <QPixmap>
#include <QTest>
#include <array>
#include <cmath>
#include <utility>

#include "theme/contrast.h"
#include "theme/palettes.h"
#include "theme/theme.h"
#include "ui/support/window_desk.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::WindowDesk;

namespace {

constexpr std::array kKinds = {ThemeKind::Light, ThemeKind::Dark, ThemeKind::HighContrast};
constexpr std::array kKindNames = {"light", "dark", "high contrast"};

struct Text {
    const char* name;
    QColor ink, ground;
};

/// Every colour that text is written in, on every ground that it is written on.
std::vector<Text> textsOf(const Colours& c) {
    std::vector<Text> texts = {
        {"onAccent on accent", c.onAccent, c.accent},        {"good on its ground", c.good, c.goodSoft},
        {"warning on its ground", c.warning, c.warningSoft}, {"bad on its ground", c.bad, c.badSoft},
        {"text on good's ground", c.text, c.goodSoft},       {"text on warning's ground", c.text, c.warningSoft},
        {"text on bad's ground", c.text, c.badSoft},         {"axis text on surface", c.axisText, c.surface}};
    for (const auto& [name, ground] :
         {std::pair{"window", c.window}, {"surface", c.surface}, {"raised", c.raised}, {"accentSoft", c.accentSoft}})
        for (const QColor& ink : {c.text, c.mutedText, c.accent}) texts.push_back({name, ink, ground});
    for (const QColor& ground : {c.window, c.surface})
        for (const QColor& ink : {c.good, c.warning, c.bad}) texts.push_back({"signal", ink, ground});
    for (const QColor& phase :
         {c.load, c.forward, c.backward, c.pull, c.push, c.allReduce, c.aggregate, c.update, c.wait})
        texts.push_back({"a phase's name", Colours::readableOn(phase), phase});
    for (const QColor& ground : c.seriesGrounds)
        texts.push_back({"a shard's name", Colours::readableOn(ground), ground});
    return texts;
}

struct Lab {
    double l, a, b;
};

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

using Matrix = std::array<std::array<double, 3>, 3>;
using Vector = std::array<double, 3>;

Vector product(const Matrix& m, const Vector& v) {
    Vector result{};
    for (size_t i = 0; i < 3; ++i)
        for (size_t k = 0; k < 3; ++k) result[i] += m[i][k] * v[k];
    return result;
}

/// CIE L*a*b* of an sRGB colour (IEC 61966-2-1, white D65) as an eye of that kind sees it.
Lab labOf(const QColor& colour, const Matrix& eye) {
    constexpr Matrix kToXyz = {{{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
    const Vector rgb = product(eye, {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())});
    const Vector xyz = product(kToXyz, rgb);
    const auto f = [](double t) {
        t = std::max(t, 0.0);
        return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
    };
    const double x = f(xyz[0] / 0.95047), y = f(xyz[1]), z = f(xyz[2] / 1.08883);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const Lab& p, const Lab& q) { return std::hypot(p.l - q.l, p.a - q.a, p.b - q.b); }

/// Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009), at
/// full severity, on linear RGB.
constexpr Matrix kTypical = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan = {
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
/// CIE 1976: about 2.3 is just noticeable side by side; four times as much can be told apart at a distance.
constexpr double kClearDifference = 9.2;

QImage pictureOf(const WindowDesk& desk) { return desk.window->grab().toImage().convertToFormat(QImage::Format_RGB32); }

/// Where two pictures differ; empty where nowhere.
QString difference(const QImage& a, const QImage& b) {
    if (a.size() != b.size()) return QStringLiteral("size");
    QRect area;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            if (a.pixel(x, y) != b.pixel(x, y)) area |= QRect(x, y, 1, 1);
    if (area.isEmpty()) return {};
    return QStringLiteral("from %1, %2 to %3, %4")
        .arg(area.left())
        .arg(area.top())
        .arg(area.right())
        .arg(area.bottom());
}

}  // namespace

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    /// Published values of WCAG 2.1's formula.
    void contrastIsThatOfWcag() {
        QCOMPARE(contrastRatio(Qt::black, Qt::white), 21.0);
        QCOMPARE(contrastRatio(Qt::white, Qt::white), 1.0);
        // The lightest grey that passes 4.5:1 on white is #767676 (4.54), the lightest that passes 7:1 #595959 (7.00).
        QVERIFY(std::abs(contrastRatio(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.005);
        QVERIFY(std::abs(contrastRatio(QColor(0x59, 0x59, 0x59), Qt::white) - 7.00) < 0.005);
        QCOMPARE(contrastRatio(Qt::red, Qt::white), contrastRatio(Qt::white, Qt::red));
        QVERIFY(std::abs(relativeLuminance(Qt::green) - 0.7152) < 1e-9);
    }

    void everyTextStandsOut_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<bool>("presenting");
        QTest::addColumn<double>("least");
        for (size_t i = 0; i < kKinds.size(); ++i)
            for (const bool presenting : {false, true}) {
                const bool strong = presenting || kKinds[i] == ThemeKind::HighContrast;
                QTest::addRow("%s%s", kKindNames[i], presenting ? ", presenting" : "")
                    << static_cast<int>(kKinds[i]) << presenting << (strong ? 7.0 : 4.5);
            }
    }
    void everyTextStandsOut() {
        QFETCH(int, kind);
        QFETCH(bool, presenting);
        QFETCH(double, least);
        Theme theme;
        theme.setKind(static_cast<ThemeKind>(kind));
        theme.setPresenting(presenting);
        QStringList faint;
        for (const Text& text : textsOf(theme.colours()))
            if (const double ratio = contrastRatio(text.ink, text.ground); ratio < least)
                faint << QStringLiteral("%1 (%2 on %3): %4")
                             .arg(QLatin1String(text.name), text.ink.name(), text.ground.name())
                             .arg(ratio);
        QVERIFY2(faint.isEmpty(), qPrintable(faint.join(u"; ")));
    }

    void seriesAreToldApart_data() {
        QTest::addColumn<int>("kind");
        for (size_t i = 0; i < kKinds.size(); ++i) QTest::newRow(kKindNames[i]) << static_cast<int>(kKinds[i]);
    }
    void seriesAreToldApart() {
        QFETCH(int, kind);
        const Colours c = makeColours(static_cast<ThemeKind>(kind), 4.5);
        QStringList alike;
        for (const auto& [eye, matrix] : {std::pair{"typical", kTypical}, {"protan", kProtan}, {"deutan", kDeutan}})
            for (size_t i = 0; i < c.series.size(); ++i) {
                if (difference(labOf(c.series[i], matrix), labOf(c.surface, matrix)) < kClearDifference)
                    alike << QStringLiteral("%1: %2 and the surface").arg(QLatin1String(eye)).arg(i);
                for (size_t k = i + 1; k < c.series.size(); ++k)
                    if (const double d = difference(labOf(c.series[i], matrix), labOf(c.series[k], matrix));
                        d < kClearDifference)
                        alike << QStringLiteral("%1: %2 and %3 (%4)").arg(QLatin1String(eye)).arg(i).arg(k).arg(d);
            }
        QVERIFY2(alike.isEmpty(), qPrintable(alike.join(u"; ")));
    }

    void presentingGrowsTypeAndShrinksItAgain() {
        Theme theme;
        const double points = theme.metrics().body.pointSizeF();
        QCOMPARE(points, 10.0);
        theme.setPresenting(true, 1.6);
        QCOMPARE(theme.metrics().body.pointSizeF(), 16.0);
        QCOMPARE(theme.metrics().px(10), 16);
        // No text under 18 px at 1920 x 1080, at the 96 px to an inch of 72 points that offscreen and desktops assume.
        QVERIFY(theme.metrics().small.pointSizeF() * 96 / 72 >= 18);
        theme.setPresenting(false);
        QCOMPARE(theme.metrics().body.pointSizeF(), points);
    }

    /// A window that was switched is, pixel by pixel, the one that was opened in that theme.
    void aSwitchedWindowKeepsNothingOld_data() { seriesAreToldApart_data(); }
    void aSwitchedWindowKeepsNothingOld() {
        QFETCH(int, kind);
        WindowDesk desk;
        QTest::keyClick(desk.window.get(), Qt::Key_1);  // an answer, so that right and wrong are shown
        desk.reopen();
        for (const ThemeKind other : kKinds)
            if (other != static_cast<ThemeKind>(kind)) desk.theme->setKind(other), desk.settle();
        desk.theme->setKind(static_cast<ThemeKind>(kind));
        desk.settle();
        const QImage switched = pictureOf(desk);
        desk.reopen();
        QCOMPARE(desk.theme->kind(), static_cast<ThemeKind>(kind));
        QCOMPARE(difference(switched, pictureOf(desk)), QString());
    }

    void presentingLeavesNothingBehind() {
        WindowDesk desk;
        const QImage before = pictureOf(desk);
        desk.window->setPresenting(true);
        desk.settle();
        QVERIFY(desk.theme->presenting());
        QVERIFY(!difference(before, pictureOf(desk)).isEmpty());
        desk.window->setPresenting(false);
        desk.settle();
        QCOMPARE(difference(before, pictureOf(desk)), QString());
    }
};

QTEST_MAIN(TestTheme)
#include "test_theme.moc"
