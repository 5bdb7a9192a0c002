#pragma once

#include <QWidget>

class QAbstractButton;
class QLabel;

namespace lockstep::ui {

class Playback;
class Theme;

/// Step back, play or pause, step on, and how slowly it plays.
class PlaybackBar : public QWidget {
    Q_OBJECT
public:
    PlaybackBar(Theme& theme, Playback& playback, QWidget* parent = nullptr);

private:
    void restyle();
    void follow();

    Theme& m_theme;
    Playback& m_playback;
    QAbstractButton *m_back, *m_play, *m_on;
    QLabel* m_pace;
};

}  // namespace lockstep::ui
