// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/export_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fencepost::models {

namespace {

constexpr auto replaceIt = "Choose another name, or say that it may be replaced.";

Error alreadyThere(const std::string& path)
{
    return { Failure::Conflict, "The file " + path + " is there already", {}, {}, replaceIt };
}

// So that the name is there after a loss of power, too. Not every file system knows that of a folder.
void syncFolderOf(const std::string& path)
{
    const auto folder = std::filesystem::path(path).parent_path();
    const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
        return;
    ::fsync(opened);
    ::close(opened);
}

} // namespace

ExportFile::ExportFile(std::string path, Existing existing)
    : m_path(std::move(path))
    , m_part(m_path + ".part")
    , m_existing(existing)
{
}

Result<std::unique_ptr<ExportFile>> ExportFile::create(const std::string& path, Existing existing)
{
    std::unique_ptr<ExportFile> file(new ExportFile(path, existing));
    if (auto begun = file->begin(); !begun)
        return begun.error();
    return file;
}

ExportFile::~ExportFile()
{
    if (m_mine)
        ::unlink(m_part.c_str());
    if (m_file >= 0)
        ::close(m_file);
}

Status ExportFile::begin()
{
    struct stat there { };
    if (::lstat(m_path.c_str(), &there) == 0) {
        if (m_existing == Existing::Refuse)
            return alreadyThere(m_path);
        if (!S_ISREG(there.st_mode))
            return invalid(m_path + " is no plain file: it is not replaced");
    }
    m_file = ::open(m_part.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (m_file < 0)
        return failed("cannot be written");
    if (::flock(m_file, LOCK_EX | LOCK_NB) != 0)
        return Error{ Failure::Conflict, "Something else is writing " + m_part, std::strerror(errno), {},
            "Wait for it, or choose another name." };
    // Whoever committed in between has taken the file away from under this name.
    struct stat opened { };
    struct stat named { };
    if (::fstat(m_file, &opened) != 0 || ::lstat(m_part.c_str(), &named) != 0 || opened.st_ino != named.st_ino
        || !S_ISREG(opened.st_mode))
        return Error{ Failure::Conflict, "Something else has just written " + m_part, {} };
    if (::ftruncate(m_file, 0) != 0 || ::fchmod(m_file, 0600) != 0)
        return failed("cannot be written");
    m_mine = true;
    return {};
}

Status ExportFile::write(std::string_view text)
{
    while (!text.empty()) {
        const auto written = ::write(m_file, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return failed("cannot be written to its end");
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Status ExportFile::commit()
{
    if (::fsync(m_file) != 0)
        return failed("cannot be written to its end");
    if (const auto named = renamed(); !named)
        return named;
    m_mine = false;
    syncFolderOf(m_path);
    return {};
}

// A file that came meanwhile is somebody's work.
Status ExportFile::renamed() const
{
    if (m_existing == Existing::Refuse) {
        if (::renameat2(AT_FDCWD, m_part.c_str(), AT_FDCWD, m_path.c_str(), RENAME_NOREPLACE) == 0)
            return {};
        if (errno == EEXIST)
            return alreadyThere(m_path);
        struct stat there { };
        if ((errno == EINVAL || errno == ENOSYS) && ::lstat(m_path.c_str(), &there) == 0)
            return alreadyThere(m_path);
    }
    if (std::rename(m_part.c_str(), m_path.c_str()) != 0)
        return failed("cannot be given its name");
    return {};
}

Error ExportFile::failed(const std::string& what) const
{
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return { full ? Failure::Full : Failure::Invalid, "The file " + m_path + ' ' + what + "; nothing of it is left",
        std::strerror(errno), {},
        full ? "Make room or choose another place, and export again." : "Choose another place." };
}

} // namespace fencepost::models
