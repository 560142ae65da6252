// SPDX-License-Identifier: Apache-2.0
#include "core/store/moved_file.h"

#include <sqlite3.h>

#include "core/store/database.h"

namespace fencepost::store {

Status checkFileInPlace(const Connection& connection)
{
    if (connection.dialect() != Dialect::Sqlite)
        return {};
    int moved = 0;
    const int asked =
        sqlite3_file_control(static_cast<sqlite3*>(connection.handle()), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    // A kind of file that cannot tell is taken at its word.
    if (asked != SQLITE_OK || moved == 0)
        return {};
    return Error{ Failure::Unavailable, "The database's file was removed or replaced while it was open",
        connection.target().path, {}, "Connect again to reach the file that is there now" };
}

} // namespace fencepost::store
