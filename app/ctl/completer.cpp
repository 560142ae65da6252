// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/completer.h"

#include <QEventLoop>

#include "core/http/answer.h"
#include "core/protocol/key_syntax.h"
#include "core/store/unfinished.h"

namespace fencepost::app {

namespace {

constexpr int pageSize = 500;

// "refused": by the protocol; asking again is no use before somebody has looked at it.
std::string outcomeOf(const http::ClientOutcome& outcome, const Record& before, const std::optional<Record>& after)
{
    const bool settled = after && isTerminal(after->status);
    if (settled || (!after && outcome.response))
        return "completed";
    if (!outcome.response)
        return "unreachable";
    const auto status = outcome.response->status;
    const bool moved = after && (after->fence != before.fence || after->hold != before.hold);
    const bool says = lineOf(outcome.response->headers, "idempotency-status").has_value();
    const auto code = http::errorCodeOf(outcome.response->body).value_or("");
    if (code == unrecordedCode)
        return "elsewhere";
    const bool inFlight = status == 409 || code == "idempotency.in_progress";
    if (inFlight && !(moved && after->hold) && after && after->status == State::InProgress)
        return moved ? "in_progress" : "refused";
    // The service says that it is done, and the record says that nobody came.
    if (!moved && (status < 400 || says))
        return "elsewhere";
    if (moved && after->hold)
        return "refused";
    return status >= 500 || status == 429 || moved ? "answered" : "refused";
}

} // namespace

Completer::Completer(store::Connection& connection, Store& records, http::Client& client, CompleterOptions options)
    : m_connection(connection)
    , m_records(records)
    , m_client(client)
    , m_options(std::move(options))
{
}

Result<std::vector<store::Unfinished>> Completer::due(CompletionTotals& totals, const Report& report)
{
    const auto now = m_records.now();
    if (!now)
        return now.error();
    std::vector<store::Unfinished> found;
    std::optional<Record> last;
    const auto wanted = static_cast<std::size_t>(m_options.batch);
    while (found.size() < wanted) {
        const auto page = store::unfinishedRecords(m_connection, last, pageSize);
        if (!page)
            return page.error();
        for (const auto& unfinished : *page) {
            if (found.size() == wanted)
                break;
            const auto& record = unfinished.record;
            if (const auto reason = reasonToSkip(record, *now, rulesOf(record.id))) {
                ++totals.skipped[std::string(*reason)];
                report({ record.id, "skipped", std::string(*reason), {}, record.status });
                continue;
            }
            found.push_back(unfinished);
        }
        if (page->size() < pageSize)
            break;
        last = page->back().record;
    }
    return found;
}

CompleterRules Completer::rulesOf(const RecordId& id) const
{
    auto rules = m_options.rules;
    const auto policy = m_options.policy.forRoute(id.scope, id.operation);
    rules.age = m_options.age.value_or(policy.completerAge.value);
    rules.lastRun = m_options.lastRun.value_or(policy.completerLastRun.value);
    return rules;
}

void Completer::send(const store::Unfinished& unfinished, const std::function<void(Completed)>& ended)
{
    const auto& record = unfinished.record;
    const auto stored = storedRequestOf(record, unfinished.requestHeaders, m_options.contentTypes);
    if (!stored)
        return ended({ record.id, "skipped", "fingerprint", {}, record.status });
    http::ClientRequest request{ .operation = record.id.operation,
        .method = stored->method,
        .url = m_options.to + stored->target,
        .headers = stored->headers,
        .body = stored->body,
        .key = record.id.key,
        .background = true,
        .ownsRetries = false };
    request.headers.emplace_back(std::string(resumeHeader), quotedKey(record.id.scope));
    if (!m_options.principalHeader.empty())
        request.headers.emplace_back(m_options.principalHeader, principalOf(record.id.scope).value_or(""));
    const auto sent = m_client.send(
        request, [this, record, ended](const http::ClientOutcome& outcome) { ended(judge(record, outcome)); });
    if (!sent)
        ended({ record.id, "unreachable", sent.error().message, {}, record.status });
}

// What the service says is compared with what the database says: a service that takes us for somebody else answers and
// leaves this record as it was.
Completed Completer::judge(const Record& before, const http::ClientOutcome& outcome)
{
    Completed completed{ before.id, "unreachable", outcome.transport, {}, before.status };
    if (outcome.response)
        completed.status = outcome.response->status;
    const auto after = m_records.find(before.id);
    if (!after) {
        completed.reason = after.error().message;
        return completed;
    }
    completed.outcome = outcomeOf(outcome, before, *after);
    completed.state = *after ? std::optional((*after)->hold ? State::Held : (*after)->status) : std::nullopt;
    if (outcome.response)
        completed.reason = std::string(outcome.decision.reason);
    return completed;
}

Result<CompletionTotals> Completer::pass(const Report& report, const std::function<bool()>& stop)
{
    CompletionTotals totals;
    const auto found = due(totals, report);
    if (!found)
        return found.error();
    QEventLoop loop;
    std::size_t next = 0;
    int onTheirWay = 0;
    bool atHome = false;
    bool misled = false; // the service keeps other records than these: every further request would make one
    std::function<void()> go = [&] {
        while (onTheirWay < m_options.concurrency && next < found->size() && !misled && !stop()) {
            // Alone, until one has found its record.
            if (onTheirWay > 0 && !atHome)
                return;
            ++onTheirWay;
            send((*found)[next++], [&](const Completed& completed) {
                --onTheirWay;
                ++(completed.outcome == "skipped" ? totals.skipped[completed.reason]
                                                  : totals.outcomes[completed.outcome]);
                atHome = atHome || completed.outcome == "completed" || completed.outcome == "answered";
                misled = misled || completed.outcome == "elsewhere";
                report(completed);
                QMetaObject::invokeMethod(
                    &loop, [&] { go(); }, Qt::QueuedConnection);
            });
        }
        if (onTheirWay == 0)
            loop.quit();
    };
    QMetaObject::invokeMethod(
        &loop, [&] { go(); }, Qt::QueuedConnection);
    loop.exec();
    return totals;
}

} // namespace fencepost::app
