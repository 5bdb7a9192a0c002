#include "data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"

namespace lockstep {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kImagesPerTestImage = 6;

Result<ImageSet> select(const ImageSet& images, std::vector<std::uint32_t> chosen, const std::string& name) {
    std::ranges::sort(chosen);
    ImageSetContent content{.name = name,
                            .source = images.source(),
                            .height = images.height(),
                            .width = images.width(),
                            .channels = images.channels(),
                            .mirrors = images.mirrors(),
                            .classNames = images.classNames()};
    content.labels.reserve(chosen.size());
    content.pixels.reserve(chosen.size() * images.bytesPerImage());
    for (const std::uint32_t index : chosen) {
        const std::span<const std::uint8_t> image = images.image(index);
        content.labels.push_back(images.labels()[index]);
        content.pixels.insert(content.pixels.end(), image.begin(), image.end());
    }
    return ImageSet::make(std::move(content));
}

}  // namespace

Result<TrainTest> splitOffTest(const ImageSet& images, const std::string& name) {
    if (images.size() < 2)
        return fail(
            fmt::format("{}: one image cannot be both trained and tested on; allowed are 2 or more", images.source()));
    std::vector<std::uint32_t> order(images.size());
    std::iota(order.begin(), order.end(), 0U);
    RandomStream stream(kSeed, RandomPurpose::Split);
    shuffle(order, stream);
    const std::size_t tests = std::max<std::size_t>(1, images.size() / kImagesPerTestImage);
    const auto border = order.begin() + static_cast<std::ptrdiff_t>(tests);
    Result<ImageSet> test = select(images, {order.begin(), border}, name + ", test (a sixth, set aside)");
    if (!test) return tl::unexpected(test.error());
    Result<ImageSet> train = select(images, {border, order.end()}, name + ", training (five sixths)");
    if (!train) return tl::unexpected(train.error());
    return TrainTest{std::move(*train), std::move(*test)};
}

}  // namespace lockstep
