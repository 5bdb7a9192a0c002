#include "quiz/answer_notes.h"

#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "quiz/flow_layout.h"
#include "quiz/glyph.h"
#include "quiz/text_block.h"
#include "theme/theme.h"

namespace lockstep::ui {
namespace {

void setTextOrHide(TextBlock* block, const QString& text) {
    block->setText(text);
    block->setVisible(!text.isEmpty());
}

}  // namespace

AnswerNotes::AnswerNotes(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_layout(new QVBoxLayout(this)) {
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_verdict = addText("verdict");
    m_noteTitle = addText("noteTitle");
    m_note = addText("note");
    m_explanationTitle = addText("explanationTitle");
    m_explanation = addText("explanation");
    m_nuanceTitle = addText("nuanceTitle");
    m_nuance = addText("nuance");
    m_showMe = new QPushButton(tr("Show me"), this);
    m_showMe->setProperty("role", "primary");
    m_showMe->setAccessibleDescription(tr("Opens the experiment behind this question."));
    connect(m_showMe, &QPushButton::clicked, this, [this] { emit sceneRequested(m_scene); });
    m_layout->addWidget(m_showMe);
    m_siblingsTitle = addText("siblingsTitle");
    m_siblings = new QWidget(this);
    m_siblingsFlow = new FlowLayout(m_siblings);
    m_layout->addWidget(m_siblings);
    connect(&theme, &Theme::themeChanged, this, &AnswerNotes::restyle);
    restyle();
}

TextBlock* AnswerNotes::addText(const char* name) {
    auto* block = new TextBlock(this);
    block->setObjectName(QLatin1String(name));
    m_layout->addWidget(block);
    return block;
}

QString AnswerNotes::noteText() const { return m_note->text(); }
QString AnswerNotes::explanationText() const { return m_explanation->text(); }

void AnswerNotes::showNotes(const ShownQuestion& question, const ShownAnswer& answer, int inspected) {
    showVerdict(question, answer);
    // The note of the right option may say just what the explanation says: once is enough.
    const QString note = inspected >= 0 ? question.options[static_cast<size_t>(inspected)].note : QString();
    const bool hasNote = !note.isEmpty() && note != question.explanation;
    setTextOrHide(m_noteTitle, hasNote ? tr("About option %1").arg(inspected + 1) : QString());
    setTextOrHide(m_note, hasNote ? note : QString());
    setTextOrHide(m_explanationTitle, question.explanation.isEmpty() ? QString() : tr("Why"));
    setTextOrHide(m_explanation, question.explanation);
    setTextOrHide(m_nuanceTitle, question.nuance.isEmpty() ? QString() : tr("Exactly true"));
    setTextOrHide(m_nuance, question.nuance);
    m_scene = question.scene;
    m_showMe->setVisible(!m_scene.isEmpty());
    showSiblings(question);
    restyle();
}

void AnswerNotes::showVerdict(const ShownQuestion& question, const ShownAnswer& answer) {
    int rightNumber = 0;
    for (size_t i = 0; i < question.options.size(); ++i)
        if (question.options[i].right) rightNumber = static_cast<int>(i) + 1;
    m_right = answer.chosen >= 0 && question.options[static_cast<size_t>(answer.chosen)].right;
    if (answer.chosen < 0) {
        m_verdictGlyph.clear();
        m_verdict->setText(tr("The answer is %1.").arg(rightNumber));
    } else if (m_right) {
        m_verdictGlyph = QStringLiteral("check");
        m_verdict->setText(answer.guessed ? tr("Right, and guessed.") : tr("Right."));
    } else {
        m_verdictGlyph = QStringLiteral("cross");
        m_verdict->setText(tr("Not %1: the answer is %2.").arg(answer.chosen + 1).arg(rightNumber));
    }
}

void AnswerNotes::showSiblings(const ShownQuestion& question) {
    while (QLayoutItem* item = m_siblingsFlow->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const int number : question.siblings) {
        auto* link = new QToolButton(m_siblings);
        link->setText(tr("Question %1").arg(number));
        link->setFocusPolicy(Qt::StrongFocus);
        connect(link, &QToolButton::clicked, this, [this, number] { emit questionRequested(number); });
        m_siblingsFlow->addWidget(link);
        link->show();
    }
    m_siblings->setVisible(!question.siblings.empty());
    setTextOrHide(m_siblingsTitle, question.siblings.empty() ? QString() : tr("Asks nearly the same"));
}

void AnswerNotes::restyle() {
    const Metrics& m = m_theme.metrics();
    const Colours& c = m_theme.colours();
    QFont caption = m.small;
    caption.setWeight(QFont::DemiBold);
    const QColor verdict = m_verdictGlyph.isEmpty() ? c.text : m_right ? c.good : c.warning;
    m_verdict->setLook(m.strong, verdict);
    m_verdict->setIndentPx(m_verdictGlyph.isEmpty() ? 0 : m.px(22));
    for (TextBlock* title : {m_noteTitle, m_explanationTitle, m_nuanceTitle, m_siblingsTitle})
        title->setLook(caption, c.mutedText);
    for (TextBlock* text : {m_note, m_explanation, m_nuance}) text->setLook(m.body, c.text);
    m_layout->setSpacing(m.px(3));
    for (TextBlock* title : {m_noteTitle, m_explanationTitle, m_nuanceTitle, m_siblingsTitle})
        title->setSpaceAbovePx(m.px(7));
    m_siblingsFlow->setGapPx(m.px(6));
    update();
}

void AnswerNotes::paintEvent(QPaintEvent*) {
    if (m_verdictGlyph.isEmpty()) return;
    const Metrics& m = m_theme.metrics();
    QPainter painter(this);
    const int size = m.px(16);
    const int lineHeight = QFontMetrics(m.strong).height();
    const QRectF area(m_verdict->x(), m_verdict->y() + (lineHeight - size) / 2.0 + 1, size, size);
    paintGlyph(painter, area, m_verdictGlyph, m_right ? m_theme.colours().good : m_theme.colours().warning);
}

}  // namespace lockstep::ui
