// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_watch.h"

namespace fencepost::models {

namespace {

// A look at a large run keeps the connection from others only for so long: the rest is asked for at the next.
constexpr std::size_t askedAtOnce = 5'000;
constexpr qint64 overEvery = 10'000; // ms

} // namespace

RunWatch::RunWatch(StoreThread& thread, QObject* parent)
    : QObject(parent)
    , m_thread(&thread)
{
}

void RunWatch::watch(const std::string& requestId)
{
    if (requestId == m_requestId)
        return;
    m_requestId = requestId;
    m_stages.reset();
    m_progress.reset();
    if (m_thread)
        m_load.drop(*m_thread);
    read();
    Q_EMIT changed();
}

void RunWatch::look()
{
    const bool over = m_progress && isOver(m_progress->phase);
    const bool settled = over && m_progress->all().pending == 0;
    const bool soon = over && !m_readLast.hasExpired(overEvery);
    if (!settled && !soon && !m_load.pending())
        read();
}

void RunWatch::read()
{
    if (!m_thread || m_requestId.empty())
        return;
    m_readLast.start();
    m_load.start(
        *m_thread,
        [id = m_requestId, stages = m_stages](Backend& backend) -> Result<Seen> {
            const auto journal = journalOf(backend.inspector());
            if (!journal)
                return journal.error();
            const auto run = (*journal)->find(id);
            if (!run)
                return run.error();
            if (!*run)
                return Error{ Failure::NotFound, "The run is gone from its journal", {} };
            Seen seen{ stages, {} };
            if (!seen.stages) {
                auto made = stagesOf(**run);
                if (!made)
                    return made.error();
                seen.stages = std::make_shared<ReplayStages>(std::move(*made));
            }
            if (const auto recalled = seen.stages->recall(**journal); !recalled)
                return recalled.error();
            if (const auto asked = seen.stages->askFates(**journal, askedAtOnce); !asked)
                return asked.error();
            seen.progress = progressOf(**run, *seen.stages);
            return seen;
        },
        [this](const Result<Seen>& answer) {
            if (!answer)
                return Q_EMIT failed(answer.error());
            m_stages = answer->stages;
            m_progress = answer->progress;
            Q_EMIT changed();
        });
}

} // namespace fencepost::models
