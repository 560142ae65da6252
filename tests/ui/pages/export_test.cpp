// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

#include "core/exchange/csv.h"
#include "tests/ui/console_fixture.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/pages/keys_page.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/field_list.h"

namespace fencepost::ui {
namespace {

using testing::eventually;

constexpr int manyKeys = 2'300; // three pages of an export

class ExportDialogTest : public ConsoleFixture {
protected:
    void SetUp() override
    {
        ConsoleFixture::SetUp();
        std::vector<Reservation> wishes;
        for (int i = 0; i < manyKeys; ++i) {
            Reservation wish;
            wish.id = { "payments", "charge", "key-" + std::to_string(10'000 + i) };
            wish.requestHash = sha256(wish.id.key);
            wish.owner = { uuid4(random) };
            wish.lease = Seconds(60);
            wish.ttl = std::chrono::hours(24);
            wishes.push_back(std::move(wish));
        }
        ASSERT_TRUE(workers->store().reserveAll(wishes));
        connectSession();
        page = std::make_unique<KeysPage>(*context);
        page->resize(1100, 600);
        page->QWidget::show();
        page->activate();
        ASSERT_TRUE(eventually([this] { return page->model()->rowCount() > 0; }));
    }

    ExportDialog& openDialog()
    {
        EXPECT_TRUE(page->handles("export"));
        page->run("export");
        auto* dialog = page->findChild<ExportDialog*>();
        EXPECT_NE(dialog, nullptr);
        EXPECT_TRUE(dialog->isVisible());
        return *dialog;
    }

    static QPushButton& button(ExportDialog& dialog)
    {
        return *dialog.findChild<QPushButton*>(QStringLiteral("export"));
    }
    static QPushButton& cancel(ExportDialog& dialog)
    {
        for (auto* one : dialog.findChildren<QPushButton*>())
            if (one->text() == QLatin1String("Stop") || one->text() == QLatin1String("Cancel")
                || one->text() == QLatin1String("Close"))
                if (one->parent() == &dialog)
                    return *one;
        ADD_FAILURE() << "there is no button to leave";
        return button(dialog);
    }
    static bool says(ExportDialog& dialog, const char* words)
    {
        for (const auto* label : dialog.findChildren<QLabel*>())
            if (label->text().contains(QLatin1String(words)))
                return true;
        return false;
    }
    static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir folder;
    QString file = folder.filePath(QStringLiteral("keys.csv"));
    std::unique_ptr<KeysPage> page;
};

TEST_F(ExportDialogTest, EverythingThatMatchesIsWritten)
{
    auto& dialog = openDialog();
    const auto* facts = dialog.findChild<FieldList*>();
    EXPECT_EQ(facts->valueOf(QStringLiteral("Table")), QLatin1String("idempotency_records"));
    EXPECT_EQ(facts->valueOf(QStringLiteral("Filter")), QLatin1String("none: all rows"));
    EXPECT_TRUE(facts->valueOf(QStringLiteral("Rows")).contains(QLatin1String("keys")));
    dialog.findChild<QLineEdit*>()->setText(file);
    button(dialog).click();
    EXPECT_FALSE(button(dialog).isEnabled());
    ASSERT_TRUE(eventually([&] { return says(dialog, "were exported to"); }));
    const auto rows = exchange::parseCsv(contentOf(file).toStdString());
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->size(), std::size_t(manyKeys) + 1);
    EXPECT_FALSE(QFile::exists(file + QLatin1String(".part")));
    EXPECT_EQ(navigation.lines.size(), 1);
    EXPECT_TRUE(says(dialog, "in either state"));
    cancel(dialog).click();
    EXPECT_TRUE(eventually([this] { return page->findChild<ExportDialog*>() == nullptr; }));
}

TEST_F(ExportDialogTest, TheFilterAndTheFormatDecideWhatIsWritten)
{
    page->show({}, QStringLiteral("key = key-10007"));
    ASSERT_TRUE(eventually([this] { return page->model()->rowCount() == 1; }));
    auto& dialog = openDialog();
    EXPECT_EQ(dialog.findChild<FieldList*>()->valueOf(QStringLiteral("Filter")), QLatin1String("key = key-10007"));
    dialog.findChild<QLineEdit*>()->setText(file);
    dialog.findChild<QComboBox*>()->setCurrentIndex(1);
    EXPECT_TRUE(dialog.findChild<QLineEdit*>()->text().endsWith(QLatin1String("keys.jsonl")));
    button(dialog).click();
    ASSERT_TRUE(eventually([&] { return says(dialog, "1 row of"); }));
    const auto written = contentOf(folder.filePath(QStringLiteral("keys.jsonl")));
    EXPECT_EQ(written.count('\n'), 1);
    EXPECT_TRUE(written.contains("\"key\":\"key-10007\""));
}

TEST_F(ExportDialogTest, OneThatIsStoppedLeavesNothingAndOtherReadsComeInBetween)
{
    auto& dialog = openDialog();
    dialog.findChild<QLineEdit*>()->setText(file);
    button(dialog).click();
    cancel(dialog).click();
    EXPECT_TRUE(dialog.isVisible());
    EXPECT_TRUE(says(dialog, "no file was written"));
    EXPECT_TRUE(button(dialog).isEnabled());
    page->show({}, QStringLiteral("key = key-10007"));
    EXPECT_TRUE(eventually([this] { return page->model()->rowCount() == 1; }));
    EXPECT_TRUE(eventually([this] { return !QFile::exists(file + QLatin1String(".part")); }));
    EXPECT_FALSE(QFile::exists(file));
    button(dialog).click();
    EXPECT_TRUE(eventually([&] { return says(dialog, "were exported to"); }));
}

TEST_F(ExportDialogTest, AFileThatIsThereIsReplacedOnlyByItsButton)
{
    QFile there(file);
    ASSERT_TRUE(there.open(QIODevice::WriteOnly));
    there.write("mine");
    there.close();
    auto& dialog = openDialog();
    EXPECT_EQ(button(dialog).text(), QLatin1String("Export"));
    dialog.findChild<QLineEdit*>()->setText(file);
    EXPECT_EQ(button(dialog).text(), QLatin1String("Replace file"));
    EXPECT_TRUE(says(dialog, "would be replaced"));
    dialog.findChild<QLineEdit*>()->setText(folder.filePath(QStringLiteral("nowhere/keys.csv")));
    button(dialog).click();
    EXPECT_TRUE(dialog.findChild<ErrorBanner*>()->sentence().contains(QLatin1String("export the rows")));
    EXPECT_EQ(contentOf(file), "mine");
    dialog.findChild<QLineEdit*>()->setText(file);
    button(dialog).click();
    ASSERT_TRUE(eventually([&] { return says(dialog, "were exported to"); }));
    EXPECT_EQ(contentOf(file).count('\n'), manyKeys + 1);
}

TEST_F(ExportDialogTest, WhatCannotBeReadIsSaidInWords)
{
    auto& dialog = openDialog();
    dialog.findChild<QLineEdit*>()->setText(file);
    auto raw = database.connect();
    ASSERT_TRUE(raw);
    ASSERT_TRUE((*raw)->execute("DROP TABLE idempotency_records"));
    button(dialog).click();
    ASSERT_TRUE(eventually([&] { return !dialog.findChild<ErrorBanner*>()->sentence().isEmpty(); }));
    EXPECT_FALSE(QFile::exists(file));
    EXPECT_FALSE(QFile::exists(file + QLatin1String(".part")));
    EXPECT_TRUE(button(dialog).isEnabled());
}

TEST_F(ExportDialogTest, TheDatabaseItselfIsNeverReplaced)
{
    const auto own = QString::fromStdString(database.target().path);
    auto& dialog = openDialog();
    dialog.findChild<QLineEdit*>()->setText(own);
    button(dialog).click();
    button(dialog).click(); // yes, it may be replaced
    ASSERT_TRUE(eventually([&] { return dialog.findChild<ErrorBanner*>()->isVisible(); }));
    EXPECT_TRUE(contentOf(own).startsWith("SQLite format 3"));
    EXPECT_FALSE(QFile::exists(own + QLatin1String(".part")));
}

} // namespace
} // namespace fencepost::ui
