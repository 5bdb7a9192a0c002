// Learning-rate schedules at points whose values follow from their definitions.
#include "optim/schedule.h"

#include <QTest>
#include <cmath>

using namespace lockstep;

class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void warmUpClimbsEvenlyToTheFullRate() {
        const ScheduleSettings settings{.warmupSteps = 4, .totalSteps = 100};
        QCOMPARE(scheduleFactor(settings, 0), 0.25);
        QCOMPARE(scheduleFactor(settings, 1), 0.5);
        QCOMPARE(scheduleFactor(settings, 3), 1.0);
        QCOMPARE(scheduleFactor(settings, 4), 1.0);
        QCOMPARE(scheduleFactor(settings, 99), 1.0);
    }

    void stepFallsTwice() {
        const ScheduleSettings settings{.schedule = RateSchedule::Step, .totalSteps = 100};
        QCOMPARE(scheduleFactor(settings, 0), 1.0);
        QCOMPARE(scheduleFactor(settings, 49), 1.0);
        QCOMPARE(scheduleFactor(settings, 50), 0.1);
        QCOMPARE(scheduleFactor(settings, 74), 0.1);
        QCOMPARE(scheduleFactor(settings, 75), 0.01);
    }

    // cos(60 degrees) = 1/2 a third of the way: 0.75.
    void cosineEndsAtZeroAndCountsFromTheWarmUp() {
        const ScheduleSettings settings{.schedule = RateSchedule::Cosine, .warmupSteps = 10, .totalSteps = 100};
        QCOMPARE(scheduleFactor(settings, 10), 1.0);
        QVERIFY(std::abs(scheduleFactor(settings, 40) - 0.75) < 1e-12);
        QVERIFY(std::abs(scheduleFactor(settings, 55) - 0.5) < 1e-12);
        QVERIFY(std::abs(scheduleFactor(settings, 100)) < 1e-12);
        QVERIFY(std::abs(scheduleFactor(settings, 500)) < 1e-12);
    }

    void aRunWithoutEndKeepsItsRate() {
        QCOMPARE(scheduleFactor({.schedule = RateSchedule::Cosine, .totalSteps = 0}, 1000), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestSchedule)
#include "test_schedule.moc"
