// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/row_views.h"

#include <algorithm>
#include <array>
#include <span>

#include "app/ctl/commands.h"
#include "app/ctl/rows.h"
#include "app/ctl/table_access.h"
#include "core/redaction.h"
#include "core/without_credentials.h"
#include "models/look.h"
#include "models/operator.h"
#include "models/row_json.h"

namespace fencepost::app {

namespace {

constexpr int pageSize = 500;
constexpr std::int64_t payloadLimit = 1024 * 1024;

Result<PageRequest> requestOf(const ListOptions& options, const Binding& binding)
{
    PageRequest request;
    auto filter = parseFilter(options.filter);
    if (!filter)
        return filter.error();
    request.filter = *filter;
    request.order = options.order;
    request.descending = !options.ascending;
    request.limit = pageSize;
    if (!options.order.empty()
        && std::find(binding.orders.begin(), binding.orders.end(), options.order) == binding.orders.end()) {
        std::string orders;
        for (const auto& order : binding.orders)
            orders += (orders.empty() ? "" : ", ") + order;
        return Error{ Failure::Invalid,
            "This table is not ordered by \"" + options.order + "\": it has no index for it",
            "It can be ordered by: " + orders };
    }
    if (!options.after.empty()) {
        auto cursor = parseCursor(options.after);
        if (!cursor)
            return cursor.error();
        request.after = std::move(*cursor);
    }
    return request;
}

std::string shown(const std::optional<Time>& time)
{
    return time ? formatInstant(*time) : std::string("-");
}

template <typename T> std::string shown(const std::optional<T>& value)
{
    if constexpr (std::is_same_v<T, std::string>)
        return value ? withoutCredentials(*value) : "-";
    else
        return value ? std::to_string(*value) : std::string("-");
}

struct Column {
    const char* title;
    std::string (*text)(const Row&);
};

template <auto member> std::string cell(const Row& row)
{
    return shown(row.*member);
}

std::string state(const Row& row)
{
    return row.state;
}

std::string key(const Row& row)
{
    return row.key;
}

std::string identity(const Row& row)
{
    return row.identity.empty() ? std::string() : row.identity.front();
}

std::string extra(const Row& row, const char* name)
{
    const auto found = row.extra.find(name);
    return found == row.extra.end() ? "-" : withoutCredentials(found->second);
}

constexpr std::array keyColumns = { Column{ "STATE", state }, Column{ "SCOPE", cell<&Row::scope> },
    Column{ "OPERATION", cell<&Row::operation> }, Column{ "KEY", key }, Column{ "ATTEMPTS", cell<&Row::attempts> },
    Column{ "FENCE", cell<&Row::fence> }, Column{ "LEASE", cell<&Row::leaseUntil> },
    Column{ "CREATED", cell<&Row::createdAt> }, Column{ "EXPIRES", cell<&Row::expiresAt> } };
constexpr std::array inboxColumns = { Column{ "STATE", state }, Column{ "CONSUMER", cell<&Row::scope> },
    Column{ "SOURCE", cell<&Row::queue> }, Column{ "EVENT", key }, Column{ "ATTEMPTS", cell<&Row::attempts> },
    Column{ "LEASE", cell<&Row::leaseUntil> }, Column{ "RECEIVED", cell<&Row::createdAt> },
    Column{ "PROCESSED", cell<&Row::finishedAt> } };
constexpr std::array outboxColumns = { Column{ "STATE", state }, Column{ "SEQ", identity }, Column{ "EVENT", key },
    Column{ "TYPE", cell<&Row::operation> }, Column{ "DESTINATION", cell<&Row::queue> },
    Column{ "ORDER KEY", [](const Row& row) { return extra(row, "order_key"); } },
    Column{ "ATTEMPTS", cell<&Row::attempts> }, Column{ "NEXT", cell<&Row::nextAttemptAt> },
    Column{ "CREATED", cell<&Row::createdAt> }, Column{ "SENT", cell<&Row::finishedAt> } };
constexpr std::array letterColumns = { Column{ "STATE", state }, Column{ "ID", identity }, Column{ "EVENT", key },
    Column{ "DIED AS", [](const Row& row) { return extra(row, "died_as"); } }, Column{ "CONSUMER", cell<&Row::scope> },
    Column{ "DESTINATION", cell<&Row::queue> }, Column{ "DIED", cell<&Row::createdAt> },
    Column{ "VERDICT", [](const Row& row) { return extra(row, rowVerdict); } },
    Column{ "GROUP", [](const Row& row) { return extra(row, "group"); } }, Column{ "ERROR", cell<&Row::error> } };

std::span<const Column> columnsOf(Kind kind)
{
    switch (kind) {
    case Kind::Inbox:
        return inboxColumns;
    case Kind::Outbox:
        return outboxColumns;
    case Kind::DeadLetter:
        return letterColumns;
    case Kind::Idempotency:
    case Kind::Job:
    case Kind::Lock:
        break;
    }
    return keyColumns;
}

// Page by page, so that a table of any size needs the memory of one page.
class Listing {
public:
    Listing(Context& context, const Binding& binding, Kind kind, bool why)
        : m_context(context)
        , m_binding(binding)
        , m_why(why)
        , m_table(context.out, titles(binding, kind, why))
        , m_kind(kind)
    {
    }

    void show(const Page& page, std::size_t rows)
    {
        for (std::size_t i = 0; i < rows && !m_context.out.isClosed(); ++i) {
            const auto row = models::withoutSecrets(page.rows[i], m_redactor);
            m_any = true;
            if (!m_context.out.isJson()) {
                m_table.add(cells(row, page.now));
                continue;
            }
            auto object = toJson(row);
            addWarnings(object, m_binding);
            object["cursor"] = formatCursor(page.cursors[i]);
            if (m_why)
                object["why"] = whyStuck(row, page.now);
            m_context.out.object(object);
        }
        if (!m_context.out.isJson())
            m_table.show();
    }

    // Where there is no row to say it with, nothing else would say why there is none.
    void finish()
    {
        if (!m_any && m_context.out.isJson())
            for (const auto& warning : m_binding.warnings)
                m_context.out.object({ { "warning", warning } });
    }

private:
    // A view over one table in each schema: its identity begins with which one a row is of.
    static bool isOverSchemas(const Binding& binding) { return !binding.members.empty(); }

    static std::vector<std::string> titles(const Binding& binding, Kind kind, bool why)
    {
        std::vector<std::string> out;
        if (isOverSchemas(binding))
            out.emplace_back("SCHEMA");
        for (const auto& column : columnsOf(kind))
            out.emplace_back(column.title);
        if (why)
            out.emplace_back("WHY");
        return out;
    }

    std::vector<std::string> cells(const Row& row, Time now) const
    {
        std::vector<std::string> out;
        if (isOverSchemas(m_binding))
            out.push_back(identity(row));
        for (const auto& column : columnsOf(m_kind))
            out.push_back(column.text(row));
        if (m_why)
            out.push_back(whyStuck(row, now));
        return out;
    }

    Context& m_context;
    const Binding& m_binding;
    bool m_any = false;
    bool m_why;
    Table m_table;
    Kind m_kind;
    Redactor m_redactor;
};

// Every state that the kind knows; whatever else the table holds is UNKNOWN.
Result<std::vector<std::string>> statesOf(Context& context, const Binding& binding)
{
    std::vector<std::string> states;
    if (binding.kind == Kind::Idempotency) {
        for (const auto state : allStates())
            if (state != State::Absent)
                states.emplace_back(wordOf(state));
        return states;
    }
    const auto profiles = context.profiles();
    if (!profiles)
        return profiles.error();
    if (const auto* profile = (*profiles)->find(binding.profile))
        for (const auto& state : profile->states)
            states.push_back(state.is);
    states.emplace_back(wordOf(State::Unknown));
    return states;
}

void showText(Context& context, const RowDetails& details)
{
    const auto object = toJson(details.row);
    for (const auto& [name, value] : object.items())
        if (!value.is_null())
            context.out.line(name + ": " + printable(value.is_string() ? value.get<std::string>() : value.dump()));
    for (const auto& payload : details.payloads)
        context.out.line(payload.name + " (" + std::to_string(payload.size) + " octets, " + payload.contentType
            + "): " + printable(payload.bytes));
    if (!details.conflicts.empty()) {
        context.out.line("");
        Table conflicts(context.out, { "REFUSED", "TIMES", "FIRST", "LAST", "PRINCIPAL" });
        for (const auto& conflict : details.conflicts)
            conflicts.add({ conflict.kind, std::to_string(conflict.count), formatInstant(conflict.firstAt),
                formatInstant(conflict.lastAt), conflict.principal });
        conflicts.show();
    }
    if (details.journal.empty())
        return;
    context.out.line("");
    Table journal(context.out, { "AT", "FROM", "TO", "EVENT", "FENCE", "ATTEMPT", "ACTOR", "REASON" });
    for (const auto& entry : details.journal)
        journal.add({ formatInstant(entry.at), entry.fromState, entry.toState, entry.event,
            std::to_string(entry.fence.value), std::to_string(entry.attempt), entry.actor, entry.reason });
    journal.show();
}

struct HiddenPart {
    std::vector<std::string> what; // JSON pointers, or names in other texts
    bool truncated = false; // before anything was hidden
};
struct Hidden {
    std::vector<HiddenPart> payloads; // in their order
    std::vector<std::string> row; // members
};

Hidden hideSecrets(RowDetails& details)
{
    const Redactor redactor;
    Hidden hidden;
    auto row = models::withoutSecrets(details.row, redactor);
    if (row != details.row)
        hidden.row.emplace_back("error");
    details.row = std::move(row);
    for (auto& entry : details.journal)
        entry.reason = redactor.text(entry.reason).text;
    for (auto& payload : details.payloads) {
        auto shown = redactor.payload(payload.bytes, payload.contentType);
        hidden.payloads.push_back(
            { std::move(shown.hidden), payload.size > static_cast<std::int64_t>(payload.bytes.size()) });
        if (!hidden.payloads.back().what.empty())
            payload.bytes = std::move(shown.text);
    }
    return hidden;
}

void tellHidden(Context& context, const Hidden& hidden)
{
    const auto hides = [](const HiddenPart& each) { return !each.what.empty(); };
    if (!hidden.row.empty() || std::any_of(hidden.payloads.begin(), hidden.payloads.end(), hides))
        context.out.note("What looks like a secret is hidden; --reveal WHY shows it, and the audit keeps why.");
}

json toJson(const RowDetails& details, const std::vector<AuditEntry>& actions)
{
    auto out = app::toJson(details.row);
    out["now"] = formatInstant(details.now);
    for (const auto* name : { "transitions", "conflicts", "payloads", "actions" })
        out[name] = json::array();
    for (const auto& entry : details.journal)
        out["transitions"].push_back(app::toJson(entry));
    for (const auto& conflict : details.conflicts)
        out["conflicts"].push_back(app::toJson(conflict));
    for (const auto& payload : details.payloads)
        out["payloads"].push_back(app::toJson(payload));
    for (const auto& entry : actions)
        out["actions"].push_back(app::toJson(entry));
    return out;
}

} // namespace

int listRows(Context& context, const ListOptions& options, std::optional<Kind> kind, bool stuck)
{
    auto table = openTable(context, kind);
    if (!table)
        return context.fail(table.error());
    if (stuck && !table->binding.tellsStuck)
        context.out.note(printable(table->binding.name)
            + (table->binding.fromLogs
                    ? ": its rows were made of logs, which tell no lease. Look for old ones instead: "
                      "--filter 'state = IN_PROGRESS and age > 1h'"
                    : ": its profile does not say when a row is stuck"));
    // What has been stuck the longest comes first, where an index can tell.
    const auto& orders = table->binding.orders;
    const bool byLease =
        stuck && options.order.empty() && std::find(orders.begin(), orders.end(), "lease") != orders.end();
    auto wanted = options;
    if (stuck)
        wanted.filter = options.filter.empty() ? "stuck" : "stuck and (" + options.filter + ')';
    if (byLease) {
        wanted.order = "lease";
        wanted.ascending = !options.ascending;
    }
    auto request = requestOf(wanted, table->binding);
    if (!request)
        return context.usage(request.error());
    Listing listing(context, table->binding, table->binding.kind, stuck);
    std::int64_t left = options.limit.value_or(INT64_MAX);
    while (true) {
        if (left < request->limit)
            request->limit = static_cast<int>(std::max<std::int64_t>(left, 1));
        auto page = table->inspector->page(table->binding, *request);
        // A cursor of another order or an order that no index gives.
        if (!page)
            return context.rejectInput(page.error());
        const auto rows = std::min<std::int64_t>(left, static_cast<std::int64_t>(page->rows.size()));
        listing.show(*page, static_cast<std::size_t>(rows));
        left -= rows;
        context.out.flush();
        if (context.out.isClosed() || !page->moreAfter || page->cursors.empty()) {
            listing.finish();
            return Exit::Done;
        }
        if (left <= 0) {
            // Whoever asked for none has no row to go on behind.
            if (!context.out.isJson() && rows > 0)
                context.out.line("more: --after " + formatCursor(page->cursors.back()));
            return Exit::Done;
        }
        request->after = page->cursors.back();
    }
}

int countRows(Context& context, const CountOptions& options, std::optional<Kind> kind)
{
    auto budget = parseDuration(options.budget);
    if (!budget)
        return context.usage(budget.error());
    auto filter = parseFilter(options.filter);
    if (!filter)
        return context.usage(filter.error());
    auto table = openTable(context, kind);
    if (!table)
        return context.fail(table.error());
    // What was said of every statement holds for these as well.
    if (const auto longest = parseDuration(context.options.statementTimeout); longest && *longest > Duration::zero())
        *budget = std::min(*budget, *longest);
    auto counts = table->inspector->counts(table->binding, *filter, *budget);
    if (!counts)
        return context.fail(counts.error());
    const auto states = statesOf(context, table->binding);
    if (!states)
        return context.fail(states.error());
    // None of that state was met, which says as much as the whole count does.
    for (const auto& state : *states)
        counts->byState.try_emplace(state, Count{ 0, counts->total.exactness });
    Table text(context.out, { "STATE", "COUNT", "EXACTNESS" });
    for (const auto& [state, value] : counts->byState) {
        if (context.out.isJson()) {
            json object = { { "state", state }, { "count", value.value }, { "exactness", wordOf(value.exactness) } };
            addWarnings(object, table->binding);
            context.out.object(object);
        } else
            text.add({ state, std::to_string(value.value), std::string(wordOf(value.exactness)) });
    }
    if (!context.out.isJson())
        text.show();
    const bool notAll = std::any_of(counts->byState.begin(), counts->byState.end(),
        [](const auto& entry) { return entry.second.exactness == Exactness::AtLeast; });
    if (notAll && !table->binding.mayHideRows)
        context.out.note("Not all rows were counted within " + formatDuration(*budget)
            + ": where it says at_least, there may be more.");
    return Exit::Done;
}

int showRow(Context& context, const ShowOptions& options, std::optional<Kind> kind)
{
    auto table = openTable(context, kind);
    if (!table)
        return context.fail(table.error());
    auto identity = kind ? identityOf(*table, options.parts) : identityOrKey(*table, options.parts);
    if (!identity)
        return context.rejectInput(identity.error());
    auto details = table->inspector->details(table->binding, *identity, payloadLimit);
    if (!details)
        return context.fail(details.error());
    if (!*details)
        return context.fail(noSuchKey(table->binding));
    // Nothing is shown before the look is in the audit.
    if (!options.reveal.empty())
        if (const auto seen = table->inspector->record(
                models::lookAt(table->binding, *identity, "payloads", {}, models::actorName(), options.reveal));
            !seen)
            return context.fail(seen.error());
    const auto hidden = options.reveal.empty() ? hideSecrets(**details) : Hidden();
    if (!context.out.isJson()) {
        showText(context, **details);
        tellHidden(context, hidden);
        return Exit::Done;
    }
    AuditRequest request;
    request.binding = table->binding.name;
    request.identity = *identity;
    auto actions = table->inspector->audit(request);
    const bool denied = !actions && actions.error().failure == Failure::Denied;
    if (!actions && !denied)
        return context.fail(actions.error());
    auto object = toJson(**details, denied ? std::vector<AuditEntry>() : *actions);
    for (std::size_t i = 0; i < hidden.payloads.size(); ++i) {
        object["payloads"][i]["hidden"] = hidden.payloads[i].what;
        object["payloads"][i]["truncated"] = hidden.payloads[i].truncated;
    }
    if (!hidden.row.empty())
        object["hidden"] = hidden.row;
    // The record is there to be read all the same; none is not the same as none to be seen.
    if (denied) {
        object["actions"] = nullptr;
        context.out.note("What operators did is not shown: " + inWords(actions.error()));
    }
    addWarnings(object, table->binding);
    context.out.object(object);
    return Exit::Done;
}

void declareReveal(CLI::App& command, ShowOptions& options)
{
    command.add_option("--reveal", options.reveal,
        "Also show what is hidden in payloads and errors (passwords, card numbers, addresses), because: kept in the "
        "audit of this account");
}

void declareList(CLI::App& command, ListOptions& options)
{
    command.add_option("--filter", options.filter, "state = HELD and age > 5m; see the filter language in the README");
    command.add_option("--limit", options.limit, "Stop after that many rows")
        ->check(CLI::Range(std::int64_t(0), std::int64_t(1'000'000'000)));
    command.add_option("--after", options.after, "Go on behind the row with this cursor");
    command.add_option("--order", options.order, "created (default), expires, lease, key: columns with an index");
    command.add_flag("--ascending", options.ascending, "Smallest first");
}

void declareCount(CLI::App& command, CountOptions& options)
{
    command.add_option("--filter", options.filter, "Only these");
    command.add_option("--budget", options.budget, "Longest time to count before an estimate will do (20s)");
}

} // namespace fencepost::app
