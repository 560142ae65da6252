// SPDX-License-Identifier: Apache-2.0
#include "core/store/purge.h"

#include "core/store/in_transaction.h"

namespace fencepost::store {

Result<int> purgeBy(Connection& connection, const StoreClock& clock, std::initializer_list<const NamedSql*> statements,
    Duration retention, int batch)
{
    return inTransaction(connection, [&]() -> Result<int> {
        int purged = 0;
        for (const auto* sql : statements) {
            const auto done = connection.native().run(*sql,
                Parameters()
                    .integer("retention", retention.count())
                    .integer("batch", batch - purged)
                    .time("now", boundTime(connection, clock)));
            if (!done)
                return done.error();
            purged += *done;
        }
        return purged;
    });
}

} // namespace fencepost::store
