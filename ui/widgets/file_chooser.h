// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileDialog>

namespace fencepost::ui {

// A dialog that asks for a file and deletes itself when it is closed: set it up, connect fileSelected, and open() it.
//
// It reads no file: a process loses its POSIX locks on a file as soon as it closes any descriptor of it, and a database
// that is open, with its locks, may stand in the folder that is shown (https://www.sqlite.org/howtocorrupt.html, 2.2).
// So it is Qt's own dialog: what a desktop's dialog opens in this process is not ours to say.
[[nodiscard]] QFileDialog* newFileChooser(QWidget* parent, const QString& title);

// Where files are suggested to be: the documents, or the home folder where there is none for them.
[[nodiscard]] QString folderForFiles();

} // namespace fencepost::ui
