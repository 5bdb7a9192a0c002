#include <QRegularExpression>
#include <QtTest>
#include <cmath>

#include "cluster/prediction.h"

using namespace lockstep;

/// The sentence and the timeline say what the prediction says.
class TestExplanation : public QObject {
    Q_OBJECT
    Catalogue m_catalogue;

    Prediction predicted(const Experiment& e) const {
        const Result<Prediction> p = predict(e, m_catalogue);
        if (!p) qFatal("%s", p.error().message.c_str());
        return *p;
    }
    QString sentence(const Experiment& e) const {
        const Explanation words = explain(predicted(e), m_catalogue);
        const QString text = QString::fromStdString(words.headline + " " + words.detail);
        qInfo("%s", qPrintable(text));
        return text;
    }

    std::vector<Experiment> varied() const {
        std::vector<Experiment> experiments;
        Experiment e;
        e.cluster.workers = 40;
        e.cluster.servers = 20;
        for (const double load : {0.0, 100.0}) {
            e.cluster.loaderSamplesPerS = load;
            for (const int prefetch : {0, 2}) {
                e.cluster.prefetchBatches = prefetch;
                for (const int slow : {0, 3, 40}) {
                    e.cluster.stragglerCount = slow;
                    e.cluster.stragglerSlowdown = slow > 0 ? 1.3 : 1;
                    for (const auto placement : {ServerPlacement::Dedicated, ServerPlacement::CoLocated}) {
                        e.cluster.serverPlacement = placement;
                        for (const auto architecture :
                             {Architecture::SingleNode, Architecture::ParameterServer, Architecture::AllReduce}) {
                            e.cluster.architecture = architecture;
                            for (const auto how : {SynchronizationKind::BulkSynchronous, SynchronizationKind::LocalSgd,
                                                   SynchronizationKind::None}) {
                                e.training.synchronization = how;
                                experiments.push_back(e);
                            }
                        }
                    }
                }
            }
        }
        return experiments;
    }

private slots:
    void initTestCase() {
        Result<Catalogue> catalogue = loadBuiltinCatalogue();
        QVERIFY2(catalogue, catalogue ? "" : catalogue.error().message.c_str());
        m_catalogue = std::move(*catalogue);
    }

    void serverLinkIsNamedWithItsRelief() {
        Experiment e;
        e.cluster.workers = 32;
        e.cluster.servers = 4;
        e.cluster.linkBandwidthBitPerS = 2e9;
        const QString text = sentence(e);
        QVERIFY(text.startsWith("Bound by the servers' links. Workers wait for them "));
        // The gain it promises is the one that the change gives.
        const QRegularExpressionMatch promise =
            QRegularExpression("two more servers \\+(\\d+) %|two more servers would give \\+(\\d+) %").match(text);
        const QRegularExpressionMatch link =
            QRegularExpression("twice the link(?: would give)? \\+(\\d+) %").match(text);
        QVERIFY(promise.hasMatch() || link.hasMatch());
        Experiment doubled = e;
        doubled.cluster.linkBandwidthBitPerS *= 2;
        const double gain = *predicted(doubled).throughputSamplesPerS / *predicted(e).throughputSamplesPerS - 1;
        if (link.hasMatch()) QCOMPARE(link.captured(1).toInt(), static_cast<int>(std::lround(100 * gain)));
    }

    void eachBottleneckHasWords() {
        Experiment e;
        QVERIFY(sentence(e).contains("would"));
        e.cluster.architecture = Architecture::SingleNode;
        QVERIFY(sentence(e).startsWith("Bound by the devices' arithmetic. Devices compute 100 %"));
        e.cluster.loaderSamplesPerS = 50;
        QVERIFY(sentence(e).contains("twice the loader would give +100 %"));
        e = {};
        e.cluster.architecture = Architecture::AllReduce;
        e.cluster.linkBandwidthBitPerS = 1e9;
        QVERIFY(sentence(e).startsWith("Bound by the workers' links."));
        e.cluster.oversubscription = 8;
        QVERIFY(sentence(e).startsWith("Bound by the switch"));
        e = {};
        e.cluster.serverAggregationBytePerS = 1e7;
        QVERIFY(sentence(e).startsWith("Bound by what the servers can sum."));
        e = {};
        e.cluster.stragglerCount = 1;
        e.cluster.stragglerSlowdown = 20;
        QVERIFY(sentence(e).startsWith("Held up by slow workers."));
    }

    void memoryNamesTheLargestBatch() {
        Experiment e;
        e.training.batchPerWorker = 4096;
        const QString text = sentence(e);
        QVERIFY(text.startsWith("Does not fit."));
        QVERIFY(text.contains(QString("the largest batch is %1.").arg(predicted(e).maxBatchPerWorker)));
    }

    void timelineFillsTheIteration() {
        for (const Experiment& e : varied()) {
            const Prediction p = predicted(e);
            const Result<Timeline> timeline = predictTimeline(e, m_catalogue, 12);
            QVERIFY(timeline);
            QVERIFY(timeline->lanes.size() <= 12);
            int workers = 0, servers = 0;
            for (const TimelineLane& lane : timeline->lanes) (lane.server ? servers : workers) += lane.count;
            QCOMPARE(workers, p.workers);
            const bool exchanges = e.training.synchronization != SynchronizationKind::None;
            QCOMPARE(servers, exchanges ? p.servers : 0);
            int lane = 0;
            double end_s = 0;
            for (const TimelineSpan& span : timeline->spans) {
                if (span.lane != lane) end_s = 0;
                QVERIFY(span.lane >= lane && span.end_s > span.start_s);
                QVERIFY(std::abs(span.start_s - end_s) <= 1e-12 + 1e-9 * end_s);
                lane = span.lane;
                end_s = span.end_s;
                QVERIFY(end_s <= timeline->duration_s * (1 + 1e-9));
            }
            const bool inStep =
                exchanges || p.workers == 1 || e.cluster.stragglerCount == 0 || e.cluster.stragglerCount == p.workers;
            if (inStep) QVERIFY(std::abs(timeline->duration_s - *p.iterationTime_s) <= 1e-9 * *p.iterationTime_s);
        }
    }

    void timelineOfWhatDoesNotFitIsEmpty() {
        Experiment e;
        e.training.batchPerWorker = 65536;
        QVERIFY(predictTimeline(e, m_catalogue)->lanes.empty());
    }

    void predictionsAreFinite() {
        for (const Experiment& e : varied()) {
            const Prediction p = predicted(e);
            QVERIFY(std::isfinite(*p.iterationTime_s) && *p.iterationTime_s > 0);
            QVERIFY(*p.scalingEfficiency > 0 && *p.scalingEfficiency <= 1 + 1e-12);
            QVERIFY(p.bottleneckShare >= 0 && p.bottleneckShare <= 1);
            QVERIFY(p.breakdown.idle_s >= 0);
        }
    }
};

QTEST_GUILESS_MAIN(TestExplanation)
#include "test_explanation.moc"
