#pragma once

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "experiment_store.h"
#include "run_controller.h"
#include "theme/theme.h"
#include "window/main_window.h"
#include "window/window_settings.h"

namespace lockstep::test {

/// The whole window on the offscreen platform, with settings and quiz progress in a folder of its own.
class WindowDesk {
public:
    /// Quiet: with the default experiment, at rest, and no run until one is asked for. First: without any settings.
    enum class Start { Quiet, First };
    explicit WindowDesk(QSize size = {1440, 900}, Start start = Start::Quiet) : m_size(size) {
        if (start == Start::Quiet) {
            ui::WindowSettings settings;
            settings.runWhenOpened = false;
            settings.reducedMotion = true;
            if (!ui::saveSettings(settingsPath(), settings)) qFatal("the settings cannot be written");
        }
        open();
    }
    ~WindowDesk() { close(); }

    [[nodiscard]] QString at(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] QString settingsPath() const { return at(QStringLiteral("window.json")); }

    void open() {
        theme = std::make_unique<ui::Theme>();
        theme->applyTo(*qApp);
        window = std::make_unique<ui::MainWindow>(
            *theme, ui::WindowContent{.catalogue = *loadBuiltinCatalogue(),
                                      .bank = *loadBuiltinBank(),
                                      .presets = *loadBuiltinPresets(),
                                      .settingsPath = settingsPath(),
                                      .progressPath = at(QStringLiteral("progress.json"))});
        window->show();
        window->restore();
        if (m_size.isValid()) window->resize(std::exchange(m_size, QSize()));
        settle();
    }
    /// As a person closes it.
    void close() {
        if (window) window->close();
        window.reset();
        theme.reset();
    }
    void reopen() {
        close();
        open();
    }
    /// Layouts and posted events have come to rest.
    static void settle() {
        for (int pass = 0; pass < 6; ++pass) QCoreApplication::sendPostedEvents(), QCoreApplication::processEvents();
    }
    void resize(QSize size) const {
        window->resize(size);
        settle();
    }

    std::unique_ptr<ui::Theme> theme;
    std::unique_ptr<ui::MainWindow> window;

private:
    QTemporaryDir m_folder;
    QSize m_size;
};

}  // namespace lockstep::test
