#include <QtTest>
#include <cmath>

#include "base/format.h"

using namespace lockstep;

/// The expected texts follow from the rule in format.h: three significant digits, no trailing zeros, decimal prefixes.
class TestFormat : public QObject {
    Q_OBJECT
private slots:
    void quantities_data() {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<QString>("text");
        QTest::newRow("rate") << 412.3 << "images/s"
                              << "412 images/s";
        QTest::newRow("rate with separator") << 12345.0 << "images/s"
                                             << "12,300 images/s";
        QTest::newRow("rate in millions") << 1.234e6 << "images/s"
                                          << "1.23 M images/s";
        QTest::newRow("milliseconds") << 0.743 << "s"
                                      << "743 ms";
        QTest::newRow("seconds") << 1.5 << "s"
                                 << "1.5 s";
        QTest::newRow("microseconds") << 5e-6 << "s"
                                      << "5 µs";
        QTest::newRow("rounds up into seconds") << 0.9999 << "s"
                                                << "1 s";
        QTest::newRow("minutes") << 150.0 << "s"
                                 << "2.5 min";
        QTest::newRow("hours") << 9000.0 << "s"
                               << "2.5 h";
        QTest::newRow("years") << 288 * 365.25 * 86400 << "s"
                               << "288 years";
        QTest::newRow("link") << 1e10 << "bit/s"
                              << "10 Gbit/s";
        QTest::newRow("slow link") << 6.25e8 << "bit/s"
                                   << "625 Mbit/s";
        QTest::newRow("rounds up into the next prefix") << 999.9e6 << "bit/s"
                                                        << "1 Gbit/s";
        QTest::newRow("memory") << 9.8e9 << "B"
                                << "9.8 GB";
        QTest::newRow("fraction") << 0.412 << "%"
                                  << "41.2 %";
        QTest::newRow("count") << 25557032.0 << ""
                               << "25,600,000";
        QTest::newRow("small") << 0.012345 << ""
                               << "0.0123";
        QTest::newRow("zero") << 0.0 << "s"
                              << "0 s";
        QTest::newRow("nan") << std::nan("") << "s"
                             << "–";
        QTest::newRow("negative") << -0.62 << "s"
                                  << "-620 ms";
    }
    void quantities() {
        QFETCH(double, value);
        QFETCH(QString, unit);
        QTEST(QString::fromStdString(formatQuantity(value, unit.toStdString())), "text");
    }

    void parsing_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<double>("value");
        QTest::newRow("Gbit/s") << "10 Gbit/s"
                                << "bit/s" << 1e10;
        QTest::newRow("Gbps") << "25 Gbps"
                              << "bit/s" << 2.5e10;
        QTest::newRow("prefix only") << "10G"
                                     << "bit/s" << 1e10;
        QTest::newRow("µs") << "5 µs"
                            << "s" << 5e-6;
        QTest::newRow("us") << "5us"
                            << "s" << 5e-6;
        QTest::newRow("ms") << "1.5 ms"
                            << "s" << 1.5e-3;
        QTest::newRow("min is not milli-in") << "2 min"
                                             << "s" << 120.0;
        QTest::newRow("plain") << "0.5"
                               << "s" << 0.5;
        QTest::newRow("separator") << "12,300"
                                   << "" << 12300.0;
        QTest::newRow("exponent") << "1e-3"
                                  << "" << 1e-3;
        QTest::newRow("MiB") << "25 MiB"
                             << "B" << 26214400.0;
        QTest::newRow("percent") << "41 %"
                                 << "%" << 0.41;
        QTest::newRow("px") << "224 px"
                            << "px" << 224.0;
    }
    void parsing() {
        QFETCH(QString, text);
        QFETCH(QString, unit);
        QFETCH(double, value);
        const Result<double> parsed = parseQuantity(text.toStdString(), unit.toStdString());
        QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
        QVERIFY(std::fabs(*parsed - value) <= 1e-12 * std::fabs(value));
    }

    void nonsenseIsRefusedWithAnExample() {
        for (const char* text : {"", "fast", "10 lightyears", "nan", "inf", "5 s", "--3", "1e999"})
            QVERIFY2(!parseQuantity(text, "bit/s"), text);
        QVERIFY(parseQuantity("fast", "bit/s").error().message.find("10 Gbit/s") != std::string::npos);
    }

    void whatIsWrittenCanBeReadBack() {
        for (const char* unit : {"s", "bit/s", "B", "%", ""})
            for (double value = 3.21e-5; value < 1e9; value *= 7.3) {
                const Result<double> parsed = parseQuantity(formatQuantity(value, unit), unit);
                QVERIFY2(parsed.has_value(), formatQuantity(value, unit).c_str());
                QVERIFY2(std::fabs(*parsed - value) <= 6e-3 * value, formatQuantity(value, unit).c_str());
            }
    }
};

QTEST_GUILESS_MAIN(TestFormat)
#include "test_format.moc"
