#pragma once

#include <QWidget>

namespace lockstep::ui {

class Theme;

/// A number over its caption, right-aligned, digits in equal cells so that a changing value does not tremble.
class StatTile : public QWidget {
    Q_OBJECT
public:
    StatTile(Theme& theme, const QString& caption, QWidget* parent = nullptr);

    void setCaption(const QString& caption);
    void setValue(const QString& value);
    [[nodiscard]] QString value() const { return m_value; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describe();

    Theme& m_theme;
    QString m_caption, m_value;
    mutable int m_widestPx = 0;  ///< grows with the values shown, never shrinks
    mutable double m_widestScale = 0;
};

}  // namespace lockstep::ui
