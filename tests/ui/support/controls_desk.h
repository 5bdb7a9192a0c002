#pragma once

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <memory>

#include "controls/controls_panel.h"
#include "controls/section.h"
#include "controls/setting_choice.h"
#include "controls/setting_slider.h"
#include "experiment/experiment_json.h"
#include "experiment_store.h"
#include "theme/theme.h"
#include "widgets/choice_box.h"

namespace lockstep::test {

/// The controls over a store, every section unfolded, and what they announce. Driven by key and mouse events.
struct ControlsDesk {
    explicit ControlsDesk(const Experiment& experiment = {}) {
        theme.applyTo(*qApp);
        if (!store.start(experiment)) qFatal("the experiment is refused");
        panel = std::make_unique<ui::ControlsPanel>(theme, store);
        for (ui::Section* section : panel->findChildren<ui::Section*>()) section->setExpanded(true);
        panel->resize(320, 1500);
        panel->show();
        QObject::connect(panel.get(), &ui::ControlsPanel::noticeRaised, panel.get(),
                         [this](const QString& line) { notices << line; });
        QObject::connect(&store, &ui::ExperimentStore::refused, panel.get(),
                         [this](const QString& line) { refusals << line; });
        QCoreApplication::processEvents();
    }

    [[nodiscard]] QWidget* control(const QString& key) const { return panel->findChild<QWidget*>(key); }
    [[nodiscard]] ui::SettingSlider* setting(const QString& key) const {
        return panel->findChild<ui::SettingSlider*>(key);
    }
    [[nodiscard]] ui::ValueSlider* slider(const QString& key) const { return setting(key)->slider(); }
    [[nodiscard]] ui::ChoiceBox* choices(const QString& key) const {
        return panel->findChild<ui::SettingChoice*>(key)->box();
    }
    [[nodiscard]] nlohmann::json value(const QString& key) const {
        return valueOfKey(store.experiment(), key.toStdString());
    }
    /// Where a value lies on its slider's groove, which keeps 7 px to each end for the handle.
    [[nodiscard]] QPoint placeOf(const QString& key, double number) const {
        const ui::ValueSlider& on = *slider(key);
        return {static_cast<int>(std::lround(7 + on.scale().positionOf(number) * (on.width() - 14))), on.height() / 2};
    }
    void drag(const QString& key, const std::vector<double>& over, int offPx = 0) const {
        QTest::mousePress(slider(key), Qt::LeftButton, {}, placeOf(key, over.front()) + QPoint(offPx, 0));
        for (const double number : over) QTest::mouseMove(slider(key), placeOf(key, number) + QPoint(offPx, 0));
        QTest::mouseRelease(slider(key), Qt::LeftButton, {}, placeOf(key, over.back()) + QPoint(offPx, 0));
    }
    /// As a person types: over what was there, ended by Enter.
    void type(const QString& key, const QString& text) const {
        ui::QuantityBox* box = setting(key)->box();
        box->setFocus();
        QTest::keyClick(box, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClicks(box, text);
        QTest::keyClick(box, Qt::Key_Return);
    }
    /// What a person can use now: the widgets that take keys, visible and enabled.
    template <class Widget>
    [[nodiscard]] std::vector<Widget*> usable(const QString& key) const {
        std::vector<Widget*> found;
        for (Widget* widget : control(key)->findChildren<Widget*>())
            if (widget->isVisible() && widget->isEnabled()) found.push_back(widget);
        return found;
    }

    ui::Theme theme;
    ui::ExperimentStore store{*loadBuiltinCatalogue()};
    std::unique_ptr<ui::ControlsPanel> panel;
    QStringList notices, refusals;
};

}  // namespace lockstep::test
