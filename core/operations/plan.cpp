// SPDX-License-Identifier: Apache-2.0
#include "core/operations/plan.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/ids.h"
#include "core/in_quotes.h"
#include "core/messaging/outbox.h"
#include "core/operations/applicability.h"
#include "core/operations/edited_copy.h"
#include "core/operations/effects.h"
#include "core/operations/foresight.h"
#include "core/protocol/fingerprint.h"

namespace fencepost {

namespace {

constexpr int pageSize = 500;
constexpr auto acknowledged = "i_know_this_allows_re_execution";
constexpr auto standardTombstone = "30d";

const Capability* capabilityOf(const Binding& binding, const Operation& operation)
{
    const auto found = std::find_if(binding.capabilities.begin(), binding.capabilities.end(),
        [&](const Capability& capability) { return capability.verb == operation.id; });
    return found == binding.capabilities.end() ? nullptr : &*found;
}

// Sorts rows into the plan or out of it. Every row that was asked for ends in exactly one of the two lists.
class Sorter {
public:
    Sorter(const Operation& operation, const Binding& binding, const PlanRequest& request, Plan& plan)
        : m_operation(operation)
        , m_binding(binding)
        , m_request(request)
        , m_plan(plan)
    {
    }

    void add(const Row& row, Time now)
    {
        if (!m_seen.insert(row.identity).second)
            return;
        const auto verdict = isReplay(m_operation.id) ? operation::extraOf(row, rowVerdict) : std::string();
        if (!verdict.empty())
            ++m_plan.verdicts[verdict];
        if (auto why = whyNot(row, now); !why.empty()) {
            m_plan.leftOut.push_back({ row.identity, row.key, std::move(why), verdict });
            m_behind.push_back(placeOf(row));
            return;
        }
        PlanItem item{ static_cast<int>(m_plan.items.size()), row.identity, row.key, row.state, row.fence, row.cas,
            ownParameters(row), {}, {}, verdict };
        if (m_binding.native)
            item.seen = m_binding.kind == Kind::DeadLetter ? whatElse(row) : whatElse(row, now);
        if (m_binding.native && m_operation.looksAtCalls && operation::extraOf(row, rowCallsUnread).empty())
            item.seen[seenCalls] =
                operation::seenCallsOf(operation::extraOf(row, rowCallsDone), operation::extraOf(row, rowCallsOpen));
        m_places.push_back(placeOf(row));
        auto parameters = m_request.parameters;
        for (const auto& [name, value] : item.parameters)
            parameters[name] = value;
        item.effect = m_operation.effect(m_binding, row, now, parameters);
        item.warning = m_operation.warning(m_binding, row, now, parameters);
        ++m_plan.countsByState[row.state];
        if (m_binding.native)
            if (const auto foreseen = operation::foresee(m_operation.id, row, now, parameters))
                ++m_answers[operation::answerOf(foreseen->same)];
        m_plan.items.push_back(std::move(item));
    }

    void addMissing(const std::vector<std::string>& identity)
    {
        if (m_seen.insert(identity).second)
            m_plan.leftOut.push_back({ identity, identity.back(), "there is no such row", {} });
    }

    // Events are replayed in the order in which they were first tried, and whoever leaves an earlier one of its key
    // behind says so.
    void putInOrder()
    {
        if (!isReplay(m_operation.id))
            return;
        std::vector<std::size_t> order(m_places.size());
        std::iota(order.begin(), order.end(), std::size_t{ 0 });
        std::stable_sort(order.begin(), order.end(),
            [this](std::size_t a, std::size_t b) { return m_places[a].firstAt < m_places[b].firstAt; });
        std::map<std::string, const Place*> earliest;
        for (const auto& place : m_behind)
            if (auto& first = earliest[place.lane]; first == nullptr || place.firstAt < first->firstAt)
                first = &place;
        std::set<std::pair<std::string, std::string>> planned;
        for (const auto& place : m_places)
            planned.emplace(place.lane, place.key);
        std::vector<PlanItem> items;
        items.reserve(order.size());
        for (const auto at : order) {
            auto& item = m_plan.items[at];
            item.number = static_cast<int>(items.size());
            const auto& place = m_places[at];
            const auto left = place.lane.empty() ? earliest.end() : earliest.find(place.lane);
            const bool waits = !place.behind.empty() && !planned.contains({ place.lane, place.behind });
            if (waits)
                warn(item,
                    "it waits for " + place.behind
                        + ", an earlier event of its ordering key that was not sent; a relay with --skip-dead sends it "
                          "before that one");
            else if (left != earliest.end() && left->second->firstAt <= place.firstAt)
                warn(item,
                    "it overtakes " + left->second->key + ", an earlier event of its ordering key that stays dead");
            items.push_back(std::move(item));
        }
        m_plan.items = std::move(items);
    }

    [[nodiscard]] std::size_t size() const { return m_seen.size(); }
    // What the next same request of each row will be answered, and how many rows that is.
    [[nodiscard]] const std::map<std::string, std::int64_t>& answers() const { return m_answers; }

private:
    // What the fence does not tell: the owner's own steps keep it, and another record of the same key may have the
    // same.
    static std::map<std::string, std::string> whatElse(const Row& row, Time now)
    {
        std::map<std::string, std::string> seen;
        seen[seenLive] = operation::isLive(row, now) ? "true" : "false";
        if (row.createdAt)
            seen[seenCreatedAt] = std::to_string(microsOf(*row.createdAt));
        if (row.updatedAt)
            seen[seenUpdatedAt] = std::to_string(microsOf(*row.updatedAt));
        return seen;
    }

    static std::map<std::string, std::string> whatElse(const Row& row)
    {
        return { { seenDeaths, operation::extraOf(row, rowDeaths) } };
    }

    // Of an event among those of its ordering key.
    struct Place {
        Time firstAt;
        std::string lane; // empty: it has no order
        std::string key;
        std::string behind; // the event of its lane that goes before it
    };

    static void warn(PlanItem& item, const std::string& words)
    {
        item.warning += (item.warning.empty() ? "" : "; ") + words;
    }

    static Place placeOf(const Row& row)
    {
        const auto lane = operation::extraOf(row, rowLane);
        return { row.startedAt.value_or(Time()), lane.empty() ? lane : row.queue.value_or("") + '\n' + lane, row.key,
            operation::extraOf(row, rowBehind) };
    }

    // A client that is told to use a new key has the vendor do it again.
    std::string whyNotUndone(const Row& row, Time now) const
    {
        const auto done = operation::extraOf(row, rowCallsDone);
        const auto unread = operation::extraOf(row, rowCallsUnread);
        if (!m_binding.native || !m_operation.looksAtCalls || (done.empty() && unread.empty())
            || m_request.parameters.contains(effectUndone))
            return {};
        const auto foreseen = operation::foresee(m_operation.id, row, now, m_request.parameters);
        if (!foreseen || !operation::closesKey(foreseen->after, now))
            return {};
        return unread.empty() ? operation::whyNotDone(done)
                              : unread + "; say how it is known that nothing was done (--effect-undone)";
    }

    // What may have its effect twice is replayed where somebody answers for it.
    std::string whyNotChosen(const Row& row) const
    {
        // What no webhook could carry under its id needs another one, and nobody has it under that.
        const bool idFits = !whyNoIdThere(row.key, row.queue.value_or(""));
        if (isEdit(m_operation.id) && idFits && isSamePayload(row))
            return "its payload is the same: replay it under its own id";
        if (const auto id = m_request.parameters.find(editedEventId);
            isEdit(m_operation.id) && id != m_request.parameters.end() && id->second == row.key)
            return "another payload needs an id of its own: whoever has received the event refuses it under this one";
        if (!m_binding.native || (!isReplay(m_operation.id) && !isEdit(m_operation.id)))
            return {};
        const auto verdict = operation::verdictOf(row);
        const auto doubles = operation::extraOf(row, rowCopyDoubles);
        if (isEdit(m_operation.id) && !doubles.empty() && !m_request.parameters.contains(includeUnknown))
            return doubles + "; it is sent where that is chosen with a reason (--include-unknown)";
        const auto* include = verdict == ReplayVerdict::Unknown ? includeUnknown
            : verdict == ReplayVerdict::Racing                  ? includeRacing
                                                                : nullptr;
        if (include == nullptr || m_request.parameters.contains(include))
            return {};
        std::string option = include;
        std::replace(option.begin(), option.end(), '_', '-');
        return operation::verdictWords(row) + "; it is replayed where that is chosen with a reason (--" + option + ")";
    }

    // Of a conflict the id is what was wrong.
    bool isSamePayload(const Row& row) const
    {
        const auto payload = m_request.parameters.find(editedPayload);
        return payload != m_request.parameters.end() && operation::verdictOf(row) != ReplayVerdict::Conflict
            && row.requestHash == toHex(payloadDigest(payload->second));
    }

    std::string whyNot(const Row& row, Time now) const
    {
        if (auto why = m_operation.whyNot(m_binding, row, now); !why.empty())
            return why;
        if (auto why = whyNotChosen(row); !why.empty())
            return why;
        if (auto why = whyNotUndone(row, now); !why.empty())
            return why;
        if (isFinancialExpiry(row) && !m_request.parameters.contains(acknowledged))
            return "its scope is financial by the policy: expiring it allows re-execution, which must be said "
                   "(--i-know-this-allows-re-execution)";
        return {};
    }

    // Money: the key is refused for a while longer unless the operator says otherwise.
    std::map<std::string, std::string> ownParameters(const Row& row) const
    {
        if (m_binding.native && isFinancialExpiry(row) && !m_request.parameters.contains("tombstone"))
            return { { "tombstone", standardTombstone } };
        return {};
    }

    bool isFinancialExpiry(const Row& row) const
    {
        return std::string_view(m_operation.id) == "expire" && m_request.isFinancial && m_request.isFinancial(row);
    }

    const Operation& m_operation;
    const Binding& m_binding;
    const PlanRequest& m_request;
    Plan& m_plan;
    std::set<std::vector<std::string>> m_seen;
    std::map<std::string, std::int64_t> m_answers;
    std::vector<Place> m_places; // of the plan's items
    std::vector<Place> m_behind; // of what was left out
};

// What the profile's action asks for, beside what the operation asks for itself.
Status checkAsked(
    const Capability& capability, const Operation& operation, std::map<std::string, std::string> parameters)
{
    for (const auto& asked : capability.parameters) {
        const auto given = parameters.find(asked.name);
        if (given != parameters.end() && isBlank(given->second))
            return invalid("The parameter " + asked.name + " is empty.");
        const bool own = std::any_of(operation.parameters.begin(), operation.parameters.end(),
            [&](const Parameter& parameter) { return asked.name == parameter.id; });
        if (given == parameters.end() && asked.required && !own && capability.allowed)
            return Error{ Failure::Invalid,
                "The profile's action asks for " + inQuotes(asked.name) + ": " + asked.label + ".", {}, {},
                "Say it (--param " + asked.name + "=…)" };
        if (given != parameters.end() && !own)
            parameters.erase(given);
    }
    return checkParameters(operation, parameters);
}

Status checkRequest(const Operation& operation, const Binding& binding, const PlanRequest& request)
{
    const auto* capability = capabilityOf(binding, operation);
    if (auto status = capability != nullptr ? checkAsked(*capability, operation, request.parameters)
                                            : checkParameters(operation, request.parameters);
        !status)
        return status;
    if (isBlank(request.reason))
        return invalid(std::string(operation.title) + " needs a reason.");
    if (!isUtf8(request.reason) || !isUtf8(request.filter))
        return invalid("The reason or the filter is not valid UTF-8.");
    if (request.identities.empty() && isBlank(request.filter))
        return invalid("An empty filter would mean every row of the table: name the rows or give a filter.");
    return {};
}

Status addMatching(Inspector& inspector, const Operation& operation, const Binding& binding, const PlanRequest& request,
    Sorter& sorter)
{
    auto filter = parseFilter(request.filter);
    if (!filter)
        return filter.error();
    PageRequest next;
    next.filter = *filter;
    next.limit = pageSize;
    next.parameters = request.parameters;
    next.calls = operation.looksAtCalls;
    while (true) {
        auto page = inspector.page(binding, next);
        if (!page)
            return page.error();
        for (const auto& row : page->rows)
            sorter.add(row, page->now);
        if (static_cast<std::int64_t>(sorter.size()) > request.limit)
            return invalid("More than " + std::to_string(request.limit)
                + " rows match; no plan of that size can be reviewed. Narrow the filter.");
        if (!page->moreAfter || page->cursors.empty())
            return {};
        next.after = page->cursors.back();
    }
}

Status addNamed(Inspector& inspector, const Binding& binding, const PlanRequest& request, Time now, Sorter& sorter)
{
    for (const auto& identity : request.identities) {
        if (identity.empty())
            return invalid("A row was named by nothing.");
        auto row = inspector.rowFor(binding, identity, request.parameters);
        if (!row)
            return row.error();
        if (*row)
            sorter.add(**row, now);
        else
            sorter.addMissing(identity);
    }
    return {};
}

// What the core's verb does, or what the profile calls its own action.
std::string summaryOf(const Operation& operation, const Binding& binding)
{
    for (const auto& capability : binding.capabilities)
        if (!binding.native && capability.verb == operation.id && !capability.title.empty())
            return capability.title + '.';
    return operation.summary;
}

// "Verdicts: 3 safe (lease expired …), 1 unknown (…); 1 of 4 rows is excluded."
std::string verdictsOf(const Plan& plan)
{
    std::string text;
    for (const auto& [word, rows] : plan.verdicts) {
        const auto verdict = replayVerdictOf(word);
        text += (text.empty() ? "Verdicts: " : "; ") + std::to_string(rows) + ' ' + word
            + (verdict ? " (" + std::string(titleOf(*verdict)) + ')' : std::string());
    }
    const auto all = plan.items.size() + plan.leftOut.size();
    return text + ". " + std::to_string(plan.leftOut.size()) + " of " + std::to_string(all)
        + (plan.leftOut.size() == 1 ? " rows is excluded." : " rows are excluded.");
}

std::string effectOf(const Operation& operation, const Binding& binding, const Plan& plan,
    const std::map<std::string, std::int64_t>& answers)
{
    std::int64_t warnings = 0;
    for (const auto& item : plan.items)
        warnings += item.warning.empty() ? 0 : 1;
    auto text = countedTitle(operation, static_cast<std::int64_t>(plan.items.size())) + " in " + binding.name + ". "
        + summaryOf(operation, binding);
    std::string after;
    for (const auto& [answer, rows] : answers)
        after += (after.empty() ? " Afterwards the next same request " : "; ") + answer + " (" + std::to_string(rows)
            + (rows == 1 ? " row)" : " rows)");
    text += after.empty() ? after : after + '.';
    if (!plan.verdicts.empty())
        text += ' ' + verdictsOf(plan);
    if (warnings > 0)
        text += ' ' + std::to_string(warnings) + (warnings == 1 ? " row has a warning." : " rows have a warning.");
    return text;
}

Error noOperationOf(const Binding& binding, const std::string& verb)
{
    std::string has;
    std::set<std::string> reasons;
    for (const auto& capability : binding.capabilities) {
        if (capability.verb == "note")
            continue;
        if (capability.allowed)
            has += (has.empty() ? "" : ", ") + capability.verb;
        reasons.insert(capability.why);
    }
    std::string words = "\"" + verb + "\" is no operation of the table " + binding.name;
    if (!has.empty())
        words += ", which has " + has;
    else if (reasons.size() == 1)
        words += ", which is only read: " + *reasons.begin();
    return invalid(words + '.');
}

} // namespace

Result<Plan> makePlan(Inspector& inspector, const Binding& binding, const PlanRequest& request, Random& random)
{
    const auto* operation = findOperation(request.verb);
    if (!operation)
        return invalid("There is no operation " + inQuotes(request.verb) + ".");
    if (auto status = checkRequest(*operation, binding, request); !status)
        return status.error();
    if (!isFor(*operation, binding.kind) && capabilityOf(binding, *operation) == nullptr)
        return noOperationOf(binding, request.verb);
    auto info = inspector.info();
    if (!info)
        return info.error();

    Plan plan;
    plan.requestId = uuid4(random);
    plan.verb = request.verb;
    plan.binding = binding.name;
    plan.profile = binding.profile;
    plan.database = info->identity;
    plan.filter = request.identities.empty() ? request.filter : std::string();
    plan.parameters = request.parameters;
    plan.reason = request.reason;
    plan.actor = request.actor;
    plan.createdAt = info->now;
    plan.inverse = inverseOf(*operation, binding);
    plan.warnings = binding.warnings;

    // What is said is judged before any row is, with words of its own.
    if (!binding.native && !request.parameters.empty() && plan.verb != "note")
        if (const auto said = inspector.sqlOf(binding, request.verb, request.parameters);
            !said && said.error().failure == Failure::Invalid)
            return said.error();
    Sorter sorter(*operation, binding, request, plan);
    const auto status = request.identities.empty() ? addMatching(inspector, *operation, binding, request, sorter)
                                                   : addNamed(inspector, binding, request, info->now, sorter);
    if (!status)
        return status.error();
    if (isEdit(plan.verb) && plan.items.size() > 1)
        return invalid("An edit is of one event, and " + std::to_string(plan.items.size())
            + " match: each has a payload of its own. Name the one.");
    if (const auto checked = operation::checkCopy(inspector, binding, plan); !checked)
        return checked.error();
    sorter.putInOrder();
    plan.effect = effectOf(*operation, binding, plan, sorter.answers());
    // A note has no statement of its own: its audit entry is all of it.
    if (!plan.items.empty() && plan.verb != "note") {
        auto sql = inspector.sqlOf(binding, request.verb, request.parameters);
        if (!sql)
            return sql.error();
        plan.sql = std::move(*sql);
    }
    return plan;
}

} // namespace fencepost
