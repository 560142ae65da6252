// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/text_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"

namespace fencepost::ui {

TextDialog::TextDialog(const Theme& theme, const QString& title, const QString& text, QWidget* parent)
    : QDialog(parent)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    auto* heading = new QLabel(title, this);
    heading->setFont(theme.font(Text::Section));
    heading->setWordWrap(true);
    auto* body = new QPlainTextEdit(text, this);
    body->setReadOnly(true);
    body->setFont(theme.font(Text::Mono));
    body->setAccessibleName(title);
    setPart(body, "code");
    auto* copy = new QPushButton(tr("Copy"), this);
    auto* close = new QPushButton(tr("Close"), this);
    close->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(copy);
    buttons->addWidget(close);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(space::huge, space::huge, space::huge, space::huge);
    layout->setSpacing(space::medium);
    layout->addWidget(heading);
    layout->addWidget(body, 1);
    layout->addLayout(buttons);
    resize(720, 440);
    connect(copy, &QPushButton::clicked, this, [text] { QApplication::clipboard()->setText(text); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
}

} // namespace fencepost::ui
