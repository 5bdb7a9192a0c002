#pragma once

#include <QWidget>

#include "quiz/session_view.h"

class QLabel;
class QProgressBar;
class QToolButton;
class QVBoxLayout;
class QHBoxLayout;

namespace lockstep::ui {

class ChoiceBox;
class TextBlock;
class Theme;

/// Above the question: which questions are asked, where one stands among them, and the way to the overview.
class QuizHeader : public QWidget {
    Q_OBJECT
public:
    explicit QuizHeader(Theme& theme, QWidget* parent = nullptr);

    /// Rewrites the entries with their counts, and the place.
    void showSession(const SessionView& session);
    void setOverviewShown(bool shown);
    [[nodiscard]] ChoiceBox* filterBox() const { return m_filterBox; }
    [[nodiscard]] QToolButton* overviewButton() const { return m_overviewButton; }
    [[nodiscard]] QString placeText() const;

signals:
    void filterChosen(const QuizFilter& filter);
    void overviewToggled(bool shown);

private:
    void restyle();
    void showFilters(const SessionView& session);

    Theme& m_theme;
    std::vector<QuizFilter> m_filters;  ///< in the box's order
    QVBoxLayout* m_layout;
    QHBoxLayout *m_firstRow, *m_secondRow;
    ChoiceBox* m_filterBox;
    QToolButton* m_overviewButton;
    TextBlock *m_place, *m_answered;
    QProgressBar* m_progress;
};

}  // namespace lockstep::ui
