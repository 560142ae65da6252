// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/redacted_explanation.h"

#include <algorithm>

namespace fencepost::models {

namespace {

// Any part of a JSON Pointer, or a form's name.
bool namesSecret(const Redactor& redactor, std::string_view place)
{
    for (std::size_t at = 0; at <= place.size();) {
        const auto end = std::min(place.find('/', at), place.size());
        if (end > at && redactor.hides(place.substr(at, end - at)))
            return true;
        at = end + 1;
    }
    return false;
}

std::string hidden(const Redactor& redactor, const std::string& place, const std::string& value)
{
    if (value.empty())
        return value;
    if (namesSecret(redactor, place))
        return std::string(hiddenMark);
    const bool nested = value.front() == '{' || value.front() == '[';
    return redactor.payload(value, nested ? "application/json" : "text/plain").text;
}

} // namespace

BodyExplanation redacted(BodyExplanation explanation, const Redactor& redactor)
{
    const auto hide = [&](auto& all) {
        for (auto& each : all) {
            each.before = hidden(redactor, each.place, each.before);
            each.after = hidden(redactor, each.place, each.after);
        }
    };
    hide(explanation.differences);
    hide(explanation.benign);
    return explanation;
}

} // namespace fencepost::models
