// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/mapping_preview.h"

#include <QFrame>
#include <QVBoxLayout>

#include "models/mapping_models.h"
#include "ui/theme.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/row_grid.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr int shownRows = 3; // with the headings, where a banner takes the room of the others

} // namespace

MappingPreviewView::MappingPreviewView(
    const Theme& theme, const ZoneSetting& zone, models::MappingDraft& draft, QWidget* parent)
    : QWidget(parent)
    , m_zone(zone)
    , m_draft(draft)
    , m_summary(new PlainLabel(this))
    , m_banner(new ErrorBanner(theme, this))
    , m_grid(new RowGrid(theme, this))
{
    auto* title = new PlainLabel(tr("Preview"), this);
    title->setFont(theme.font(Text::Section));
    m_summary->setObjectName(QStringLiteral("previewSummary"));
    setTone(m_summary, "muted");
    m_grid->setSelectable(false);
    m_grid->setObjectName(QStringLiteral("preview"));
    m_grid->setMinimumHeight(shownRows * space::row);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::huge, 0, space::huge, 0);
    head->setSpacing(space::medium);
    head->addWidget(title);
    head->addWidget(m_summary, 1);
    auto* banner = new QVBoxLayout;
    banner->setContentsMargins(space::huge, 0, space::huge, 0);
    banner->addWidget(m_banner);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, space::small, 0, 0);
    layout->setSpacing(space::small);
    layout->addLayout(head);
    layout->addLayout(banner);
    auto* card = new QFrame(this);
    setPart(card, "card");
    auto* inside = new QVBoxLayout(card);
    inside->setContentsMargins(1, 1, 1, 1);
    inside->addWidget(m_grid);
    auto* rows = new QVBoxLayout;
    rows->setContentsMargins(space::huge, 0, space::huge, 0);
    rows->addWidget(card);
    layout->addLayout(rows, 1);
    m_banner->clear();
    connect(&draft, &models::MappingDraft::previewChanged, this, &MappingPreviewView::follow);
    connect(m_banner, &ErrorBanner::acted, &draft, &models::MappingDraft::refreshPreview);
    m_grid->emptyState().show(
        Emptiness::NotLoaded, tr("No rows yet"), tr("They are shown as soon as the columns are read."));
}

QString MappingPreviewView::summary() const
{
    return m_summary->text();
}

// Of a mapping that is not whole there are no rows, and the question beside the buttons says why.
void MappingPreviewView::follow()
{
    m_banner->clear();
    const auto& preview = m_draft.preview();
    const auto kind = static_cast<int>(m_draft.mapping().kind);
    if (!m_model || kind != m_kind) {
        m_kind = kind;
        auto* before = m_model;
        m_model = new models::PreviewModel(m_draft.mapping().kind, this);
        m_model->setZone(m_zone.value());
        m_grid->setModel(m_model);
        m_grid->setWords(tr("rows"));
        delete before;
    }
    if (preview) {
        m_model->show(*preview);
        m_grid->resetColumns();
        return showCounts();
    }
    m_summary->clear();
    m_model->setRows({}, Time());
    const auto& error = m_draft.previewError();
    if (!error)
        return;
    if (error->failure == Failure::Invalid && !m_draft.questions().isEmpty())
        return m_grid->emptyState().show(Emptiness::NotLoaded, tr("Not yet a mapping"), withStop(text(error->message)));
    m_banner->report(tr("read rows through this mapping"), *error);
    m_grid->emptyState().show(Emptiness::NotLoaded, tr("No rows could be read"),
        tr("Nothing was changed. Change what the banner names, or choose another column."));
}

void MappingPreviewView::showCounts()
{
    const auto& counts = m_draft.preview()->counts;
    QStringList words;
    for (const auto& [state, count] : counts.byState)
        if (count.value > 0 || state == "UNKNOWN")
            words += tr("%1 %2").arg(stateLook(state).word, countText(count));
    if (counts.stuck.value > 0)
        words += tr("%1 stuck").arg(countText(counts.stuck));
    if (m_draft.preview()->binding.mayHideRows)
        words += tr("rows may be hidden by row-level security");
    m_summary->setText(words.isEmpty() ? tr("no rows") : words.join(QStringLiteral(" · ")));
}

} // namespace fencepost::ui
