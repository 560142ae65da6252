// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/ids.h"
#include "core/time.h"

namespace fencepost {

// Where a vendor's request carries the key of a call.
enum class KeyPlace {
    HttpHeader,
    MailHeader, // a header of the mail that the request asks for
    BodyField, // the vendor keeps it as our name for the thing, and finds the thing by it
};

// What a vendor does with a call that is sent twice, and how long one takes. A line of the table is all of an adapter
// that the protocol has to know.
struct Vendor {
    std::string_view name;
    KeyPlace place = KeyPlace::HttpHeader;
    std::string_view field; // the header or field that carries the key
    Duration remembers{}; // for that long a repeated call is answered and not carried out again; none: it never is
    Duration timeout = std::chrono::seconds(15); // of one call; afterwards it has been answered or never will be
};

[[nodiscard]] std::span<const Vendor> vendors() noexcept;
[[nodiscard]] const Vendor* findVendor(std::string_view name) noexcept;

// The line that tells the vendor which call this is: a call key as the vendor takes it.
struct CallIdentity {
    KeyPlace place = KeyPlace::HttpHeader;
    std::string name;
    std::string value;
};

// `domain`: whose message ids we make.
[[nodiscard]] CallIdentity identityOf(const Vendor& vendor, const Bytes& callKey, std::string_view domain);

} // namespace fencepost
