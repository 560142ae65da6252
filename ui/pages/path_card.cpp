// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/path_card.h"

#include <QBoxLayout>
#include <QScrollArea>

#include "core/forensics/row_machine.h"
#include "core/redaction.h"
#include "models/visible_text.h"
#include "ui/pages/dossier_facts.h"
#include "ui/theme.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/drawing_tools.h"
#include "ui/widgets/message_path.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/state_diagram.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

constexpr int aroundAStep = 90; // of the diagram, when the keys walk to it

StatePath pathOfRow(const Binding& binding, const RowDetails& details, const std::vector<AuditEntry>& audit)
{
    if (rowEdges(binding.kind).empty())
        return pathOf(details.journal,
            { .state = stateOf(details.row.state).value_or(State::Unknown),
                .word = binding.native ? std::string() : details.row.state,
                .expiresAt = details.row.expiresAt,
                .journalled = binding.native,
                .stuck = details.row.stuck });
    MessageHistory history{ .kind = binding.kind, .row = details.row, .audit = audit, .native = binding.native };
    const auto failures = failedDeliveries(details);
    // A list that is not there at all is one that nothing was ever written to.
    if (failures)
        history.failures = *failures ? **failures : std::vector<DeliveryAttempt>();
    return pathOf(history);
}

// A file leaves the window: what is a secret wherever it stands is none of its title.
QString rowName(const Binding& binding, const Row& row)
{
    const Redactor redactor;
    QStringList parts{ models::visibleText(binding.name) };
    for (const auto& part : { row.scope, row.operation })
        if (part && !part->empty())
            parts += elidedId(models::visibleText(redactor.text(*part).text));
    parts += elidedId(models::visibleText(redactor.text(row.key).text));
    return parts.join(QStringLiteral(" · "));
}

} // namespace

PathCard::PathCard(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_diagram(new StateDiagram(theme))
    , m_tools(new DrawingTools(*m_diagram, this))
    , m_menu(new ChartMenu(theme, *m_diagram, this))
    , m_remarks(new PlainLabel(this))
{
    setPart(this, "transparent");
    setPart(m_diagram, "surface");
    m_remarks->setWordWrap(true);
    setTone(m_remarks, "muted");
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_diagram);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* line = new QHBoxLayout;
    line->setSpacing(space::small);
    line->addStretch(1);
    line->addWidget(m_tools);
    line->addWidget(m_menu);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::large, space::medium, space::large, space::large);
    column->setSpacing(space::small);
    column->addLayout(line);
    column->addWidget(m_remarks);
    column->addWidget(scroll, 1);
    m_tools->setTitle([this] { return title(); }, QStringLiteral("state"));
    m_menu->setNumbers([this] { return csvOf(m_diagram->path()); }, {});
    // What the keys walk to is brought into sight.
    connect(m_diagram, &StateDiagram::stepChanged, scroll, [this, scroll](std::size_t step) {
        const auto place = m_diagram->placeOf(step).toPoint();
        scroll->ensureVisible(place.x(), place.y(), aroundAStep, aroundAStep);
    });
    connect(m_diagram, &StateDiagram::stepActivated, this,
        [this](std::size_t step) { Q_EMIT stepActivated(m_diagram->path().steps[step]); });
}

void PathCard::show(const Binding& binding, const RowDetails& details, const std::vector<AuditEntry>& audit)
{
    m_row = rowName(binding, details.row);
    m_tools->setTitle([this] { return title(); }, QStringLiteral("state-of-%1").arg(text(binding.table)));
    m_diagram->setPath(pathOfRow(binding, details, audit));
    m_menu->setTitle(title());
    m_remarks->setText(remarks());
    m_remarks->setVisible(!m_remarks->text().isEmpty());
}

QString PathCard::title() const
{
    return tr("%1: %2").arg(m_row, models::visibleText(m_diagram->path().current));
}

QString PathCard::remarks() const
{
    return m_diagram->path().remarks.join(u' ');
}

} // namespace fencepost::ui
