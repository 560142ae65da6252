// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/selection_line.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/theme.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/plain_label.h"

namespace fencepost::ui {

SelectionLine::SelectionLine(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_operations(new OperationBar(theme, this))
    , m_words(new PlainLabel(this))
    , m_clear(new QPushButton(tr("Clear"), this))
{
    m_words->setObjectName(QStringLiteral("selected"));
    // Two small lines stand beside the buttons without moving what is below.
    m_words->setFont(theme.font(Text::Caption));
    m_words->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_clear->setObjectName(QStringLiteral("clearSelection"));
    setKind(m_clear, "link");
    m_clear->setAccessibleName(tr("Clear the selection"));
    m_clear->hide();
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(space::large, 0, space::large, space::small);
    line->setSpacing(space::medium);
    line->addWidget(m_operations, 1);
    line->addWidget(m_words);
    line->addWidget(m_clear);
    connect(m_clear, &QPushButton::clicked, this, &SelectionLine::clearAsked);
}

void SelectionLine::setWords(const QString& words)
{
    m_words->setText(words);
    m_clear->setVisible(!words.isEmpty());
}

} // namespace fencepost::ui
