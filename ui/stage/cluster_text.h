#pragma once

#include <QString>

#include "cluster/prediction.h"
#include "stage/cluster_layout.h"
#include "stage/playback.h"

namespace lockstep::ui {

/// What the cluster diagram says in words. Pure functions of the prediction, tested without a widget.

/// "Push: gradients fan in to the servers."
[[nodiscard]] QString phaseSentence(const Phase& phase, const ClusterLayout& layout, double position_s);
/// "link 44 % out, 44 % in", of a server where there are servers, of a worker otherwise; empty without links.
[[nodiscard]] QString linkUseText(const Prediction& prediction);
/// "each worker gets S·B/N = 2.5 Gbit/s"; empty where workers pull nothing.
[[nodiscard]] QString shareText(const Prediction& prediction);
/// "all of the weights", "half of the weights", "1/4 of the weights".
[[nodiscard]] QString sliceText(int servers);
/// "W3", "Server 2", "W9 … W1024".
[[nodiscard]] QString nodeName(const LaidNode& node);
/// The tooltip: what the node holds, does and moves, with numbers.
[[nodiscard]] QString nodeDetails(const LaidNode& node, const ClusterLayout& layout, const Prediction& prediction,
                                  TimelineSpan::Kind doing);
/// For a screen reader: the whole picture in two sentences.
[[nodiscard]] QString clusterDescription(const ClusterLayout& layout, const Prediction& prediction);

/// Use of a server's (or a worker's) link in one direction, 0..1.
[[nodiscard]] double linkUse(const Prediction& prediction, bool server, bool outgoing);

}  // namespace lockstep::ui
