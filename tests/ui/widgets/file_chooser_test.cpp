// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QAbstractItemView>
#include <QFile>
#include <QTemporaryDir>

#include "tests/support/wait.h"
#include "ui/widgets/file_chooser.h"

namespace fencepost::ui {
namespace {

bool isLocked(ino_t inode)
{
    QFile locks(QStringLiteral("/proc/locks"));
    EXPECT_TRUE(locks.open(QIODevice::ReadOnly));
    return locks.readAll().contains(':' + QByteArray::number(static_cast<qulonglong>(inode)) + ' ');
}

// The kernel drops a process's locks on a file with any descriptor of it that is closed.
TEST(FileChooser, LeavesTheLocksOnTheFilesThatItShows)
{
    const QTemporaryDir folder;
    const auto path = folder.filePath(QStringLiteral("ledger.db"));
    const int file = ::open(path.toUtf8().constData(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    ASSERT_EQ(::write(file, "SQLite format 3", 16), 16);
    struct flock lock { };
    lock.l_type = F_RDLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0;
    lock.l_len = 1;
    ASSERT_EQ(::fcntl(file, F_SETLK, &lock), 0);
    struct stat known { };
    ASSERT_EQ(::fstat(file, &known), 0);
    ASSERT_TRUE(isLocked(known.st_ino));

    auto* chooser = newFileChooser(nullptr, QStringLiteral("Open"));
    chooser->setDirectory(folder.path());
    chooser->setViewMode(QFileDialog::Detail);
    chooser->open();
    const auto* view = chooser->findChild<QAbstractItemView*>(QStringLiteral("treeView"));
    ASSERT_NE(view, nullptr);
    constexpr int typeColumn = 2;
    EXPECT_TRUE(testing::eventually([&] {
        const auto first = view->model()->index(0, 0, view->rootIndex());
        return first.data() == QStringLiteral("ledger.db")
            && !first.siblingAtColumn(typeColumn).data().toString().isEmpty();
    })) << "its kind has been found out";
    EXPECT_TRUE(isLocked(known.st_ino));
    chooser->selectFile(path);
    chooser->reject();
    EXPECT_TRUE(isLocked(known.st_ino));
    ::close(file);
}

} // namespace
} // namespace fencepost::ui
