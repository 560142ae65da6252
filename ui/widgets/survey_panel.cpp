// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/survey_panel.h"

#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include "models/mapping_models.h"
#include "ui/theme.h"
#include "ui/widgets/grid_view.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int shownTables = 8;
constexpr auto whyColumn = 3;

} // namespace

SurveyPanel::SurveyPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new models::SurveyModel(this))
    , m_summary(new PlainLabel(this))
    , m_grid(new RowGrid(theme, this))
    , m_why(new PlainLabel(this))
    , m_choose(new QPushButton(tr("Choose its profile"), this))
    , m_zone(new QPushButton(theme.icon("zone"), tr("Say its time zone…"), this))
    , m_map(new QPushButton(theme.icon("table", Role::OnAccent), tr("Map this table…"), this))
{
    m_grid->setObjectName(QStringLiteral("tables"));
    m_grid->setModel(m_model);
    m_grid->setSelectable(false);
    m_grid->setWords(tr("tables"));
    m_grid->setFixedHeight((shownTables + 1) * space::row + space::small);
    for (auto* label : { m_summary, m_why }) {
        label->setWordWrap(true);
        setTone(label, "muted");
    }
    m_summary->setObjectName(QStringLiteral("tablesSummary"));
    m_why->setObjectName(QStringLiteral("tableReason"));
    m_why->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_map->setObjectName(QStringLiteral("map"));
    m_choose->setObjectName(QStringLiteral("chooseProfile"));
    m_choose->setMenu(new QMenu(m_choose));
    m_zone->setObjectName(QStringLiteral("sayZone"));
    setKind(m_map, "primary");
    auto* frame = new QFrame(this);
    setPart(frame, "card");
    auto* inside = new QVBoxLayout(frame);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(m_grid);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(space::medium);
    foot->addWidget(m_why, 1, Qt::AlignTop);
    for (auto* button : { m_choose, m_zone, m_map })
        foot->addWidget(button, 0, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::small);
    layout->addWidget(m_summary);
    layout->addWidget(frame);
    layout->addLayout(foot);
    connect(m_map, &QPushButton::clicked, this, &SurveyPanel::map);
    connect(m_zone, &QPushButton::clicked, this, [this] {
        if (const auto* table = current())
            Q_EMIT zoneAsked(QString::fromStdString(table->profile));
    });
    connect(m_grid, &RowGrid::rowActivated, this, &SurveyPanel::map);
    connect(m_grid, &RowGrid::currentRowChanged, this, &SurveyPanel::showTable);
    connect(m_grid, &RowGrid::retryAsked, this, &SurveyPanel::retryAsked);
    connect(m_model, &models::RowsModelBase::loaded, this, [this] {
        showSummary();
        showTable();
        Q_EMIT loaded();
    });
    showTable();
}

void SurveyPanel::load(models::StoreThread& thread)
{
    m_model->load(thread);
}

bool SurveyPanel::isLoading() const
{
    return m_model->loading();
}

QString SurveyPanel::summary() const
{
    return m_summary->text();
}

void SurveyPanel::showSummary()
{
    QStringList words{ counted(std::int64_t(m_model->rowCount()), tr("table"), tr("tables")),
        tr("%1 recognised").arg(numberText(std::int64_t(m_model->recognised()))) };
    if (m_model->ambiguous() > 0)
        words += counted(std::int64_t(m_model->ambiguous()), tr("fits several profiles"), tr("fit several profiles"));
    if (m_model->likely() > 0)
        words += counted(std::int64_t(m_model->likely()), tr("looks like a table that should be"),
            tr("look like tables that should be"));
    m_summary->setText(words.join(QStringLiteral(" · ")));
}

const SurveyedTable* SurveyPanel::current() const
{
    const int row = m_grid->view().currentRow();
    return row >= 0 && row < m_model->rowCount() ? &m_model->rowAt(row) : nullptr;
}

void SurveyPanel::showTable()
{
    const auto* table = current();
    const bool known = table && !table->binding.empty() && table->candidates.empty();
    m_map->setEnabled(table && table->canSelect && !known);
    m_map->setToolTip(!table    ? QString()
            : !table->canSelect ? tr("This role may not read it")
            : known             ? tr("It is recognised already")
                                : QString());
    m_choose->setVisible(table && table->candidates.size() > 1);
    if (m_choose->isVisibleTo(this))
        offerProfiles(*table);
    m_zone->setVisible(table && table->asksForZone);
    const auto why = table ? m_model->textAt(m_grid->view().currentRow(), whyColumn) : QString();
    m_why->setText(!table    ? QString()
            : !why.isEmpty() ? why
            : models::looksKnown(*table)
            ? tr("No profile has its name and its columns. Somebody who knows it can say what they mean.")
            : tr("Too few of its columns look like those of keys, messages or jobs. Somebody who knows it can say what "
                 "they mean."));
}

void SurveyPanel::offerProfiles(const SurveyedTable& table)
{
    auto* menu = m_choose->menu();
    menu->clear();
    for (const auto& candidate : table.candidates) {
        const auto name = QString::fromStdString(candidate);
        connect(menu->addAction(name), &QAction::triggered, this,
            [this, of = table.name, name] { Q_EMIT profileChosen(of, name); });
    }
}

void SurveyPanel::map()
{
    const auto* table = current();
    if (table && m_map->isEnabled())
        Q_EMIT mapAsked(table->name);
}

} // namespace fencepost::ui
