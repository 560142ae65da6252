// SPDX-License-Identifier: Apache-2.0
#include "core/profile/library.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/profile/shipped_profiles.h"

namespace fencepost::profile {

namespace {

constexpr std::string_view ownPrefix = "fencepost.";
constexpr off_t maximumFileLength = 1 << 20;

Error unreadable(const std::string& path, const std::string& expected, int code)
{
    return { code == EACCES  ? Failure::Denied
            : code == ENOENT ? Failure::NotFound
                             : Failure::Invalid,
        path + ": " + expected, code != 0 ? std::strerror(code) : "" };
}

Result<std::string> readAll(int file, const std::string& path)
{
    std::string text;
    std::string block(65'536, '\0');
    for (;;) {
        const auto length = ::read(file, block.data(), block.size());
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return unreadable(path, "cannot be read", errno);
        if (length == 0)
            return text;
        text.append(block, 0, static_cast<std::size_t>(length));
        if (text.size() > static_cast<std::size_t>(maximumFileLength))
            return unreadable(path, "found more than 1 MiB, expected a profile", 0);
    }
}

// Two profiles of one name in a folder cannot be told apart: the second would be taken for the first that was reviewed.
Status addFile(Library& library, const std::string& path, std::map<std::string, std::string>& takenBy)
{
    const auto text = readProfileFile(path);
    if (!text)
        return text.error();
    const auto own = parseOwn(*text, path);
    if (!own)
        return own.error();
    const auto [taken, isNew] = takenBy.emplace(own->name, path);
    if (!isNew)
        return invalid(path + ": /profile: found \"" + own->name + "\", the name of the profile in " + taken->second
            + ", expected a name of its own");
    return library.add(*text, path);
}

const std::set<std::string>& shippedNames()
{
    static const auto names = [] {
        std::set<std::string> all;
        for (const auto& file : shippedProfiles())
            if (const auto profile = parse(file.json, file.name))
                all.insert(profile->name);
        return all;
    }();
    return names;
}

} // namespace

Status Library::add(std::string_view json, std::string_view fileName)
{
    auto profile = parse(json, fileName);
    if (!profile)
        return profile.error();
    m_asking.erase(profile->name);
    const auto same = std::find_if(
        m_profiles.begin(), m_profiles.end(), [&](const Profile& other) { return other.name == profile->name; });
    if (same != m_profiles.end())
        *same = std::move(*profile);
    else
        m_profiles.push_back(std::move(*profile));
    return {};
}

const Profile* Library::find(std::string_view name) const
{
    for (const auto& profile : m_profiles)
        if (profile.name == name)
            return &profile;
    return nullptr;
}

Result<Library> shippedLibrary()
{
    Library library;
    for (const auto& file : shippedProfiles())
        if (const auto added = library.add(file.json, file.name); !added)
            return added.error();
    return library;
}

Result<std::string> readProfileFile(const std::string& path)
{
    // O_NOFOLLOW instead of a look beforehand: the file cannot change into a link in between. O_NONBLOCK: a pipe of
    // that name must not stop the program.
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return unreadable(path, errno == ELOOP ? "found a symbolic link, expected a file" : "cannot be opened", errno);
    struct stat status { };
    Result<std::string> result = std::string();
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
        result = unreadable(path, "expected a regular file", 0);
    else if (status.st_size > maximumFileLength)
        result = unreadable(path, "found more than 1 MiB, expected a profile", 0);
    else
        result = readAll(file, path);
    ::close(file);
    return result;
}

bool isShippedName(const std::string& name)
{
    return name.rfind(ownPrefix, 0) == 0 || shippedNames().contains(name);
}

bool isShipped(std::string_view json)
{
    return std::any_of(
        shippedProfiles().begin(), shippedProfiles().end(), [json](const auto& file) { return file.json == json; });
}

Result<Profile> parseOwn(std::string_view json, std::string_view fileName)
{
    auto profile = parse(json, fileName);
    if (!profile)
        return profile;
    if (isShipped(json) || !isShippedName(profile->name))
        return profile;
    return Error{ Failure::Invalid,
        std::string(fileName) + ": /profile: found \"" + profile->name
            + "\", a name of the profiles that come with Fencepost, expected a name of its own",
        {} };
}

std::vector<std::string> profilePaths(const std::string& folder, std::error_code& problem)
{
    std::vector<std::string> paths;
    for (auto entry = std::filesystem::directory_iterator(folder, problem);
         !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem))
        if (entry->path().extension() == ".json" && entry->path().filename() != answersFile)
            paths.push_back(entry->path().string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::vector<Error> addFolder(Library& library, const std::string& folder)
{
    std::error_code problem;
    const auto paths = profilePaths(folder, problem);
    if (problem == std::errc::no_such_file_or_directory)
        return {};
    if (problem)
        return { Error{ Failure::Denied, folder + ": cannot be listed", problem.message() } };
    std::vector<Error> leftOut;
    std::map<std::string, std::string> takenBy; // names of profiles, and their files
    for (const auto& path : paths)
        if (const auto added = addFile(library, path, takenBy); !added)
            leftOut.push_back(added.error());
    if (const auto answered = addAnswers(library, folder + '/' + answersFile); !answered)
        leftOut.push_back(answered.error());
    return leftOut;
}

} // namespace fencepost::profile
