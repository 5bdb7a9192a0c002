#pragma once

#include <QString>
#include <vector>

namespace lockstep::ui {

/// One option at its shown position.
struct ShownOption {
    QString text;
    QString note;  ///< why it is right or wrong
    bool right = false;
    bool defensible = false;  ///< not the answer, but someone may argue for it
};

/// A question as it is put on the page: options in shown order.
struct ShownQuestion {
    int number = 0;
    QString stem;
    std::vector<ShownOption> options;
    QString explanation, nuance;
    std::vector<int> siblings;  ///< numbers of questions that ask nearly the same
    QString scene;              ///< empty when there is nothing to show
};

/// What the page knows of the answer. `chosen` counts shown positions from 0; -1 for none.
struct ShownAnswer {
    int chosen = -1;
    bool revealed = false;
    bool guessed = false;
};

}  // namespace lockstep::ui
