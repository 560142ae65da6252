// SPDX-License-Identifier: Apache-2.0
#include "core/operations/replay_work.h"

#include <limits>
#include <utility>

#include "core/operations/carry_out.h"
#include "core/operations/strict_json.h"

namespace fencepost::operation {

namespace {

constexpr std::size_t secondsCounted = 5;
constexpr std::size_t askedBetween = 500; // rows whose outcome is asked for while others are put back
constexpr auto everyRow = std::numeric_limits<std::size_t>::max();

} // namespace

ReplayWork::ReplayWork(ReplayTask task)
    : m_task(std::move(task))
    , m_done(std::chrono::seconds(1), secondsCounted)
{
}

Status ReplayWork::begin(const ReplaySettings& settings)
{
    m_brake = ReplayBrake(settings);
    m_stages = ReplayStages(m_task.plan, settings.ramp, !settings.ramp.empty());
    return m_stages.recall(m_task.journal);
}

Status ReplayWork::recall()
{
    const auto before = m_stages.sum().done();
    if (auto recalled = m_stages.recall(m_task.journal); !recalled)
        return recalled;
    m_done.add(m_task.steady.now(), 0, m_stages.sum().done() - before);
    return {};
}

Status ReplayWork::putBack(std::size_t row)
{
    const auto& item = m_task.plan.items[row];
    const auto begun = m_task.steady.now();
    auto outcome = m_task.inspector.apply(m_task.binding, changeOf(m_task.plan, item, m_task.actor));
    const auto took = m_task.steady.now() - begun;
    if (!outcome && endsTheRun(outcome.error()))
        return outcome.error();
    auto done = outcome ? *outcome : failed(outcome.error());
    admitHidden(m_task.binding, done);
    const std::string word(wordOf(done.result));
    m_stages.note(row, ReplayStages::Told{ word, done.reason, true });
    m_unput.push_back({ item.number, canonical(item.identity), word, done.reason });
    m_done.add(m_task.steady.now(), 0);
    m_brake.addChange(took);
    if (m_task.hooks.itemDone)
        m_task.hooks.itemDone({ item.number, item.key, std::move(done) });
    return {};
}

Status ReplayWork::enterItems()
{
    if (m_unput.empty())
        return {};
    const auto begun = m_task.steady.now();
    auto put = m_task.journal.put(m_task.plan.requestId, m_unput);
    m_brake.addWriting(m_task.steady.now() - begun);
    if (put)
        m_unput.clear();
    return put;
}

Status ReplayWork::askFates()
{
    return askFates(everyRow);
}

Status ReplayWork::askSomeFates()
{
    return askFates(askedBetween);
}

Status ReplayWork::askFates(std::size_t most)
{
    if (!m_stages.asks())
        return {};
    const auto throttled = m_stages.askFates(m_task.journal, most);
    if (!throttled)
        return throttled.error();
    m_brake.setThrottled(*throttled);
    return {};
}

void ReplayWork::forgive()
{
    m_stages.forgive();
    m_brake.restart();
    m_brake.setThrottled(false);
}

std::optional<std::string> ReplayWork::whyBrake(std::size_t stage, bool stageIsOver)
{
    auto why = m_brake.whyPause(m_stages.judged(stage), m_stages.newest(), stageIsOver);
    if (!why && m_brake.areEnough(m_stages.newest()))
        m_stages.settle();
    return why;
}

double ReplayWork::perSecond()
{
    return static_cast<double>(m_done.sum(m_task.steady.now(), 0)) / static_cast<double>(secondsCounted);
}

} // namespace fencepost::operation
