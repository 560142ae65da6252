// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/alert_place.h"

#include "models/session.h"
#include "ui/pages.h"
#include "ui/words.h"

namespace fencepost::ui {

namespace {

struct PlaceOfMeasure {
    std::string_view measure;
    const char* page; // null: that of the table
    const char* filter;
};

constexpr PlaceOfMeasure places[] = {
    { "stuck", nullptr, "stuck" },
    { "oldest_lease", nullptr, "stuck" },
    { "dead_letters", "dlq", "" },
    { "conflicts", "conflicts", "" },
    { "retries", "retries", "" },
    { "outbox_lag", "outbox", "state = PENDING" },
};

} // namespace

AlertPlace alertPlace(const AlertRule& rule, const std::optional<AlertReading>& reading, const models::Session& session)
{
    AlertPlace place{ .page = QStringLiteral("overview") };
    const models::BindingPtr binding = reading ? session.binding(text(reading->binding)) : nullptr;
    for (const auto& known : places) {
        if (known.measure != rule.measure->id)
            continue;
        place.page = QLatin1String(known.page ? known.page : pageOf(binding ? binding->kind : Kind::Idempotency));
        place.filter = QLatin1String(known.filter);
    }
    if (binding)
        place.binding = text(binding->name);
    return place;
}

} // namespace fencepost::ui
