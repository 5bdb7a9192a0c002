#include <QApplication>

#include "theme/theme.h"

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    lockstep::ui::Theme theme;
    theme.applyTo(application);
    return QApplication::exec();
}
