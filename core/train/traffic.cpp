#include "train/traffic.h"

namespace lockstep {

double Traffic::sent() const {
    double bytes = 0;
    for (const BytesMoved& worker : workers) bytes += worker.sent;
    for (const BytesMoved& server : servers) bytes += server.sent;
    return bytes;
}

void transfer(BytesMoved& sender, BytesMoved& receiver, double bytes) {
    sender.sent += bytes;
    receiver.received += bytes;
}

}  // namespace lockstep
