// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lab/money_request.h"

#include <cmath>

namespace fencepost::app {

namespace {

constexpr std::int64_t mostAmount = 1'000'000'000'000;
constexpr std::size_t longestReference = 200; // octets

} // namespace

MoneyRequest::MoneyRequest(const HttpRequest& request)
    : m_body(nlohmann::json::parse(request.body, nullptr, false))
{
}

std::optional<Handled> MoneyRequest::refused() const
{
    if (!amount())
        return refusal("VALIDATION.amount", 422, "\"amount\" is a whole number of the smallest unit, from 1 to 10^12.");
    if (!isReferenceGood())
        return refusal("VALIDATION.reference", 422, "\"reference\" is a text of at most 200 octets.");
    return {};
}

std::optional<std::int64_t> MoneyRequest::amount() const
{
    const auto* value = find("amount");
    if (value == nullptr || !value->is_number())
        return {};
    // 1e3 and 1000.0 are 1000, as the fingerprint has them.
    if (value->is_number_float()) {
        const auto number = value->get<double>();
        const bool whole = number >= 1 && number <= static_cast<double>(mostAmount) && number == std::floor(number);
        return whole ? std::optional(static_cast<std::int64_t>(number)) : std::nullopt;
    }
    if (value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(mostAmount))
        return {};
    const auto amount = value->get<std::int64_t>();
    return amount > 0 && amount <= mostAmount ? std::optional(amount) : std::nullopt;
}

std::optional<std::string> MoneyRequest::text(const char* name) const
{
    const auto* value = find(name);
    return value != nullptr && value->is_string() ? std::optional(value->get<std::string>()) : std::nullopt;
}

bool MoneyRequest::isReferenceGood() const
{
    const auto* value = find("reference");
    if (value == nullptr || value->is_null())
        return true;
    const auto said = text("reference");
    return said && said->size() <= longestReference && said->find('\0') == std::string::npos;
}

const nlohmann::json* MoneyRequest::find(const char* name) const
{
    if (!m_body.is_object())
        return nullptr;
    const auto found = m_body.find(name);
    return found == m_body.end() ? nullptr : &*found;
}

bool isCurrency(const std::string& text)
{
    return text.size() == 3 && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
}

} // namespace fencepost::app
