#include "charts/number_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <array>
#include <cmath>

namespace lockstep::ui {
namespace {

/// `digits` significant ones, without trailing zeros after the point.
QString significant(double value, int digits) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    if (value == 0) return QStringLiteral("0");
    const double magnitude = std::floor(std::log10(std::abs(value)) + 1e-12);
    const int decimals = std::max(0, digits - 1 - static_cast<int>(magnitude));
    const QLocale locale;
    QString text = locale.toString(value, 'f', std::min(decimals, 12));
    const QString point = locale.decimalPoint();
    if (text.contains(point)) {
        while (text.endsWith(locale.zeroDigit())) text.chop(1);
        if (text.endsWith(point)) text.chop(point.size());
    }
    return text;
}

struct Prefix {
    double factor;
    const char* text;
};
constexpr std::array kPrefixes = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                  Prefix{1e6, "M"},  Prefix{1e3, "k"},  Prefix{1, ""},
                                  Prefix{1e-3, "m"}, Prefix{1e-6, "µ"}, Prefix{1e-9, "n"}};

const Prefix& prefixFor(double value) {
    // 999.6 shows as "1 k", so the boundary lies where three digits round up.
    for (const Prefix& prefix : kPrefixes)
        if (std::abs(value) >= prefix.factor * 0.9995) return prefix;
    return kPrefixes[5];
}

QString tr(const char* text) { return QCoreApplication::translate("Numbers", text); }

}  // namespace

QString numberText(double value) {
    if (std::abs(value) >= 1000 && std::abs(value) < 1e6 && value == std::floor(value))
        return QLocale().toString(value, 'f', 0);
    return significant(value, 3);
}

QString roundedText(double value) {
    if (!std::isfinite(value) || std::abs(value) < 1000) return numberText(value);
    const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - 2);
    return numberText(std::round(value / unit) * unit);
}

QString siText(double value, const QString& unit) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    const Prefix& prefix = prefixFor(value);
    return significant(value / prefix.factor, 3) + QChar(0x00A0) + QString::fromUtf8(prefix.text) + unit;
}

QString durationText(double seconds) {
    if (!std::isfinite(seconds)) return QStringLiteral("–");
    if (seconds >= 7200) return tr("%1 h").arg(significant(seconds / 3600, 3));
    if (seconds >= 120) return tr("%1 min").arg(significant(seconds / 60, 3));
    return siText(seconds, tr("s"));
}

QString tickText(double value, double step) {
    if (std::abs(value) < step * 1e-9) return QStringLiteral("0");
    const Prefix& prefix = std::abs(value) >= 1000 ? prefixFor(value) : kPrefixes[5];
    const double scaled = step / prefix.factor;
    // Round steps are 1, 2, 2.5 or 5 times a power of ten: that many decimals show them.
    int decimals = 0;
    for (double s = scaled; decimals < 9 && std::abs(s - std::round(s)) > 1e-6 * s; s *= 10) ++decimals;
    return QLocale().toString(value / prefix.factor, 'f', decimals) + QString::fromUtf8(prefix.text);
}

QString percentText(double fraction) {
    if (!std::isfinite(fraction)) return QStringLiteral("–");
    return tr("%1 %").arg(significant(fraction * 100, 3));
}

}  // namespace lockstep::ui
