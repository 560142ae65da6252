// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/stuck_page.h"

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>

#include "core/operations/operation.h"
#include "models/records_model.h"
#include "models/session.h"
#include "ui/theme.h"
#include "ui/widgets/operation_bar.h"
#include "ui/widgets/plain_label.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

struct Advice {
    const char* operation; // empty: none
    QString sentence;
};

// What an engineer should do with a stuck record, from what the record itself allows.
Advice adviceFor(const Binding& binding, const Row& row, Time now)
{
    const auto* fence = findOperation("fence");
    const auto* release = findOperation("release");
    if (!fence->whyNot(binding, row, now).empty() && !release->whyNot(binding, row, now).empty())
        return { "",
            StuckPage::tr("This table offers no safe way to take it over: %1.")
                .arg(text(fence->whyNot(binding, row, now))) };
    if (!fence->whyNot(binding, row, now).empty())
        return { "release",
            StuckPage::tr("Fencing is not possible: %1. Make sure that the worker is gone, then release it.")
                .arg(text(fence->whyNot(binding, row, now))) };
    if (row.stuckReason == "free")
        return { "",
            StuckPage::tr("Nothing needs to be done: it is free, and the next same request simply takes over. If none "
                          "will come, fail it finally.") };
    if (row.takeover.value_or("manual") == wordOf(Takeover::Auto))
        return { "fence",
            StuckPage::tr("Safe to fence: its effect is local or its provider is idempotent, so the next "
                          "same request simply takes over.") };
    if (!binding.native)
        return { "fence",
            StuckPage::tr("This table holds nothing back: ask the provider whether the effect happened first. Fence it "
                          "only where it did not, because the next same request executes again.") };
    return { "fence",
        StuckPage::tr("Fence it, ask the provider whether the effect happened, then resolve the hold with "
                      "that evidence.") };
}

constexpr int noteLimit = 1000;

QString knownSentence(const models::Ownership& known, const models::Zone& zone)
{
    QStringList parts{ StuckPage::tr("Quiet until %1: %2 (%3)")
                           .arg(zone.format(*known.quietUntil, models::Precision::Seconds), known.why, known.by) };
    if (!known.assignee.isEmpty())
        parts += StuckPage::tr("assigned to %1").arg(known.assignee);
    if (!known.ticket.isEmpty())
        parts += known.ticket;
    return parts.join(QStringLiteral(" · "));
}

} // namespace

StuckPage::StuckPage(PageContext& context, QWidget* parent)
    : TablePage(
        context,
        { .id = "stuck",
            .rows = tr("stuck keys"),
            .one = tr("stuck key"),
            .good = tr("No stuck keys"),
            .always = QStringLiteral("stuck"),
            .order = QStringLiteral("lease"),
            .descending = false,
            .chips = { .stuck = false, .states = false, .example = tr("Filter: scope = payments and age > 5m") } },
        [](models::StoreThread& reads, QObject* owner) -> models::PageModel* {
            return new models::RecordsModel(reads, owner);
        },
        parent)
    , m_card(new QFrame(this))
    , m_act(new QPushButton(this))
{
    build();
    showCurrent();
}

QLabel* StuckPage::addLine(QBoxLayout& column, const char* icon, const QString& title)
{
    auto* whole = new QWidget(m_card);
    auto* line = new QHBoxLayout(whole);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(space::small);
    auto* picture = new PlainLabel(m_card);
    picture->setPixmap(context().theme.icon(icon, Role::Muted).pixmap(space::icon, space::icon));
    picture->setFixedWidth(space::icon);
    auto* name = new PlainLabel(title, m_card);
    name->setFixedWidth(116);
    setTone(name, "muted");
    auto* words = new PlainLabel(m_card);
    words->setWordWrap(true);
    words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    words->setAccessibleName(title);
    line->addWidget(picture, 0, Qt::AlignTop);
    line->addWidget(name, 0, Qt::AlignTop);
    line->addWidget(words, 1);
    column.addWidget(whole);
    return words;
}

void StuckPage::build()
{
    auto* column = new QVBoxLayout;
    column->setSpacing(space::small);
    m_known = addLine(*column, "note", tr("Known issue"));
    m_knownLine = m_known->parentWidget();
    m_why = addLine(*column, "stuck", tr("Why it is stuck"));
    m_effect = addLine(*column, "fence", tr("Fencing it"));
    m_suggestion = addLine(*column, "information", tr("Do next"));
    setKind(m_act, "primary");
    m_card->setObjectName(QStringLiteral("stuckCard"));
    auto* line = new QHBoxLayout(m_card);
    line->setContentsMargins(space::large, space::medium, space::large, space::medium);
    line->setSpacing(space::large);
    line->addLayout(column, 1);
    line->addWidget(m_act, 0, Qt::AlignBottom);
    auto* hairline = new QFrame(this);
    setPart(hairline, "line");
    footer().addWidget(hairline);
    footer().addWidget(m_card);
    connect(context().session, &models::Session::carriedOut, this, &StuckPage::loadKnown);
    connect(m_act, &QPushButton::clicked, this, [this] {
        const auto chosen = selection();
        if (m_suggested && !chosen.isEmpty())
            context().navigation.plan(*m_suggested, chosen);
    });
}

void StuckPage::activate()
{
    TablePage::activate();
    loadKnown();
}

void StuckPage::reload()
{
    TablePage::reload();
    loadKnown();
}

// The newest notes: a known issue of long ago is not quiet any more.
void StuckPage::loadKnown()
{
    if (!model() || !context().session)
        return;
    m_loadKnown.start(
        context().session->reads(), [](Backend& backend) { return backend.inspector().audit({ .limit = noteLimit }); },
        [this](const Result<std::vector<AuditEntry>>& answer) {
            // Without an audit nothing is known; why it cannot be read is said on its own page.
            if (!answer || !model()->binding())
                return;
            m_issues = models::knownIssues(*answer, model()->binding()->name, context().session->databaseNow());
            std::set<models::Identity> quiet;
            for (const auto& [identity, known] : m_issues)
                quiet.insert(identity);
            model()->setQuiet(std::move(quiet));
            showCurrent();
        });
}

QString StuckPage::known() const
{
    return m_known->text();
}

QString StuckPage::why() const
{
    return m_why->text();
}

QString StuckPage::effect() const
{
    return m_effect->text();
}

QString StuckPage::suggestion() const
{
    return m_suggestion->text();
}

void StuckPage::showCurrent()
{
    const auto row = currentRow();
    m_card->setVisible(row.has_value());
    if (!row)
        return;
    const auto issue = m_issues.find(row->identity);
    const bool isKnown = issue != m_issues.end();
    m_known->setText(isKnown ? knownSentence(issue->second, context().zone.value()) : QString());
    m_knownLine->setVisible(isKnown);
    const auto& binding = *model()->binding();
    const auto now = model()->display().now;
    const auto* fence = findOperation("fence");
    const auto whyNot = fence->whyNot(binding, *row, now);
    m_why->setText(models::stuckSentence(*row, now));
    m_effect->setText(withStop(
        whyNot.empty() ? sentence(fence->effect(binding, *row, now, {})) : tr("Not possible: %1").arg(text(whyNot))));
    const auto advice = adviceFor(binding, *row, now);
    m_suggestion->setText(advice.sentence);
    m_suggested = findOperation(advice.operation);
    m_act->setVisible(m_suggested);
    if (m_suggested)
        m_act->setText(tr("%1…").arg(tr(m_suggested->title)));
}

Page* makeStuckPage(PageContext& context, QWidget* parent)
{
    return new StuckPage(context, parent);
}

} // namespace fencepost::ui
