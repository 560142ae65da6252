// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/row_panel.h"

#include <algorithm>

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QToolButton>

#include "models/rows_model.h"
#include "ui/theme.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/plain_tooltip.h"
#include "ui/widgets/row_grid.h"

namespace fencepost::ui {

namespace {

constexpr int mostShown = 5;

} // namespace

RowPanel::RowPanel(const Theme& theme, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_fold(new QToolButton(this))
    , m_summary(new PlainLabel(this))
    , m_line(new QHBoxLayout)
    , m_grid(new RowGrid(theme, this))
{
    m_fold->setText(title);
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setCheckable(true);
    m_fold->setFont(theme.font(Text::Strong));
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    // A narrow window cuts the end of the line.
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setTone(m_summary, "muted");
    m_summary->installEventFilter(this);
    m_line->setContentsMargins(space::medium, 0, space::large, space::tiny);
    m_line->setSpacing(space::medium);
    m_line->addWidget(m_fold);
    m_line->addWidget(m_summary, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_line);
    layout->addWidget(m_grid);
    m_grid->setSelectable(false);
    setAccessibleName(title);
    connect(m_fold, &QToolButton::toggled, this, [this](bool folded) {
        fit();
        Q_EMIT foldedChanged(folded);
    });
    connect(m_grid, &RowGrid::rowActivated, this, &RowPanel::chosen);
    connect(m_grid, &RowGrid::rowClicked, this, &RowPanel::chosen);
    connect(m_grid, &RowGrid::retryAsked, this, [this] { m_model->reload(); });
    fit();
}

void RowPanel::setModel(models::RowsModelBase* model, const QString& rows)
{
    m_model = model;
    m_grid->setModel(model);
    m_grid->setWords(rows);
    connect(model, &models::RowsModelBase::statusChanged, this, &RowPanel::fit);
    fit();
}

void RowPanel::setSummary(const QString& words)
{
    m_words = words;
    m_summary->setToolTip(plainToolTip(words));
    m_summary->setAccessibleName(words);
    elide();
}

void RowPanel::elide()
{
    m_summary->setText(m_summary->fontMetrics().elidedText(m_words, Qt::ElideRight, m_summary->width()));
}

bool RowPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_summary && event->type() == QEvent::Resize)
        elide();
    return QWidget::eventFilter(watched, event);
}

QString RowPanel::summary() const
{
    return m_words;
}

QPushButton* RowPanel::addButton(const QString& words)
{
    auto* button = new QPushButton(words, this);
    setKind(button, "link");
    button->setCursor(Qt::PointingHandCursor);
    m_line->addWidget(button);
    return button;
}

bool RowPanel::isFolded() const
{
    return m_fold->isChecked();
}

void RowPanel::setFolded(bool folded)
{
    m_fold->setChecked(folded);
}

int RowPanel::currentRow() const
{
    return m_grid->view().currentRow();
}

// Without rows the summary says all there is to say, unless they could not be read.
void RowPanel::fit()
{
    const bool folded = isFolded();
    m_fold->setIcon(m_theme.icon(folded ? "chevron-right" : "chevron-down", Role::Muted));
    m_fold->setToolTip(folded ? tr("Show them") : tr("Fold them away"));
    const int rows = m_model ? m_model->rowCount() : 0;
    m_grid->setVisible(!folded && rows > 0);
    auto& view = m_grid->view();
    // The scroll bar for columns that do not fit covers no row.
    m_grid->setFixedHeight(view.horizontalHeader()->sizeHint().height() + std::min(rows, mostShown) * view.rowHeight()
        + view.horizontalScrollBar()->sizeHint().height());
}

} // namespace fencepost::ui
