#include <QFontInfo>
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "charts/charts_panel.h"
#include "controls/section.h"
#include "stage/stage_panel.h"
#include "ui/support/cut_text.h"
#include "ui/support/tiny_images.h"
#include "ui/support/window_desk.h"
#include "window/notice_bar.h"
#include "window/window_actions.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::WindowDesk;

/// System: the whole window at the sizes that it is promised for. Expectation: every visible text has the room that its
/// font's metrics ask for, and nothing lies over anything else.
class TestTextFits : public QObject {
    Q_OBJECT
    test::TinyImages m_images;

    static QString cutsIn(const WindowDesk& desk, const QString& when) {
        desk.settle();
        QStringList cuts;
        const bool fits = QTest::qWaitFor([&] { return (cuts = test::cutTexts(*desk.window)).isEmpty(); }, 300);
        return fits ? QString() : when + QStringLiteral(":\n    ") + cuts.join(QStringLiteral("\n    "));
    }

    /// Everything that people see of the experiment, at its widest.
    static std::vector<std::pair<QString, Experiment>> experiments() {
        std::vector<std::pair<QString, Experiment>> all = {{QStringLiteral("default"), Experiment{}}};
        const std::vector<Preset> builtin = *loadBuiltinPresets();
        for (const Preset& preset : builtin) all.emplace_back(QString::fromStdString(preset.key), preset.experiment);
        Experiment large;
        large.cluster.workers = 65536, large.cluster.servers = 1024, large.cluster.fixedNodes = 65536;
        large.training.learningRate = 0.00123;
        all.emplace_back(QStringLiteral("large"), large);
        Experiment words;
        words.cluster.architecture = Architecture::AllReduce;
        words.cluster.allreduce = AllReduceAlgorithm::Naive;
        words.training.batchPerWorker = 65536;  // does not fit a device
        all.emplace_back(QStringLiteral("words"), words);
        return all;
    }

private slots:
    void atWork_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(1280, 720), QSize(1366, 768), QSize(1440, 900), QSize(1920, 1080)})
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }
    void atWork() {
        QFETCH(QSize, size);
        const WindowDesk desk(size);
        QStringList faults;
        for (const bool unfolded : {false, true}) {
            for (Section* section : desk.window->findChildren<Section*>()) section->setExpanded(unfolded);
            for (const auto& [name, experiment] : experiments()) {
                desk.window->store().start(experiment);
                faults << cutsIn(desk, name + (unfolded ? ", unfolded" : ""));
            }
        }
        const std::vector<Preset> builtin = *loadBuiltinPresets();
        for (const Preset& preset : builtin) {
            desk.window->loadPreset(QString::fromStdString(preset.key));
            desk.window->store().edit(QStringLiteral("training.seed"), 99);  // "(changed)"
            faults << cutsIn(desk, QString::fromStdString(preset.title));
        }
        desk.window->store().start(m_images.experiment(4, 131072));
        desk.window->run().run();
        QVERIFY(QTest::qWaitFor([&] { return desk.window->run().latest() != nullptr; }, 20'000));
        faults << cutsIn(desk, QStringLiteral("running"));
        desk.window->run().pause();
        desk.window->stage()->setCurrentTab(1);
        desk.window->notices()->show(
            QStringLiteral("Something that happened, in a sentence that is long enough to need "
                           "more than the half of a line at that size of the window."));
        faults << cutsIn(desk, QStringLiteral("paused, replicas, with a notice"));
        faults.removeAll(QString());
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u"\n")));
        QCOMPARE(desk.window->size(), size);  // nothing has pushed it wider
    }

    void presenting_data() {
        QTest::addColumn<QSize>("size");
        for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)})
            QTest::addRow("%d x %d", size.width(), size.height()) << size;
    }
    void presenting() {
        QFETCH(QSize, size);
        const WindowDesk desk(size);
        desk.window->setPresenting(true);
        desk.window->setWindowState(Qt::WindowNoState);  // the size that is tested, not the screen's
        desk.resize(size);
        QCOMPARE(desk.window->size(), size);
        QVERIFY(desk.theme->presenting());
        QStringList faults;
        const auto look = [&](const QString& when) {
            faults << cutsIn(desk, when);
            // No text under 18 px at 1920 x 1080; a projector enlarges what has fewer pixels.
            const double least = 18.0 * size.height() / 1080;
            for (const QWidget* widget : desk.window->findChildren<QWidget*>()) {
                const bool text = qobject_cast<const QLabel*>(widget) || qobject_cast<const QPushButton*>(widget);
                if (text && widget->isVisible() && QFontInfo(widget->font()).pixelSize() < least)
                    faults << QStringLiteral("%1: %2 of %3 px")
                                  .arg(when, test::nameOf(*widget))
                                  .arg(QFontInfo(widget->font()).pixelSize());
            }
        };
        for (const auto& [name, experiment] : experiments()) {
            desk.window->store().start(experiment);
            look(name);
        }
        using Chart = ChartsPanel::Chart;
        for (const Chart chart : {Chart::Breakdown, Chart::Learning, Chart::Divergence}) {
            desk.window->charts()->setPresentedChart(chart);
            look(QStringLiteral("chart %1").arg(static_cast<int>(chart)));
        }
        desk.window->goToQuestion(1);
        look(QStringLiteral("with the quiz"));
        desk.window->actions().showControls->setChecked(true);
        desk.window->actions().showQuiz->setChecked(false);
        look(QStringLiteral("with the controls"));
        faults.removeAll(QString());
        faults.removeDuplicates();
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u"\n")));
        QCOMPARE(desk.window->size(), size);
    }
};

QTEST_MAIN(TestTextFits)
#include "test_text_fits.moc"
