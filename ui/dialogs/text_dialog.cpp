// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/text_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/theme.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

TextDialog::TextDialog(const Theme& theme, const QString& title, const QString& text, QWidget* parent)
    : QDialog(parent)
    , m_text(new QPlainTextEdit(text, this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    auto* heading = new PlainLabel(title, this);
    heading->setFont(theme.font(Text::Section));
    heading->setWordWrap(true);
    m_text->setReadOnly(true);
    m_text->setFont(theme.font(Text::Mono));
    m_text->setAccessibleName(title);
    setPart(m_text, "code");
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
    layout->addWidget(m_text, 1);
    layout->addLayout(buttons);
    resize(720, 440);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text->toPlainText()); });
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
}

void TextDialog::setText(const QString& text)
{
    m_text->setPlainText(text);
}

QString TextDialog::text() const
{
    return m_text->toPlainText();
}

} // namespace fencepost::ui
