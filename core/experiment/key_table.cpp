#include "experiment/key_table.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

const std::vector<KeyRow>& keyTable() {
    static const std::vector<KeyRow> table = [] {
        std::vector<KeyRow> rows;
        for (std::vector<KeyRow> group : {workloadRows(), clusterRows(), trainingRows()})
            std::move(group.begin(), group.end(), std::back_inserter(rows));
        return rows;
    }();
    return table;
}

const KeyRow* findRow(std::string_view path) {
    for (const KeyRow& row : keyTable())
        if (row.description.path == path) return &row;
    return nullptr;
}

}  // namespace lockstep
