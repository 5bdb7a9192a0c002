#include "data/shapes.h"

#include <fmt/format.h>

#include <array>
#include <cassert>

#include "base/random.h"
#include "base/thread_pool.h"
#include "data/shape_figures.h"

namespace lockstep {
namespace {

using figures::Point;

constexpr int kSmallestPx = 8, kLargestPx = 64, kSamplesASide = 56;
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
    double radius;        ///< of the circle around the figure; image side 1
    double cosine, sine;  ///< of its turn
    double variation;     ///< 0..1, of what the kind leaves open
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
    scene.radius = between(0.3, 0.42, stream);
    const double play = 0.08;
    scene.center = {between(0.5 - play, 0.5 + play, stream), between(0.5 - play, 0.5 + play, stream)};
    turn(scene, 0.35, stream);
    scene.variation = stream.nextDouble();
    scene.figureBrightness = between(0.55, 1.0, stream);
    scene.background = between(0.0, 0.3, stream);
    scene.slope = {between(-0.2, 0.2, stream), between(-0.2, 0.2, stream)};
    scene.strokeCount = static_cast<int>(stream.nextBelow(3));
    for (Stroke& stroke : scene.strokes) stroke = randomStroke(stream);
    return scene;
}

double coverage(double distance, double sampleSide) { return std::clamp(0.5 - distance / sampleSide, 0.0, 1.0); }

double blend(double under, double over, double share) { return under + (over - under) * share; }

/// Brightness at a sample, averaged over its own small square by the distances to the edges.
template <class Figure>
double brightnessAt(const Scene& scene, Point p, double sampleSide, Figure&& figure) {
    double value = scene.background + scene.slope.x * (p.x - 0.5) + scene.slope.y * (p.y - 0.5);
    const Point off{p.x - scene.center.x, p.y - scene.center.y};
    const Point own{(off.x * scene.cosine + off.y * scene.sine) / scene.radius,
                    (off.y * scene.cosine - off.x * scene.sine) / scene.radius};
    value = blend(value, scene.figureBrightness, coverage(figure(own, scene.variation) * scene.radius, sampleSide));
    for (int i = 0; i < scene.strokeCount; ++i) {
        const Stroke& stroke = scene.strokes[static_cast<std::size_t>(i)];
        const double along = (p.x - stroke.through.x) * stroke.normal.x + (p.y - stroke.through.y) * stroke.normal.y;
        value = blend(value, stroke.brightness, coverage(std::abs(along) - stroke.halfWidth, sampleSide));
    }
    return std::clamp(value, 0.0, 1.0);
}

/// The sample grid is as near to kSamplesASide as whole samples a pixel allow.
template <class Figure>
void draw(const Scene& scene, int sidePx, std::uint8_t* pixels, Figure&& figure) {
    const int samples = std::max(1, (kSamplesASide + sidePx / 2) / sidePx);
    const double sampleSide = 1.0 / (sidePx * samples);
    for (int y = 0; y < sidePx; ++y)
        for (int x = 0; x < sidePx; ++x) {
            double sum = 0;
            for (int v = 0; v < samples; ++v)
                for (int u = 0; u < samples; ++u) {
                    const Point p{(x * samples + u + 0.5) * sampleSide, (y * samples + v + 0.5) * sampleSide};
                    sum += brightnessAt(scene, p, sampleSide, figure);
                }
            *pixels++ = static_cast<std::uint8_t>(sum / (samples * samples) * 255 + 0.5);
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
    content.pixels.resize(count * bytes);
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
