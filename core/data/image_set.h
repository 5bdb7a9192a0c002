#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep {

/// What an ImageSet is made of.
struct ImageSetContent {
    std::string name{};                     ///< as shown: "Fashion-MNIST, training"
    std::string source{};                   ///< where it comes from: a file, a package, a generator and its seed
    int height = 0, width = 0;              ///< pixels, 1..1024
    int channels = 1;                       ///< 1 (grey) or 3 (red, green, blue)
    bool mirrors = false;                   ///< the mirror image of an image is as good an example of its class
    std::vector<std::string> classNames{};  ///< 1..256; a label is an index into it
    std::vector<std::uint8_t> pixels{};     ///< [n x height x width x channels], 0 black, 255 white
    std::vector<std::uint8_t> labels{};     ///< [n]
};

/// Labelled images of one size. Immutable; copies share the memory.
class ImageSet {
public:
    /// One line when sizes do not agree, a label has no class, or there is no image.
    [[nodiscard]] static Result<ImageSet> make(ImageSetContent content);

    [[nodiscard]] const std::string& name() const { return m_content->name; }
    [[nodiscard]] const std::string& source() const { return m_content->source; }
    [[nodiscard]] std::size_t size() const { return m_content->labels.size(); }
    [[nodiscard]] int height() const { return m_content->height; }
    [[nodiscard]] int width() const { return m_content->width; }
    [[nodiscard]] int channels() const { return m_content->channels; }
    [[nodiscard]] bool mirrors() const { return m_content->mirrors; }
    [[nodiscard]] int classes() const { return static_cast<int>(m_content->classNames.size()); }
    [[nodiscard]] const std::vector<std::string>& classNames() const { return m_content->classNames; }
    [[nodiscard]] std::size_t bytesPerImage() const;
    /// [n x height x width x channels]
    [[nodiscard]] std::span<const std::uint8_t> pixels() const { return m_content->pixels; }
    /// [height x width x channels]
    [[nodiscard]] std::span<const std::uint8_t> image(std::size_t index) const;
    [[nodiscard]] std::span<const std::uint8_t> labels() const { return m_content->labels; }

private:
    explicit ImageSet(std::shared_ptr<const ImageSetContent> content) : m_content(std::move(content)) {}
    std::shared_ptr<const ImageSetContent> m_content;
};

}  // namespace lockstep
