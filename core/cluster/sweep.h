#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/prediction.h"
#include "experiment/experiment.h"

namespace lockstep {

/// One direction of a grid: a key and the values it takes, as on a command line.
struct SweepAxis {
    std::string key;
    std::vector<std::string> values;
};

/// Reads "cluster.workers=1,2,4,8".
[[nodiscard]] Result<SweepAxis> parseSweepAxis(std::string_view text);

/// A grid of experiments around one: every combination of the axes' values, the last axis fastest. Built point by
/// point, so its memory does not grow with its size.
class SweepGrid {
public:
    /// Fails when a value of an axis is refused by its key whatever the others say, when a key stands twice, or beyond
    /// ten million points.
    [[nodiscard]] static Result<SweepGrid> build(const Experiment& centre, std::vector<SweepAxis> axes);

    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] const std::vector<SweepAxis>& axes() const { return m_axes; }
    /// The values at a point, one per axis.
    [[nodiscard]] std::vector<std::string> valuesAt(std::size_t point) const;
    /// The experiment at a point; a combination that is invalid only together fails here with its line.
    [[nodiscard]] Result<Experiment> experimentAt(std::size_t point) const;

private:
    SweepGrid(Experiment centre, std::vector<SweepAxis> axes, std::size_t size)
        : m_centre(std::move(centre)), m_axes(std::move(axes)), m_size(size) {}

    Experiment m_centre;
    std::vector<SweepAxis> m_axes;
    std::size_t m_size;
};

/// The columns of a sweep's table after the axes: the numbers of a prediction a spreadsheet wants.
[[nodiscard]] std::vector<std::string> sweepColumns();
/// Their values for one prediction, in the same order; empty where there is none (a batch that does not fit).
[[nodiscard]] std::vector<std::string> sweepRow(const Prediction& prediction);
/// One cell of a CSV file (RFC 4180): quoted where it has to be.
[[nodiscard]] std::string csvCell(std::string_view text);

}  // namespace lockstep
