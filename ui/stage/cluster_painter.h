#pragma once

#include <QRectF>

#include "cluster/prediction.h"
#include "stage/cluster_layout.h"
#include "theme/theme.h"

class QPainter;

namespace lockstep::ui {

/// Paints what stands still in the cluster diagram: links, cards, slices, shards. Called when the experiment, the size
/// or the theme changes, into a pixmap.
class ClusterPainter {
public:
    ClusterPainter(const Theme& theme, const ClusterLayout& layout, const Prediction& prediction)
        : m_theme(theme), m_colours(theme.colours()), m_layout(layout), m_prediction(prediction) {}

    void paintLinks(QPainter& painter) const;
    void paintNodes(QPainter& painter) const;
    /// Frame around the node under the mouse.
    void paintHighlight(QPainter& painter, int node) const;

private:
    void paintCard(QPainter& painter, const LaidNode& node) const;
    void paintGroup(QPainter& painter, const LaidNode& node) const;
    void paintModelCopy(QPainter& painter, const QRectF& area, int rows, int firstSlice, int slices) const;
    void paintShard(QPainter& painter, const QRectF& bar, int worker, bool named) const;
    void paintUse(QPainter& painter, const LaidNode& node) const;
    [[nodiscard]] QColor borderOf(const LaidNode& node) const;

    const Theme& m_theme;
    const Colours& m_colours;
    const ClusterLayout& m_layout;
    const Prediction& m_prediction;
};

/// Pen width that stands for a link's capacity: 1 px at 1 Gbit/s, half a pixel more per doubling, within 0.75..4.
[[nodiscard]] double linkWidth(double bandwidthBitPerS);

}  // namespace lockstep::ui
