// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "resources/resources.h"
#include "tests/support/wait.h"
#include "ui/operation_words.h"
#include "ui/theme.h"
#include "ui/widgets/bindings_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/table_notes.h"

namespace fencepost::ui {
namespace {

Binding foreignTable()
{
    Binding binding;
    binding.name = "event_publication";
    binding.profile = "spring.modulith";
    binding.title = "Spring Modulith";
    binding.reasons = { "it has the six columns of the profile" };
    binding.warnings = { "row-level security is in force for this role: rows may be hidden" };
    binding.mayHideRows = true;
    binding.notes = { "the staleness monitor is off by default" };
    binding.capabilities = {
        { .verb = "expire", .why = "deleting the row can charge twice" },
        { .verb = "replay", .external = { "java", "-jar", "app.jar", "--resubmit", "it's due" } },
        { .verb = "note", .allowed = true },
    };
    return binding;
}

QString wordsOf(const QWidget& widget)
{
    QStringList words;
    for (const auto* label : widget.findChildren<QLabel*>())
        words += label->text();
    return words.join(u'\n');
}

class TableNotesTest : public ::testing::Test {
protected:
    void SetUp() override { loadResources(); }

    Theme theme{ Scheme::Light };
};

TEST_F(TableNotesTest, SaysWhatMustNotBeDoneAndWhatTheFrameworkDoesItself)
{
    TableNotes notes(theme, nullptr);
    notes.show(foreignTable());
    ASSERT_FALSE(notes.isHidden());
    const auto words = wordsOf(notes);
    EXPECT_TRUE(words.contains(QStringLiteral("rows may be hidden")));
    EXPECT_EQ(words.count(QStringLiteral("may be hidden")), 1) << "said once";
    EXPECT_TRUE(words.contains(QStringLiteral("The staleness monitor is off by default.")));
    EXPECT_TRUE(words.contains(QStringLiteral("Deleting the row can charge twice.")));
    const auto* command = notes.findChild<ElidedLabel*>(QStringLiteral("command"));
    ASSERT_NE(command, nullptr);
    EXPECT_EQ(command->text(), QStringLiteral("java -jar app.jar --resubmit 'it'\\''s due'"));
    QTest::mouseClick(notes.findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_EQ(QGuiApplication::clipboard()->text(), command->text());
}

TEST_F(TableNotesTest, SaysNothingOfFencepostsOwnTables)
{
    TableNotes notes(theme, nullptr);
    notes.show(foreignTable());
    auto own = foreignTable();
    own.native = true;
    own.name = "idempotency_records";
    notes.show(own);
    EXPECT_TRUE(notes.isHidden());
}

TEST_F(TableNotesTest, TheListOfTablesSaysWhyAndAsksWhereSeveralProfilesFit)
{
    BindingsView view(theme, nullptr);
    auto binding = foreignTable();
    binding.choices = { "one.profile", "another.profile" };
    view.show({ binding }, {});
    const auto words = wordsOf(view);
    EXPECT_TRUE(words.contains(QStringLiteral("It has the six columns of the profile.")));
    EXPECT_TRUE(words.contains(QStringLiteral("one.profile, another.profile")));
    ASSERT_NE(view.findChild<ElidedLabel*>(QStringLiteral("command")), nullptr);
    QSignalSpy asked(&view, &BindingsView::mapAsked);
    view.findChild<QPushButton*>(QStringLiteral("mapAmbiguous"))->click();
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(TableNotesTest, ACommandIsQuotedAsAShellTakesIt)
{
    EXPECT_EQ(commandText({ "php", "artisan", "queue:retry", "5" }), QStringLiteral("php artisan queue:retry 5"));
    EXPECT_EQ(commandText({ "x", "$(rm -rf /)", "" }), QStringLiteral("x '$(rm -rf /)' ''"));
}

} // namespace
} // namespace fencepost::ui
