#pragma once

#include <QAbstractButton>

namespace lockstep::ui {

class Theme;

/// How far a topic has come. `right` counts among `answered`.
struct TopicCount {
    QString id, title;
    int total = 0, answered = 0, right = 0;
};

/// A topic with its counts and a bar: right, wrong, open. A click asks this topic only.
class TopicRow : public QAbstractButton {
    Q_OBJECT
public:
    TopicRow(Theme& theme, TopicCount topic, QWidget* parent = nullptr);

    [[nodiscard]] const TopicCount& topic() const { return m_topic; }
    /// "12 of 18 answered, 10 right"
    [[nodiscard]] static QString countText(const TopicCount& topic);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintBar(QPainter& painter, const QRectF& bar) const;

    Theme& m_theme;
    TopicCount m_topic;
};

}  // namespace lockstep::ui
