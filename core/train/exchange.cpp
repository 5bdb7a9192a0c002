#include "train/exchange.h"

#include <numeric>

namespace lockstep {

Exchange::Exchange(std::span<Worker> workers, std::size_t servers)
    : m_workers(workers),
      m_traffic{std::vector<BytesMoved>(workers.size()), std::vector<BytesMoved>(servers)},
      m_time(workers.size()),
      m_everyone(workers.size()) {
    std::iota(m_everyone.begin(), m_everyone.end(), 0);
}

void Exchange::archive(StateArchive& archive) {
    archive.elements(std::span(m_traffic.workers));
    archive.elements(std::span(m_traffic.servers));
}

}  // namespace lockstep
