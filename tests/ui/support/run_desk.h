#pragma once

#include <QString>
#include <QStringList>
#include <QTest>
#include <algorithm>
#include <vector>

#include "experiment_store.h"
#include "run_controller.h"
#include "ui/support/tiny_images.h"

namespace lockstep::test {

inline constexpr int kPatience_ms = 20'000;
/// Longer than the controller waits for a hand to rest before it restarts (250 ms).
inline constexpr int kLongerThanRestartDelay_ms = 350;
/// Longer than a step takes and the controller needs to see it (50 ms).
inline constexpr int kSettled_ms = 120;
/// 2^20 steps of well over 10 microseconds: does not end by itself within a test.
inline constexpr double kEndless = 131072;

inline const QString kWorkers = QStringLiteral("cluster.workers"), kRate = QStringLiteral("training.learning_rate"),
                     kBatch = QStringLiteral("training.batch_per_worker"),
                     kLink = QStringLiteral("cluster.link_bandwidth_bit_per_s");

/// System: a store and the controller that follows it, training for real on 256 tiny images. Both cores may be busy
/// with other tests, so everything is waited for.
struct RunDesk {
    explicit RunDesk(const Experiment& experiment) {
        const auto note = [this](const QString& line) { notices << line; };
        QObject::connect(&store, &ui::ExperimentStore::refused, &run, note);
        QObject::connect(&run, &ui::RunController::noticeRaised, &run, note);
        if (!store.start(experiment)) qFatal("the experiment is refused");
        QObject::connect(&run, &ui::RunController::stateChanged, &run, [this] { states.push_back(run.state()); });
    }
    bool until(ui::RunController::State state) {
        return QTest::qWaitFor([&] { return run.state() == state; }, kPatience_ms);
    }
    bool untilStep(long long step) {
        return QTest::qWaitFor([&] { return this->step() >= step; }, kPatience_ms);
    }
    bool untilWorkers(size_t workers) {
        return QTest::qWaitFor([&] { return run.latest() && run.latest()->replicas.size() == workers; }, kPatience_ms);
    }
    /// Steps taken, as last published; -1 before the first snapshot.
    [[nodiscard]] long long step() const { return run.latest() ? run.latest()->step : -1; }
    [[nodiscard]] long long timesLoaded() const {
        return std::count(states.begin(), states.end(), ui::RunController::State::Loading);
    }

    ui::ExperimentStore store{*loadBuiltinCatalogue()};
    ui::RunController run{store};
    std::vector<ui::RunController::State> states;
    QStringList notices;
};

}  // namespace lockstep::test
