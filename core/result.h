// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace fencepost {

// Named by what the caller may do next.
enum class Failure {
    Invalid, // mend the input; asking again is no use
    NotFound, // there is no such row, table or file
    Conflict, // it moved on since it was read: reload
    Denied, // missing right, read-only session, wrong password
    Unavailable, // nothing was changed; ask again later
    TimedOut, // nothing was changed; ask for less
    InDoubt, // it may have been changed: look it up before anything else
    Full, // the disk or quota is full; nothing was changed
    Corrupt, // the file or row cannot be read as what it claims to be
    Unsupported, // this database, table or profile cannot do it
    Cancelled, // the caller asked to stop
    Internal, // a bug of ours
};

[[nodiscard]] const char* nameOf(Failure failure) noexcept;

struct Error {
    Failure failure = Failure::Internal;
    std::string message; // one sentence for a person: what happened
    std::string detail; // the driver's words and its code; never a secret
    std::string code = {}; // SQLSTATE, SQLite's extended result code in decimal, or the protocol's own (§3.13)
    std::string next = {}; // one sentence: what to do, where it is not what its kind of failure always asks for

    bool operator==(const Error&) const = default;
};

// What was changed and what to do next, in words. Every report of an error ends with it.
[[nodiscard]] std::string advice(const Error& error);

// With a full stop, unless it has its end already.
[[nodiscard]] std::string sentence(std::string text);

// What happened and what to do next, as two sentences.
[[nodiscard]] std::string inWords(const Error& error);

// Bad input: nothing was changed, and asking again is no use.
[[nodiscard]] inline Error invalid(std::string message, std::string detail = {})
{
    return { Failure::Invalid, std::move(message), std::move(detail) };
}

// A value, or why there is none.
template <typename T> class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {
    }

    [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
    [[nodiscard]] T& value() & { return std::get<0>(m_state); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(m_state)); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] T&& operator*() && { return std::move(*this).value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }
    [[nodiscard]] T* operator->() { return &value(); }

    [[nodiscard]] const Error& error() const { return std::get<1>(m_state); }

    template <typename F> [[nodiscard]] auto transform(F&& f) const -> Result<decltype(f(std::declval<const T&>()))>
    {
        if (has_value())
            return std::forward<F>(f)(value());
        return error();
    }

private:
    std::variant<T, Error> m_state;
};

template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error)
        : m_error(std::move(error))
    {
    }

    [[nodiscard]] bool has_value() const noexcept { return !m_error.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

} // namespace fencepost
