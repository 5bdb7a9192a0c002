#include "data/image_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace lockstep {
namespace {

constexpr int kMaxSidePx = 1024;
constexpr std::size_t kMaxClasses = 256;

Result<void> check(const ImageSetContent& content) {
    const auto wrong = [&](const std::string& what) { return fail(fmt::format("{}: {}", content.name, what)); };
    if (content.height < 1 || content.width < 1 || content.height > kMaxSidePx || content.width > kMaxSidePx)
        return wrong(fmt::format("images of {} x {} pixels; allowed are 1 x 1 to {} x {}", content.height,
                                 content.width, kMaxSidePx, kMaxSidePx));
    if (content.channels != 1 && content.channels != 3)
        return wrong(fmt::format("{} channels; allowed are 1 and 3", content.channels));
    if (content.classNames.empty() || content.classNames.size() > kMaxClasses)
        return wrong(fmt::format("{} classes; allowed are 1 to {}", content.classNames.size(), kMaxClasses));
    const std::size_t images = content.labels.size();
    if (images == 0) return wrong("there is no image");
    if (images > std::numeric_limits<std::uint32_t>::max())
        return wrong(fmt::format("{} images; allowed are up to 2^32 - 1", images));
    const std::size_t bytes = static_cast<std::size_t>(content.height) * static_cast<std::size_t>(content.width) *
                              static_cast<std::size_t>(content.channels) * images;
    if (content.pixels.size() != bytes)
        return wrong(
            fmt::format("{} bytes of pixels where {} labels ask for {}", content.pixels.size(), images, bytes));
    const auto high = std::find_if(content.labels.begin(), content.labels.end(),
                                   [&](std::uint8_t label) { return label >= content.classNames.size(); });
    if (high != content.labels.end())
        return wrong(fmt::format("label {} of image {}; allowed are 0 to {}", *high, high - content.labels.begin(),
                                 content.classNames.size() - 1));
    return {};
}

}  // namespace

Result<ImageSet> ImageSet::make(ImageSetContent content) {
    if (const Result<void> checked = check(content); !checked) return tl::unexpected(checked.error());
    return ImageSet(std::make_shared<const ImageSetContent>(std::move(content)));
}

std::size_t ImageSet::bytesPerImage() const {
    return static_cast<std::size_t>(height()) * static_cast<std::size_t>(width()) *
           static_cast<std::size_t>(channels());
}

std::span<const std::uint8_t> ImageSet::image(std::size_t index) const {
    return pixels().subspan(index * bytesPerImage(), bytesPerImage());
}

}  // namespace lockstep
