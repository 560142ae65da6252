// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/commands.h"
#include "app/ctl/dashed_keys.h"
#include "core/without_credentials.h"
#include "models/row_json.h"
#include "models/trail.h"

namespace fencepost::app {

namespace {

constexpr auto usualScan = std::chrono::seconds(2);

struct FindOptions {
    std::vector<std::string> parts; // of the id
    std::string scan;
};

constexpr auto description =
    "ID is an idempotency key, a key with its scope (SCOPE/OPERATION/KEY or three words), an owner, an event id, a "
    "correlation id, a dead letter's id, the request id of a plan or run, or any id that stands in a payload.\n"
    "It is looked up by the indexes of every recognised table. Where none leads to a row, the payloads, the fields "
    "without an index and the journal, for owners of before, are read as well, the newest rows first and for 2s in "
    "all; --scan says for how long, and then "
    "that is done in any case.\n"
    "Exit code 0: found, 1: not found.";

std::string joined(const std::vector<std::string>& parts, const char* between)
{
    std::string text;
    for (const auto& part : parts)
        text += (text.empty() ? "" : between) + part;
    return text;
}

std::string grouped(std::int64_t number)
{
    auto text = std::to_string(number);
    constexpr std::size_t group = 3;
    for (auto at = text.size(); at > group; at -= group)
        text.insert(at - group, ",");
    return text;
}

// "looked into the payloads of the newest 48,000 of ≈2,400,000 rows"
std::string wordsOf(const ScannedRows& scanned, const std::string& payloads, const char* rows)
{
    if (scanned.all)
        return "looked into " + payloads + "all " + grouped(scanned.looked) + rows;
    auto text = "looked into " + payloads + "the " + (scanned.order == "created" ? "newest " : "first ")
        + grouped(scanned.looked);
    if (scanned.of)
        text +=
            std::string(" of ") + (scanned.of->exactness == Exactness::Exact ? "" : "≈") + grouped(scanned.of->value);
    return text + rows;
}

class Finding {
public:
    Finding(Context& context, const FindOptions& options)
        : m_context(context)
        , m_options(options)
    {
    }

    int run()
    {
        models::TrailRequest request;
        request.id = joined(asTyped(m_options.parts), "/");
        request.alwaysScan = !m_options.scan.empty();
        request.scan = usualScan;
        if (request.id.empty())
            return m_context.usage("Say which id: an empty one is in no table");
        if (request.alwaysScan) {
            const auto budget = parseDuration(m_options.scan);
            if (!budget)
                return m_context.usage(budget.error());
            request.scan = *budget;
        }
        if (const auto typed = openAll(); !typed)
            return m_context.usage(typed.error());
        m_trail = models::followId(m_sources, request);
        show();
        return m_trail.isEmpty() ? notFound(request.id) : Exit::Done;
    }

private:
    // One that cannot be opened does not keep the others from being searched; one that was mistyped does.
    Status openAll()
    {
        auto urls = m_context.options.also;
        urls.insert(urls.begin(), m_context.options.db);
        for (const auto& url : urls) {
            auto context = std::make_unique<Context>();
            context->options = m_context.options;
            context->options.db = url;
            context->options.also.clear();
            if (const auto target = context->target(); !target)
                return target.error();
            auto backend = context->open(store::Access::ReadOnly);
            if (!backend && backend.error().failure == Failure::Invalid)
                return backend.error();
            if (!backend) {
                m_closed.emplace_back(url, backend.error());
                continue;
            }
            m_sources.push_back({ url, *backend });
            m_contexts.push_back(std::move(context));
        }
        return {};
    }

    void show()
    {
        if (m_context.out.isJson())
            showObjects();
        else
            showText();
        for (const auto& [url, error] : m_closed)
            m_context.out.note(url + " was not searched: " + inWords(error));
        for (const auto& searched : m_trail.searched)
            if (searched.error)
                m_context.out.note(searched.binding + " in " + m_sources[searched.source].name
                    + " could not be searched to its end: " + inWords(*searched.error));
        if (!m_trail.isEmpty() && m_trail.isByIndexAlone())
            m_context.out.note(
                "Indexes led there. Payloads, fields without an index and the journal were not read, in no "
                "table: --scan 2s reads them as well.");
        if (m_trail.cut)
            m_context.out.note("More rows hang together with it than are shown.");
    }

    void showText()
    {
        showRows("FOUND BY", m_trail.found);
        showRuns();
        showRows("LINKED BY", m_trail.linked);
        if (!m_trail.happenings.empty()) {
            beginPart();
            Table table(m_context.out, { "AT", "CONNECTION", "TABLE", "ROW", "WHAT", "DETAIL" });
            for (const auto& one : m_trail.happenings)
                table.add({ formatInstant(one.at), m_sources[one.source].name, one.binding,
                    withoutCredentials(joined(one.identity, " / ")), one.what, one.detail });
            table.show();
        }
        for (const auto& searched : m_trail.searched) {
            const auto place = searched.binding + " in " + m_sources[searched.source].name + ": ";
            if (searched.scanned)
                m_context.out.note(place + wordsOf(*searched.scanned, "the payloads of ", " rows") + '.');
            if (searched.journal)
                m_context.out.note(place + wordsOf(*searched.journal, "", " entries of its journal") + '.');
        }
    }

    void showRows(const char* why, const std::vector<models::TrailRow>& rows)
    {
        if (rows.empty())
            return;
        beginPart();
        Table table(m_context.out, { "CONNECTION", "TABLE", "ROW", "KEY", "STATE", why });
        for (const auto& one : rows)
            table.add({ m_sources[one.source].name, one.binding, withoutCredentials(joined(one.row.identity, " / ")),
                withoutCredentials(one.row.key), one.row.state, withoutCredentials(one.by) });
        table.show();
    }

    void showRuns()
    {
        if (m_trail.runs.empty())
            return;
        beginPart();
        Table table(m_context.out, { "CONNECTION", "RUN", "VERB", "TABLE", "STATE", "CHANGED", "SKIPPED", "FAILED" });
        for (const auto& [source, run] : m_trail.runs)
            table.add({ m_sources[source].name, run.requestId, run.verb, run.binding, std::string(wordOf(run.phase)),
                std::to_string(run.changed), std::to_string(run.skipped), std::to_string(run.failed) });
        table.show();
    }

    void beginPart()
    {
        if (m_began)
            m_context.out.line("");
        m_began = true;
    }

    void showObjects()
    {
        const Redactor redactor;
        for (const auto& [part, rows] : { std::pair("found", &m_trail.found), std::pair("linked", &m_trail.linked) })
            for (const auto& one : *rows) {
                auto object =
                    models::withoutCredentialsInside(models::rowJson(models::withoutSecrets(one.row, redactor)));
                object.update({ { "part", part }, { "connection", m_sources[one.source].name },
                    { "binding", one.binding }, { "kind", wordOf(one.kind) }, { "by", withoutCredentials(one.by) } });
                m_context.out.object(object);
            }
        for (const auto& [source, run] : m_trail.runs)
            m_context.out.object({ { "part", "run" }, { "connection", m_sources[source].name },
                { "request_id", run.requestId }, { "verb", run.verb }, { "binding", run.binding },
                { "state", wordOf(run.phase) }, { "actor", run.actor }, { "reason", run.reason },
                { "started_at", formatInstant(run.startedAt) }, { "finished_at", orNull(run.finishedAt) },
                { "changed", run.changed }, { "skipped", run.skipped }, { "failed", run.failed } });
        for (const auto& one : m_trail.happenings)
            m_context.out.object(
                { { "part", "happened" }, { "at", formatInstant(one.at) }, { "connection", m_sources[one.source].name },
                    { "binding", one.binding }, { "identity", models::withoutCredentialsInside(json(one.identity)) },
                    { "what", one.what }, { "detail", one.detail } });
        for (const auto& searched : m_trail.searched)
            m_context.out.object(objectOf(searched));
        for (const auto& [url, error] : m_closed)
            m_context.out.object({ { "part", "searched" }, { "connection", url }, { "error", inWords(error) } });
    }

    [[nodiscard]] json objectOf(const models::Searched& searched) const
    {
        json object = { { "part", "searched" }, { "connection", m_sources[searched.source].name },
            { "binding", searched.binding }, { "fields", searched.fields } };
        if (searched.error)
            object["error"] = inWords(*searched.error);
        if (const auto& scanned = searched.scanned) {
            object["payloads_of"] = scanned->looked;
            object["all"] = scanned->all;
            object["order"] = scanned->order;
            object["rows"] = scanned->of ? json(scanned->of->value) : json();
            object["exactness"] = scanned->of ? json(wordOf(scanned->of->exactness)) : json();
        }
        if (const auto& journal = searched.journal) {
            object["journal_entries_of"] = journal->looked;
            object["journal_all"] = journal->all;
        }
        return object;
    }

    int notFound(const std::string& id)
    {
        std::string where;
        for (const auto& searched : m_trail.searched)
            if (!searched.error && !searched.fields.empty())
                where += (where.empty() ? "" : "; ") + searched.binding + " by " + joined(searched.fields, ", ");
        const bool whole = m_closed.empty()
            && std::none_of(m_trail.searched.begin(), m_trail.searched.end(), [](const auto& searched) {
                   return searched.error || (searched.scanned && !searched.scanned->all)
                       || (searched.journal && !searched.journal->all);
               });
        return m_context.fail({ Failure::NotFound, "Nothing was found of \"" + id + '"',
            where.empty() ? "no table could be searched" : "Searched: " + where, {},
            whole ? "Check the id, and whether it is another database's"
                  : "Not everything could be searched: see above, or give it longer with --scan 1m" });
    }

    Context& m_context;
    const FindOptions& m_options;
    std::vector<std::unique_ptr<Context>> m_contexts;
    std::vector<models::TrailSource> m_sources;
    std::vector<std::pair<std::string, Error>> m_closed; // databases that could not be opened
    models::Trail m_trail;
    bool m_began = false;
};

void declare(CLI::App& command, FindOptions& options)
{
    command.add_option("id", options.parts, "The id; or SCOPE OPERATION KEY")->required()->expected(1, 3);
    command.add_option("--scan", options.scan, "How long to read what no index leads to (2s where nothing is found)");
    command.footer(description);
}

} // namespace

void addFindCommand(CLI::App& app, Context& context)
{
    addCommand<FindOptions>(app, context, "find", "What an id belongs to, in all tables of all databases given",
        declare, [](Context& finding, const FindOptions& options) { return Finding(finding, options).run(); });
}

} // namespace fencepost::app
