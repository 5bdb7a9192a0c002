#include "experiment/validate.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/key_table.h"
#include "experiment/resolved.h"

namespace lockstep {
namespace {

class IssueList {
public:
    void add(std::string_view key, const std::string& value, const std::string& allowed) {
        m_issues.push_back(
            {std::string(key), value, allowed, fmt::format("{} = {}: allowed is {}", key, value, allowed)});
    }

    void addNotYet(std::string_view key, const std::string& value) {
        m_issues.push_back(
            {std::string(key), value, "the default",
             fmt::format("not available yet: {} (given {}; allowed for now is the default)", key, value)});
    }

    [[nodiscard]] std::vector<Issue> take() { return std::move(m_issues); }

private:
    std::vector<Issue> m_issues;
};

void checkRange(const KeyRow& row, const nlohmann::json& value, IssueList& issues) {
    const KeyDescription& key = row.description;
    if (!value.is_number()) return;
    const double number = value.get<double>();
    if (key.zeroAllowed && number == 0) return;
    const bool aboveMinimum = key.minimumExcluded ? number > key.minimum : number >= key.minimum;
    if (!(aboveMinimum && number <= key.maximum)) issues.add(key.path, value.dump(), key.allowed());
}

void checkAvailable(const KeyRow& row, const nlohmann::json& value, const nlohmann::json& byDefault,
                    IssueList& issues) {
    const KeyDescription& key = row.description;
    const bool refused =
        !key.isAvailable() ? value != byDefault : value.is_string() && !key.isChoiceAvailable(value.get<std::string>());
    if (refused) issues.addNotYet(key.path, value.dump());
}

void checkServers(const Experiment& experiment, IssueList& issues) {
    const ClusterSettings& cluster = experiment.cluster;
    if (cluster.architecture != Architecture::ParameterServer) return;
    const std::string servers = std::to_string(cluster.servers);
    if (cluster.servers < 1) issues.add("cluster.servers", servers, "at least 1 with a parameter server");
    if (cluster.fixedNodes > 0 && cluster.servers >= cluster.fixedNodes)
        issues.add("cluster.servers", servers,
                   fmt::format("at most {}, since {} nodes in all leave one for a worker", cluster.fixedNodes - 1,
                               cluster.fixedNodes));
    if (cluster.serverPlacement == ServerPlacement::CoLocated && cluster.servers > clusterWorkers(experiment))
        issues.add("cluster.servers", servers,
                   fmt::format("at most the {} workers that co-located servers share machines with",
                               clusterWorkers(experiment)));
    if (experiment.training.servers == 0) issues.add("training.servers", "0", "at least 1 with a parameter server");
}

void checkStragglers(const Experiment& experiment, IssueList& issues) {
    const int workers = clusterWorkers(experiment);
    if (experiment.cluster.stragglerCount > workers)
        issues.add("cluster.straggler_count", std::to_string(experiment.cluster.stragglerCount),
                   fmt::format("0..{} with that many workers", workers));
    const int nodes = workers + clusterServers(experiment);
    for (const NodeOverride& entry : experiment.cluster.nodeOverrides)
        if (entry.node >= nodes)
            issues.add("cluster.node_overrides", fmt::format("node {}", entry.node),
                       fmt::format("nodes 0..{}", nodes - 1));
}

void checkSynchronization(const Experiment& experiment, IssueList& issues) {
    const TrainingSettings& training = experiment.training;
    const bool needsServer = training.synchronization == SynchronizationKind::StaleSynchronous ||
                             training.synchronization == SynchronizationKind::Asynchronous;
    if (needsServer && experiment.cluster.architecture != Architecture::ParameterServer)
        issues.add("training.synchronization", fmt::format("\"{}\"", nameOf(training.synchronization)),
                   "bulk-synchronous, local-sgd or none without a parameter server");
    const int workers = std::min(trainingWorkers(experiment), clusterWorkers(experiment));
    if (training.backupWorkers >= workers && training.backupWorkers > 0)
        issues.add("training.backup_workers", std::to_string(training.backupWorkers),
                   fmt::format("0..{} with {} workers", workers - 1, workers));
}

}  // namespace

std::vector<Issue> validate(const Experiment& experiment) {
    static const Experiment defaults;
    IssueList issues;
    for (const KeyRow& row : keyTable()) {
        const nlohmann::json value = row.get(experiment);
        checkRange(row, value, issues);
        checkAvailable(row, value, row.get(defaults), issues);
    }
    checkServers(experiment, issues);
    checkStragglers(experiment, issues);
    checkSynchronization(experiment, issues);
    return issues.take();
}

}  // namespace lockstep
