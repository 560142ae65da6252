// SPDX-License-Identifier: Apache-2.0
#include "core/messaging/delivery_attempt.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/ids.h"
#include "core/messaging/replay_verdict.h"

namespace fencepost {

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD"; // U+FFFD

// What every database takes as text.
std::string asText(std::string octets)
{
    if (!isUtf8(octets)) {
        const auto quoted = nlohmann::json(octets).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        octets = nlohmann::json::parse(quoted).get<std::string>();
    }
    for (auto at = octets.find('\0'); at != std::string::npos; at = octets.find('\0', at))
        octets.replace(at, 1, replacement);
    return octets;
}

} // namespace

std::string formatAttempts(const std::vector<DeliveryAttempt>& attempts)
{
    auto list = nlohmann::json::array();
    for (const auto& attempt : attempts)
        list.push_back({ { "attempt", attempt.number }, { "at", formatInstant(attempt.at) }, { "owner", attempt.owner },
            { "code", attempt.code }, { "error", attempt.error } });
    return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<std::vector<DeliveryAttempt>> parseAttempts(std::string_view text)
{
    if (text.empty())
        return std::vector<DeliveryAttempt>();
    const Error corrupt{ Failure::Corrupt, "A list of attempts cannot be read", {} };
    const auto list = nlohmann::json::parse(text, nullptr, false);
    if (!list.is_array())
        return corrupt;
    std::vector<DeliveryAttempt> attempts;
    for (const auto& entry : list) {
        const auto word = [&](const char* name) {
            const auto found = entry.find(name);
            return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
        };
        if (!entry.is_object() || !entry.contains("attempt") || !entry["attempt"].is_number_integer())
            return corrupt;
        const auto at = parseInstant(word("at"));
        if (!at)
            return corrupt;
        attempts.push_back({ entry["attempt"].get<int>(), *at, word("owner"), word("code"), word("error") });
    }
    return attempts;
}

void addAttempt(std::vector<DeliveryAttempt>& attempts, DeliveryAttempt attempt)
{
    if (attempt.error.size() > keptErrorOctets) {
        auto end = keptErrorOctets;
        while (end > 0 && (static_cast<unsigned char>(attempt.error[end]) & 0xC0U) == 0x80U)
            --end;
        attempt.error.resize(end);
    }
    attempt.code = asText(std::move(attempt.code));
    attempt.error = asText(std::move(attempt.error));
    attempts.push_back(std::move(attempt));
    if (attempts.size() <= keptAttempts)
        return;
    // The last that may have done something stays: without it, sending again would look safe.
    const auto refused = [](const DeliveryAttempt& known) { return provesNothingHappened(known.code); };
    const bool isLastDoubt = !refused(attempts.front()) && std::all_of(attempts.begin() + 1, attempts.end(), refused);
    attempts.erase(attempts.begin() + (isLastDoubt ? 1 : 0));
}

} // namespace fencepost
