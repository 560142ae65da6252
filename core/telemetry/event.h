// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/store.h"

namespace fencepost::telemetry {

enum class Level { Debug, Info, Warning, Error };

[[nodiscard]] std::string_view wordOf(Level level) noexcept; // "debug", "info", "warning", "error"

// What a caller would call it. Not every transition has such a name.
enum class KeyOutcome {
    Created, // the first answer was made and stored
    Replayed,
    Conflict,
    InProgress,
    Fenced,
    TakenOver,
    Expired,
    Held,
};

[[nodiscard]] std::string_view wordOf(KeyOutcome outcome) noexcept; // "created", "replayed", "conflict", …
[[nodiscard]] std::span<const KeyOutcome> allKeyOutcomes() noexcept;

// One thing that happened to a key (protocol §3.10): a transition, or an answer that changed nothing.
struct KeyEvent {
    Time at;
    Level level = Level::Info;
    Event event = Event::Reserve;
    RecordId id;
    std::optional<Bytes> payloadHash; // as presented; of the record where nothing was
    std::optional<State> status; // as stored afterwards; none: there is no record
    std::optional<State> from; // shown states; from none: the store does not tell, and nobody looked
    State to = State::Absent;
    int attempt = 0; // 0: there is no record
    Fence fence;
    std::string owner;
    std::optional<std::string> errorCode;
    std::optional<std::string> correlationId;
    std::optional<KeyOutcome> outcome;
    std::optional<std::string> originalCorrelationId = {}; // of a replay: of the execution that made the answer

    bool operator==(const KeyEvent&) const = default;
};

// What a store answered, as an event. A store does not always say which state the record was in before, so that a
// takeover cannot be told from a retry after a failure: who looked says so with `from`. ObservedStore looks.
[[nodiscard]] KeyEvent eventOf(
    const Reservation& reservation, const Reserved& reserved, std::optional<State> from = std::nullopt);
[[nodiscard]] KeyEvent eventOf(
    Event event, const RecordId& id, const Applied& applied, std::optional<State> from = std::nullopt);
// The same of a decision, which knows all of it.
[[nodiscard]] KeyEvent eventOf(const Trigger& trigger, const Decision& decision, Time now);

// Told of every event. Implementations are safe for concurrent use, and never fail the caller.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void record(const KeyEvent& event) = 0;
};

// Passes every event on to several sinks, which outlive it, in their order.
class EventFan final : public EventSink {
public:
    explicit EventFan(std::vector<EventSink*> sinks)
        : m_sinks(std::move(sinks))
    {
    }
    void record(const KeyEvent& event) override
    {
        for (auto* sink : m_sinks)
            sink->record(event);
    }

private:
    std::vector<EventSink*> m_sinks;
};

// How keys leave the process. They are the client's secret as much as a password is: who knows one can ask for the
// answer to somebody else's request.
struct KeyPrivacy {
    bool showKeys = false; // for logs that stay on this computer
    std::string salt; // of the hash, so that a list of likely keys does not find it
};

// SHA-256 of the salt followed by the key, in hexadecimal.
[[nodiscard]] std::string keyHash(std::string_view key, std::string_view salt);

} // namespace fencepost::telemetry
