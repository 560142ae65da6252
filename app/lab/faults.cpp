// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/faults.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

#include <unistd.h>

#include "core/protocol/ascii.h"

namespace fencepost::app {

namespace {

constexpr std::array pointTable = {
    PointEntry{ Point::P1, Bearer::Request, "p1", "before the reservation", "FaultyStore::reserve" },
    PointEntry{
        Point::P2, Bearer::Request, "p2", "the reservation is executed and not committed", "FaultyStore::reserve" },
    PointEntry{ Point::P3, Bearer::Request, "p3", "the reservation is committed (reserve mode)", "FaultyStore::begin" },
    PointEntry{
        Point::P4, Bearer::Request, "p4", "the recovery point is committed (external effects)", "Cashier::record" },
    PointEntry{ Point::P5, Bearer::Request, "p5", "before the vendor is called", "Cashier::payOut" },
    PointEntry{ Point::P6Unsent, Bearer::Request, "p6-unsent", "the vendor has the call and has done nothing",
        "VendorWorker::pay" },
    PointEntry{ Point::P6, Bearer::Request, "p6", "the vendor has paid and not answered", "VendorWorker::pay" },
    PointEntry{ Point::P7, Bearer::Request, "p7", "the vendor's answer is read and not recorded", "Payouts::send" },
    PointEntry{
        Point::P8, Bearer::Request, "p8", "the business writes are executed and not committed", "Cashier::once" },
    PointEntry{ Point::P9, Bearer::Request, "p9",
        "the business writes are committed, the record is open (reserve mode)", "FaultyStore::finalize" },
    PointEntry{ Point::P10, Bearer::Request, "p10", "the record is finished, its worker has not heard of it",
        "FaultyStore::finalize" },
    PointEntry{ Point::P11, Bearer::Request, "p11", "the answer is made and not sent", "LabWorker::answer" },
    PointEntry{ Point::P13, Bearer::Event, "p13", "an event is claimed and not sent", "FaultyTarget::handOver" },
    PointEntry{ Point::P14, Bearer::Event, "p14", "an event is accepted and not marked as sent", "FaultyTarget::end" },
    PointEntry{
        Point::P15, Bearer::Reception, "p15", "an event is in the inbox and not handled", "Mailer::handleNext" },
    PointEntry{
        Point::P16, Bearer::Reception, "p16", "an event is handled and not acknowledged", "FaultySource::acknowledge" },
};

using enum FaultKind;

constexpr std::array faultEntries = {
    FaultEntry{ Delay, Bearer::Request, "delay", FaultValue::Duration, FaultPlace::Optional, "200ms",
        "waits; without a point before anything else", "LabWorker::answer, or the point" },
    FaultEntry{ Pause, Bearer::Request, "pause", FaultValue::Duration, FaultPlace::Needed, "5s",
        "stands still at a point, longer than its lease, then goes on (p12)", "the point" },
    FaultEntry{ Crash, Bearer::Request, "crash", FaultValue::None, FaultPlace::Needed, "",
        "kills the lab with SIGKILL at a point", "the point" },
    FaultEntry{ TimeoutBefore, Bearer::Request, "timeout-before", FaultValue::Duration, FaultPlace::None, "30s",
        "executes nothing and closes the connection without an answer after that time", "LabWorker::answer" },
    FaultEntry{ TimeoutAfter, Bearer::Request, "timeout-after", FaultValue::Duration, FaultPlace::None, "30s",
        "executes, and closes the connection without an answer after that time", "LabWorker::answer" },
    FaultEntry{ ResetBefore, Bearer::Request, "reset-before", FaultValue::None, FaultPlace::None, "",
        "resets the connection (RST) and executes nothing", "LabWorker::answer" },
    FaultEntry{ ResetAfter, Bearer::Request, "reset-after", FaultValue::None, FaultPlace::None, "",
        "executes, then resets the connection (RST)", "LabWorker::answer" },
    FaultEntry{ TooMany, Bearer::Request, "429", FaultValue::Duration, FaultPlace::None, "1s",
        "refuses with 429 and this Retry-After", "LabWorker::answer" },
    FaultEntry{ ServerError, Bearer::Request, "5xx", FaultValue::Status, FaultPlace::None, "503",
        "refuses with this status and executes nothing", "LabWorker::answer" },
    FaultEntry{ Duplicate, Bearer::Request, "duplicate", FaultValue::None, FaultPlace::None, "",
        "delivers the request a second time, at the same time", "LabWorker::answer" },
    FaultEntry{ DuplicateEvent, Bearer::Event, "duplicate-event", FaultValue::None, FaultPlace::None, "",
        "hands an event over twice", "FaultyTarget::handOver" },
    FaultEntry{ ReorderEvent, Bearer::Event, "reorder-event", FaultValue::Duration, FaultPlace::None, "5s",
        "holds an event back until a later one has overtaken it, or for that long", "FaultyTarget::deliver" },
    FaultEntry{ DelayEvent, Bearer::Event, "delay-event", FaultValue::Duration, FaultPlace::None, "5s",
        "hands an event over so much later", "FaultyTarget::deliver" },
    FaultEntry{ PoisonEvent, Bearer::Event, "poison-event", FaultValue::None, FaultPlace::None, "",
        "hands an event over with half of its payload, which no handler can read", "FaultyTarget::deliver" },
    FaultEntry{ SlowDatabase, Bearer::Request, "slow-database", FaultValue::Duration, FaultPlace::None, "100ms",
        "lets every operation of the store wait that long", "FaultyStore" },
    FaultEntry{ DatabaseDown, Bearer::Request, "database-down", FaultValue::None, FaultPlace::None, "",
        "lets every operation of the store fail", "FaultyStore" },
};

const FaultEntry& entryOf(FaultKind kind)
{
    return *std::find_if(
        faultEntries.begin(), faultEntries.end(), [&](const FaultEntry& entry) { return entry.kind == kind; });
}

std::optional<int> numberOf(std::string_view text)
{
    int value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = problem == std::errc() && end == text.data() + text.size() && value >= 0;
    return good ? std::optional(value) : std::nullopt;
}

Error noFault(std::string_view text, const std::string& why)
{
    return invalid("\"" + std::string(text) + "\" is no fault: " + why);
}

// "30%", "x3" or "attempt2".
Status readLimit(FaultSpec& spec, std::string_view word)
{
    const auto bad = [&] {
        return noFault(spec.text, "\"" + std::string(word) + "\" is neither 30%, x3 nor attempt1");
    };
    if (word.ends_with('%')) {
        const auto percent = numberOf(word.substr(0, word.size() - 1));
        if (!percent || *percent > 100)
            return bad();
        spec.chance = *percent / 100.0;
        return {};
    }
    const bool attempt = word.starts_with("attempt");
    if (!attempt && !word.starts_with('x'))
        return bad();
    const auto count = numberOf(word.substr(attempt ? 7 : 1));
    if (!count || *count == 0)
        return bad();
    (attempt ? spec.attempt : spec.times) = *count;
    return {};
}

Status readValue(FaultSpec& spec, const FaultEntry& entry, std::string_view value)
{
    if (entry.value == FaultValue::None)
        return value.empty() ? Status() : noFault(spec.text, "it takes no value");
    const auto said = value.empty() ? entry.usual : value;
    if (entry.value == FaultValue::Status) {
        const auto status = numberOf(said);
        if (!status || *status < 500 || *status > 599)
            return noFault(spec.text, "its value is a status from 500 to 599");
        spec.status = *status;
        return {};
    }
    const auto time = parseDuration(said);
    if (!time || *time < Duration(0))
        return noFault(spec.text, "its value is a duration such as 200ms");
    spec.time = *time;
    return {};
}

Status readPlace(FaultSpec& spec, const FaultEntry& entry, std::string_view place)
{
    if (place.empty())
        return entry.place == FaultPlace::Needed ? noFault(spec.text, "it needs a point, as in @p9") : Status();
    const auto found = std::find_if(
        pointTable.begin(), pointTable.end(), [&](const PointEntry& point) { return point.name == place; });
    if (entry.place == FaultPlace::None || found == pointTable.end())
        return noFault(spec.text, "there is no such point for it");
    spec.at = found->point;
    return {};
}

Bearer bearerOf(const FaultSpec& spec)
{
    return spec.at ? pointTable.at(static_cast<std::size_t>(*spec.at)).bearer : entryOf(spec.kind).bearer;
}

std::string written(const FaultSpec& spec)
{
    const auto& entry = entryOf(spec.kind);
    return std::string(entry.name) + (entry.value == FaultValue::Duration ? '=' + formatDuration(spec.time) : "")
        + (spec.at ? '@' + std::string(nameOf(*spec.at)) : "");
}

bool isVendors(Point point)
{
    return point == Point::P6 || point == Point::P6Unsent;
}

} // namespace

std::span<const PointEntry> points() noexcept
{
    return pointTable;
}

std::string_view nameOf(Point point) noexcept
{
    return pointTable.at(static_cast<std::size_t>(point)).name;
}

std::span<const FaultEntry> faultTable() noexcept
{
    return faultEntries;
}

Result<FaultSpec> parseFault(std::string_view text)
{
    FaultSpec spec;
    spec.text = std::string(withoutBlanks(text));
    std::string_view rest = spec.text;
    const auto colon = rest.find(':');
    auto limits = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    const auto mark = rest.find('@');
    const auto place = mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
    rest = rest.substr(0, mark);
    const auto equals = rest.find('=');
    const auto value = equals == std::string_view::npos ? std::string_view() : rest.substr(equals + 1);
    const auto name = rest.substr(0, equals);
    const auto found = std::find_if(
        faultEntries.begin(), faultEntries.end(), [&](const FaultEntry& entry) { return entry.name == name; });
    if (found == faultEntries.end())
        return noFault(spec.text, "there is none of that name; --help lists them");
    spec.kind = found->kind;
    if (const auto read = readValue(spec, *found, value); !read)
        return read.error();
    if (const auto read = readPlace(spec, *found, place); !read)
        return read.error();
    while (!limits.empty()) {
        const auto end = limits.find(':');
        if (const auto read = readLimit(spec, limits.substr(0, end)); !read)
            return read.error();
        limits = end == std::string_view::npos ? std::string_view() : limits.substr(end + 1);
    }
    return spec;
}

Result<std::vector<FaultSpec>> parseFaults(std::string_view text)
{
    std::vector<FaultSpec> specs;
    while (!withoutBlanks(text).empty()) {
        const auto comma = text.find(',');
        auto spec = parseFault(text.substr(0, comma));
        if (!spec)
            return spec.error();
        specs.push_back(std::move(*spec));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    }
    return specs;
}

std::string describeFaults()
{
    std::string text =
        "Faults: NAME[=VALUE][@POINT][:CHANCE%][:xTIMES][:attemptN], as in crash@p9:x1 or delay=200ms:30%\n";
    const auto row = [&](std::string name, std::string_view what) {
        name.resize(std::max<std::size_t>(name.size() + 1, 24), ' ');
        text += "  " + name + std::string(what) + '\n';
    };
    for (const auto& entry : faultEntries) {
        auto name = std::string(entry.name);
        if (entry.value != FaultValue::None)
            name += "=" + std::string(entry.usual);
        if (entry.place != FaultPlace::None)
            name += entry.place == FaultPlace::Needed ? "@pN" : "[@pN]";
        row(std::move(name), entry.what);
    }
    text += "Points:\n";
    for (const auto& point : pointTable)
        row(std::string(point.name), point.what);
    return text;
}

const FaultSpec* FaultsOfRequest::find(FaultKind kind) const
{
    const auto found =
        std::find_if(m_drawn.begin(), m_drawn.end(), [&](const FaultSpec& spec) { return spec.kind == kind; });
    return found == m_drawn.end() ? nullptr : &*found;
}

bool FaultsOfRequest::isArmed(Point point) const
{
    return std::any_of(m_drawn.begin(), m_drawn.end(), [&](const FaultSpec& spec) { return spec.at == point; });
}

void FaultsOfRequest::reach(Point point) const
{
    for (const auto& spec : m_drawn) {
        if (spec.at != point)
            continue;
        if (spec.kind == FaultKind::Crash)
            kill(getpid(), SIGKILL);
        m_faults->wait(spec.time, point);
    }
}

std::string FaultsOfRequest::forVendor() const
{
    auto its = *this;
    std::erase_if(its.m_drawn, [](const FaultSpec& spec) { return !spec.at || !isVendors(*spec.at); });
    return its.written();
}

FaultsOfRequest FaultsOfRequest::forEvent() const
{
    if (m_faults == nullptr)
        return {};
    auto its = m_faults->draw({}, 1, Bearer::Event);
    for (const auto& spec : m_drawn)
        if (bearerOf(spec) == Bearer::Event)
            its.m_drawn.push_back(spec);
    return its;
}

std::string FaultsOfRequest::written() const
{
    std::string text;
    for (const auto& spec : m_drawn)
        text += (text.empty() ? "" : ", ") + app::written(spec);
    return text;
}

Faults::Faults(std::uint64_t seed)
    : m_random(seed)
{
}

void Faults::add(FaultSpec spec)
{
    const std::lock_guard lock(m_mutex);
    place(std::move(spec));
}

void Faults::place(FaultSpec spec)
{
    std::erase_if(m_faults, [&](const Listed& listed) { return listed.spec.text == spec.text; });
    m_faults.push_back({ std::move(spec), 0 });
}

void Faults::clear()
{
    {
        const std::lock_guard lock(m_mutex);
        m_faults.clear();
        ++m_age;
    }
    m_over.notify_all();
}

std::vector<Faults::Listed> Faults::list() const
{
    const std::lock_guard lock(m_mutex);
    return m_faults;
}

bool Faults::befalls(const Listed& listed, int attempt)
{
    constexpr std::uint64_t parts = 1'000'000;
    const auto& spec = listed.spec;
    if ((spec.times && listed.hits >= *spec.times) || (spec.attempt && *spec.attempt != attempt))
        return false;
    if (spec.chance < 1 && static_cast<double>(m_random.below(parts)) >= spec.chance * static_cast<double>(parts))
        return false;
    return true;
}

// A request ends once: one of these strikes, and what comes behind it waits for another request.
void Faults::keepWhatStrikes(std::vector<Listed*>& drawn)
{
    constexpr std::array beforeIt = { TimeoutBefore, ResetBefore, TooMany, ServerError };
    constexpr std::array behindIt = { TimeoutAfter, ResetAfter };
    const auto isOneOf = [](std::span<const FaultKind> kinds, FaultKind kind) {
        return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
    };
    const auto keepFirstOf = [&](std::span<const FaultKind> kinds) {
        for (const auto kind : kinds) {
            const auto first = std::find_if(
                drawn.begin(), drawn.end(), [&](const Listed* listed) { return listed->spec.kind == kind; });
            if (first == drawn.end())
                continue;
            std::erase_if(drawn, [&, strikes = *first](const Listed* listed) {
                return listed != strikes && isOneOf(kinds, listed->spec.kind);
            });
            return true;
        }
        return false;
    };
    if (keepFirstOf(beforeIt))
        std::erase_if(drawn, [&](const Listed* listed) {
            const auto& spec = listed->spec;
            return !isOneOf(beforeIt, spec.kind) && !(spec.kind == Delay && !spec.at);
        });
    else
        keepFirstOf(behindIt);
}

FaultsOfRequest Faults::draw(const std::vector<FaultSpec>& own, int attempt, Bearer bearer)
{
    const std::lock_guard lock(m_mutex);
    std::vector<Listed*> drawn;
    for (auto& listed : m_faults)
        if (bearerOf(listed.spec) == bearer && befalls(listed, attempt))
            drawn.push_back(&listed);
    std::vector<Listed> asked;
    asked.reserve(own.size());
    for (const auto& spec : own)
        if (auto& listed = asked.emplace_back(Listed{ spec, 0 }); befalls(listed, attempt))
            drawn.push_back(&listed);
    keepWhatStrikes(drawn);
    std::vector<FaultSpec> specs;
    for (auto* listed : drawn) {
        ++listed->hits;
        specs.push_back(listed->spec);
    }
    return { *this, std::move(specs) };
}

void Faults::wait(Duration time, std::optional<Point> at)
{
    std::unique_lock lock(m_mutex);
    if (at)
        ++m_standing[*at];
    m_over.wait_for(lock, time, [this, age = m_age] { return m_stopping || m_age != age; });
    if (at && --m_standing[*at] == 0)
        m_standing.erase(*at);
}

std::uint64_t Faults::age() const
{
    const std::lock_guard lock(m_mutex);
    return m_age;
}

std::map<Point, int> Faults::standing() const
{
    const std::lock_guard lock(m_mutex);
    return m_standing;
}

void Faults::pause(Duration time)
{
    std::unique_lock lock(m_mutex);
    m_over.wait_for(lock, time, [this] { return m_stopping; });
}

void Faults::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        ++m_age;
    }
    m_over.notify_all();
}

} // namespace fencepost::app
