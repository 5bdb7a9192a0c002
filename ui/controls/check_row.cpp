#include "controls/check_row.h"

#include <QCheckBox>
#include <QHBoxLayout>

#include "controls/help_texts.h"
#include "theme/theme.h"
#include "widgets/help_button.h"

namespace lockstep::ui {

void layOutCheckRow(QWidget& row, Theme& theme, QCheckBox& box, const QString& key) {
    row.setObjectName(key);
    auto* help = new HelpButton(theme, helpFor(key), &row);
    auto* layout = new QHBoxLayout(&row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(theme.metrics().px(6));
    layout->addWidget(&box);
    layout->addWidget(help);
    layout->addStretch(1);
    box.setAccessibleDescription(help->content().text);
}

}  // namespace lockstep::ui
