// SPDX-License-Identifier: Apache-2.0
#include "core/store/unfinished.h"

#include "core/store/record_row.h"
#include "core/store/statements.h"

namespace fencepost::store {

Result<std::vector<Record>> unfinishedRecords(Connection& connection, const std::optional<Record>& after, int batch)
{
    const RecordId none;
    Parameters parameters;
    addKey(parameters, after ? after->id : none)
        .time("after_created", after ? std::optional(after->createdAt) : std::nullopt)
        .integer("batch", batch);
    std::vector<Record> records;
    std::optional<Error> corrupt;
    const auto read = connection.native().run(sql::unfinished, parameters, [&](const NativeRow& row) {
        auto record = recordFrom(row, 0);
        if (record)
            records.push_back(std::move(*record));
        else
            corrupt = record.error();
    });
    if (!read)
        return read.error();
    if (corrupt)
        return *corrupt;
    return records;
}

} // namespace fencepost::store
