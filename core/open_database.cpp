// SPDX-License-Identifier: Apache-2.0
#include "core/open_database.h"

#include <filesystem>

namespace fencepost {

Status checkNoOpenDatabase(const std::string& path)
{
    std::error_code ignored;
    for (const auto* suffix : { "-wal", "-shm", "-journal" })
        if (std::filesystem::exists(path + suffix, ignored))
            return Error{ Failure::Invalid, path + " is a database that is in use, and nothing else", {}, {},
                "Open it as a database, or name another file" };
    return {};
}

} // namespace fencepost
