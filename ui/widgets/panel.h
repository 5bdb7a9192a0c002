#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace lockstep::ui {

class Theme;
class SourceTag;

/// Where a panel's numbers come from. A number without this label is a fault.
enum class NumberSource { None, Modelled, Measured };

/// A surface with rounded corners: a title row with its source tag, and a body below.
class Panel : public QFrame {
    Q_OBJECT
public:
    Panel(Theme& theme, const QString& title, NumberSource source = NumberSource::None, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    [[nodiscard]] QString title() const;
    /// `detail` says what was measured: "measured · CNN on Fashion-MNIST".
    void setSource(NumberSource source, const QString& detail = {});
    /// Without margins and title row, for content that has its own.
    void setFlush();
    /// Where the panel's content goes.
    [[nodiscard]] QVBoxLayout* body() const { return m_body; }
    /// The title row, for buttons beside the title. Empty title: the row is hidden.
    [[nodiscard]] QHBoxLayout* titleRow() const { return m_titleRow; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    Theme& m_theme;
    QLabel* m_title;
    SourceTag* m_tag;
    QHBoxLayout* m_titleRow;
    QVBoxLayout *m_outer, *m_body;
    bool m_flush = false;
};

}  // namespace lockstep::ui
