// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/demo/demo_file.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/store/database.h"

namespace fencepost::app {

namespace {

namespace files = std::filesystem;

// SQLite's header begins with these words and keeps four octets at 68 for the program that owns the file.
constexpr std::string_view magic = std::string_view("SQLite format 3\0", 16);
constexpr std::streamoff markAt = 68;
constexpr std::string_view mark = "FPDM";

Error unwritable(const std::string& path, const std::string& detail)
{
    return { errno == ENOSPC || errno == EDQUOT ? Failure::Full : Failure::Unavailable,
        "The demo cannot be written to " + path, detail };
}

bool isDemo(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string begin(magic.size(), '\0');
    std::string owner(mark.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    file.seekg(markAt);
    file.read(owner.data(), static_cast<std::streamsize>(owner.size()));
    return file && begin == magic && owner == mark;
}

// Sends the file's octets to the disk, so that the new name never stands for an empty file.
bool toDisk(const std::string& path, int flags)
{
    const int file = ::open(path.c_str(), flags | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool done = ::fsync(file) == 0;
    ::close(file);
    return done;
}

} // namespace

Status mayReplace(const std::string& path)
{
    std::error_code error;
    if (!files::exists(files::symlink_status(path, error)))
        return {};
    if (!files::is_regular_file(path, error) || !isDemo(path))
        return Error{ Failure::Conflict, path + " is not a Fencepost demo and is left as it is",
            "choose another path, or remove the file" };
    // A log beside the file belongs to the old database and would be played into the new one. Opening it last closes
    // it.
    if (files::exists(path + "-wal", error)) {
        const auto connection = store::Connection::open(
            { .dialect = store::Dialect::Sqlite, .path = path }, { .access = store::Access::ReadWrite });
        if (!connection)
            return connection.error();
    }
    if (files::exists(path + "-wal", error))
        return Error{ Failure::Unavailable, "The demo at " + path + " is open in another program",
            "close it there first" };
    return {};
}

Result<Workplace> Workplace::make()
{
    std::error_code error;
    for (const auto& base : { files::path("/dev/shm"), files::temp_directory_path(error) }) {
        auto name = (base / "fencepost-demo.XXXXXX").string();
        if (!base.empty() && ::mkdtemp(name.data()))
            return Workplace(std::move(name));
    }
    return unwritable("a temporary folder", std::strerror(errno));
}

Workplace::~Workplace()
{
    std::error_code error;
    if (!m_folder.empty())
        files::remove_all(m_folder, error);
}

Workplace::Workplace(Workplace&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {}))
{
}

Status Workplace::moveTo(const std::string& target) const
{
    {
        std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(markAt);
        if (!file.write(mark.data(), static_cast<std::streamsize>(mark.size())).flush())
            return unwritable(path(), std::strerror(errno));
    }
    const auto fresh = target + ".new-" + std::to_string(::getpid());
    const auto folder = files::absolute(target).parent_path().string();
    std::error_code error;
    const bool copied =
        files::copy_file(path(), fresh, files::copy_options::overwrite_existing, error) && toDisk(fresh, O_WRONLY);
    if (!copied || (files::rename(fresh, target, error), error) || !toDisk(folder, O_RDONLY | O_DIRECTORY)) {
        const auto detail = error ? error.message() : std::string(std::strerror(errno));
        files::remove(fresh, error);
        return unwritable(target, detail);
    }
    return {};
}

} // namespace fencepost::app
