// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/overview_page.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>

#include "ui/pages.h"
#include "ui/range_setting.h"
#include "ui/shown_states.h"
#include "ui/theme.h"
#include "ui/widgets/arrivals_chart.h"
#include "ui/widgets/chart_menu.h"
#include "ui/widgets/comparison_card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/error_banner.h"
#include "ui/widgets/figure_tile.h"
#include "ui/widgets/freeze_strip.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/plain_label.h"
#include "ui/widgets/state_bars.h"
#include "ui/widgets/table_list.h"
#include "ui/words.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

constexpr auto shortestRefresh = std::chrono::seconds(5);

QFrame* makeCard(QWidget* parent, const Theme& theme, const QString& title, QLabel* caption, QWidget* body,
    ChartMenu* menu = nullptr)
{
    auto* card = new QFrame(parent);
    setPart(card, "card");
    auto* heading = new PlainLabel(title, card);
    heading->setFont(theme.font(Text::Section));
    auto* head = new QHBoxLayout;
    head->addWidget(heading, 1);
    if (menu)
        head->addWidget(menu);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(space::large, space::medium, space::large, space::medium);
    layout->setSpacing(space::tiny);
    layout->addLayout(head);
    if (caption) {
        caption->setFont(theme.font(Text::Caption));
        caption->setWordWrap(true);
        setTone(caption, "muted");
        layout->addWidget(caption);
    }
    layout->addSpacing(space::tiny);
    layout->addWidget(body);
    layout->addStretch();
    return card;
}

} // namespace

OverviewPage::OverviewPage(PageContext& context, QWidget* parent)
    : Page(parent)
    , m_context(context)
    , m_overview(*context.session)
    , m_header(new PageHeader(context.theme, tr("Overview"), this))
    , m_banner(new ErrorBanner(context.theme, this))
    , m_content(new QWidget(this))
    , m_empty(new EmptyState(context.theme, this))
    , m_states(new StateBars(context.theme, this))
    , m_statesCaption(new PlainLabel(this))
    , m_strip(new FreezeStrip(context.theme, context.range, context.zone, this))
    , m_arrivals(new ArrivalsChart(context.theme, this))
    , m_comparison(new ComparisonCard(context.theme, this))
    , m_tables(new TableList(context.theme, this))
{
    auto* middle = new QHBoxLayout;
    middle->setSpacing(space::large);
    auto* standing = new QVBoxLayout;
    standing->setSpacing(space::large);
    standing->addWidget(
        makeCard(this, context.theme, tr("Where keys stand"), m_statesCaption, m_states, makeStatesMenu()));
    standing->addWidget(m_comparison, 1);
    middle->addLayout(standing, 5);
    middle->addWidget(m_arrivals, 6);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(space::large);
    QFrame* tables = makeCard(this, context.theme, tr("Recognised tables"), nullptr, m_tables);
    tables->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    bottom->addWidget(tables, 1);
    auto* content = new QVBoxLayout(m_content);
    content->setContentsMargins(0, 0, 0, 0);
    content->setSpacing(space::large);
    content->addWidget(makeFigures());
    content->addWidget(m_strip);
    content->addLayout(middle);
    content->addLayout(bottom);
    content->addWidget(makeFacts());
    content->addStretch();

    auto* inner = new QWidget(this);
    inner->setProperty("part", QStringLiteral("background"));
    auto* innerLayout = new QVBoxLayout(inner);
    innerLayout->setContentsMargins(space::huge, space::large, space::huge, space::huge);
    innerLayout->setSpacing(space::large);
    innerLayout->addWidget(m_header);
    innerLayout->addWidget(m_banner);
    innerLayout->addWidget(m_content);
    innerLayout->addWidget(m_empty, 1);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(inner);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);

    m_empty->hide();
    connect(&m_overview, &models::Overview::changed, this, &OverviewPage::showAll);
    connect(&m_overview, &models::Overview::arrivalsChanged, this, &OverviewPage::showArrivals);
    connect(&m_overview, &models::Overview::comparisonChanged, this, &OverviewPage::showComparison);
    connect(m_context.session, &models::Session::statusChanged, this, &OverviewPage::showFacts);
    connect(m_context.session, &models::Session::bindingsFailed, this, &OverviewPage::showAll);
    connect(&context.zone, &ZoneSetting::changed, this, [this] {
        showAll();
        showArrivals();
        showComparison();
    });
    connect(&context.range, &RangeSetting::changed, this, [this] {
        if (!m_binding.isEmpty())
            m_overview.loadArrivals(m_binding, m_context.range.request());
        showArrivals();
        compare();
    });
    connect(&context.theme, &Theme::changed, this, &OverviewPage::showAll);
    connect(m_tables, &TableList::chosen, this, &OverviewPage::choose);
    connect(m_states, &StateBars::chosen, this,
        [this](const QString& state) { openRows(QStringLiteral("state = ") + state); });
    connect(m_arrivals, &ArrivalsChart::chosen, this, &OverviewPage::openRows);
    connect(m_comparison, &ComparisonCard::chosen, this, &OverviewPage::openRows);
    connect(m_banner, &ErrorBanner::acted, this, [this](Failure failure) {
        if (failure == Failure::Denied)
            m_context.navigation.open("connections");
        else
            reload();
    });
    connect(m_empty, &EmptyState::acted, this, [this] { m_context.navigation.open("connections"); });
    m_refresh.setSingleShot(true);
    connect(&m_refresh, &QTimer::timeout, this, [this] {
        // Nothing is counted for a window that nobody sees; soon after it is seen again, it is up to date.
        if (isVisible() && !window()->isMinimized())
            reload();
        else
            m_refresh.start(shortestRefresh);
    });
    showAll();
    showArrivals();
}

ChartMenu* OverviewPage::makeStatesMenu()
{
    auto* menu = new ChartMenu(m_context.theme, *m_states, this);
    menu->setTitle(tr("Where keys stand"));
    menu->setNumbers([this] { return m_states->csv(); },
        [this] {
            const models::OverviewEntry* entry = m_overview.entry(m_binding);
            return entry && entry->counts ? text(entry->counts->cost.sql) : tr("-- nothing was counted yet");
        });
    return menu;
}

QWidget* OverviewPage::makeFigures()
{
    const Theme& theme = m_context.theme;
    auto* figures = new QWidget(this);
    m_total = new FigureTile(theme, "keys", tr("Keys"), figures);
    m_stuck = new FigureTile(theme, "stuck", tr("Stuck"), figures);
    m_held = new FigureTile(theme, "state-held", tr("Held"), figures);
    m_expiring = new FigureTile(theme, "expire", tr("Expiring soon"), figures);
    m_oldest = new FigureTile(theme, "clock", tr("Oldest lease"), figures);
    auto* layout = new QHBoxLayout(figures);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::medium);
    for (FigureTile* tile : { m_total, m_stuck, m_held, m_expiring, m_oldest })
        layout->addWidget(tile);
    connect(m_total, &FigureTile::clicked, this, [this] { openRows({}); });
    connect(m_stuck, &FigureTile::clicked, this, [this] { openRows(QStringLiteral("stuck")); });
    connect(m_held, &FigureTile::clicked, this, [this] { openRows(QStringLiteral("held")); });
    connect(m_expiring, &FigureTile::clicked, this,
        [this] { openRows(QStringLiteral("expires < 1h and not state = EXPIRED")); });
    connect(m_oldest, &FigureTile::clicked, this, [this] { openRows(QStringLiteral("state = IN_PROGRESS")); });
    return figures;
}

QWidget* OverviewPage::makeFacts()
{
    auto* facts = new QWidget(this);
    auto* grid = new QGridLayout(facts);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(space::medium);
    grid->setVerticalSpacing(space::small);
    const QString titles[] = { tr("Database"), tr("Access"), tr("Its clock"), tr("Cost of this console") };
    for (int fact = 0; fact < 4; ++fact) {
        auto* title = new PlainLabel(titles[fact], facts);
        setTone(title, "muted");
        m_facts[fact] = new PlainLabel(facts);
        m_facts[fact]->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_facts[fact]->setWordWrap(true);
        m_facts[fact]->setAlignment(Qt::AlignTop | Qt::AlignLeft);
        grid->addWidget(title, fact / 2, fact % 2 * 2, Qt::AlignTop);
        grid->addWidget(m_facts[fact], fact / 2, fact % 2 * 2 + 1);
    }
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    QFrame* card = makeCard(this, m_context.theme, tr("This connection"), nullptr, facts);
    card->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    return card;
}

void OverviewPage::activate()
{
    reload();
    if (!m_overview.arrivals() && !m_binding.isEmpty())
        m_overview.loadArrivals(m_binding, m_context.range.request());
}

void OverviewPage::reload()
{
    m_overview.reload();
    if (!m_binding.isEmpty())
        m_overview.refreshArrivals(m_binding, m_context.range.request());
    compare();
}

void OverviewPage::setLive(bool live)
{
    m_live = live;
    if (live && isVisible())
        m_refresh.start(shortestRefresh);
    else
        m_refresh.stop();
}

void OverviewPage::show(const QString& binding, const QString& /*filter*/)
{
    if (!binding.isEmpty())
        choose(binding);
}

PageStatus OverviewPage::status() const
{
    PageStatus status;
    const models::OverviewEntry* entry = m_overview.entry(m_binding);
    if (entry && entry->counts) {
        status.rows = counted(entry->counts->total.value, tr("row"), tr("rows"));
        if (entry->counts->total.exactness != Exactness::Exact)
            status.rows = tr("%1 rows").arg(countText(entry->counts->total));
        status.readAt = entry->counts->now;
        status.stale = entry->error.has_value();
    }
    status.cost = m_overview.cost();
    return status;
}

void OverviewPage::choose(const QString& binding)
{
    if (binding.isEmpty() || binding == m_binding)
        return;
    m_binding = binding;
    m_overview.loadArrivals(binding, m_context.range.request());
    compare();
    showAll();
    showArrivals();
}

// The table chosen, or the first that holds idempotency keys.
void OverviewPage::showAll()
{
    const auto& entries = m_overview.entries();
    if (!m_overview.entry(m_binding) && !entries.empty()) {
        const auto keys = std::find_if(entries.begin(), entries.end(),
            [](const models::OverviewEntry& entry) { return entry.binding->kind == Kind::Idempotency; });
        choose(text((keys == entries.end() ? entries.front() : *keys).binding->name));
        return;
    }
    const bool none = entries.empty() && (m_context.session->bindingsRead() || m_context.session->bindingsError());
    m_content->setVisible(!none);
    m_empty->setVisible(none);
    if (none)
        m_empty->showNoTable(*m_context.session, tr("keys or messages"), tr("Connections"));
    m_tables->show(entries, m_binding);
    if (const models::OverviewEntry* entry = m_overview.entry(m_binding)) {
        showFigures(*entry);
        if (entry->error && !m_context.session->lost())
            m_banner->report(tr("count %1").arg(m_binding), *entry->error);
        else
            m_banner->clear();
    }
    showFacts();
    // Costly counts are repeated less often: at most a four-hundredth of the time goes to them.
    if (m_live && !m_overview.loading())
        m_refresh.start(std::max(std::chrono::duration_cast<std::chrono::milliseconds>(m_overview.cost().time * 400),
            std::chrono::milliseconds(shortestRefresh)));
    Q_EMIT statusChanged();
}

void OverviewPage::showFigures(const models::OverviewEntry& entry)
{
    m_header->setSubtitle(entry.counts
            ? tr("%1 · %2 · as of %3")
                  .arg(m_binding, text(entry.binding->title),
                      m_context.zone.value().format(entry.counts->now, models::Precision::Seconds))
            : tr("%1 · %2").arg(m_binding, text(entry.binding->title)));
    if (!entry.counts) {
        m_states->setCounts({ .total = { 0, Exactness::AtLeast } }, expectedStates(*entry.binding));
        m_statesCaption->setText(entry.error ? tr("Not counted") : tr("Counting"));
        return;
    }
    const Counts& counts = *entry.counts;
    const bool stale = entry.error.has_value();
    for (FigureTile* tile : { m_total, m_stuck, m_held, m_expiring, m_oldest })
        tile->setDimmed(stale);
    m_states->setDimmed(stale);
    const bool hides = entry.binding->mayHideRows;
    const QString unseen = hides ? tr("none that this role is shown") : tr("not counted in time");
    const auto held = counts.byState.find("HELD");
    const Count heldCount =
        held != counts.byState.end() ? held->second : Count{ 0, hides ? Exactness::AtLeast : Exactness::Exact };
    m_total->setFigure(countText(counts.total),
        hides && isUnknown(counts.total)
            ? unseen
            : tr("%1, in %2").arg(exactnessText(counts.total.exactness), text(formatDuration(counts.cost.time))));
    const auto& fields = entry.binding->fields;
    const bool leased = std::find(fields.begin(), fields.end(), "lease_until") != fields.end();
    if (entry.binding->tellsStuck)
        showAttention(*m_stuck, counts.stuck,
            { leased ? tr("past their lease") : tr("longer than their profile allows"), tr("nothing is stuck"),
                unseen },
            Role::Warning);
    else
        m_stuck->setFigure(QStringLiteral("–"),
            entry.binding->fromLogs ? tr("logs tell no lease") : tr("its profile does not say"), Role::Muted);
    showAttention(
        *m_held, heldCount, { tr("wait for a decision"), tr("nothing waits for a decision"), unseen }, Role::Held);
    m_expiring->setFigure(countText(counts.expiringSoon),
        isUnknown(counts.expiringSoon)                             ? unseen
            : counts.expiringSoon.exactness == Exactness::Estimate ? tr("within the next hour, estimated")
                                                                   : tr("within the next hour"));
    const auto running = counts.byState.find("IN_PROGRESS");
    if (counts.oldestLease) {
        const Duration left = *counts.oldestLease - counts.now;
        m_oldest->setFigure(models::durationText(std::chrono::abs(left)),
            left < Duration() ? tr("past its end") : tr("left of it"), left < Duration() ? Role::Warning : Role::Text);
    } else {
        const bool known = running == counts.byState.end() || !isUnknown(running->second);
        const bool some = known && running != counts.byState.end() && running->second.value > 0;
        m_oldest->setFigure(QStringLiteral("–"),
            !leased      ? tr("this table has no leases")
                : hides  ? unseen
                : !known ? tr("not looked for in time")
                : some   ? tr("nothing in progress has one")
                         : tr("nothing is in progress"));
    }
    m_states->setCounts(counts, expectedStates(*entry.binding));
    if (hides && isUnknown(counts.total))
        return m_statesCaption->setText(tr("None that this role is shown: row-level security may hide some"));
    m_statesCaption->setText(
        (hides ? tr("%1 %2, %3: row-level security may hide more") : tr("%1 %2, %3. Press a state for its rows"))
            .arg(countText(counts.total), counts.total.value == 1 ? tr("row") : tr("rows"),
                exactnessText(counts.total.exactness)));
}

// Green only what was counted to the end: a count that ran out of time is no good news.
void OverviewPage::showAttention(FigureTile& tile, const Count& count, const Attention& words, Role role)
{
    if (isUnknown(count))
        return tile.setFigure(countText(count), words.unseen, Role::Muted);
    const bool estimate = count.exactness == Exactness::Estimate;
    if (count.value > 0)
        return tile.setFigure(countText(count), estimate ? tr("%1, estimated").arg(words.some) : words.some, role);
    tile.setFigure(
        countText(count), estimate ? tr("none, estimated") : words.none, estimate ? Role::Muted : Role::Succeeded);
}

void OverviewPage::showFacts()
{
    const models::SessionStatus session = m_context.session->status();
    if (session.info) {
        const DatabaseInfo& info = *session.info;
        const QString schema =
            info.schemaVersion ? tr("Fencepost schema %1").arg(*info.schemaVersion) : tr("no Fencepost schema");
        m_facts[0]->setText(
            tr("%1 %2 · %3\n%4").arg(text(info.product), text(info.version), schema, text(info.location)));
        QString access = info.user.empty() ? tr("Read-only, enforced by the database")
                                           : tr("Read-only as %1, enforced by the server").arg(text(info.user));
        if (session.arming == models::Arming::Armed)
            access = tr("Armed: %1").arg(session.armedReason);
        if (info.replica)
            access += info.replicaLag ? tr(" · replica, %1 behind").arg(models::durationText(*info.replicaLag))
                                      : tr(" · replica");
        m_facts[1]->setText(access);
    }
    if (session.skew && session.info) {
        const Duration skew = *session.skew;
        const QString step = std::chrono::abs(skew) < std::chrono::seconds(1)
            ? tr("in step with this computer")
            : tr("%1 %2 of this computer")
                  .arg(models::durationText(std::chrono::abs(skew)), skew > Duration() ? tr("ahead") : tr("behind"));
        m_facts[2]->setText(
            tr("%1\n%2").arg(m_context.zone.value().format(session.info->now, models::Precision::Seconds), step));
        setTone(m_facts[2], std::chrono::abs(skew) < std::chrono::seconds(1) ? "plain" : "warning");
    }
    m_facts[3]->setText(
        tr("%1 in %2 within the last minute")
            .arg(models::durationText(session.usage.time), counted(session.usage.jobs, tr("query"), tr("queries"))));
}

void OverviewPage::showArrivals()
{
    m_arrivals->show(m_overview.arrivals(), m_context.zone.value());
    m_strip->show(m_overview.arrivals());
}

void OverviewPage::compare()
{
    if (!m_binding.isEmpty())
        m_overview.loadComparison(m_binding, m_context.range.frozen());
    showComparison();
}

void OverviewPage::showComparison()
{
    const models::OverviewEntry* entry = m_overview.entry(m_binding);
    if (entry)
        m_comparison->show(m_overview.comparison(), possibleStates(entry->binding->kind),
            m_context.range.frozen().has_value(), m_context.zone.value());
}

void OverviewPage::openRows(const QString& filter)
{
    const models::OverviewEntry* entry = m_overview.entry(m_binding);
    m_context.navigation.open(entry ? pageOf(entry->binding->kind) : "keys", m_binding, filter);
}

Page* makeOverviewPage(PageContext& context, QWidget* parent)
{
    return new OverviewPage(context, parent);
}

} // namespace fencepost::ui
