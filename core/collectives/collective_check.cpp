#include "collectives/collective_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "collectives/execute.h"

namespace lockstep {
namespace {

constexpr std::array kCollectives{Collective::Broadcast, Collective::Reduce,    Collective::Scatter,
                                  Collective::Gather,    Collective::AllGather, Collective::ReduceScatter,
                                  Collective::AllReduce};
constexpr int kMostRanks = 1024;
constexpr std::size_t kMostFloats = std::size_t{1} << 26;

using Buffers = std::vector<std::vector<float>>;

bool sums(Collective collective) {
    return collective == Collective::Reduce || collective == Collective::ReduceScatter ||
           collective == Collective::AllReduce;
}

/// The elements in which a rank should hold the result.
ElementRange resultOf(Collective collective, int rank, std::size_t elements, int ranks) {
    switch (collective) {
        case Collective::Broadcast:
        case Collective::AllGather:
        case Collective::AllReduce:
            return {0, elements};
        case Collective::Reduce:
        case Collective::Gather:
            return rank == 0 ? ElementRange{0, elements} : ElementRange{};
        case Collective::Scatter:
        case Collective::ReduceScatter:
            return chunkRange(elements, ranks, rank);
    }
    return {};
}

/// Whose value ends in an element where nothing is summed.
std::vector<int> owners(Collective collective, std::size_t elements, int ranks) {
    std::vector<int> owner(elements, 0);
    if (collective != Collective::Gather && collective != Collective::AllGather) return owner;
    for (int rank = 0; rank < ranks; ++rank) {
        const ElementRange chunk = chunkRange(elements, ranks, rank);
        std::fill(owner.begin() + static_cast<std::ptrdiff_t>(chunk.begin),
                  owner.begin() + static_cast<std::ptrdiff_t>(chunk.end), rank);
    }
    return owner;
}

std::vector<double> expected(Collective collective, const Buffers& inputs) {
    const std::size_t elements = inputs.front().size();
    std::vector<double> result(elements);
    if (sums(collective)) {
        for (const auto& input : inputs)
            for (std::size_t i = 0; i < elements; ++i) result[i] += input[i];
        return result;
    }
    const std::vector<int> owner = owners(collective, elements, static_cast<int>(inputs.size()));
    for (std::size_t i = 0; i < elements; ++i) result[i] = inputs[static_cast<std::size_t>(owner[i])][i];
    return result;
}

void execute(const CollectivePlan& plan, Buffers& buffers) {
    std::vector<float*> pointers;
    for (auto& buffer : buffers) pointers.push_back(buffer.data());
    plan.execute(pointers);
}

Buffers randomBuffers(const CollectiveCheckSettings& settings) {
    Buffers buffers(static_cast<std::size_t>(settings.ranks), std::vector<float>(settings.elements));
    for (std::size_t rank = 0; rank < buffers.size(); ++rank) {
        RandomStream random(1, RandomPurpose::Test, static_cast<std::uint32_t>(rank));
        for (float& value : buffers[rank]) value = 2 * random.nextFloat() - 1;
    }
    return buffers;
}

double maxErrorOf(const CollectiveCheckSettings& settings, const CollectivePlan& plan) {
    Buffers buffers = randomBuffers(settings);
    const std::vector<double> wanted = expected(settings.collective, buffers);
    execute(plan, buffers);
    double largest = std::numeric_limits<double>::min(), error = 0;
    for (const double value : wanted) largest = std::max(largest, std::abs(value));
    for (int rank = 0; rank < settings.ranks; ++rank) {
        const ElementRange range = resultOf(settings.collective, rank, settings.elements, settings.ranks);
        for (std::size_t i = range.begin; i < range.end; ++i)
            error = std::max(error, std::abs(buffers[static_cast<std::size_t>(rank)][i] - wanted[i]));
    }
    return error / largest;
}

std::vector<int> contributionsOf(const CollectiveCheckSettings& settings, const CollectivePlan& plan) {
    Buffers buffers(static_cast<std::size_t>(settings.ranks), std::vector<float>(settings.elements, 1.0F));
    execute(plan, buffers);
    std::vector<int> contributions(static_cast<std::size_t>(settings.ranks));
    for (int rank = 0; rank < settings.ranks; ++rank) {
        const ElementRange range = resultOf(settings.collective, rank, settings.elements, settings.ranks);
        const auto& buffer = buffers[static_cast<std::size_t>(rank)];
        if (range.begin == range.end) continue;
        contributions[static_cast<std::size_t>(rank)] =
            static_cast<int>(*std::min_element(buffer.begin() + static_cast<std::ptrdiff_t>(range.begin),
                                               buffer.begin() + static_cast<std::ptrdiff_t>(range.end)));
    }
    return contributions;
}

}  // namespace

Result<CollectiveCheck> checkCollective(const CollectiveCheckSettings& settings) {
    if (settings.ranks < 1 || settings.ranks > kMostRanks)
        return fail(fmt::format("ranks = {}: allowed is 1..{}", settings.ranks, kMostRanks));
    const std::size_t most = kMostFloats / static_cast<std::size_t>(settings.ranks);
    if (settings.elements < 1 || settings.elements > most)
        return fail(
            fmt::format("elements = {}: allowed is 1..{} for {} ranks", settings.elements, most, settings.ranks));
    const auto schedule = CollectiveSchedule::make(settings.collective, settings.algorithm, settings.ranks);
    if (!schedule) return tl::unexpected(schedule.error());
    const CollectivePlan plan(*schedule, settings.elements);
    CollectiveCheck check{.steps = schedule->steps(),
                          .bytesSent = plan.traffic().bytesSent,
                          .maxError = maxErrorOf(settings, plan),
                          .correct = false,
                          .contributions = contributionsOf(settings, plan)};
    const double rounding =
        sums(settings.collective) ? settings.ranks * double{std::numeric_limits<float>::epsilon()} : 0;
    check.correct = check.maxError <= rounding;
    return check;
}

Result<Collective> collectiveNamed(std::string_view name) {
    std::string known;
    for (const Collective collective : kCollectives) {
        if (name == collectiveName(collective)) return collective;
        known += (known.empty() ? "" : ", ") + std::string(collectiveName(collective));
    }
    return fail(fmt::format("there is no collective \"{}\"; allowed is one of {}", name, known));
}

}  // namespace lockstep
