// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/binding_notes.h"
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
    binding.table = binding.name;
    binding.choices = { "one.profile", "another.profile" };
    binding.warnings = { "several profiles fit equally well (one.profile, another.profile): until one is chosen it is "
                         "read through one.profile and nothing is changed" };
    view.show({ binding }, {});
    const auto words = wordsOf(view);
    EXPECT_TRUE(words.contains(QStringLiteral("It has the six columns of the profile.")));
    EXPECT_TRUE(words.contains(QStringLiteral("one.profile, another.profile")));
    EXPECT_EQ(words.count(QStringLiteral("equally well")), 1) << "said once";
    ASSERT_NE(view.findChild<ElidedLabel*>(QStringLiteral("command")), nullptr);
    QSignalSpy chosen(&view, &BindingsView::profileChosen);
    const auto* choose = view.findChild<QPushButton*>(QStringLiteral("chooseAmong"));
    ASSERT_NE(choose, nullptr);
    ASSERT_EQ(choose->menu()->actions().size(), 2);
    choose->menu()->actions().at(1)->trigger();
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen.front().at(1).toString(), QStringLiteral("event_publication"));
    EXPECT_EQ(chosen.front().at(2).toString(), QStringLiteral("another.profile"));
    EXPECT_EQ(view.findChild<QPushButton*>(QStringLiteral("sayZoneOf")), nullptr);
    QSignalSpy asked(&view, &BindingsView::mapAsked);
    view.findChild<QPushButton*>(QStringLiteral("mapAmbiguous"))->click();
    EXPECT_EQ(asked.count(), 1);
}

TEST_F(TableNotesTest, WhoeverIsToldOfAZoneCanSayItThere)
{
    auto binding = foreignTable();
    binding.warnings = { std::string(zoneUnsaid) };
    BindingsView view(theme, nullptr);
    view.show({ binding }, {});
    QSignalSpy asked(&view, &BindingsView::zoneAsked);
    auto* button = view.findChild<QPushButton*>(QStringLiteral("sayZoneOf"));
    ASSERT_NE(button, nullptr);
    button->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.front().front().toString(), QStringLiteral("spring.modulith"));
}

TEST_F(TableNotesTest, DangersStandOutAndEverythingIsASentence)
{
    auto binding = foreignTable();
    binding.notes = { "the staleness monitor is off by default", dangerNote("never delete a row: it is paid twice") };
    BindingsView view(theme, nullptr);
    view.show({ binding }, {});
    TableNotes notes(theme, nullptr);
    notes.show(binding);
    for (const auto* place : std::initializer_list<const QWidget*>{ &view, &notes }) {
        int dangers = 0;
        for (const auto* label : place->findChildren<QLabel*>()) {
            const bool danger = label->text().startsWith(QStringLiteral("Danger: "));
            dangers += danger ? 1 : 0;
            EXPECT_EQ(danger, label->property("tone").toString() == QLatin1String("danger"))
                << label->text().toStdString();
        }
        EXPECT_EQ(dangers, 1);
        const auto words = wordsOf(*place);
        EXPECT_TRUE(words.contains(QStringLiteral("Danger: never delete a row: it is paid twice.")));
        EXPECT_TRUE(words.contains(QStringLiteral("The staleness monitor is off by default.")));
        EXPECT_TRUE(words.contains(QStringLiteral("Row-level security is in force for this role: rows may be hidden.")))
            << words.toStdString();
        EXPECT_LT(words.indexOf(QStringLiteral("Danger: ")), words.indexOf(QStringLiteral("The staleness")));
    }
}

TEST_F(TableNotesTest, ACommandIsQuotedAsAShellTakesIt)
{
    EXPECT_EQ(commandText({ "php", "artisan", "queue:retry", "5" }), QStringLiteral("php artisan queue:retry 5"));
    EXPECT_EQ(commandText({ "x", "$(rm -rf /)", "" }), QStringLiteral("x '$(rm -rf /)' ''"));
}

} // namespace
} // namespace fencepost::ui
