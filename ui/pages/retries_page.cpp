// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/retries_page.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>

#include "core/protocol/policy.h"
#include "models/session.h"
#include "models/visible_text.h"
#include "ui/pages.h"
#include "ui/theme.h"
#include "ui/widgets/bar_plot.h"
#include "ui/widgets/chart_card.h"
#include "ui/words.h"
#include "ui/workspace.h"
#include "ui/zone_setting.h"

namespace fencepost::ui {

namespace {

bool countsAttempts(const Binding& binding)
{
    const bool tried = binding.kind == Kind::Idempotency || binding.kind == Kind::Inbox || binding.kind == Kind::Outbox
        || binding.kind == Kind::Job;
    const auto& fields = binding.fields;
    return tried && (binding.native || std::find(fields.begin(), fields.end(), "attempts") != fields.end());
}

// Stands beside the names of presets, which are words.
constexpr auto policyFile = "policy file";

// What those wait that nobody told otherwise: clients of the protocol, and relay and consumers of messages.
QString presumedPreset(const Binding& binding)
{
    const bool messages = binding.kind == Kind::Inbox || binding.kind == Kind::Outbox;
    return messages ? QStringLiteral("vendor") : QStringLiteral("playbook");
}

std::optional<retry::DelayRange> delayBefore(const retry::Policy& policy, int attempt)
{
    if (attempt < 2)
        return {};
    return retry::rangeOf(policy.backoff, attempt - 1);
}

Result<Retries> readRetries(Backend& backend, const Binding& binding, const RetriesRequest& request)
{
    if (auto* forensics = backend.inspector().forensics())
        return forensics->retries(binding, request);
    return Error{ Failure::Unsupported, "This database cannot be asked what happened", {} };
}

} // namespace

RetriesPage::RetriesPage(PageContext& context, QWidget* parent)
    : LookBackPage(context,
        { "retries", countsAttempts, tr("attempts"),
            tr("None of the tables that are recognised here counts the attempts of its rows.") },
        parent)
    , m_promises(new QComboBox(this))
    , m_delays(new QComboBox)
{
    build();
    connect(&context.zone, &ZoneSetting::changed, this, &RetriesPage::showAnswer);
}

void RetriesPage::build()
{
    m_promises->setAccessibleName(tr("What is promised of the delays"));
    m_promises->setToolTip(tr("The policy that the delays are compared with"));
    m_promises->addItem(tr("No policy"), QString());
    for (const auto& preset : retry::presets())
        m_promises->addItem(tr("Policy %1").arg(text(preset.name)), text(preset.name));
    m_promises->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addTool(m_promises);
    m_delays->setAccessibleName(tr("Whose delays are shown"));
    m_delays->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_delays->setMinimumContentsLength(22);
    auto* inner = new QWidget(this);
    setPart(inner, "background");
    auto* grid = new QGridLayout(inner);
    grid->setContentsMargins(space::large, space::small, space::large, space::large);
    grid->setSpacing(space::medium);
    for (int i = 0; i < CardCount; ++i) {
        m_plots[std::size_t(i)] = new BarPlot(context().theme);
        m_cards[std::size_t(i)] = new ChartCard(context().theme, m_plots[std::size_t(i)], inner);
        grid->addWidget(m_cards[std::size_t(i)], i / 2, i % 2);
        connect(m_plots[std::size_t(i)], &BarPlot::chosen, this,
            [this, i](int first, int last) { openRows(Card(i), first, last); });
        m_cards[std::size_t(i)]->setNumbers([this, i] { return csvOf(m_plots[std::size_t(i)]->plot()); },
            [this] { return m_answer ? text(m_answer->basis.cost.sql) : tr("-- nothing was counted yet"); });
    }
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    m_cards[Delays]->addTool(m_delays);
    auto* scroll = new QScrollArea(this);
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    setContent(scroll);
    connect(m_promises, &QComboBox::activated, this, [this] {
        m_promiseChosen = true;
        namePresumed({});
        askAgain();
    });
    connect(m_delays, &QComboBox::activated, this, &RetriesPage::showDelays);
    fill(Attempts, { tr("Attempts by state"), {}, {}, tr("Counting") });
    fill(Delays, { tr("Delays between attempts"), {}, {}, tr("Counting") });
    fill(TimeToSuccess, { tr("Time to success"), {}, {}, tr("Counting") });
    fill(SuccessAfter, { tr("Success after so many attempts"), {}, {}, tr("Counting") });
    fill(Amplification, { tr("Retries over time"), {}, {}, tr("Counting") });
    fill(Arrivals, { tr("Arrivals around an outage"), {}, {}, tr("Counting") });
}

Promise RetriesPage::promise() const
{
    const auto name = m_promises->currentData().toString();
    if (name == QLatin1String(policyFile))
        return [policy = *context().workspace->policy()](const std::string& scope, const std::string& operation,
                   int attempt) -> std::optional<retry::DelayRange> {
            if (scope.empty())
                return {};
            return delayBefore(retryPolicyOf(policy.forRoute(scope, operation)), attempt);
        };
    const auto policy = retry::presetOf(name.toStdString());
    if (name.isEmpty() || !policy)
        return {};
    return [policy = *policy](
               const std::string&, const std::string&, int attempt) { return delayBefore(policy, attempt); };
}

// Until somebody chooses: what the services were told, where their file was found, else what they do untold.
void RetriesPage::presumePromise(const Binding& binding)
{
    const bool told = context().workspace && context().workspace->policy();
    if (told && m_promises->findData(QLatin1String(policyFile)) < 0)
        m_promises->insertItem(0, tr("Policy file"), QLatin1String(policyFile));
    if (m_promiseChosen)
        return;
    const bool routes = binding.kind != Kind::Inbox && binding.kind != Kind::Outbox;
    const auto presumed = told && routes ? QString::fromLatin1(policyFile) : presumedPreset(binding);
    m_promises->setCurrentIndex(m_promises->findData(presumed));
    namePresumed(presumed);
}

void RetriesPage::namePresumed(const QString& name)
{
    for (int i = 0; i < m_promises->count(); ++i) {
        const auto preset = m_promises->itemData(i).toString();
        if (!preset.isEmpty() && preset != QLatin1String(policyFile))
            m_promises->setItemText(i, (preset == name ? tr("Policy %1, presumed") : tr("Policy %1")).arg(preset));
    }
}

void RetriesPage::ask(const models::BindingPtr& binding, const RangeRequest& request)
{
    if (binding != m_asked) {
        m_answer.reset();
        m_before.reset();
    }
    m_asked = binding;
    presumePromise(*binding);
    RetriesRequest wanted;
    wanted.range = request;
    wanted.promise = promise();
    m_load.start(
        context().session->reads(),
        [binding, wanted](Backend& backend) { return readRetries(backend, *binding, wanted); },
        [this](const Result<Retries>& answer) {
            if (!answer)
                return failed(tr("count the attempts in %1").arg(chosen()), answer.error());
            m_answer = *answer;
            showAnswer();
            askBefore();
        });
}

// Once the range itself is shown, because it costs as much again.
void RetriesPage::askBefore()
{
    const auto before = stretchBefore(m_answer->basis.range);
    RetriesRequest wanted;
    wanted.range.from = before.from;
    wanted.range.until = before.until;
    m_beforeLoad.start(
        context().session->reads(),
        [binding = m_asked, wanted](Backend& backend) { return readRetries(backend, *binding, wanted); },
        [this](const Result<Retries>& answer) {
            m_before = answer ? std::optional(amplificationOf(answer->rates)) : std::nullopt;
            showSummary();
        });
}

void RetriesPage::showAnswer()
{
    if (!m_answer)
        return;
    const auto& zone = context().zone.value();
    fill(Attempts, attemptsPlot(*m_answer));
    fill(TimeToSuccess, timeToSuccessPlot(*m_answer));
    fill(SuccessAfter, successAfterPlot(*m_answer));
    fill(Amplification, amplificationPlot(*m_answer, zone));
    fill(Arrivals, arrivalsPlot(*m_answer, zone));
    const auto before = m_delays->currentText();
    m_delays->clear();
    std::int64_t most = 0;
    int busiest = -1;
    for (const auto& each : m_answer->delays) {
        if (each.delays.count() > most) {
            most = each.delays.count();
            busiest = m_delays->count();
        }
        m_delays->addItem(
            tr("%1 · attempt %2").arg(elidedId(models::visibleText(each.operation), 16)).arg(each.attempt));
    }
    const int same = m_delays->findText(before);
    m_delays->setCurrentIndex(same >= 0 ? same : busiest);
    m_delays->setVisible(m_delays->count() > 0);
    showDelays();
    showSummary();
}

void RetriesPage::showSummary()
{
    auto words = QStringLiteral("%1 · %2").arg(
        attemptsPlot(*m_answer).title, amplificationPlot(*m_answer, context().zone.value()).title);
    // Without a first attempt there is nothing that a retry could be measured by.
    if (m_before && *m_before > 0)
        words +=
            tr(" · %1 % in %2").arg(std::round((*m_before - 1) * 1000) / 10).arg(beforeText(m_answer->basis.range));
    else if (m_before)
        words += tr(" · nothing was tried in %1").arg(beforeText(m_answer->basis.range));
    answered(m_answer->basis, words);
}

void RetriesPage::showDelays()
{
    const int at = m_delays->currentIndex();
    const bool some = m_answer && at >= 0 && at < static_cast<int>(m_answer->delays.size());
    if (m_answer)
        fill(Delays, delaysPlot(*m_answer, some ? &m_answer->delays[std::size_t(at)] : nullptr, m_asked->kind));
}

void RetriesPage::fill(Card card, const RetryPlot& made)
{
    m_cards[card]->setTitle(made.title, made.caption);
    m_ofAttempts[card] = made.ofAttempts;
    if (made.plot.bars.empty())
        return m_cards[card]->showEmpty(made.none, {});
    m_plots[card]->setPlot(made.plot);
    m_cards[card]->setLegend(made.plot.states);
    m_cards[card]->showChart();
}

void RetriesPage::openRows(Card card, int first, int last)
{
    if (!m_asked || !m_answer)
        return;
    const auto& plot = m_plots[card]->plot();
    QStringList filters;
    QStringList words;
    for (int i = first; i <= last; ++i) {
        const auto& bar = plot.bars[std::size_t(i)];
        if (bar.filter.isEmpty())
            continue;
        words += bar.words;
        if (!filters.contains(bar.filter))
            filters += bar.filter;
    }
    if (filters.isEmpty())
        return;
    auto filter = filters.front();
    if (filters.size() > 1)
        filter = plot.brushed ? plot.brushed(first, last)
                              : QStringLiteral("(%1)").arg(filters.join(QStringLiteral(") or (")));
    if (m_ofAttempts[card])
        context().navigation.log(tr("The rows of these attempts are shown, one that made several of them once: %1")
                                     .arg(words.join(QStringLiteral("; "))));
    context().navigation.open(pageOf(m_asked->kind), text(m_asked->name), filter);
}

PageStatus RetriesPage::status() const
{
    PageStatus status;
    if (!m_answer)
        return status;
    status.cost = m_answer->basis.cost;
    status.readAt = m_answer->basis.now;
    return status;
}

Page* makeRetriesPage(PageContext& context, QWidget* parent)
{
    return new RetriesPage(context, parent);
}

} // namespace fencepost::ui
