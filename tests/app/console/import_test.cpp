// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QFileDialog>
#include <QPlainTextEdit>

#include "tests/app/console/operator_fixture.h"
#include "ui/dialogs/import_dialog.h"
#include "ui/dialogs/text_dialog.h"
#include "ui/widgets/environment_band.h"

namespace fencepost::app {
namespace {

using testing::eventually;

class ImportTest : public OperatorTest {
protected:
    [[nodiscard]] QString at(const char* name) const { return files.filePath(QLatin1String(name)); }

    [[nodiscard]] static QString seed(const char* name)
    {
        return QStringLiteral(FENCEPOST_FIXTURES "/playbook/") + QLatin1String(name);
    }

    [[nodiscard]] QString write(const char* name, const QByteArray& content) const
    {
        QFile file(at(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
        return at(name);
    }

    // By its keys, with nothing open.
    ui::ImportDialog* openedForm()
    {
        key("Ctrl+Shift+I");
        auto* form = dialog<ui::ImportDialog>();
        if (form)
            fileOf(*form)->setText(at("out.db"));
        return form;
    }

    static QLineEdit* fileOf(const QWidget& form) { return form.findChild<QLineEdit*>(QStringLiteral("file")); }
    static QPushButton* act(const QWidget& form) { return form.findChild<QPushButton*>(QStringLiteral("act")); }
    static QPlainTextEdit* logs(const QWidget& form) { return form.findChild<QPlainTextEdit*>(QStringLiteral("logs")); }
    static QString banner(const QWidget& form) { return form.findChild<ui::ErrorBanner*>()->sentence(); }
    // As they are read when the banner is asked for them.
    QString remarks(const ui::ImportDialog& form)
    {
        auto* read = buttonOf(form, QStringLiteral("Read them"));
        if (!read)
            return {};
        QTest::mouseClick(read, Qt::LeftButton);
        auto* all = dialog<ui::TextDialog>();
        const auto text = all ? all->text() : QString();
        if (all)
            all->close();
        return text;
    }
    [[nodiscard]] QString band() const { return window->findChild<ui::EnvironmentBand*>()->accessibleName(); }
};

TEST_F(ImportTest, LogsOfEveryKindAreChosenImportedAndOpened)
{
    auto* form = openedForm();
    ASSERT_NE(form, nullptr);
    EXPECT_FALSE(act(*form)->isEnabled()) << "there is nothing to import";
    QTest::mouseClick(form->findChild<QPushButton*>(QStringLiteral("add")), Qt::LeftButton);
    auto* chooser = dialog<QFileDialog>();
    ASSERT_NE(chooser, nullptr);
    EXPECT_EQ(chooser->fileMode(), QFileDialog::ExistingFiles);
    Q_EMIT chooser->filesSelected({ seed("replay_outcomes.csv"), seed("retry_log.csv") });
    chooser->reject();
    ASSERT_TRUE(act(*form)->isEnabled());
    logs(*form)->setFocus();
    logs(*form)->moveCursor(QTextCursor::End);
    QTest::keyClick(logs(*form), Qt::Key_Return);
    QTest::keyClicks(logs(*form), seed("inbox.csv"));

    auto* time = form->findChild<QComboBox*>(QStringLiteral("time"));
    auto* instant = form->findChild<QLineEdit*>(QStringLiteral("at"));
    EXPECT_FALSE(instant->isVisible());
    time->setFocus();
    QTest::keyClick(time, Qt::Key_Down);
    ASSERT_TRUE(instant->isVisible());
    QTest::keyClicks(instant, QStringLiteral("2026-11-20T12:00:00Z"));
    QTest::keyClick(instant, Qt::Key_Return);
    ASSERT_TRUE(eventually([form] { return act(*form)->text() == QLatin1String("Open it"); }))
        << qPrintable(banner(*form));
    EXPECT_TRUE(remarks(*form).contains(QLatin1String("6 lines have no time"))) << qPrintable(remarks(*form));
    QTest::mouseClick(act(*form), Qt::LeftButton);

    ASSERT_TRUE(eventually([this] { return band().contains(QLatin1String("its seal is whole")); }))
        << qPrintable(band());
    EXPECT_TRUE(band().contains(QLatin1String("imported from"))) << qPrintable(band());
    auto* keys = rowsOf("keys");
    ASSERT_NE(keys, nullptr);
    EXPECT_EQ(keys->model()->rowCount(), 2);
    auto* inbox = rowsOf("inbox");
    ASSERT_NE(inbox, nullptr);
    EXPECT_EQ(inbox->model()->rowCount(), 1);
    EXPECT_FALSE(window->commands().action("arm")->isEnabled()) << "nothing is written to it";
}

TEST_F(ImportTest, WhatCannotBeReadIsSaidAndTheDialogStays)
{
    auto* form = openedForm();
    ASSERT_NE(form, nullptr);
    logs(*form)->setPlainText(at("none.csv"));
    QTest::mouseClick(act(*form), Qt::LeftButton);
    ASSERT_TRUE(eventually([form] { return act(*form)->isEnabled(); }));
    EXPECT_TRUE(banner(*form).contains(QLatin1String("import the logs"))) << qPrintable(banner(*form));
    EXPECT_FALSE(QFile::exists(at("out.db.part")));

    form->findChild<QComboBox*>(QStringLiteral("time"))->setCurrentIndex(1);
    QTest::mouseClick(act(*form), Qt::LeftButton);
    EXPECT_TRUE(banner(*form).contains(QLatin1String("import the logs")));

    form->findChild<QComboBox*>(QStringLiteral("time"))->setCurrentIndex(0);
    logs(*form)->setPlainText(write("a.csv",
        "key,payload_hash,status,http_code,result_id,notes\nk1,"
        "abc,complete,201,,\nk2,abc,done,201,,\n"));
    QTest::mouseClick(act(*form), Qt::LeftButton);
    ASSERT_TRUE(eventually([form] { return act(*form)->text() == QLatin1String("Open it"); }))
        << qPrintable(banner(*form));
    EXPECT_TRUE(remarks(*form).contains(QLatin1String("line 3: status is none of"))) << qPrintable(remarks(*form));
    QTest::mouseClick(buttonOf(*form, QStringLiteral("Close")), Qt::LeftButton);
    EXPECT_TRUE(eventually([this] { return window->findChildren<ui::ImportDialog*>().isEmpty(); }));
    EXPECT_TRUE(QFile::exists(at("out.db")));
}

TEST_F(ImportTest, StoppingLeavesNothingAndTheImportCanBeginAnew)
{
    QByteArray content = "key,payload_hash,status,http_code,result_id,notes\n";
    for (int i = 0; i < 100'000; ++i)
        content += "k" + QByteArray::number(i) + ",abc,complete,201,rf_1,created\n";
    openDemo();
    auto* form = openedForm();
    ASSERT_NE(form, nullptr);
    logs(*form)->setPlainText(write("large.csv", content));
    QTest::mouseClick(act(*form), Qt::LeftButton);
    auto* stop = buttonOf(*form, QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(eventually([this] { return QFile::exists(at("out.db.part")); })) << "it writes";
    QTest::keyClick(form, Qt::Key_Escape);
    EXPECT_TRUE(form->isVisible()) << "the first Esc stops the run, not the dialog";
    EXPECT_TRUE(eventually([this] { return window->findChildren<models::ImportRun*>().isEmpty(); }));
    EXPECT_FALSE(QFile::exists(at("out.db")));
    EXPECT_FALSE(QFile::exists(at("out.db.part")));
    EXPECT_TRUE(act(*form)->isEnabled());

    // The window may go while it runs.
    QTest::mouseClick(act(*form), Qt::LeftButton);
    ASSERT_TRUE(eventually([this] { return QFile::exists(at("out.db.part")); }));
    window.reset();
    EXPECT_FALSE(QFile::exists(at("out.db")));
    EXPECT_FALSE(QFile::exists(at("out.db.part")));
}

} // namespace
} // namespace fencepost::app
