// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/messaging/inbox.h"

namespace fencepost::delivery {

// A message of CloudEvents: its attributes are headers ce-* (binary mode) or, where the content type is
// application/cloudevents+json and a header does not say it, members of the payload (structured mode, JSON format
// §3); the payload is kept as it came in both. What none of them says is empty: consumer and destination in any case.
// `binding` names the transport in what stands for names that no key can hold.
[[nodiscard]] Delivery deliveryOf(const Headers& headers, Bytes payload, std::string_view binding);

// What can be a part of the inbox's key: a text that is none, or too long for one, has a name that is as constant.
[[nodiscard]] std::string keyPartOf(const std::string& text, std::string_view binding);

} // namespace fencepost::delivery
