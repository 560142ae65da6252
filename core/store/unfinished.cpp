// SPDX-License-Identifier: Apache-2.0
#include "core/store/unfinished.h"

#include "core/store/read_rows.h"
#include "core/store/record_row.h"
#include "core/store/schema.h"
#include "core/store/statements.h"

namespace fencepost::store {

namespace {

Result<Unfinished> unfinishedFrom(const NativeRow& row)
{
    auto record = recordFrom(row, 0);
    if (!record)
        return record.error();
    if (row.isNull(recordColumns))
        return Unfinished{ std::move(*record), {} };
    auto headers = headersFrom(row.octets(recordColumns), "request_headers");
    if (!headers)
        return headers.error();
    return Unfinished{ std::move(*record), std::move(*headers) };
}

Status checkRequestHeaders(Connection& connection)
{
    const auto status = schemaStatus(connection);
    if (!status)
        return status.error();
    if (status->version.value_or(0) < schemaOfRequestHeaders)
        return olderSchema(status->version, schemaOfRequestHeaders);
    return {};
}

} // namespace

Result<std::vector<Unfinished>> unfinishedRecords(Connection& connection, const std::optional<Record>& after, int batch)
{
    if (const auto known = checkRequestHeaders(connection); !known)
        return known.error();
    const RecordId none;
    Parameters parameters;
    addKey(parameters, after ? after->id : none)
        .time("after_created", after ? std::optional(after->createdAt) : std::nullopt)
        .integer("batch", batch);
    return readRows(connection, sql::unfinished, parameters, unfinishedFrom);
}

Result<std::optional<Unfinished>> recordWithRequest(Connection& connection, const RecordId& id)
{
    if (const auto known = checkRequestHeaders(connection); !known)
        return known.error();
    Parameters parameters;
    addKey(parameters, id);
    return firstOf(readRows(connection, sql::record_with_request, parameters, unfinishedFrom));
}

} // namespace fencepost::store
