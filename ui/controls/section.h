#pragma once

#include <QWidget>

class QVBoxLayout;
class QToolButton;

namespace lockstep::ui {

class Theme;

/// A titled group of settings with a hairline above. A collapsible one has a button for its title.
class Section : public QWidget {
    Q_OBJECT
public:
    enum class Kind { Fixed, Collapsible };
    Section(Theme& theme, const QString& title, Kind kind, QWidget* parent = nullptr);

    void add(QWidget* widget);
    void setExpanded(bool expanded);
    [[nodiscard]] bool isExpanded() const;
    /// The one without a hairline above.
    void setFirst() { m_first = true; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void restyle();

    Theme& m_theme;
    bool m_first = false;
    QToolButton* m_button = nullptr;
    QWidget* m_content;
    QVBoxLayout *m_outer, *m_inner;
};

}  // namespace lockstep::ui
