// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_chooser.h"

#include <QDir>
#include <QFileIconProvider>
#include <QStandardPaths>

namespace fencepost::ui {

namespace {

// Qt's own takes a file's type, and its icon, from its first octets.
class IconsByName : public QFileIconProvider {
public:
    using QFileIconProvider::icon;
    [[nodiscard]] QIcon icon(const QFileInfo& info) const override { return icon(info.isDir() ? Folder : File); }
    [[nodiscard]] QString type(const QFileInfo& info) const override
    {
        return info.isDir() ? QFileDialog::tr("Folder")
            : info.suffix().isEmpty()
            ? QFileDialog::tr("File")
            : QFileDialog::tr("%1 File", "%1 is a file name suffix, for example txt").arg(info.suffix());
    }
};

// The icons come first: a thread of the dialog asks for them until it is gone.
class FileChooser : private IconsByName, public QFileDialog {
public:
    FileChooser(QWidget* parent, const QString& title)
        : QFileDialog(parent, title)
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setOption(QFileDialog::DontUseNativeDialog);
        setIconProvider(static_cast<IconsByName*>(this));
        setDirectory(folderForFiles());
    }
};

} // namespace

QFileDialog* newFileChooser(QWidget* parent, const QString& title)
{
    return new FileChooser(parent, title);
}

QString folderForFiles()
{
    const auto documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QDir(documents).exists() ? documents : QDir::homePath();
}

} // namespace fencepost::ui
