// Drawn images: resolution matters. Half of the kinds differ from another only in detail that 8 px cannot hold, so a
// small network that learns from the same scenes is right more often at 32 px. The margin is half of what is seen (0.85
// against 0.99) and seven times what chance gives: 1,500 test images leave a deviation of 0.01.
#include <QTest>

#include "data/shapes.h"
#include "train/training_engine.h"

using namespace lockstep;

namespace {

double accuracyAt(int resolutionPx) {
    const TrainTest data = makeShapes({.resolutionPx = resolutionPx, .train = 4000, .test = 1500}).value();
    Experiment experiment;
    experiment.cluster.architecture = Architecture::SingleNode;
    experiment.training.model = "cnn";
    experiment.training.resolutionPx = resolutionPx;
    experiment.training.epochs = 4;
    ThreadPool pool(2);
    auto engine = TrainingEngine::make(experiment, data, pool).value();
    while (!engine->finished())
        if (engine->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    Snapshot snapshot;
    engine->test(snapshot, true, {});
    return snapshot.testAccuracy;
}

}  // namespace

class TestShapesResolution : public QObject {
    Q_OBJECT
private slots:
    void finerImagesAreLearntBetter() {
        const double coarse = accuracyAt(8), fine = accuracyAt(32);
        qInfo("%.3f at 8 px, %.3f at 32 px", coarse, fine);
        QVERIFY(fine > coarse + 0.07);
    }
};

QTEST_GUILESS_MAIN(TestShapesResolution)
#include "test_shapes_resolution.moc"
