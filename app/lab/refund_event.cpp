// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/refund_event.h"

#include <nlohmann/json.hpp>

namespace fencepost::app {

namespace {

std::string textAt(const nlohmann::json& object, const char* name)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

std::optional<EventPayload> readEvent(std::string_view payload)
{
    const auto event = nlohmann::json::parse(payload, nullptr, false);
    if (!event.is_object())
        return {};
    const auto data = event.value("data", nlohmann::json());
    return EventPayload{ textAt(event, "id"), textAt(event, "source"), textAt(event, "type"), textAt(data, "id") };
}

} // namespace fencepost::app
