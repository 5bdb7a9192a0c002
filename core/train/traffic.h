#pragma once

#include <vector>

namespace lockstep {

/// Bytes that one end of the network has sent and received since the run began.
struct BytesMoved {
    double sent = 0, received = 0;
};

/// Who has moved how much: counted from the transfers that were executed, whole bytes each, so that sums are exact. A
/// server that lives on a worker's node is counted apart from that worker, and what the two say to each other crosses
/// no network and is not counted.
struct Traffic {
    std::vector<BytesMoved> workers, servers;

    /// Of all together; as much was received.
    [[nodiscard]] double sent() const;
};

void transfer(BytesMoved& sender, BytesMoved& receiver, double bytes);

}  // namespace lockstep
