// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <set>

#include "app/ctl/commands.h"
#include "app/ctl/run_client.h"
#include "app/ctl/service_address.h"
#include "app/ctl/vendor_lookup.h"
#include "core/service/calls_of_request.h"
#include "core/service/reconciler.h"
#include "core/store/sql_outbound_ledger.h"
#include "core/store/unfinished.h"

namespace fencepost::app {

namespace {

struct ReconcileOptions {
    std::vector<std::string> lookups;
    std::vector<std::string> lists;
    std::vector<std::string> references;
    int batch = 500;
    bool takeover = false;
};

constexpr int pageSize = 500;

Result<std::map<std::string, VendorQuestion>> questionsOf(const ReconcileOptions& given)
{
    std::map<std::string, VendorQuestion> questions;
    for (const auto& text : given.lookups) {
        auto part = questionPart(text);
        if (!part)
            return part.error();
        questions[part->first].url = part->second;
    }
    for (auto [texts, member] :
        { std::pair(&given.lists, &VendorQuestion::list), std::pair(&given.references, &VendorQuestion::reference) })
        for (const auto& text : *texts) {
            auto part = questionPart(text);
            if (!part)
                return part.error();
            const auto question = questions.find(part->first);
            if (question == questions.end())
                return invalid("There is no --lookup for " + part->first);
            question->second.*member = part->second;
        }
    if (questions.empty())
        return invalid("Nobody can be asked: name a vendor by --lookup VENDOR=URL");
    for (const auto& [vendor, question] : questions)
        if (const auto checked = checkQuestion(vendor, question); !checked)
            return checked.error();
    return questions;
}

// One pass over what nobody knows the outcome of.
class Pass {
public:
    Pass(Context& context, store::Connection& connection, VendorLookup& lookup, bool takeover)
        : m_context(context)
        , m_connection(connection)
        , m_store(connection, {})
        , m_ledger(connection, {})
        , m_lookup(lookup)
        , m_takeover(takeover)
    {
    }

    Status run(int batch)
    {
        if (const auto done = records(batch); !done)
            return done;
        return calls(batch);
    }

    [[nodiscard]] const std::map<std::string, int>& totals() const { return m_totals; }

private:
    Status records(int batch)
    {
        std::optional<Record> last;
        int settled = 0;
        while (settled < batch) {
            const auto page = store::unfinishedRecords(m_connection, last, pageSize);
            if (!page)
                return page.error();
            for (const auto& unfinished : *page) {
                const auto done = record(unfinished.record);
                if (!done)
                    return done.error();
                settled += *done ? 1 : 0;
                if (settled == batch)
                    break;
            }
            if (page->size() < pageSize)
                return {};
            last = page->back().record;
        }
        return {};
    }

    // False: no vendor was called for it, or whoever comes next may carry it out without asking.
    Result<bool> record(const Record& record)
    {
        const auto now = m_store.now();
        if (!now)
            return now.error();
        const auto calls = callsOf(m_ledger, record, *now);
        if (!calls)
            return calls.error();
        if (calls->empty())
            return uncalled(record, *now);
        if (!record.hold && record.takeover == Takeover::Auto)
            return false;
        m_settled.insert(record.id);
        ReconcileHooks hooks;
        hooks.ask = [this](const OutboundCall& call) { return m_lookup.ask(call); };
        hooks.conclude = [this](const Record&, const std::vector<OutboundCall>& known) { return conclude(known); };
        const auto report =
            Reconciler(m_store, m_ledger, std::move(hooks), { .actor = "fencepostctl" }).settle(record.id);
        if (!report)
            return report.error();
        const auto after = callsOf(m_ledger, record, *now);
        if (!after)
            return after.error();
        const bool nothingOpen = std::none_of(after->begin(), after->end(), isOpen);
        const bool done = report->what == Reconciled::Held && nothingOpen;
        show(record.id, done ? "unanswered" : std::string(wordOf(report->what)),
            done ? "its calls are settled; it is held for whoever can answer it, or --takeover" : report->reason,
            *after);
        return true;
    }

    // No vendor can be asked about it, and whether its service writes down each call before it is sent, nobody here
    // knows.
    Result<bool> uncalled(const Record& record, Time now)
    {
        const bool held = record.hold && record.holdReason == "outcome_unknown";
        const bool left = !record.hold && record.status == State::InProgress && record.takeover == Takeover::Manual
            && !isLive(record, now);
        if (!held && !left)
            return false;
        m_settled.insert(record.id);
        show(record.id, "unknown", "the ledger has no call of it, so no vendor can be asked", {});
        return true;
    }

    // What the service would have answered, nobody here knows. Where nothing was done the same request may be carried
    // out again; where something was, only by an owner who finds it in the ledger and does not send it again.
    [[nodiscard]] Reconciliation conclude(const std::vector<OutboundCall>& known) const
    {
        const auto done = std::find_if(
            known.begin(), known.end(), [](const OutboundCall& call) { return call.state == OutboundState::Done; });
        if (done == known.end())
            return { Evidence::NotApplied };
        Reconciliation found{ m_takeover ? Evidence::NotApplied : Evidence::Unknown };
        found.completion.response.refType = done->id.vendor;
        found.completion.response.refId = done->result.ref.value_or("?");
        return found;
    }

    // Of requests that came to their end in another way, or are gone.
    Status calls(int batch)
    {
        const auto open = m_ledger.openCalls(batch);
        if (!open)
            return open.error();
        const auto now = m_store.now();
        if (!now)
            return now.error();
        for (const auto& call : *open) {
            if (m_settled.contains(call.record))
                continue;
            const auto owner = m_store.find(call.record);
            if (!owner)
                return owner.error();
            if (*owner && !isTerminal((*owner)->status))
                continue;
            if (call.answerBy && *call.answerBy > *now) {
                show(call.record, "too_early", "its answer may still come", { call });
                continue;
            }
            if (const auto done = settle(call); !done)
                return done;
        }
        return {};
    }

    Status settle(const OutboundCall& call)
    {
        const auto* vendor = findVendor(call.id.vendor);
        auto knowledge = vendor == nullptr ? VendorKnowledge{} : m_lookup.ask(call);
        if (vendor == nullptr || knowledge.evidence == Evidence::Unknown) {
            show(call.record, "unknown", "the vendor does not say", { call });
            return {};
        }
        const auto applied = writeKnowledge(m_ledger, *vendor, call, std::move(knowledge));
        if (!applied)
            return applied.error();
        const bool done = applied->outcome == CallOutcome::Applied;
        show(call.record, done ? "settled" : std::string(wordOf(applied->outcome)), applied->reason,
            { applied->call.value_or(call) });
        return {};
    }

    void show(const RecordId& id, const std::string& outcome, const std::string& reason,
        const std::vector<OutboundCall>& calls)
    {
        ++m_totals[outcome];
        auto& out = m_context.out;
        auto listed = json::array();
        std::string words;
        for (const auto& call : calls) {
            listed.push_back({ { "vendor", call.id.vendor }, { "operation", call.id.operation }, { "step", call.step },
                { "state", wordOf(call.state) }, { "ref", call.result.ref ? json(*call.result.ref) : json() } });
            words += "  " + call.id.vendor + ' ' + printable(call.step) + ' ' + std::string(wordOf(call.state));
        }
        if (out.isJson())
            return out.object({ { "scope", id.scope }, { "operation", id.operation }, { "key", id.key },
                { "outcome", outcome }, { "reason", reason }, { "calls", listed } });
        out.line(outcome + "  " + printable(id.operation) + "  " + printable(id.key) + words
            + (reason.empty() ? "" : "  " + printable(reason)));
    }

    Context& m_context;
    store::Connection& m_connection;
    store::SqlStore m_store;
    store::SqlOutboundLedger m_ledger;
    VendorLookup& m_lookup;
    bool m_takeover;
    std::set<RecordId> m_settled;
    std::map<std::string, int> m_totals;
};

int exitOf(const std::map<std::string, int>& totals, const VendorLookup& lookup)
{
    if (lookup.unanswered() > 0)
        return Exit::Failed;
    const bool open = std::any_of(totals.begin(), totals.end(),
        [](const auto& total) { return total.first != "released" && total.first != "settled"; });
    return open ? Exit::Refused : Exit::Done;
}

int reconcile(Context& context, const ReconcileOptions& given)
{
    auto questions = questionsOf(given);
    if (!questions)
        return context.usage(questions.error());
    auto connection = context.connect(store::Access::ReadWrite, false);
    if (!connection)
        return context.fail(connection.error());
    RunClient client(context.random, authorizationOfRun());
    VendorLookup lookup(client, std::move(*questions));
    Pass pass(context, **connection, lookup, given.takeover);
    if (const auto done = pass.run(given.batch); !done)
        return context.fail(done.error());
    if (context.out.isJson())
        context.out.object({ { "outcomes", pass.totals() }, { "unanswered", lookup.unanswered() } });
    else if (pass.totals().empty())
        context.out.line("nothing to reconcile");
    return exitOf(pass.totals(), lookup);
}

} // namespace

void addReconcileCommand(CLI::App& app, Context& context)
{
    addCommand<ReconcileOptions>(
        app, context, "reconcile", "Ask vendors what became of calls whose outcome nobody knows; nothing is sent again",
        [](CLI::App& command, ReconcileOptions& options) {
            command
                .add_option("--lookup", options.lookups,
                    "VENDOR=URL of a GET that finds a call by its key: bigcommerce=https://…?external_id={key}")
                ->required()
                ->allow_extra_args(false);
            command.add_option("--list", options.lists, "VENDOR=POINTER to the list in its answer (the answer itself)")
                ->allow_extra_args(false);
            command
                .add_option("--reference", options.references,
                    "VENDOR=POINTER within an entry: the vendor's name for the thing (/id)")
                ->allow_extra_args(false);
            command.add_flag("--takeover", options.takeover,
                "Also let requests be carried out again whose calls were all found: their service asks the ledger "
                "first");
            command.add_option("--batch", options.batch, "Most requests in one pass (500)")
                ->check(CLI::Range(1, 100'000));
            command.footer(
                "An empty list says that nothing was done, a list of one entry that it was; anything else says\n"
                "nothing. What stays unknown is held. A credential is read from FENCEPOST_AUTHORIZATION.\n"
                "3: something stays unknown or has no answer yet; 1: a vendor did not answer.");
        },
        reconcile);
}

} // namespace fencepost::app
