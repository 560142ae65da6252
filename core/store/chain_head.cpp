// SPDX-License-Identifier: Apache-2.0
#include "core/store/chain_head.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace fencepost::store {

namespace {

constexpr std::size_t hashLength = 64;

Error failed(const char* message, const std::string& path)
{
    const int code = errno;
    return { code == ENOSPC || code == EDQUOT ? Failure::Full
            : code == EACCES || code == EROFS ? Failure::Denied
                                              : Failure::Unavailable,
        message, path + ": " + std::strerror(code) };
}

// "12 0f3a…" and the end of the line.
std::optional<ChainHead::Mark> parsed(std::string_view text)
{
    ChainHead::Mark mark;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), mark.entries);
    if (problem != std::errc{} || mark.entries < 0)
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (text.size() != hashLength + 2 || text.front() != ' ' || text.back() != '\n')
        return std::nullopt;
    mark.hash = text.substr(1, hashLength);
    const bool hex = mark.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    return hex ? std::optional(mark) : std::nullopt;
}

bool writeAll(int file, std::string_view text)
{
    while (!text.empty()) {
        const auto written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(file) == 0;
}

} // namespace

ChainHead::ChainHead(std::string path)
    : m_path(std::move(path))
{
}

Result<std::optional<ChainHead::Mark>> ChainHead::read() const
{
    const int file = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return std::optional<Mark>();
    if (file < 0)
        return failed("The file that says how far the audit had come cannot be read", m_path);
    std::array<char, 128> block{};
    ssize_t length = 0;
    do
        length = ::read(file, block.data(), block.size());
    while (length < 0 && errno == EINTR);
    ::close(file);
    const auto mark =
        length < 0 ? std::nullopt : parsed(std::string_view(block.data(), static_cast<std::size_t>(length)));
    if (!mark)
        return Error{ Failure::Corrupt, "The file that says how far the audit had come is damaged", m_path };
    return std::optional(*mark);
}

Status ChainHead::write(const Mark& mark) const
{
    constexpr auto message = "How far the audit has come could not be written down";
    const auto fresh = m_path + '.' + std::to_string(::getpid());
    const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return failed(message, fresh);
    const bool whole = writeAll(file, std::to_string(mark.entries) + ' ' + mark.hash + '\n');
    auto status = whole ? Status() : Status(failed(message, fresh));
    ::close(file);
    if (status && std::rename(fresh.c_str(), m_path.c_str()) != 0)
        status = failed(message, m_path);
    if (!status)
        ::unlink(fresh.c_str());
    return status;
}

} // namespace fencepost::store
