// SPDX-License-Identifier: Apache-2.0
#include "core/protocol/vendor.h"

#include <algorithm>
#include <array>

namespace fencepost {

namespace {

using namespace std::chrono_literals;

// Stripe prunes keys after a day at the earliest. Postmark keeps a message id and does not compare it, and BigCommerce
// knows nothing of a repeated call: for these two the ledger is the guarantee.
constexpr std::array knownVendors = {
    Vendor{ "stripe", KeyPlace::HttpHeader, "Idempotency-Key", 24h },
    Vendor{ "postmark", KeyPlace::MailHeader, "Message-ID" },
    Vendor{ "bigcommerce", KeyPlace::BodyField, "external_id" },
};

} // namespace

std::span<const Vendor> vendors() noexcept
{
    return knownVendors;
}

const Vendor* findVendor(std::string_view name) noexcept
{
    const auto* found = std::find_if(
        knownVendors.begin(), knownVendors.end(), [&](const Vendor& vendor) { return vendor.name == name; });
    return found == knownVendors.end() ? nullptr : found;
}

CallIdentity identityOf(const Vendor& vendor, const Bytes& callKey, std::string_view domain)
{
    auto value = toHex(callKey);
    if (vendor.place == KeyPlace::MailHeader)
        value = '<' + value + '@' + std::string(domain) + '>';
    return { vendor.place, std::string(vendor.field), std::move(value) };
}

} // namespace fencepost
