#include "data/shapes.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

#include "base/random.h"
#include "base/thread_pool.h"
#include "data/pixel_memory.h"
#include "data/shape_figures.h"

namespace lockstep {
namespace {

using figures::Point;

constexpr int kSmallestPx = 8, kLargestPx = 64, kSamplesASide = 56;
/// How far figures vary. Chosen so that a linear classifier is right about seven times in ten.
constexpr double kSmallestRadius = 0.27, kLargestRadius = 0.42, kPlay = 0.1, kLargestTurn = 0.45;
constexpr double kReach = 1.15;  ///< of the farthest figure's corners, in radii
constexpr std::size_t kImagesPerTask = 64;
constexpr std::uint32_t kFirstTestIndex = 1U << 31;
constexpr std::array<const char*, 10> kKinds{"disc", "ring",  "square",   "frame",   "triangle",
                                             "star", "cross", "crescent", "stripes", "checks"};

/// A line of finite width across the image, in image coordinates 0..1.
struct Stroke {
    Point through, normal;
    double halfWidth, brightness;
};

/// Everything random about an image.
struct Scene {
    std::uint8_t kind;
    Point center;
    double radius, scale;  ///< of the circle around the figure, image side 1; and 1 / radius
    double cosine, sine;   ///< of its turn
    double variation;      ///< 0..1, of what the kind leaves open
    double figureBrightness;
    double background;  ///< at the image's middle
    Point slope;        ///< of the background
    int strokeCount;
    std::array<Stroke, 2> strokes;
};

double between(double low, double high, RandomStream& stream) { return low + (high - low) * stream.nextDouble(); }

/// Uniform on the circle, by rejection: no platform's sine takes part.
Point randomDirection(RandomStream& stream) {
    while (true) {
        const Point p{between(-1, 1, stream), between(-1, 1, stream)};
        const double square = p.x * p.x + p.y * p.y;
        if (square > 1 || square < 1e-4) continue;
        const double length = std::sqrt(square);
        return {p.x / length, p.y / length};
    }
}

/// Turned by up to `largestTangent` either way.
void turn(Scene& scene, double largestTangent, RandomStream& stream) {
    const double tangent = between(-largestTangent, largestTangent, stream);
    scene.cosine = 1 / std::sqrt(1 + tangent * tangent);
    scene.sine = tangent * scene.cosine;
}

Stroke randomStroke(RandomStream& stream) {
    Stroke stroke{};
    stroke.through = {between(0, 1, stream), between(0, 1, stream)};
    stroke.normal = randomDirection(stream);
    stroke.halfWidth = between(0.008, 0.02, stream);
    stroke.brightness = between(0.2, 0.7, stream);
    return stroke;
}

Scene randomScene(RandomStream& stream) {
    Scene scene{};
    scene.kind = static_cast<std::uint8_t>(stream.nextBelow(static_cast<std::uint32_t>(kKinds.size())));
    scene.radius = between(kSmallestRadius, kLargestRadius, stream);
    scene.scale = 1 / scene.radius;
    scene.center = {between(0.5 - kPlay, 0.5 + kPlay, stream), between(0.5 - kPlay, 0.5 + kPlay, stream)};
    turn(scene, kLargestTurn, stream);
    scene.variation = stream.nextDouble();
    scene.figureBrightness = between(0.55, 1.0, stream);
    scene.background = between(0.0, 0.3, stream);
    scene.slope = {between(-0.2, 0.2, stream), between(-0.2, 0.2, stream)};
    scene.strokeCount = static_cast<int>(stream.nextBelow(3));
    for (Stroke& stroke : scene.strokes) stroke = randomStroke(stream);
    return scene;
}

double blend(double under, double over, double share) { return under + (over - under) * share; }

/// Share of a square of side `side` around `p` inside the figure, averaged over samples x samples smaller squares, each
/// judged by its distance to the edge. Distances change by at most as much as one moves, so squares clear of the edge
/// need only their middle.
template <class Figure>
double figureShare(const Scene& scene, Point p, double side, int samples, Figure&& figure) {
    const auto distance = [&](Point at) {
        const Point off{at.x - scene.center.x, at.y - scene.center.y};
        const Point own{(off.x * scene.cosine + off.y * scene.sine) * scene.scale,
                        (off.y * scene.cosine - off.x * scene.sine) * scene.scale};
        return figure(own, scene.variation) * scene.radius;
    };
    const double middle = distance(p), clear = 1.25 * side;
    if (std::abs(middle) >= clear) return middle < 0 ? 1 : 0;
    const double sampleSide = side / samples;
    double sum = 0;
    for (int v = 0; v < samples; ++v)
        for (int u = 0; u < samples; ++u) {
            const Point at{p.x + (u + 0.5) * sampleSide - 0.5 * side, p.y + (v + 0.5) * sampleSide - 0.5 * side};
            sum += std::clamp(0.5 - distance(at) / sampleSide, 0.0, 1.0);
        }
    return sum / (samples * samples);
}

/// The same for a stroke, as if it ran along a side of the square.
double strokeShare(const Stroke& stroke, Point p, double side) {
    const double off = (p.x - stroke.through.x) * stroke.normal.x + (p.y - stroke.through.y) * stroke.normal.y;
    const double low = std::max(off - stroke.halfWidth, -0.5 * side),
                 high = std::min(off + stroke.halfWidth, 0.5 * side);
    return std::max(0.0, high - low) / side;
}

template <class Figure>
void draw(const Scene& scene, int sidePx, std::uint8_t* pixels, Figure&& figure) {
    const int samples = std::max(1, (kSamplesASide + sidePx / 2) / sidePx);
    const double side = 1.0 / sidePx, reach = kReach * scene.radius + side;
    for (int y = 0; y < sidePx; ++y)
        for (int x = 0; x < sidePx; ++x) {
            const Point p{(x + 0.5) * side, (y + 0.5) * side};
            double value = scene.background + scene.slope.x * (p.x - 0.5) + scene.slope.y * (p.y - 0.5);
            const bool near = std::abs(p.x - scene.center.x) < reach && std::abs(p.y - scene.center.y) < reach;
            if (near) value = blend(value, scene.figureBrightness, figureShare(scene, p, side, samples, figure));
            for (int i = 0; i < scene.strokeCount; ++i) {
                const Stroke& stroke = scene.strokes[static_cast<std::size_t>(i)];
                value = blend(value, stroke.brightness, strokeShare(stroke, p, side));
            }
            *pixels++ = static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
        }
}

void drawScene(const Scene& scene, int sidePx, std::uint8_t* pixels) {
    const auto drawn = [&](auto figure) { draw(scene, sidePx, pixels, figure); };
    switch (scene.kind) {
        case 0:
            return drawn([](Point p, double v) { return figures::disc(p, v); });
        case 1:
            return drawn([](Point p, double v) { return figures::ring(p, v); });
        case 2:
            return drawn([](Point p, double v) { return figures::square(p, v); });
        case 3:
            return drawn([](Point p, double v) { return figures::frame(p, v); });
        case 4:
            return drawn([](Point p, double v) { return figures::triangle(p, v); });
        case 5:
            return drawn([](Point p, double v) { return figures::star(p, v); });
        case 6:
            return drawn([](Point p, double v) { return figures::cross(p, v); });
        case 7:
            return drawn([](Point p, double v) { return figures::crescent(p, v); });
        case 8:
            return drawn([](Point p, double v) { return figures::stripes(p, v); });
        default:
            return drawn([](Point p, double v) { return figures::checks(p, v); });
    }
}

Result<ImageSet> drawSet(const ShapesSettings& settings, std::size_t count, std::uint32_t firstIndex,
                         const std::string& name, ThreadPool* pool, const std::stop_token& stop) {
    const std::size_t bytes =
        static_cast<std::size_t>(settings.resolutionPx) * static_cast<std::size_t>(settings.resolutionPx);
    ImageSetContent content{.name = name,
                            .source = fmt::format("drawn by this program, seed {}", settings.seed),
                            .height = settings.resolutionPx,
                            .width = settings.resolutionPx,
                            .classNames = {kKinds.begin(), kKinds.end()}};
    if (!takePixelMemory(content.pixels, count * bytes, stop)) return fail("stopped");
    content.labels.resize(count);
    const auto work = [&](std::size_t task, int) {
        if (stop.stop_requested()) return;
        const std::size_t end = std::min(count, (task + 1) * kImagesPerTask);
        for (std::size_t i = task * kImagesPerTask; i < end; ++i) {
            RandomStream stream(settings.seed, RandomPurpose::Images, firstIndex + static_cast<std::uint32_t>(i));
            const Scene scene = randomScene(stream);
            content.labels[i] = scene.kind;
            drawScene(scene, settings.resolutionPx, content.pixels.data() + i * bytes);
        }
    };
    const std::size_t tasks = (count + kImagesPerTask - 1) / kImagesPerTask;
    if (pool)
        pool->parallelFor(tasks, work);
    else
        for (std::size_t task = 0; task < tasks; ++task) work(task, 0);
    if (stop.stop_requested()) return fail("stopped");
    return ImageSet::make(std::move(content));
}

}  // namespace

Result<TrainTest> makeShapes(const ShapesSettings& settings, ThreadPool* pool, std::stop_token stop) {
    assert(settings.resolutionPx >= kSmallestPx && settings.resolutionPx <= kLargestPx);
    Result<ImageSet> train = drawSet(settings, settings.train, 0, "Shapes, training", pool, stop);
    if (!train) return tl::unexpected(train.error());
    Result<ImageSet> test = drawSet(settings, settings.test, kFirstTestIndex, "Shapes, test", pool, stop);
    if (!test) return tl::unexpected(test.error());
    return TrainTest{std::move(*train), std::move(*test)};
}

}  // namespace lockstep
