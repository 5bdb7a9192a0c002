#include "cluster/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "experiment/experiment_json.h"

namespace lockstep {
namespace {

constexpr std::size_t kMaxPoints = 10'000'000;

struct Column {
    const char* name;
    std::function<std::string(const Prediction&)> value;
};

std::string cell(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

Column number(const char* name, std::optional<double> Prediction::*member) {
    return {name, [=](const Prediction& prediction) { return cell(prediction.*member); }};
}

/// Times of the breakdown, which mean nothing where the batch does not fit.
Column phase(const char* name, double Breakdown::*member) {
    return {name, [=](const Prediction& prediction) {
                return prediction.fits ? fmt::format("{}", prediction.breakdown.*member) : std::string();
            }};
}

const std::vector<Column>& columns() {
    static const std::vector<Column> table = {
        {"workers", [](const Prediction& p) { return std::to_string(p.workers); }},
        {"servers", [](const Prediction& p) { return std::to_string(p.servers); }},
        {"global_batch", [](const Prediction& p) { return std::to_string(p.globalBatch); }},
        {"fits", [](const Prediction& p) { return std::string(p.fits ? "true" : "false"); }},
        {"max_batch_per_worker", [](const Prediction& p) { return std::to_string(p.maxBatchPerWorker); }},
        number("iteration_time_s", &Prediction::iterationTime_s),
        number("throughput_samples_per_s", &Prediction::throughputSamplesPerS),
        number("scaling_efficiency", &Prediction::scalingEfficiency),
        number("epoch_time_s", &Prediction::epochTime_s),
        phase("compute_s", &Breakdown::compute_s),
        phase("pull_s", &Breakdown::pull_s),
        phase("push_s", &Breakdown::push_s),
        phase("allreduce_s", &Breakdown::allreduce_s),
        phase("exposed_communication_s", &Breakdown::exposedCommunication_s),
        {"bottleneck", [](const Prediction& p) { return std::string(bottleneckName(p.bottleneck)); }},
        {"memory_bytes", [](const Prediction& p) { return fmt::format("{}", p.memory.totalBytes()); }},
    };
    return table;
}

}  // namespace

Result<SweepAxis> parseSweepAxis(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
        return fail(fmt::format("--over {}: allowed is KEY=V1,V2,...", text));
    SweepAxis axis{std::string(text.substr(0, equals)), {}};
    std::string_view rest = text.substr(equals + 1);
    while (true) {
        const std::size_t comma = rest.find(',');
        axis.values.emplace_back(rest.substr(0, comma));
        if (axis.values.back().empty()) return fail(fmt::format("--over {}: a value is empty", text));
        if (comma == std::string_view::npos) return axis;
        rest.remove_prefix(comma + 1);
    }
}

Result<SweepGrid> SweepGrid::build(const Experiment& centre, std::vector<SweepAxis> axes) {
    std::size_t size = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        for (const std::string& value : axes[i].values)
            if (const Result<void> checked = checkKeyValue(axes[i].key, value); !checked)
                return fail(fmt::format("--over {}", checked.error().message));
        for (std::size_t j = 0; j < i; ++j)
            if (axes[j].key == axes[i].key) return fail(fmt::format("--over {}: named twice", axes[i].key));
        if (axes[i].values.size() > kMaxPoints / size)
            return fail(fmt::format("the grid has more than the {} points allowed", kMaxPoints));
        size *= axes[i].values.size();
    }
    return SweepGrid(centre, std::move(axes), size);
}

std::vector<std::string> SweepGrid::valuesAt(std::size_t point) const {
    std::vector<std::string> values(m_axes.size());
    for (std::size_t i = m_axes.size(); i-- > 0;) {
        values[i] = m_axes[i].values[point % m_axes[i].values.size()];
        point /= m_axes[i].values.size();
    }
    return values;
}

Result<Experiment> SweepGrid::experimentAt(std::size_t point) const {
    std::vector<std::pair<std::string, std::string>> settings;
    const std::vector<std::string> values = valuesAt(point);
    for (std::size_t i = 0; i < m_axes.size(); ++i) settings.emplace_back(m_axes[i].key, values[i]);
    return withKeys(m_centre, settings);
}

std::vector<std::string> sweepColumns() {
    std::vector<std::string> names;
    for (const Column& column : columns()) names.emplace_back(column.name);
    return names;
}

std::vector<std::string> sweepRow(const Prediction& prediction) {
    std::vector<std::string> cells;
    for (const Column& column : columns()) cells.push_back(column.value(prediction));
    return cells;
}

std::string csvCell(std::string_view text) {
    if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace lockstep
