// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/log.h"

#include <nlohmann/json.hpp>

namespace fencepost::telemetry {

namespace {

using nlohmann::ordered_json;

ordered_json wordOrNull(const std::optional<State>& state)
{
    return state ? ordered_json(wordOf(*state)) : ordered_json();
}

template <typename T> ordered_json orNull(const std::optional<T>& value)
{
    return value ? ordered_json(*value) : ordered_json();
}

} // namespace

std::string jsonLine(const KeyEvent& event, const KeyPrivacy& privacy)
{
    ordered_json line;
    line["ts"] = formatInstant(event.at);
    line["level"] = wordOf(event.level);
    line["event"] = wordOf(event.event);
    if (privacy.showKeys)
        line["idempotency_key"] = event.id.key;
    else
        line["key_hash"] = keyHash(event.id.key, privacy.salt);
    line["scope"] = event.id.scope;
    line["operation_type"] = event.id.operation;
    line["payload_hash"] = event.payloadHash ? ordered_json(toHex(*event.payloadHash)) : ordered_json();
    line["status"] = wordOrNull(event.status);
    line["from_state"] = wordOrNull(event.from);
    line["to_state"] = wordOf(event.to);
    line["attempt"] = event.attempt;
    line["fence"] = event.fence.value;
    line["owner"] = event.owner.empty() ? ordered_json() : ordered_json(event.owner);
    line["error_code"] = orNull(event.errorCode);
    line["correlation_id"] = orNull(event.correlationId);
    line["outcome"] = event.outcome ? ordered_json(wordOf(*event.outcome)) : ordered_json();
    // Readers split lines at more than a line feed: U+2028 and U+0085 are escaped with everything beyond ASCII.
    return line.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

JsonLog::JsonLog(Write write, LogOptions options)
    : m_options(std::move(options))
    , m_write(std::move(write))
{
}

JsonLog::JsonLog(std::ostream& stream, LogOptions options)
    : JsonLog(
        [&stream](const std::string& line) {
            // One write: who else has the file open appends whole lines between ours.
            const auto whole = line + '\n';
            stream.write(whole.data(), static_cast<std::streamsize>(whole.size())).flush();
            const bool good = stream.good();
            stream.clear();
            return good;
        },
        std::move(options))
{
}

void JsonLog::record(const KeyEvent& event)
{
    if (event.level < m_options.least)
        return;
    const auto line = jsonLine(event, m_options.privacy);
    const std::lock_guard lock(m_mutex);
    if (!m_write(line))
        ++m_lost;
}

std::int64_t JsonLog::lost() const
{
    const std::lock_guard lock(m_mutex);
    return m_lost;
}

} // namespace fencepost::telemetry
