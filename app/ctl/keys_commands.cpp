// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/dashed_keys.h"
#include "app/ctl/rows.h"
#include "app/ctl/table_access.h"

namespace fencepost::app {

namespace {

constexpr int pageSize = 500;
constexpr std::int64_t payloadLimit = 1024 * 1024;

struct ListOptions {
    std::string filter;
    std::optional<std::int64_t> limit;
    std::string after;
    std::string order;
    bool ascending = false;
};

struct CountOptions {
    std::string filter;
    std::string budget = "20s";
};

struct ShowOptions {
    std::vector<std::string> parts;
};

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
        return value.value_or("-");
    else
        return value ? std::to_string(*value) : std::string("-");
}

// Page by page, so that a table of any size needs the memory of one page.
class Listing {
public:
    Listing(Context& context, const Binding& binding, Kind kind, bool why)
        : m_context(context)
        , m_binding(binding)
        , m_why(why)
        , m_table(context.out, titles(kind, why))
        , m_kind(kind)
    {
    }

    void show(const Page& page, std::size_t rows)
    {
        for (std::size_t i = 0; i < rows && !m_context.out.isClosed(); ++i) {
            const auto& row = page.rows[i];
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
    static std::vector<std::string> titles(Kind kind, bool why)
    {
        std::vector<std::string> out = { "STATE", "SCOPE", "OPERATION", "KEY" };
        if (kind == Kind::Inbox)
            out = { "STATE", "CONSUMER", "SOURCE", "EVENT" };
        for (const auto* title : { "ATTEMPTS", "FENCE", "LEASE", "CREATED", "EXPIRES" })
            out.emplace_back(title);
        if (why)
            out.emplace_back("WHY");
        return out;
    }

    std::vector<std::string> cells(const Row& row, Time now) const
    {
        // An inbox that serves one consumer names none, and its scope is the source.
        const bool inbox = m_kind == Kind::Inbox;
        const auto first = inbox && !row.queue ? std::optional<std::string>() : row.scope;
        const auto& second = !inbox ? row.operation : row.queue ? row.queue : row.scope;
        std::vector<std::string> out = { row.state, shown(first), shown(second), row.key, shown(row.attempts),
            shown(row.fence), shown(row.leaseUntil), shown(row.createdAt), shown(row.expiresAt) };
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
};

int list(Context& context, const ListOptions& options, Kind kind, bool why)
{
    auto table = openTable(context, kind);
    if (!table)
        return context.fail(table.error());
    // What has been stuck the longest comes first, where an index can tell.
    const auto& orders = table->binding.orders;
    const bool byLease =
        why && options.order.empty() && std::find(orders.begin(), orders.end(), "lease") != orders.end();
    auto sorted = options;
    if (byLease) {
        sorted.order = "lease";
        sorted.ascending = !options.ascending;
    }
    auto request = requestOf(sorted, table->binding);
    if (!request)
        return context.usage(request.error());
    Listing listing(context, table->binding, kind, why);
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
            if (!context.out.isJson())
                context.out.line("more: --after " + formatCursor(page->cursors.back()));
            return Exit::Done;
        }
        request->after = page->cursors.back();
    }
}

int listKeys(Context& context, const ListOptions& options)
{
    return list(context, options, Kind::Idempotency, false);
}

int listInbox(Context& context, const ListOptions& options)
{
    return list(context, options, Kind::Inbox, false);
}

int listStuck(Context& context, const ListOptions& options)
{
    auto stuck = options;
    stuck.filter = options.filter.empty() ? "stuck" : "stuck and (" + options.filter + ')';
    return list(context, stuck, Kind::Idempotency, true);
}

// Every state that the protocol knows, also where there is no such row; whatever else the table holds is UNKNOWN.
int count(Context& context, const CountOptions& options)
{
    const auto budget = parseDuration(options.budget);
    if (!budget)
        return context.usage(budget.error());
    auto filter = parseFilter(options.filter);
    if (!filter)
        return context.usage(filter.error());
    auto table = openTable(context, Kind::Idempotency);
    if (!table)
        return context.fail(table.error());
    auto counts = table->inspector->counts(table->binding, *filter, *budget);
    if (!counts)
        return context.fail(counts.error());
    // None of that state was met, which says as much as the whole count does.
    for (const auto state : allStates())
        if (state != State::Absent)
            counts->byState.try_emplace(std::string(wordOf(state)), Count{ 0, counts->total.exactness });
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
    return Exit::Done;
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

int show(Context& context, const ShowOptions& options)
{
    auto table = openTable(context, Kind::Idempotency);
    if (!table)
        return context.fail(table.error());
    auto identity = identityOf(*table, asTyped(options.parts));
    if (!identity)
        return context.rejectInput(identity.error());
    auto details = table->inspector->details(table->binding, *identity, payloadLimit);
    if (!details)
        return context.fail(details.error());
    if (!*details)
        return context.fail(noSuchKey(table->binding));
    if (!context.out.isJson()) {
        showText(context, **details);
        return Exit::Done;
    }
    AuditRequest request;
    request.binding = table->binding.name;
    request.identity = *identity;
    auto actions = table->inspector->audit(request);
    const bool hidden = !actions && actions.error().failure == Failure::Denied;
    if (!actions && !hidden)
        return context.fail(actions.error());
    auto object = toJson(**details, hidden ? std::vector<AuditEntry>() : *actions);
    // The record is there to be read all the same; none is not the same as none to be seen.
    if (hidden) {
        object["actions"] = nullptr;
        context.out.note("What operators did is not shown: " + inWords(actions.error()));
    }
    addWarnings(object, table->binding);
    context.out.object(object);
    return Exit::Done;
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

} // namespace

void addKeysCommands(CLI::App& app, Context& context)
{
    auto* keys = app.add_subcommand("keys", "The keys of a table");
    keys->require_subcommand(1);
    addCommand<ListOptions>(*keys, context, "list", "List keys", declareList, listKeys);
    addCommand<CountOptions>(
        *keys, context, "count", "Count keys per state",
        [](CLI::App& command, CountOptions& options) {
            command.add_option("--filter", options.filter, "Only these");
            command.add_option("--budget", options.budget, "Longest time to count before an estimate will do (20s)");
        },
        count);
    addCommand<ListOptions>(*keys, context, "stuck", "List keys that nobody works on any more", declareList, listStuck);
    addCommand<ShowOptions>(
        *keys, context, "show", "Everything about one key",
        [](CLI::App& command, ShowOptions& options) {
            command
                .add_option("id", options.parts, "SCOPE OPERATION KEY; KEY alone where the table has no other columns")
                ->required()
                ->expected(1, 3);
        },
        show);
}

void addInboxCommands(CLI::App& app, Context& context)
{
    auto* inbox = app.add_subcommand("inbox", "Received messages");
    inbox->require_subcommand(1);
    addCommand<ListOptions>(*inbox, context, "list", "List received messages", declareList, listInbox);
}

} // namespace fencepost::app
