#pragma once

#include <QtGlobal>
#include <cmath>
#include <vector>

#include "core/train/small_data.h"
#include "optim/vector_math.h"
#include "train/training_engine.h"

namespace lockstep::test {

/// What an engine has come to on the small data.
struct Trained {
    FloatVector model;
    std::vector<std::uint64_t> hashes;
    Snapshot snapshot;
    double modelledIterations = 0;
};

inline Trained train(const Experiment& experiment, long long steps = 20, int threads = 1) {
    ThreadPool pool(threads);
    auto engine = TrainingEngine::make(experiment, *smallData(), pool);
    if (!engine) qFatal("%s", engine.error().message.c_str());
    while ((*engine)->step() < steps)
        if ((*engine)->advance({}) != TrainingEngine::Advance::Stepped) qFatal("did not step");
    Trained trained{(*engine)->model(), (*engine)->replicaHashes(), {}, (*engine)->modelledIterations()};
    (*engine)->takeProgress(trained.snapshot);
    (*engine)->measureDivergence(trained.snapshot, {});
    (*engine)->test(trained.snapshot, true, {});
    return trained;
}

inline double relativeDistance(const Trained& a, const Trained& b) {
    return std::sqrt(squaredDistance(a.model, b.model) / squaredNorm(b.model));
}

}  // namespace lockstep::test
