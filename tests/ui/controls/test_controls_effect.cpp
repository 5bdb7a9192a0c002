#include <QCheckBox>
#include <QRadioButton>
#include <QTest>
#include <functional>
#include <vector>

#include "controls/fixed_cluster.h"
#include "train/run.h"
#include "ui/support/controls_desk.h"

using namespace lockstep;
using namespace lockstep::ui;
using test::ControlsDesk;

namespace {

/// Every figure of a prediction, in one order.
std::vector<double> figuresOf(const Prediction& p) {
    std::vector<double> figures = {double{1} * p.workers,
                                   double{1} * p.servers,
                                   static_cast<double>(p.globalBatch),
                                   p.fits ? 1.0 : 0.0,
                                   static_cast<double>(p.maxBatchPerWorker),
                                   p.bottleneckShare,
                                   double(static_cast<int>(p.bottleneck)),
                                   p.memory.totalBytes(),
                                   p.memory.capacityBytes};
    for (const auto& figure : {p.iterationTime_s, p.throughputSamplesPerS, p.scalingEfficiency, p.epochTime_s,
                               p.pullBandwidthPerWorkerBitPerS, p.pushBandwidthPerWorkerBitPerS,
                               p.loadingBandwidthSamplesPerS, p.trainingBandwidthSamplesPerS})
        figures.push_back(figure.value_or(-1));
    const Breakdown& b = p.breakdown;
    for (const double figure :
         {b.load_s, b.compute_s, b.pull_s, b.push_s, b.allreduce_s, b.aggregate_s, b.exposedCommunication_s, b.idle_s})
        figures.push_back(figure);
    for (const LinkUse& link : p.links) figures.push_back(link.bytes), figures.push_back(link.busyFraction);
    return figures;
}

/// Whether anything can be seen of the difference between two experiments: in the prediction, or in the real run.
bool differ(const Experiment& a, const Experiment& b, const Catalogue& catalogue) {
    if (!trainsTheSame(a, b) || a.training.learningRate != b.training.learningRate) return true;
    return figuresOf(*predict(a, catalogue)) != figuresOf(*predict(b, catalogue));
}

/// Everything that keys can do to the control of a setting, one after another; `look` is called after each.
void operate(const ControlsDesk& desk, const QString& key, const std::function<void()>& look) {
    const auto press = [&](QWidget* widget, Qt::Key pressed) {
        if (!widget->isVisible() || !widget->isEnabled()) return;
        QTest::keyClick(widget, pressed);
        look();
    };
    for (ValueSlider* slider : desk.usable<ValueSlider>(key)) {
        press(slider, Qt::Key_PageUp), press(slider, Qt::Key_End), press(slider, Qt::Key_Left);
        press(slider, Qt::Key_PageDown), press(slider, Qt::Key_Home), press(slider, Qt::Key_Right);
    }
    for (ChoiceBox* box : desk.usable<ChoiceBox>(key)) {
        press(box, Qt::Key_Home);
        for (int i = 1; i < box->count(); ++i) press(box, Qt::Key_Down);
    }
    for (QCheckBox* box : desk.usable<QCheckBox>(key)) press(box, Qt::Key_Space), press(box, Qt::Key_Space);
    for (QRadioButton* button : desk.usable<QRadioButton>(key)) press(button, Qt::Key_Space);
}

Experiment with(const std::vector<std::pair<std::string, std::string>>& settings) {
    return withKeys({}, settings).value();
}

}  // namespace

class TestControlsEffect : public QObject {
    Q_OBJECT

private slots:
    void nothingIsThereInVain_data() {
        QTest::addColumn<QString>("settings");  // "key value, key value"
        QTest::newRow("default") << "";
        QTest::newRow("two servers") << "cluster.servers 2";
        QTest::newRow("single node") << "cluster.architecture single-node";
        QTest::newRow("ring") << "cluster.architecture all-reduce";
        QTest::newRow("cheapest algorithm") << "cluster.architecture all-reduce, cluster.allreduce auto";
        QTest::newRow("one worker") << "cluster.workers 1";
        QTest::newRow("ring of one") << "cluster.architecture all-reduce, cluster.workers 1";
        QTest::newRow("two workers") << "cluster.workers 2";
        QTest::newRow("asynchronous") << "training.synchronization asynchronous";
        QTest::newRow("stale-synchronous") << "training.synchronization stale-synchronous";
        QTest::newRow("local SGD") << "training.synchronization local-sgd";
        QTest::newRow("local SGD in a ring") << "training.synchronization local-sgd, cluster.architecture all-reduce";
        QTest::newRow("no synchronization") << "training.synchronization none";
        QTest::newRow("fixed cluster") << "cluster.fixed_nodes 6";
        QTest::newRow("fixed pair") << "cluster.fixed_nodes 2";
        QTest::newRow("co-located") << "cluster.server_placement co-located, cluster.servers 2";
        QTest::newRow("stragglers") << "cluster.straggler_count 2, cluster.straggler_slowdown 3";
        QTest::newRow("backup workers") << "training.backup_workers 2";
        QTest::newRow("top-k") << "training.compression top-k";
        QTest::newRow("half precision sent") << "training.compression fp16";
        QTest::newRow("adam") << "training.optimizer adam";
        QTest::newRow("full gradient") << "training.gradient full";
    }
    /// A control that can be used changes something that can be seen, and never meets a wall.
    void nothingIsThereInVain() {
        QFETCH(QString, settings);
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const QString& pair : settings.split(QStringLiteral(", "), Qt::SkipEmptyParts))
            pairs.emplace_back(pair.section(u' ', 0, 0).toStdString(), pair.section(u' ', 1).toStdString());
        const Experiment experiment = with(pairs);
        ControlsDesk desk(experiment);
        QStringList faults;
        for (const QString& key : desk.panel->keys()) {
            desk.store.start(experiment);
            if (!desk.control(key)->isVisible()) continue;
            bool used = false, seen = false;
            operate(desk, key, [&] {
                used = true;
                seen = seen || differ(experiment, desk.store.experiment(), desk.store.catalogue());
                for (const QString& line : desk.refusals) faults << key + " is refused: " + line;
                desk.refusals.clear();
            });
            // Fixing the cluster decides what the sliders do from then on.
            if (used && !seen && key != "cluster.fixed_nodes") faults << key + " changes nothing";
            const bool hasReason = !desk.control(key)->toolTip().isEmpty();
            if (!used && !hasReason) faults << key + " cannot be used and does not say why";
        }
        faults.removeDuplicates();
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u"\n")));
    }
};

QTEST_MAIN(TestControlsEffect)
#include "test_controls_effect.moc"
