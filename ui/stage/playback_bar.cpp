#include "stage/playback_bar.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <cmath>

#include "stage/playback.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

/// A small button with a drawn sign, so that it looks the same everywhere and follows the theme.
class SignButton : public QAbstractButton {
public:
    enum class Sign { Back, Play, Pause, On };
    SignButton(Theme& theme, Sign sign, QWidget* parent) : QAbstractButton(parent), m_theme(theme), m_sign(sign) {
        setFocusPolicy(Qt::TabFocus);
        setAttribute(Qt::WA_Hover);
    }
    void setSign(Sign sign) { m_sign = sign, update(); }
    [[nodiscard]] QSize sizeHint() const override {
        const int side = m_theme.metrics().px(24);
        return {side, side};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Colours& colours = m_theme.colours();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        if (underMouse() || isDown() || hasFocus()) {
            painter.setPen(hasFocus() ? QPen(colours.focus, 1.5) : QPen(Qt::NoPen));
            painter.setBrush(underMouse() || isDown() ? colours.accentSoft : colours.surface);
            painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(isEnabled() ? colours.accent : colours.mutedText);
        const double s = width() * 0.2;
        painter.translate(QRectF(rect()).center());
        const auto triangle = [&](double x, double direction) {
            QPainterPath path;
            path.moveTo(x - direction * s * 0.8, -s);
            path.lineTo(x - direction * s * 0.8, s);
            path.lineTo(x + direction * s * 0.9, 0);
            path.closeSubpath();
            painter.drawPath(path);
        };
        switch (m_sign) {
            case Sign::Play:
                triangle(0, 1);
                break;
            case Sign::Pause:
                painter.drawRect(QRectF(-s * 0.9, -s, s * 0.6, 2 * s));
                painter.drawRect(QRectF(s * 0.3, -s, s * 0.6, 2 * s));
                break;
            case Sign::Back:
                triangle(s * 0.2, -1);
                painter.drawRect(QRectF(-s * 1.15, -s, s * 0.4, 2 * s));
                break;
            case Sign::On:
                triangle(-s * 0.2, 1);
                painter.drawRect(QRectF(s * 0.75, -s, s * 0.4, 2 * s));
                break;
        }
    }

private:
    Theme& m_theme;
    Sign m_sign;
};

}  // namespace

PlaybackBar::PlaybackBar(Theme& theme, Playback& playback, QWidget* parent)
    : QWidget(parent),
      m_playback(playback),
      m_back(new SignButton(theme, SignButton::Sign::Back, this)),
      m_play(new SignButton(theme, SignButton::Sign::Play, this)),
      m_on(new SignButton(theme, SignButton::Sign::On, this)) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    for (QAbstractButton* button : {m_back, m_play, m_on}) layout->addWidget(button);
    m_back->setToolTip(tr("Previous phase of the iteration"));
    m_on->setToolTip(tr("Next phase of the iteration"));
    m_back->setAccessibleName(m_back->toolTip());
    m_on->setAccessibleName(m_on->toolTip());
    connect(m_back, &QAbstractButton::clicked, &playback, [&playback] { playback.stepPhase(-1); });
    connect(m_play, &QAbstractButton::clicked, &playback, [&playback] { playback.toggle(); });
    connect(m_on, &QAbstractButton::clicked, &playback, [&playback] { playback.stepPhase(+1); });
    connect(&playback, &Playback::playingChanged, this, &PlaybackBar::follow);
    connect(&theme, &Theme::themeChanged, this, &QWidget::updateGeometry);
    follow();
}

void PlaybackBar::follow() {
    const bool playing = m_playback.isPlaying();
    static_cast<SignButton*>(m_play)->setSign(playing ? SignButton::Sign::Pause : SignButton::Sign::Play);
    m_play->setToolTip(playing ? tr("Pause the picture of the iteration") : tr("Play the iteration"));
    m_play->setAccessibleName(m_play->toolTip());
}

}  // namespace lockstep::ui
