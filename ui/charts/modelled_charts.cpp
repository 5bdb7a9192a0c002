#include "charts/modelled_charts.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

#include "charts/number_text.h"
#include "charts/ticks.h"
#include "experiment/enum_names.h"
#include "experiment/resolved.h"

namespace lockstep::ui {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
using Kind = TimelineSpan::Kind;

QString tr(const char* text, int n = -1) { return QCoreApplication::translate("ModelledCharts", text, nullptr, n); }

QString algorithmText(AllReduceAlgorithm algorithm) {
    switch (algorithm) {
        case AllReduceAlgorithm::Ring:
            return tr("ring all-reduce");
        case AllReduceAlgorithm::Tree:
            return tr("tree all-reduce");
        case AllReduceAlgorithm::HalvingDoubling:
            return tr("halving-doubling");
        case AllReduceAlgorithm::Hierarchical:
            return tr("hierarchical all-reduce");
        case AllReduceAlgorithm::Naive:
            return tr("naive all-reduce");
        case AllReduceAlgorithm::Auto:
            return tr("all-reduce");
    }
    return {};
}

Experiment withServers(Experiment experiment, int servers) {
    experiment.cluster.architecture = Architecture::ParameterServer;
    experiment.cluster.servers = std::max(1, servers);
    experiment.cluster.fixedNodes = 0;
    return experiment;
}

Experiment withAllReduce(Experiment experiment, AllReduceAlgorithm algorithm) {
    experiment.cluster.architecture = Architecture::AllReduce;
    experiment.cluster.allreduce = algorithm;
    experiment.cluster.fixedNodes = 0;
    // Stale and asynchronous updates need a server; what an all-reduce is compared in is the synchronous kind.
    const SynchronizationKind kind = experiment.training.synchronization;
    if (kind == SynchronizationKind::StaleSynchronous || kind == SynchronizationKind::Asynchronous)
        experiment.training.synchronization = SynchronizationKind::BulkSynchronous;
    return experiment;
}

/// What the present architecture is compared with.
std::vector<Experiment> alternatives(const Experiment& experiment) {
    const ClusterSettings& cluster = experiment.cluster;
    if (cluster.architecture == Architecture::AllReduce) {
        std::vector<Experiment> others;
        if (cluster.allreduce != AllReduceAlgorithm::Ring)
            others.push_back(withAllReduce(experiment, AllReduceAlgorithm::Ring));
        else
            others.push_back(withAllReduce(experiment, AllReduceAlgorithm::Tree));
        others.push_back(withServers(experiment, cluster.servers));
        return others;
    }
    return {withAllReduce(experiment, AllReduceAlgorithm::Ring)};
}

double throughputOf(const Experiment& experiment, const Catalogue& catalogue) {
    const Result<Prediction> prediction = predict(experiment, catalogue);
    return prediction ? prediction->throughputSamplesPerS.value_or(kGap) : kGap;
}

std::vector<QPointF> sweepWorkers(Experiment experiment, const std::vector<int>& counts, const Catalogue& catalogue) {
    std::vector<QPointF> points;
    points.reserve(counts.size());
    experiment.cluster.fixedNodes = 0;
    experiment.cluster.stragglerCount = 0;
    experiment.cluster.nodeOverrides.clear();
    for (const int workers : counts) {
        experiment.cluster.workers = workers;
        experiment.training.backupWorkers = std::min(experiment.training.backupWorkers, workers - 1);
        points.emplace_back(workers, throughputOf(experiment, catalogue));
    }
    return points;
}

double oneDevice(Experiment experiment, const Catalogue& catalogue) {
    experiment = withAllReduce(experiment, AllReduceAlgorithm::Ring);
    experiment.cluster.architecture = Architecture::SingleNode;
    experiment.cluster.stragglerCount = 0;
    experiment.cluster.nodeOverrides.clear();
    experiment.training.backupWorkers = 0;
    return throughputOf(experiment, catalogue);
}

QString rateUnit(const Experiment& experiment, const Catalogue& catalogue) {
    const DatasetSpec* dataset = catalogue.dataset(experiment.workload.dataset);
    return dataset && dataset->resolutionPx == 0 ? tr("samples/s") : tr("images/s");
}

/// The largest finite y among points up to x.
double highest(const std::vector<QPointF>& points, double x) {
    double high = 0;
    for (const QPointF& p : points)
        if (p.x() <= x && std::isfinite(p.y())) high = std::max(high, p.y());
    return high;
}

int shownWorkers(int workers) {
    int most = 64;
    while (most < 2 * workers && most < 131072) most *= 4;
    return most;
}

ChartData curvesOf(const Experiment& experiment, int most, const Catalogue& catalogue) {
    ChartData data;
    data.logarithmicX = true;
    data.x = {tr("workers"), ValueKind::Number, 1, static_cast<double>(most)};
    data.y.title = rateUnit(experiment, catalogue);
    const std::vector<int> counts = sampledWorkerCounts(most);
    const double single = oneDevice(experiment, catalogue);

    Curve linear{tr("linear"), {}, CurveLook::ModelledDashed, 7};
    for (const int workers : counts) linear.points.emplace_back(workers, single * workers);
    data.curves.push_back(std::move(linear));
    int colour = 0;
    for (const Experiment& other : alternatives(experiment))
        data.curves.push_back(
            {architectureText(other), sweepWorkers(other, counts, catalogue), CurveLook::Modelled, colour++ * 2});
    if (experiment.cluster.architecture != Architecture::SingleNode)
        data.curves.push_back(
            {architectureText(experiment), sweepWorkers(experiment, counts, catalogue), CurveLook::Modelled, 1});
    return data;
}

/// High enough for the present architecture and for what the others would give about here; what climbs beyond leaves at
/// the top, so that the present curve is never pressed flat by linear scaling.
double visibleHigh(const ChartData& data, double workers, double now) {
    double high = now * 1.3;
    for (const Curve& curve : data.curves) {
        if (curve.look == CurveLook::ModelledDashed)
            high = std::max(high, highest(curve.points, 4));
        else
            high = std::max(high, highest(curve.points, 2 * workers) * 1.02);
    }
    if (!data.curves.empty() && data.curves.back().colour == 1)
        high = std::max(high, highest(data.curves.back().points, 4 * workers) * 1.02);
    return high > 0 ? high : 1;
}

void addPart(BreakdownBar& bar, Kind kind, double seconds) {
    if (seconds > 0) bar.parts.emplace_back(kind, seconds);
}

BreakdownBar barOf(const QString& name, const Prediction& prediction) {
    BreakdownBar bar;
    bar.name = name;
    if (!prediction.fits || !prediction.iterationTime_s) {
        bar.notice = tr("does not fit in memory");
        return bar;
    }
    const Breakdown& b = prediction.breakdown;
    bar.total_s = *prediction.iterationTime_s;
    addPart(bar, Kind::Pull, b.pull_s);
    addPart(bar, Kind::Backward, b.compute_s);
    addPart(bar, Kind::Push, b.push_s);
    addPart(bar, Kind::AllReduce, b.allreduce_s);
    addPart(bar, Kind::Aggregate, b.aggregate_s);
    addPart(bar, Kind::Update, b.update_s);
    double sum = 0;
    for (const auto& part : bar.parts) sum += part.second;
    // Overlapped phases do not add up; only what a device waits for its input beyond them is loading that shows.
    if (bar.total_s > sum * (1 + 1e-9) && b.load_s > sum) addPart(bar, Kind::Load, bar.total_s - sum);
    return bar;
}

}  // namespace

std::vector<int> sampledWorkerCounts(int most) {
    std::vector<int> counts;
    int doublings = 0;
    for (int p = 1; p < most; p *= 2) ++doublings;
    for (int p = 1; p <= most; p *= 2) {
        counts.push_back(p);
        if (p >= 2 && doublings <= 11 && p + p / 2 <= most) counts.push_back(p + p / 2);
    }
    return counts;
}

QString architectureText(const Experiment& experiment) {
    switch (experiment.cluster.architecture) {
        case Architecture::SingleNode:
            return tr("one device");
        case Architecture::ParameterServer: {
            const int servers = std::max(1, clusterServers(experiment));
            return servers == 1 ? tr("1 server") : tr("%1 servers").arg(numberText(servers));
        }
        case Architecture::AllReduce:
            return algorithmText(experiment.cluster.allreduce);
    }
    return {};
}

namespace {

/// One device has no workers on screen, so what it is compared with says its own.
QString comparedText(const Experiment& experiment, const Experiment& other) {
    if (experiment.cluster.architecture != Architecture::SingleNode) return architectureText(other);
    const std::string_view algorithm = nameOf(other.cluster.allreduce);
    const QString how = other.cluster.architecture == Architecture::AllReduce
                            ? QString::fromUtf8(algorithm.data(), static_cast<qsizetype>(algorithm.size()))
                            : architectureText(other);
    return tr("%1 workers, %2").arg(numberText(clusterWorkers(other)), how);
}

}  // namespace

ChartData throughputChart(const Experiment& experiment, const Prediction& now, const Catalogue& catalogue) {
    return ThroughputChart().update(experiment, now, catalogue);
}

const ChartData& ThroughputChart::update(const Experiment& experiment, const Prediction& now,
                                         const Catalogue& catalogue) {
    Experiment key = experiment;
    key.cluster.workers = 1;
    if (experiment.cluster.fixedNodes > 0) key.cluster.servers = clusterServers(experiment), key.cluster.fixedNodes = 0;
    const int most = shownWorkers(now.workers);
    if (!m_valid || most != m_most || !(key == m_key)) {
        m_curves = curvesOf(key, most, catalogue);
        m_key = std::move(key), m_most = most, m_valid = true;
    }
    m_shown = m_curves;
    if (!now.fits || !now.throughputSamplesPerS) {
        m_shown.curves.clear();
        m_shown.notice = now.maxBatchPerWorker > 0
                             ? tr("The batch does not fit in the device's memory; %1 per worker would.")
                                   .arg(numberText(static_cast<double>(now.maxBatchPerWorker)))
                             : tr("The model does not fit in the device's memory, whatever the batch.");
        return m_shown;
    }
    m_shown.y.high = visibleHigh(m_curves, now.workers, *now.throughputSamplesPerS);
    m_shown.present = QPointF(now.workers, *now.throughputSamplesPerS);
    m_shown.presentColour = 1;
    return m_shown;
}

BreakdownData breakdownChart(const Experiment& experiment, const Prediction& now, const Catalogue& catalogue) {
    BreakdownData data;
    data.bars.push_back(barOf(tr("now"), now));
    const auto add = [&](const Experiment& other) {
        if (const Result<Prediction> prediction = predict(other, catalogue))
            data.bars.push_back(barOf(comparedText(experiment, other), *prediction));
    };
    if (experiment.cluster.architecture == Architecture::ParameterServer)
        add(withServers(experiment, 2 * std::max(1, clusterServers(experiment))));
    for (const Experiment& other : alternatives(experiment)) add(other);
    if (experiment.cluster.architecture == Architecture::SingleNode)
        add(withServers(experiment, experiment.cluster.servers));
    return data;
}

}  // namespace lockstep::ui
