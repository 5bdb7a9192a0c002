#pragma once

#include <QWidget>

class QAbstractButton;

namespace lockstep::ui {

class Playback;
class Theme;

/// Step back, play or pause, step on.
class PlaybackBar : public QWidget {
    Q_OBJECT
public:
    PlaybackBar(Theme& theme, Playback& playback, QWidget* parent = nullptr);

private:
    void follow();

    Playback& m_playback;
    QAbstractButton *m_back, *m_play, *m_on;
};

}  // namespace lockstep::ui
