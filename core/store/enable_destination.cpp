// SPDX-License-Identifier: Apache-2.0
#include "core/store/enable_destination.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/store/audit_log.h"
#include "core/store/change_writer.h"
#include "core/store/in_transaction.h"
#include "core/store/judge.h"
#include "core/store/outbox.h"
#include "core/store/sql_inspector.h"
#include "core/store/sql_store.h"
#include "core/without_credentials.h"

namespace fencepost::store {

namespace {

std::string imageOf(const DisabledDestination& disabled)
{
    return nlohmann::json{
        { "disabled_at", formatInstant(disabled.at) }, { "disabled_by", disabled.by },
        { "disabled_because", withoutCredentials(disabled.because) }
    }.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

Result<bool> enableDestination(Connection& connection, const std::string& destination, AuditEntry entry)
{
    const auto info = describeDatabase(connection);
    if (!info)
        return info.error();
    AuditLog log(connection);
    const auto audited = log.exists();
    if (!audited)
        return audited.error();
    if (!*audited)
        return ChangeWriter::auditIsLost();
    return inTransaction(connection, [&]() -> Result<bool> {
        if (const auto locked = log.lock(); !locked)
            return locked.error();
        Outbox outbox(connection, {});
        const auto all = outbox.disabled();
        if (!all)
            return all.error();
        const auto disabled =
            std::find_if(all->begin(), all->end(), [&](const auto& one) { return one.destination == destination; });
        const auto enabled = outbox.enable(destination);
        if (!enabled || !*enabled || disabled == all->end())
            return enabled;
        const auto now = instantOf(connection, boundTime(connection, {}));
        if (!now)
            return now.error();
        auto written = entry;
        written.verb = "enable_destination";
        written.database = info->identity;
        written.binding = "outbox_destinations";
        written.identity = identityText({ withoutCredentials(destination) });
        written.outcome = wordOf(ItemResult::Changed);
        written.before = imageOf(*disabled);
        written.at = *now;
        const auto appended = log.append(written);
        return appended ? Result<bool>(true) : Result<bool>(appended.error());
    });
}

} // namespace fencepost::store
