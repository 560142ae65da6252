// SPDX-License-Identifier: Apache-2.0
#include "core/http/client.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <QNetworkAccessManager>
#include <QNetworkRequest>

#include "core/http/answer.h"
#include "core/http/exchange.h"
#include "core/retry/deadline.h"

namespace fencepost::http {

namespace {

std::string nameOf(const QUrl& url)
{
    const int port = url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
    return (url.scheme() + QLatin1String("://") + url.host()).toStdString() + ":" + std::to_string(port);
}

Error alreadyOnItsWay(const std::string& operation)
{
    return { Failure::Conflict, "A request with this key is on its way", operation, "idempotency.in_progress",
        "Wait for its outcome" };
}

std::optional<Duration> shorter(const std::optional<Duration>& one, const std::optional<Duration>& other)
{
    if (!one || !other)
        return one ? one : other;
    return std::min(*one, *other);
}

// Requests of one name are one line, as Qt would keep only the last.
void addHeader(QNetworkRequest& to, const std::string& name, const std::string& value)
{
    const auto field = QByteArray::fromStdString(name);
    const auto before = to.rawHeader(field);
    to.setRawHeader(field, before.isEmpty() ? QByteArray::fromStdString(value) : before + ", " + value.c_str());
}

void setManners(QNetworkRequest& request, bool http2)
{
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, http2);
    request.setAttribute(QNetworkRequest::HttpPipeliningAllowedAttribute, false);
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    // Said by the client, so that the stack decodes nothing: the same octets for every replay, and no bombs.
    request.setRawHeader("Accept-Encoding", "identity");
}

// One network stack and what is on its way through it, by origin.
struct Stack {
    QNetworkAccessManager manager;
    std::map<std::string, std::size_t> busy;
};

// A stack has six connections to a host, and what waits for one of them is told the error of whichever breaks, though
// nothing of it was sent. So nothing waits in a stack as long as there are not very many calls at once.
class Stacks {
public:
    Stack& take(const std::string& origin, bool multiplexed)
    {
        constexpr std::size_t connections = 6;
        constexpr std::size_t mostStacks = 16;
        const auto load = [&](const std::unique_ptr<Stack>& stack) {
            const auto known = stack->busy.find(origin);
            return known == stack->busy.end() ? 0 : known->second;
        };
        auto least = std::min_element(m_stacks.begin(), m_stacks.end(),
            [&](const auto& left, const auto& right) { return load(left) < load(right); });
        const bool full = least == m_stacks.end() || load(*least) >= connections;
        if (full && m_stacks.size() < mostStacks && (m_stacks.empty() || !multiplexed)) {
            m_stacks.push_back(std::make_unique<Stack>());
            least = std::prev(m_stacks.end());
        }
        ++(*least)->busy[origin];
        return **least;
    }
    static void giveBack(Stack& stack, const std::string& origin)
    {
        if (const auto known = stack.busy.find(origin); known != stack.busy.end() && --known->second == 0)
            stack.busy.erase(known);
    }

private:
    std::vector<std::unique_ptr<Stack>> m_stacks;
};

// A logical operation on its way.
struct Running {
    Running(const retry::CallOptions& options, retry::Dependency& dependency, const Clock& clock, std::uint64_t seed)
        : random(seed)
        , call(options, dependency, clock, random)
    {
    }

    Client::CallId id = 0;
    ClientRequest request;
    QUrl url;
    ClientOutcome outcome;
    Client::Ended ended;
    Time startedAt{};
    std::optional<Duration> budget; // of the whole call
    int attemptsBefore = 0; // of an earlier life
    bool journalled = false;
    std::optional<Time> wakeAt;
    SeededRandom random;
    retry::Call call;
    std::optional<CallTelemetry> telemetry;
    Exchange* exchange = nullptr;
    Stack* stack = nullptr; // that carries it
};

// What all calls to one origin share.
struct Origin {
    retry::Dependency* dependency = nullptr;
    std::unique_ptr<telemetry::DependencyMetrics> metrics; // null: nobody counts
};

} // namespace

struct Client::Private {
    Private(const ClientParts& itsParts, ClientOptions itsOptions)
        : parts(itsParts)
        , options(std::move(itsOptions))
        , ownDependencies(options.dependency, itsParts.steady, itsParts.random.next())
    {
        parts.alarm.onRing([this] { ring(); });
    }

    ~Private()
    {
        parts.alarm.set(std::nullopt);
        parts.alarm.onRing({});
        for (auto& [id, running] : calls)
            delete running->exchange;
    }

    Result<Sent> begin(const ClientRequest& request, const QUrl& url, Ended ended);
    Result<std::string> keyFor(const ClientRequest& request);
    Result<std::optional<CallEntry>> write(const ClientRequest& request, const std::string& key);
    Result<bool> mayResume(const CallEntry& entry, Resumed& resumed);
    Origin& originOf(const QUrl& url);

    void step(Running& running);
    void transmit(Running& running, const retry::Call::Send& send);
    QNetworkRequest networkRequest(Running& running, int attempt, const std::optional<Duration>& forwarded);
    void settle(Running& running, Exchanged exchanged);
    void cancel(Running& running);
    void tell(Running& running, const retry::Signal& signal);
    void note(Running& running, CallState state, std::string_view reason);
    void finish(Running& running, const retry::Decision& decision);

    void wakeAt(Running& running, std::optional<Time> at);
    void ring();

    ClientParts parts;
    ClientOptions options;
    SharedDependencies ownDependencies;
    void letGo(Running& running);

    QObject queue; // of what is told from the event loop
    Stacks stacks;
    std::map<std::string, Origin> origins;
    std::map<CallId, std::unique_ptr<Running>> calls;
    std::set<std::pair<std::string, std::string>> liveKeys; // operation and key
    std::set<std::pair<Time, CallId>> wakings;
    CallId lastId = 0;
};

struct SharedDependencies::Private {
    struct Held {
        Held(const retry::DependencyOptions& options, const Clock& steady, std::uint64_t seed)
            : random(seed)
            , dependency(options, steady, random)
        {
        }
        SeededRandom random;
        retry::Dependency dependency;
    };

    const retry::DependencyOptions options;
    const Clock& steady;
    std::mutex mutex;
    SeededRandom seeds;
    std::map<std::string, std::unique_ptr<Held>> held;
};

SharedDependencies::SharedDependencies(const retry::DependencyOptions& options, const Clock& steady, std::uint64_t seed)
    : d(new Private{ .options = options, .steady = steady, .mutex = {}, .seeds = SeededRandom(seed), .held = {} })
{
}

SharedDependencies::~SharedDependencies() = default;

retry::Dependency& SharedDependencies::of(const std::string& origin)
{
    const std::lock_guard lock(d->mutex);
    auto& held = d->held[origin];
    if (!held)
        held = std::make_unique<Private::Held>(d->options, d->steady, d->seeds.next());
    return held->dependency;
}

ClientOptions clientOptionsOf(const RoutePolicy& policy)
{
    ClientOptions options;
    options.policy = retryPolicyOf(policy);
    auto& budget = options.dependency.budget;
    budget.percent = policy.budgetPercent.value;
    budget.ttl = policy.budgetTtl.value;
    budget.leastPerSecond = policy.budgetLeast.value;
    budget.depositOn = policy.budgetDeposit.value;
    auto& breaker = options.dependency.breaker.emplace();
    breaker.failurePercent = policy.breakerPercent.value;
    breaker.minimum = policy.breakerAttempts.value;
    breaker.window = policy.breakerWindow.value;
    breaker.openFor = policy.breakerOpen.value;
    breaker.openMost = policy.breakerLongestOpen.value;
    breaker.probes = policy.breakerProbes.value;
    breaker.probeLease = policy.attemptTimeout.value + std::chrono::seconds(1);
    return options;
}

Client::Client(const ClientParts& parts, ClientOptions options)
    : d(std::make_unique<Private>(parts, std::move(options)))
{
}

Client::~Client() = default;

Result<Client::Sent> Client::send(const ClientRequest& request, Ended ended)
{
    const auto url = checked(request);
    if (!url)
        return url.error();
    return d->begin(request, *url, std::move(ended));
}

void Client::cancel(CallId id)
{
    if (const auto found = d->calls.find(id); found != d->calls.end())
        d->cancel(*found->second);
}

Result<Client::Resumed> Client::resume(const Ended& ended, Which which)
{
    Resumed resumed;
    if (d->parts.journal == nullptr)
        return resumed;
    const auto entries = d->parts.journal->unsettled();
    if (!entries)
        return entries.error();
    for (const auto& entry : *entries) {
        if (entry.state == CallState::Unknown && which == Which::Open)
            continue;
        if (d->liveKeys.contains({ entry.operation, entry.key }))
            continue;
        const auto may = d->mayResume(entry, resumed);
        if (!may)
            return may.error();
        if (!*may)
            continue;
        ClientRequest request{ .operation = entry.operation, .method = entry.method, .url = entry.url };
        request.headers = entry.headers;
        request.body = *entry.body;
        request.key = entry.key;
        if (const auto policy = retry::presetOf(entry.preset))
            request.policy = *policy;
        const auto url = checked(request);
        if (!url) {
            resumed.refused.push_back(entry);
            continue;
        }
        auto sent = d->begin(request, *url, ended);
        if (!sent)
            return sent.error();
        resumed.sent.push_back(std::move(*sent));
    }
    return resumed;
}

Client::Activity Client::activity() const
{
    const auto busy = std::count_if(
        d->calls.begin(), d->calls.end(), [](const auto& call) { return call.second->exchange != nullptr; });
    return { d->calls.size(), static_cast<std::size_t>(busy) };
}

retry::Dependency& Client::dependencyOf(const std::string& url)
{
    return *d->originOf(QUrl(QString::fromStdString(url))).dependency;
}

Origin& Client::Private::originOf(const QUrl& url)
{
    const auto name = nameOf(url);
    auto& origin = origins[name];
    if (origin.dependency == nullptr)
        origin.dependency = &(parts.dependencies != nullptr ? *parts.dependencies : ownDependencies).of(name);
    if (!origin.metrics && parts.telemetry.metrics != nullptr)
        origin.metrics = std::make_unique<telemetry::DependencyMetrics>(*parts.telemetry.metrics, name);
    return origin;
}

Result<bool> Client::Private::mayResume(const CallEntry& entry, Resumed& resumed)
{
    if (parts.wall.now() - entry.createdAt >= options.remembered) {
        resumed.tooOld.push_back(entry);
        const auto status = parts.journal->update({ entry.operation, entry.key, CallState::Unknown, entry.attempts, {},
            "the key is older than servers remember", parts.wall.now() });
        return status ? Result<bool>(false) : Result<bool>(status.error());
    }
    if (!entry.body)
        resumed.bodiless.push_back(entry);
    return entry.body.has_value();
}

Result<std::string> Client::Private::keyFor(const ClientRequest& request)
{
    if (retry::verbOf(request.method) == retry::Verb::Safe)
        return std::string();
    return request.key ? Result<std::string>(*request.key) : Result<std::string>(parts.keys.uuid4());
}

Result<std::optional<CallEntry>> Client::Private::write(const ClientRequest& request, const std::string& key)
{
    if (key.empty() || parts.journal == nullptr)
        return std::optional<CallEntry>();
    CallEntry entry;
    entry.operation = request.operation;
    entry.key = key;
    entry.method = request.method;
    entry.url = request.url;
    entry.headers = withoutCredentials(request.headers);
    if (request.body.size() <= options.longestKept)
        entry.body = request.body;
    entry.bodyDigest = sha256(request.body);
    entry.preset = request.policy.value_or(options.policy).name;
    entry.createdAt = entry.updatedAt = parts.wall.now();
    return parts.journal->open(entry);
}

Result<Client::Sent> Client::Private::begin(const ClientRequest& request, const QUrl& url, Ended ended)
{
    const auto key = keyFor(request);
    if (!key)
        return key.error();
    if (liveKeys.contains({ request.operation, *key }))
        return alreadyOnItsWay(request.operation);
    // Before anything can be sent: a process that dies here has sent nothing, one that dies later has left its key.
    const auto before = write(request, *key);
    if (!before)
        return before.error();

    const auto policy = request.policy.value_or(options.policy);
    const auto now = parts.steady.now();
    retry::CallOptions asked{ .policy = policy, .verb = retry::verbOf(request.method), .hasKey = !key->empty() };
    asked.ownsRetries = request.ownsRetries;
    asked.mayBePoison = request.mayBePoison;
    asked.inDoubt = before->has_value();
    if (request.budget)
        asked.deadline = now + *request.budget;
    asked.priority = request.priority;
    asked.background = request.background;

    auto& origin = originOf(url);
    auto owned = std::make_unique<Running>(asked, *origin.dependency, parts.steady, parts.random.next());
    auto& running = *owned;
    running.telemetry.emplace(parts.telemetry, origin.metrics.get(),
        CallTelemetry::About{ request.operation, *key, request.method, url.host().toStdString(), request.priority },
        lineOf(request.headers, "traceparent"), parts.wall.now(), running.random);
    running.id = ++lastId;
    running.request = request;
    running.url = url;
    running.outcome.operation = request.operation;
    running.outcome.key = *key;
    running.ended = std::move(ended);
    running.startedAt = now;
    running.budget = shorter(request.budget, policy.total);
    running.attemptsBefore = before->has_value() ? (*before)->attempts : request.attemptsBefore;
    running.journalled = !key->empty() && parts.journal != nullptr;
    calls.emplace(running.id, std::move(owned));
    if (!key->empty())
        liveKeys.emplace(request.operation, *key);
    Sent sent{ running.id, *key };
    step(running);
    return sent;
}

void Client::Private::step(Running& running)
{
    const auto next = running.call.next();
    if (const auto* send = std::get_if<retry::Call::Send>(&next)) {
        transmit(running, *send);
    } else if (const auto* wait = std::get_if<retry::Call::Wait>(&next)) {
        note(running, CallState::Open, wait->reason);
        running.telemetry->wait(wait->until - parts.steady.now());
        wakeAt(running, wait->until);
    } else {
        finish(running, std::get<retry::Decision>(next));
    }
}

void Client::Private::transmit(Running& running, const retry::Call::Send& send)
{
    const auto now = parts.steady.now();
    std::optional<Duration> forwarded;
    if (running.budget)
        forwarded = retry::forwardedBudget(*running.budget, now - running.startedAt).value_or(Duration(0));
    ExchangeRequest request{ networkRequest(running, send.attempt, forwarded), running.request.method,
        running.request.body, options.longestAnswer };
    running.stack = &stacks.take(nameOf(running.url), options.http2);
    running.exchange = new Exchange(running.stack->manager, std::move(request),
        [this, &running](Exchanged exchanged) { settle(running, std::move(exchanged)); });
    wakeAt(running, now + send.timeout);
}

QNetworkRequest Client::Private::networkRequest(Running& running, int attempt, const std::optional<Duration>& forwarded)
{
    QNetworkRequest request(running.url);
    setManners(request, options.http2);
    if (options.tls)
        request.setSslConfiguration(*options.tls);
    addHeader(request, "User-Agent", "fencepost/" FENCEPOST_VERSION);
    for (const auto& [name, value] : running.request.headers)
        addHeader(request, name, value);
    if (running.request.attemptHeaders)
        for (const auto& [name, value] : running.request.attemptHeaders(parts.wall.now()))
            request.setRawHeader(QByteArray::fromStdString(name), QByteArray::fromStdString(value));
    if (options.credentials)
        for (const auto& [name, value] : options.credentials(running.request.url))
            request.setRawHeader(QByteArray::fromStdString(name), QByteArray::fromStdString(value));
    if (!running.outcome.key.empty())
        request.setRawHeader(QByteArray::fromStdString(options.keyHeader),
            QByteArray::fromStdString(keyField(running.outcome.key, options.keyForm)));
    const int number = running.attemptsBefore + attempt;
    request.setRawHeader("Idempotency-Attempt", QByteArray::number(number));
    // Whoever is called on the way does not retry besides.
    if (running.request.ownsRetries && !request.hasRawHeader("X-Retry-Owner"))
        request.setRawHeader("X-Retry-Owner", "client");
    if (const auto traceparent = running.telemetry->begin(number, parts.wall.now()))
        request.setRawHeader("traceparent", QByteArray::fromStdString(*traceparent));
    if (forwarded)
        request.setRawHeader("X-Request-Timeout", QByteArray::fromStdString(retry::formatRequestTimeout(*forwarded)));
    return request;
}

void Client::Private::letGo(Running& running)
{
    running.exchange->deleteLater();
    running.exchange = nullptr;
    Stacks::giveBack(*running.stack, nameOf(running.url));
}

void Client::Private::settle(Running& running, Exchanged exchanged)
{
    letGo(running);
    wakeAt(running, std::nullopt);
    running.outcome.hiddenSends += std::max(0, exchanged.sends - 1);
    running.outcome.transport = std::move(exchanged.words);
    running.outcome.ending = exchanged.ending;
    running.outcome.tls = exchanged.tls;
    retry::Signal signal;
    signal.ending = exchanged.ending;
    if (exchanged.response) {
        signal = signalOf(*exchanged.response, parts.wall.now());
        running.outcome.response = std::move(exchanged.response);
        running.outcome.cut = exchanged.cut;
    }
    running.call.settle(signal);
    tell(running, signal);
    step(running);
}

void Client::Private::cancel(Running& running)
{
    if (running.exchange != nullptr) {
        auto exchanged = running.exchange->giveUp(retry::Ending::Cancelled);
        letGo(running);
        retry::Signal signal;
        signal.ending = exchanged.ending;
        if (signal.ending == retry::Ending::NotSent)
            running.call.settle(signal);
        tell(running, signal);
    }
    running.call.cancel();
    wakeAt(running, std::nullopt);
    step(running);
}

void Client::Private::tell(Running& running, const retry::Signal& signal)
{
    running.telemetry->settle(signal, parts.wall.now());
    if (auto* metrics = originOf(running.url).metrics.get())
        metrics->update(*originOf(running.url).dependency);
}

void Client::Private::note(Running& running, CallState state, std::string_view reason)
{
    if (!running.journalled)
        return;
    CallProgress progress{ running.request.operation, running.outcome.key, state };
    progress.attempts = running.attemptsBefore + running.call.attempts();
    if (running.outcome.response)
        progress.status = running.outcome.response->status;
    progress.reason = reason;
    progress.at = parts.wall.now();
    const auto status = parts.journal->update(progress);
    running.outcome.journal = status ? std::nullopt : std::optional(status.error());
}

void Client::Private::finish(Running& running, const retry::Decision& decision)
{
    running.outcome.decision = decision;
    running.outcome.attempts = running.call.attempts();
    running.outcome.took = parts.steady.now() - running.startedAt;
    if (const auto& refused = running.call.refusal())
        tell(running, *refused);
    running.telemetry->finish(decision, parts.wall.now());
    note(running, decision.verdict == retry::Verdict::Unknown ? CallState::Unknown : CallState::Confirmed,
        decision.reason);
    liveKeys.erase({ running.request.operation, running.outcome.key });
    // Told from the event loop, whose queue goes with the client: nobody is called from within send() or cancel().
    QMetaObject::invokeMethod(
        &queue,
        [ended = std::move(running.ended), outcome = std::move(running.outcome)] {
            if (ended)
                ended(outcome);
        },
        Qt::QueuedConnection);
    calls.erase(running.id);
}

void Client::Private::wakeAt(Running& running, std::optional<Time> at)
{
    if (running.wakeAt)
        wakings.erase({ *running.wakeAt, running.id });
    running.wakeAt = at;
    if (at)
        wakings.emplace(*at, running.id);
    parts.alarm.set(wakings.empty() ? std::nullopt : std::optional(wakings.begin()->first));
}

void Client::Private::ring()
{
    const auto now = parts.steady.now();
    std::vector<CallId> due;
    for (const auto& [at, id] : wakings) {
        if (at > now)
            break;
        due.push_back(id);
    }
    for (const auto id : due) {
        const auto found = calls.find(id);
        if (found == calls.end())
            continue;
        auto& running = *found->second;
        wakeAt(running, std::nullopt);
        if (running.exchange != nullptr)
            settle(running, running.exchange->giveUp(retry::Ending::TimedOut));
        else
            step(running);
    }
    if (due.empty() && !wakings.empty())
        parts.alarm.set(wakings.begin()->first);
}

} // namespace fencepost::http
