// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include <QPlainTextEdit>

#include "tests/app/console/stuck_dialog.h"

// drafts_child FOLDER DATABASE OPERATION TEXT: a window in which somebody types TEXT into the dialog of an operation on
// the first stuck key, and then does nothing. It ends by being killed.

using namespace fencepost;

int main(int argc, char** argv)
{
    if (argc != 5)
        return 2;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    app::StuckDialog window(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
    auto* dialog = window.open(argv[3]);
    if (!dialog || !testing::eventually([dialog] { return dialog->plan().has_value(); }))
        return 1;
    auto* field = dialog->form().findChild<QPlainTextEdit*>();
    field->selectAll();
    QTest::keyClicks(field, QString::fromLocal8Bit(argv[4]));
    std::printf("%s\n", dialog->plan()->requestId.c_str());
    std::fflush(stdout);
    return QApplication::exec();
}
