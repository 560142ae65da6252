// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include <QLineEdit>
#include <QPlainTextEdit>

#include "tests/app/console/stuck_dialog.h"

// drafts_child FOLDER DATABASE OPERATION TEXT: a window in which somebody types TEXT into the dialog of an operation on
// the first stuck key, or into the one that arms the connection, and then does nothing. It ends by being killed.

using namespace fencepost;

namespace {

// The plan's request id; empty: there was no dialog.
std::string typeIntoPlan(app::StuckDialog& window, const char* operation, const QString& text)
{
    auto* dialog = window.open(operation);
    if (!dialog || !testing::eventually([dialog] { return dialog->plan().has_value(); }))
        return {};
    auto* field = dialog->form().findChild<QPlainTextEdit*>();
    field->selectAll();
    QTest::keyClicks(field, text);
    return dialog->plan()->requestId;
}

std::string typeIntoArming(app::StuckDialog& window, const QString& text)
{
    auto* dialog = window.openArming();
    if (!dialog)
        return {};
    QTest::keyClicks(dialog->findChild<QLineEdit*>(), text);
    return "arm";
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 5)
        return 2;
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    app::StuckDialog window(QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
    const auto typed = QString::fromLocal8Bit(argv[4]);
    const auto told =
        std::string_view(argv[3]) == "arm" ? typeIntoArming(window, typed) : typeIntoPlan(window, argv[3], typed);
    if (told.empty())
        return 1;
    std::printf("%s\n", told.c_str());
    std::fflush(stdout);
    return QApplication::exec();
}
