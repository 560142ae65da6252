// SPDX-License-Identifier: Apache-2.0
#include "core/store/private_file.h"

#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

namespace fencepost::store {

namespace {

Status makeFolderOf(const std::string& path, const std::string& what)
{
    namespace files = std::filesystem;
    const auto folder = files::path(path).parent_path();
    std::error_code problem;
    if (folder.empty() || files::exists(folder, problem))
        return {};
    files::create_directories(folder, problem);
    if (!problem)
        files::permissions(folder, files::perms::owner_all, problem);
    if (problem)
        return Error{ Failure::Invalid, "The folder of " + what + " cannot be made: " + folder.string(),
            problem.message() };
    return {};
}

// SQLite gives a new file the rights that the process gives by default, which others may read.
void makePrivate(const std::string& path)
{
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file >= 0)
        ::close(file);
}

} // namespace

Result<std::unique_ptr<Connection>> openPrivateFile(const std::string& path, const std::string& what)
{
    if (auto status = makeFolderOf(path, what); !status)
        return status.error();
    makePrivate(path);
    Target target;
    target.path = path;
    OpenOptions options;
    options.access = Access::ReadWrite;
    options.create = true;
    return Connection::open(target, options);
}

} // namespace fencepost::store
