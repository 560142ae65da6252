// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.h"

namespace fencepost {

// Attributes of CloudEvents by name; a value that is no text as JSON.
using EventAttributes = std::map<std::string, std::string, std::less<>>;

// The attributes that a structured message says itself (CloudEvents, JSON format §3): its content type is
// application/cloudevents+json. None: it is no such message. One that cannot be read has none, and is its consumer's to
// judge.
[[nodiscard]] std::optional<EventAttributes> structuredAttributes(std::string_view contentType, const Bytes& payload);

} // namespace fencepost
