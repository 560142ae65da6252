// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/client_run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include <QTimer>

#include "app/lab/routes.h"
#include "core/http/answer.h"
#include "core/protocol/error_codes.h"
#include "core/store/client_journal_file.h"

namespace fencepost::app {

namespace {

// As many connections as QNetworkAccessManager opens to one host.
constexpr std::size_t callsOfLane = 6;
constexpr std::size_t shownOfAnAnswer = 200; // octets
constexpr auto betweenRounds = std::chrono::milliseconds(1000);

// It is done, and what was answered was not kept.
bool tellsOfSuccess(const Bytes& problem)
{
    const auto parsed = nlohmann::json::parse(problem, nullptr, false);
    if (!parsed.is_object())
        return false;
    // A failure that is answered so has the status that it ended with.
    const auto status = parsed.find("stored_status");
    if (status == parsed.end())
        return true;
    return status->is_number_integer() && *status >= 200 && *status < 400;
}

std::string memberOf(const Bytes& body, const char* name)
{
    const auto parsed = nlohmann::json::parse(body, nullptr, false);
    const auto found = parsed.is_object() ? parsed.find(name) : parsed.end();
    return parsed.is_object() && found != parsed.end() && found->is_string() ? found->get<std::string>() : "";
}

} // namespace

struct ClientRun::Lane {
    Lane(ClientRun& run, Random& random, ClientJournal* journal, http::SharedDependencies* dependencies,
        const http::ClientTelemetry& telemetry)
        : alarm(run.m_steady)
        , client({ run.m_steady, run.m_wall, random, run.m_keys, alarm, journal, telemetry, dependencies },
              http::clientOptionsOf(run.m_options.policy))
    {
    }

    http::TimerAlarm alarm;
    http::Client client;
    std::set<std::string> keys; // on their way: a client sends a key once at a time
};

double ClientReport::quantile(double at) const
{
    if (milliseconds.empty())
        return 0;
    const auto last = static_cast<double>(milliseconds.size() - 1);
    return milliseconds[static_cast<std::size_t>(std::lround(at * last))];
}

std::string ClientReport::json() const
{
    nlohmann::ordered_json report;
    report["operations"] = operations;
    report["succeeded"] = succeeded;
    report["refused"] = refused;
    report["unsettled"] = unsettled;
    report["resumed"] = resumed;
    report["calls"] = calls;
    report["attempts"] = attempts;
    report["retries"] = attempts - sent;
    report["hidden_sends"] = hiddenSends;
    report["amplification"] = sent == 0 ? 0.0 : static_cast<double>(attempts) / sent;
    report["replayed"] = replayed;
    report["endings"] = endings;
    report["milliseconds"] = { { "p50", quantile(0.5) }, { "p90", quantile(0.9) }, { "p99", quantile(0.99) },
        { "max", quantile(1) } };
    report["effects"] = { { "once", once }, { "doubled", doubled }, { "lost", lost },
        { "contradicted", contradicted } };
    if (!unjudged.empty())
        report["unjudged"] = unjudged;
    if (!unwritten.empty())
        report["unwritten"] = unwritten;
    report["sound"] = isSound();
    return report.dump();
}

std::string ClientReport::text() const
{
    char line[256];
    std::snprintf(line, sizeof line, "%d operations: %d succeeded, %d refused, %d unsettled; %d were resumed\n",
        operations, succeeded, refused, unsettled, resumed);
    std::string all = line;
    std::snprintf(line, sizeof line,
        "%d calls, %d attempts (%.2f of each that was sent), %d replayed, %d sent again by the network stack\n", calls,
        attempts, sent == 0 ? 0.0 : static_cast<double>(attempts) / sent, replayed, hiddenSends);
    all += line;
    std::snprintf(line, sizeof line, "milliseconds of a call: p50 %.1f, p90 %.1f, p99 %.1f, most %.1f\n", quantile(0.5),
        quantile(0.9), quantile(0.99), quantile(1));
    all += line;
    for (const auto& [ending, count] : endings)
        all += "  " + std::to_string(count) + " × " + ending + '\n';
    if (!unjudged.empty())
        return all + "effects in the ledger: not known. " + unjudged + '\n';
    std::snprintf(line, sizeof line, "effects in the ledger: %d once, %d doubled, %d lost, %d contradicted: %s\n", once,
        doubled, lost, contradicted, isSound() ? "sound" : "BROKEN");
    return all + line;
}

ClientRun::ClientRun(ClientRunOptions options)
    : m_options(std::move(options))
    , m_keys(m_wall, m_systemRandom)
    , m_spans(m_options.spansPath, "fencepost-lab client")
{
    if (m_options.seed)
        m_seeded.emplace(*m_options.seed);
}

ClientRun::~ClientRun() = default;

http::ClientTelemetry ClientRun::telemetry()
{
    return { m_spans.isOpen() ? &m_spans : nullptr, &m_metrics, { .salt = m_salt } };
}

Status ClientRun::prepare()
{
    if (!m_options.spansPath.empty() && !m_spans.isOpen())
        return invalid("The file for spans cannot be written", m_options.spansPath);
    m_salt = m_keys.uuid4();
    if (!m_options.metricsPath.empty())
        m_metricsFile.open(m_options.metricsPath, std::ios::trunc);
    if (!m_options.metricsPath.empty() && !m_metricsFile)
        return invalid("The file for metrics cannot be written", m_options.metricsPath);
    if (!m_options.journalPath.empty()) {
        auto journal = store::ClientJournalFile::open(m_options.journalPath);
        if (!journal)
            return journal.error();
        m_journal = std::move(*journal);
    }
    // Its breaker and its budget know nothing of what befalls the others.
    m_judge = std::make_unique<Lane>(*this, m_systemRandom, nullptr, nullptr, http::ClientTelemetry{});
    // Each duplicate needs a client of its own, and each client has so many connections.
    const auto calls =
        static_cast<std::size_t>(m_options.concurrency) * static_cast<std::size_t>(m_options.duplicates + 1);
    const auto lanes = std::max<std::size_t>(
        (calls + callsOfLane - 1) / callsOfLane, static_cast<std::size_t>(m_options.duplicates) + 1);
    Random& random = m_seeded ? static_cast<Random&>(*m_seeded) : m_systemRandom;
    auto shared = http::clientOptionsOf(m_options.policy).dependency;
    // As many as were asked for may be on their way until somebody is overloaded.
    shared.limiter->start = std::max(shared.limiter->start, static_cast<int>(calls));
    shared.limiter->most = std::max(shared.limiter->most, static_cast<int>(calls));
    m_dependencies = std::make_unique<http::SharedDependencies>(shared, m_steady, random.next());
    // Duplicates would be one entry in the journal: the first lane keeps it for all of them.
    for (std::size_t i = 0; i < lanes; ++i)
        m_lanes.push_back(std::make_unique<Lane>(
            *this, random, i == 0 ? m_journal.get() : nullptr, m_dependencies.get(), telemetry()));
    return {};
}

ClientRun::Lane& ClientRun::freeLane()
{
    return **std::min_element(m_lanes.begin(), m_lanes.end(), [](const auto& left, const auto& right) {
        return left->client.activity().calls < right->client.activity().calls;
    });
}

Result<HttpResponse> ClientRun::exchange(http::ClientRequest request)
{
    std::optional<http::ClientOutcome> outcome;
    request.url = m_options.url + request.url;
    const auto sent = m_judge->client.send(request, [&](const http::ClientOutcome& ended) {
        outcome = ended;
        m_loop.quit();
    });
    if (!sent)
        return sent.error();
    while (!outcome)
        m_loop.exec();
    if (outcome->response && outcome->response->status < 300)
        return std::move(*outcome->response);
    const auto& answer = outcome->response;
    // A redirection is an answer that may come behind an effect.
    const bool inDoubt = !outcome->key.empty()
        && (outcome->decision.verdict == retry::Verdict::Unknown || (answer && answer->status < 400));
    return Error{ inDoubt ? Failure::InDoubt : Failure::Unavailable,
        answer ? request.url + " answers " + std::to_string(answer->status) : request.url + " does not answer",
        answer ? answer->body.substr(0, shownOfAnAnswer) : outcome->transport, {},
        "See that --url names a lab that serves" };
}

// Whatever else listens there is sent nothing that it might carry out.
Status ClientRun::findLab()
{
    const auto answer = exchange({ .operation = "lab.look", .method = "GET", .url = capabilityPath });
    if (!answer)
        return answer.error();
    const auto told = nlohmann::json::parse(answer->body, nullptr, false);
    const auto routes = told.is_object() ? told.value("routes", nlohmann::json()) : nlohmann::json();
    for (const auto& route : routes.is_array() ? routes : nlohmann::json::array())
        if (memberOf(route.dump(), "operation") == "refund.create")
            return {};
    return Error{ Failure::Unsupported, "What answers at " + m_options.url + " is no lab: it has no route for refunds",
        answer->body.substr(0, shownOfAnAnswer), {}, "Name a lab with --url" };
}

Result<std::string> ClientRun::pay()
{
    const auto paid = exchange({ .operation = "lab.payment",
        .url = "/payments",
        .headers = { { "Content-Type", "application/json" } },
        .body = R"({"amount":)" + std::to_string(m_options.requests) + R"(,"currency":"EUR"})" });
    if (!paid)
        return paid.error();
    const auto id = memberOf(paid->body, "id");
    if (id.empty())
        return Error{ Failure::InDoubt, m_options.url + "/payments answers as no lab does, without an id",
            paid->body.substr(0, shownOfAnAnswer), {}, "Look what it made of the payment, and name a lab with --url" };
    return id;
}

Status ClientRun::resume()
{
    if (!m_journal)
        return {};
    const auto entries = m_journal->unsettled();
    if (!entries)
        return entries.error();
    std::map<std::string, std::size_t> byKey;
    for (const auto& entry : *entries) {
        if (entry.operation != "lab.refund" || !entry.body)
            continue;
        byKey[entry.key] = m_operations.size();
        m_operations.push_back(
            { .key = entry.key, .body = *entry.body, .reference = memberOf(*entry.body, "reference") });
    }
    const auto resumed = m_lanes.front()->client.resume(
        [this, byKey](const http::ClientOutcome& outcome) {
            if (const auto found = byKey.find(outcome.key); found != byKey.end())
                ended(found->second, outcome);
        },
        http::Client::Which::OpenAndUnknown);
    if (!resumed)
        return resumed.error();
    for (const auto& sent : resumed->sent)
        if (const auto found = byKey.find(sent.key); found != byKey.end()) {
            m_operations[found->second].running = 1;
            ++m_active;
            ++m_report.calls;
        }
    m_report.resumed = static_cast<int>(m_operations.size());
    if (m_active > 0)
        m_loop.exec();
    return {};
}

Status ClientRun::call(std::size_t which)
{
    auto& operation = m_operations[which];
    http::ClientRequest request{ .operation = "lab.refund", .url = m_options.url + "/refunds", .body = operation.body };
    request.headers = { { "Content-Type", "application/json" } };
    if (!m_options.faults.empty())
        request.headers.emplace_back("Fencepost-Fault", m_options.faults);
    request.key = operation.key;
    // The first copy goes where the journal is, where there is one.
    auto* lane = operation.running == 0 && m_journal ? m_lanes.front().get() : &freeLane();
    if (lane->keys.contains(operation.key))
        for (const auto& other : m_lanes)
            if (!other->keys.contains(operation.key))
                lane = other.get();
    const auto sent = lane->client.send(request, [this, which, lane](const http::ClientOutcome& outcome) {
        lane->keys.erase(outcome.key);
        ended(which, outcome);
    });
    if (!sent)
        return sent.error();
    lane->keys.insert(operation.key);
    ++operation.running;
    ++m_report.calls;
    return {};
}

void ClientRun::startMore()
{
    while (!m_waiting.empty() && m_active < m_options.concurrency) {
        const auto index = m_waiting.back();
        m_waiting.pop_back();
        ++m_active;
        for (int copy = 0; copy < m_copies; ++copy)
            if (const auto called = call(index); !called)
                ++m_report.endings["not sent: " + called.error().message];
        if (m_operations[index].running == 0)
            --m_active;
    }
    if (m_active == 0)
        m_loop.quit();
}

void ClientRun::ended(std::size_t which, const http::ClientOutcome& outcome)
{
    auto& operation = m_operations[which];
    m_report.attempts += outcome.attempts + outcome.hiddenSends;
    m_report.sent += outcome.attempts > 0 ? 1 : 0;
    operation.asked = operation.asked || outcome.attempts > 0;
    m_report.hiddenSends += outcome.hiddenSends;
    m_report.milliseconds.push_back(std::chrono::duration<double, std::milli>(outcome.took).count());
    const int status = outcome.response ? outcome.response->status : 0;
    const bool replayed =
        outcome.response && lineOf(outcome.response->headers, "idempotency-status").value_or("") == "replayed";
    m_report.replayed += replayed ? 1 : 0;
    auto ending = std::string(retry::wordOf(outcome.decision.verdict)) + ", ";
    ending += status == 0 ? "no answer" : std::to_string(status);
    const auto code = outcome.response ? http::errorCodeOf(outcome.response->body) : std::nullopt;
    ++m_report.endings[ending + (code ? " " + *code : "") + ": " + std::string(outcome.decision.reason)];
    if (code == "idempotency.response_unavailable" && tellsOfSuccess(outcome.response->body)) {
        operation.succeeded = true;
    } else if (outcome.decision.verdict == retry::Verdict::Done && status >= 200 && status < 300) {
        operation.contradicted = operation.contradicted
            || (operation.succeeded && !operation.answer.empty() && operation.answer != outcome.response->body);
        operation.succeeded = true;
        operation.answer = outcome.response->body;
    } else if (status >= 400 && outcome.decision.verdict == retry::Verdict::Stop) {
        const auto* known = code ? findErrorCode(*code) : nullptr;
        const bool mayEndOtherwise = status == 429 || (known != nullptr && repeatable(known->retry));
        operation.refused = operation.refused || replayed || (status < 500 && !mayEndOtherwise);
    }
    if (--operation.running > 0)
        return;
    --m_active;
    startMore();
}

void ClientRun::sendAll(const std::vector<std::size_t>& which, int copies)
{
    m_copies = copies;
    m_waiting.assign(which.rbegin(), which.rend());
    QTimer::singleShot(0, &m_loop, [this] { startMore(); });
    m_loop.exec();
}

Result<std::map<std::string, int>> ClientRun::refundsByReference()
{
    std::map<std::string, int> counts;
    for (std::string page = "/ledger"; !page.empty();) {
        const auto answer = exchange({ .operation = "lab.ledger", .method = "GET", .url = page });
        if (!answer)
            return answer.error();
        const auto ledger = nlohmann::json::parse(answer->body, nullptr, false);
        if (!ledger.is_object() || !ledger.contains("entries"))
            return Error{ Failure::Corrupt, "This is no ledger of a lab", answer->body.substr(0, shownOfAnAnswer) };
        for (const auto& entry : ledger["entries"])
            if (entry.value("kind", "") == "refund" && entry["reference"].is_string())
                ++counts[entry["reference"].get<std::string>()];
        page = ledger.value("next", "");
    }
    return counts;
}

// The check that matters: what everybody was told against what was done.
void ClientRun::check()
{
    const auto counts = refundsByReference();
    if (!counts)
        m_report.unjudged = sentence(counts.error().message)
            + " What was sent is sent: look at the ledger before the same is sent under new keys.";
    for (const auto& operation : m_operations) {
        m_report.succeeded += operation.succeeded ? 1 : 0;
        m_report.refused += !operation.succeeded && operation.refused ? 1 : 0;
        m_report.unsettled += !operation.succeeded && !operation.refused ? 1 : 0;
        m_report.contradicted += operation.contradicted ? 1 : 0;
        if (!counts)
            continue;
        const auto found = counts->find(operation.reference);
        const int effects = found == counts->end() ? 0 : found->second;
        m_report.once += effects == 1 ? 1 : 0;
        m_report.doubled += effects > 1 ? 1 : 0;
        m_report.lost += operation.succeeded && effects == 0 ? 1 : 0;
    }
    m_report.operations = static_cast<int>(m_operations.size());
    std::sort(m_report.milliseconds.begin(), m_report.milliseconds.end());
}

// Whom the client's own breaker held back has asked nobody, and keeps its rounds: for as long as a breaker stays open
// at most.
void ClientRun::askAgain()
{
    for (Duration silent{}; silent <= m_options.policy.breakerLongestOpen.value;) {
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < m_operations.size(); ++i)
            if (const auto& operation = m_operations[i];
                !operation.succeeded && !operation.refused && operation.rounds < m_options.rounds)
                which.push_back(i);
        if (which.empty())
            break;
        QTimer::singleShot(betweenRounds, &m_loop, [this] { m_loop.quit(); });
        m_loop.exec();
        for (const auto i : which)
            m_operations[i].asked = false;
        const auto before = m_report.sent;
        sendAll(which, 1);
        for (const auto i : which)
            m_operations[i].rounds += m_operations[i].asked ? 1 : 0;
        silent = m_report.sent > before ? Duration{} : silent + Duration(betweenRounds);
    }
}

Result<ClientReport> ClientRun::carryOut()
{
    if (const auto prepared = prepare(); !prepared)
        return prepared.error();
    if (const auto found = findLab(); !found)
        return found.error();
    if (const auto resumed = resume(); !resumed)
        return resumed.error();
    const auto charge = pay();
    if (!charge) {
        auto error = charge.error();
        if (m_report.calls > 0)
            error.failure = Failure::InDoubt;
        return error;
    }
    const auto run = m_keys.uuid4();
    std::vector<std::size_t> which;
    for (int i = 0; i < m_options.requests; ++i) {
        const auto reference = "lab-" + run + '-' + std::to_string(i);
        const nlohmann::ordered_json body{ { "charge_id", *charge }, { "amount", 1 }, { "reference", reference } };
        which.push_back(m_operations.size());
        m_operations.push_back({ .key = m_keys.uuid4(), .body = body.dump(), .reference = reference });
    }
    sendAll(which, m_options.duplicates + 1);
    askAgain();
    check();
    // What was sent is sent, and its report is worth more than these.
    if (m_metricsFile.is_open() && !(m_metricsFile << m_metrics.text() << std::flush))
        m_report.unwritten.push_back(m_options.metricsPath);
    if (m_spans.lost() > 0)
        m_report.unwritten.push_back(m_options.spansPath);
    return m_report;
}

} // namespace fencepost::app
