#include "window/shots.h"

#include <QAction>
#include <QDir>
#include <QKeyEvent>
#include <QPixmap>

#include "charts/charts_panel.h"
#include "controls/section.h"
#include "experiment_store.h"
#include "quiz/quiz_dock.h"
#include "run_controller.h"
#include "stage/playback.h"
#include "stage/stage_panel.h"
#include "theme/theme.h"
#include "window/main_window.h"
#include "window/notice_bar.h"
#include "window/window_actions.h"
#include "window/window_script.h"

namespace lockstep::ui {
namespace {

constexpr QSize kUsual{1440, 900}, kSmall{1280, 720}, kLarge{1920, 1080};
constexpr long long kStepsShown = 120;
constexpr int kPatience_ms = 90'000;

/// The states to be photographed, one after another.
class Photographer {
public:
    Photographer(WindowScript& script, MainWindow& window, Theme& theme, const QString& folder)
        : m_script(script), m_window(window), m_theme(theme), m_folder(folder) {}

    void looks();
    void experiments();
    void settings();
    void quiz();
    void presenting();

private:
    using Act = std::function<void()>;
    using Condition = std::function<bool()>;

    void shoot(const QString& name, const Act& act, const Condition& until = {}, double pixelRatio = 1) {
        m_script.add({name, act, until, kPatience_ms, [this, name, pixelRatio] { save(name, pixelRatio); }});
    }
    void act(const Act& act, const Condition& until = {}) {
        m_script.add({QStringLiteral("set up"), act, until, kPatience_ms});
    }

    void save(const QString& name, double pixelRatio) const {
        QPixmap picture(m_window.size() * pixelRatio);
        picture.setDevicePixelRatio(pixelRatio);
        m_window.render(&picture);
        if (!picture.save(QDir(m_folder).filePath(name + QStringLiteral(".png"))))
            qWarning("%s: cannot be written in %s", qPrintable(name), qPrintable(m_folder));
    }
    void open(const char* preset) {
        m_window.loadPreset(QString::fromLatin1(preset));
        m_window.run().run();
    }
    [[nodiscard]] Condition trained(long long steps) const {
        return [this, steps] {
            const auto latest = m_window.run().latest();
            return latest && m_window.run().isCurrent() && (latest->step >= steps || m_window.run().result());
        };
    }
    void press(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        m_window.quiz()->handleKey(&event);
    }

    WindowScript& m_script;
    MainWindow& m_window;
    Theme& m_theme;
    QString m_folder;
};

void Photographer::looks() {
    act(
        [this] {
            m_window.resize(kUsual);
            m_window.playback().pause();
            m_window.playback().setPosition(0.8 * m_window.playback().duration_s());
            if (m_window.run().state() == RunController::State::Idle) m_window.run().run();
        },
        trained(kStepsShown));
    shoot(QStringLiteral("01-light-1440x900"), [this] { m_window.run().pause(); });
    shoot(QStringLiteral("02-dark"), [this] { m_theme.setKind(ThemeKind::Dark); });
    shoot(QStringLiteral("03-high-contrast"), [this] { m_theme.setKind(ThemeKind::HighContrast); });
    shoot(QStringLiteral("04-light-1280x720"), [this] {
        m_theme.setKind(ThemeKind::Light);
        m_window.resize(kSmall);
    });
    shoot(QStringLiteral("05-light-1920x1080"), [this] { m_window.resize(kLarge); });
    shoot(
        QStringLiteral("06-light-200-percent"), [this] { m_window.resize(kUsual); }, {}, 2);
}

void Photographer::experiments() {
    act([this] { open("ring_of_eight"); }, trained(kStepsShown));
    shoot(QStringLiteral("10-ring-of-eight"),
          [this] { m_window.playback().setPosition(0.7 * m_window.playback().duration_s()); });
    act([this] { open("no_synchronization"); }, trained(kStepsShown));
    shoot(QStringLiteral("11-no-synchronization"), [] {});
    shoot(QStringLiteral("12-replicas"), [this] { m_window.stage()->setCurrentTab(1); });
    shoot(
        QStringLiteral("13-one-device"),
        [this] {
            m_window.stage()->setCurrentTab(0);
            open("one_device");
        },
        trained(20));
    shoot(
        QStringLiteral("14-fixed-cluster"), [this] { open("fixed_cluster_of_ten"); }, trained(20));
    shoot(QStringLiteral("15-1024-workers-64-servers"), [this] {
        m_window.run().pause();
        m_window.store().editTogether({{QStringLiteral("cluster.fixed_nodes"), 0},
                                       {QStringLiteral("cluster.workers"), 1024},
                                       {QStringLiteral("cluster.servers"), 64}},
                                      QStringLiteral("large"));
    });
    shoot(QStringLiteral("16-does-not-fit"), [this] {
        m_window.loadPreset(QStringLiteral("two_servers"));
        m_window.store().edit(QStringLiteral("training.batch_per_worker"), 2048);
    });
    shoot(QStringLiteral("17-notice"),
          [this] { m_window.openFile(QDir(m_folder).filePath(QStringLiteral("there-is-no-such-file.lockstep"))); });
}

void Photographer::settings() {
    const auto expand = [this](bool expanded) {
        for (Section* section : m_window.findChildren<Section*>()) section->setExpanded(expanded);
    };
    shoot(QStringLiteral("18-every-setting"), [this, expand] {
        m_window.notices()->show({});
        m_window.loadPreset(QStringLiteral("two_servers"));
        m_window.resize(kUsual.width(), 1800);
        expand(true);
    });
    act([this, expand] {
        expand(false);
        m_window.resize(kUsual);
    });
}

void Photographer::quiz() {
    act([this] {
        m_window.notices()->show({});
        m_window.loadPreset(QStringLiteral("two_servers"));
    });
    shoot(QStringLiteral("20-question"), [this] { m_window.goToQuestion(47); });
    shoot(QStringLiteral("21-answered"), [this] { press(Qt::Key_2); });
    shoot(QStringLiteral("22-topics"), [this] { m_window.quiz()->showOverview(true); });
    act([this] { m_window.quiz()->showOverview(false); });
}

void Photographer::presenting() {
    act([this] { m_window.run().run(); }, trained(20));
    shoot(QStringLiteral("30-presenting"), [this] {
        m_window.setPresenting(true);
        m_window.setWindowState(Qt::WindowNoState);  // the size is what is photographed, not the screen
        m_window.resize(kLarge);
    });
    shoot(
        QStringLiteral("31-presenting-accuracy"),
        [this] { m_window.charts()->setPresentedChart(ChartsPanel::Chart::Learning); }, trained(kStepsShown));
    shoot(QStringLiteral("32-presenting-question"), [this] { m_window.goToQuestion(50); });
    shoot(QStringLiteral("33-presenting-revealed"), [this] {
        press(Qt::Key_2);
        press(Qt::Key_A);
    });
    shoot(QStringLiteral("34-presenting-1280x720"), [this] { m_window.resize(kSmall); });
    act([this] { m_window.setPresenting(false); });
}

}  // namespace

void addShots(WindowScript& script, MainWindow& window, Theme& theme, const QString& folder) {
    const auto photographer = std::make_shared<Photographer>(script, window, theme, folder);
    // The steps refer to the photographer, who has to stay until the last of them.
    QObject::connect(&script, &QObject::destroyed, [photographer] {});
    photographer->looks();
    photographer->experiments();
    photographer->settings();
    photographer->quiz();
    photographer->presenting();
}

}  // namespace lockstep::ui
