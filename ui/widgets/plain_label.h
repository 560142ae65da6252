// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace fencepost::ui {

// A label that shows its words as they are. A plain QLabel guesses: a row's value that looks like markup would be read
// as such, and a picture that it names be opened, which can take for ever. tests/sources.cmake refuses other labels.
class PlainLabel : public QLabel {
public:
    explicit PlainLabel(QWidget* parent = nullptr)
        : QLabel(parent)
    {
        setTextFormat(Qt::PlainText);
    }
    explicit PlainLabel(const QString& words, QWidget* parent = nullptr)
        : PlainLabel(parent)
    {
        setText(words);
    }
};

} // namespace fencepost::ui
