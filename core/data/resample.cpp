#include "data/resample.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "data/pixel_memory.h"

namespace lockstep {
namespace {

constexpr std::size_t kImagesPerTask = 64;
constexpr int kMaxSidePx = 1024;

/// Along one axis in units of 1 / (old x new) of it, old pixel j covers [j new, (j+1) new) and new pixel i
/// [i old, (i+1) old). The overlaps of one new pixel add up to `old`.
struct Overlap {
    std::uint32_t first;                 ///< old pixel
    std::vector<std::uint32_t> weights;  ///< of first, first + 1, ...
};

std::vector<Overlap> overlaps(std::uint32_t oldSize, std::uint32_t newSize) {
    std::vector<Overlap> result;
    for (std::uint32_t i = 0; i < newSize; ++i) {
        const std::uint32_t begin = i * oldSize, end = begin + oldSize;
        Overlap overlap{begin / newSize, {}};
        for (std::uint32_t j = overlap.first; j * newSize < end; ++j)
            overlap.weights.push_back(std::min((j + 1) * newSize, end) - std::max(j * newSize, begin));
        result.push_back(std::move(overlap));
    }
    return result;
}

class Resampler {
public:
    Resampler(std::uint32_t height, std::uint32_t width, std::uint32_t channels, std::uint32_t side)
        : m_width(width),
          m_channels(channels),
          m_area(height * width),
          m_rows(overlaps(height, side)),
          m_columns(overlaps(width, side)) {}

    /// `rowSum` is scratch. Sums stay below 1024 x 1024 x 255 and so fit.
    void run(const std::uint8_t* from, std::uint8_t* to, std::vector<std::uint32_t>& rowSum) const {
        const std::size_t rowValues = std::size_t{m_width} * m_channels;
        rowSum.resize(rowValues);
        for (const Overlap& row : m_rows) {
            std::fill(rowSum.begin(), rowSum.end(), 0U);
            for (std::size_t k = 0; k < row.weights.size(); ++k) {
                const std::uint8_t* values = from + (row.first + k) * rowValues;
                for (std::size_t x = 0; x < rowValues; ++x) rowSum[x] += row.weights[k] * values[x];
            }
            for (const Overlap& column : m_columns)
                for (std::uint32_t channel = 0; channel < m_channels; ++channel)
                    *to++ = meanOf(column, rowSum.data() + channel);
        }
    }

private:
    [[nodiscard]] std::uint8_t meanOf(const Overlap& column, const std::uint32_t* rowSum) const {
        std::uint32_t sum = m_area / 2;
        for (std::size_t k = 0; k < column.weights.size(); ++k)
            sum += column.weights[k] * rowSum[(column.first + k) * m_channels];
        return static_cast<std::uint8_t>(sum / m_area);
    }

    std::uint32_t m_width, m_channels, m_area;
    std::vector<Overlap> m_rows, m_columns;
};

}  // namespace

ImageSet resampleArea(const ImageSet& images, int sidePx, ThreadPool* pool, const std::stop_token& stop) {
    assert(sidePx >= 1 && sidePx <= kMaxSidePx);
    if (images.height() == sidePx && images.width() == sidePx) return images;
    ImageSetContent content{.name = images.name(),
                            .source = images.source(),
                            .height = sidePx,
                            .width = sidePx,
                            .channels = images.channels(),
                            .mirrors = images.mirrors(),
                            .classNames = images.classNames(),
                            .labels = {images.labels().begin(), images.labels().end()}};
    const std::size_t newBytes = static_cast<std::size_t>(sidePx) * static_cast<std::size_t>(sidePx) *
                                 static_cast<std::size_t>(images.channels());
    if (!takePixelMemory(content.pixels, newBytes * images.size(), stop)) return images;
    const Resampler resampler(static_cast<std::uint32_t>(images.height()), static_cast<std::uint32_t>(images.width()),
                              static_cast<std::uint32_t>(images.channels()), static_cast<std::uint32_t>(sidePx));
    const auto work = [&](std::size_t task, int) {
        if (stop.stop_requested()) return;
        std::vector<std::uint32_t> scratch;
        const std::size_t end = std::min(images.size(), (task + 1) * kImagesPerTask);
        for (std::size_t i = task * kImagesPerTask; i < end; ++i)
            resampler.run(images.image(i).data(), content.pixels.data() + i * newBytes, scratch);
    };
    const std::size_t tasks = (images.size() + kImagesPerTask - 1) / kImagesPerTask;
    if (pool)
        pool->parallelFor(tasks, work);
    else
        for (std::size_t task = 0; task < tasks; ++task) work(task, 0);
    if (stop.stop_requested()) return images;
    Result<ImageSet> result = ImageSet::make(std::move(content));
    assert(result);
    return *result;
}

}  // namespace lockstep
