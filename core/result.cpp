// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

#include "core/without_credentials.h"

namespace fencepost {

const char* nameOf(Failure failure) noexcept
{
    switch (failure) {
    case Failure::Invalid:
        return "invalid";
    case Failure::NotFound:
        return "not_found";
    case Failure::Conflict:
        return "conflict";
    case Failure::Denied:
        return "denied";
    case Failure::Unavailable:
        return "unavailable";
    case Failure::TimedOut:
        return "timed_out";
    case Failure::InDoubt:
        return "in_doubt";
    case Failure::Full:
        return "full";
    case Failure::Corrupt:
        return "corrupt";
    case Failure::Unsupported:
        return "unsupported";
    case Failure::Cancelled:
        return "cancelled";
    case Failure::Internal:
        return "internal";
    }
    return "internal";
}

namespace {

const char* usualNext(Failure failure)
{
    switch (failure) {
    case Failure::Invalid:
        return "Mend the input and try again.";
    case Failure::NotFound:
        return "Check the name.";
    case Failure::Conflict:
        return "Reload and look at it again.";
    case Failure::Denied:
        return "Check the rights to it.";
    case Failure::Unavailable:
        return "Try again.";
    case Failure::TimedOut:
        return "Narrow the filter or try again.";
    case Failure::InDoubt:
        return "Look it up before you repeat it.";
    case Failure::Full:
        return "Free some space and try again.";
    case Failure::Corrupt:
        return "Restore it from a backup or open another one.";
    case Failure::Unsupported:
        return "This cannot be done here.";
    case Failure::Cancelled:
    case Failure::Internal:
        break;
    }
    return "";
}

} // namespace

std::string advice(const Error& error)
{
    if (error.failure == Failure::Internal)
        return "This is a defect of Fencepost. Please report it with the text above.";
    const std::string next = error.next.empty() ? usualNext(error.failure) : sentence(error.next);
    const std::string changed =
        error.failure == Failure::InDoubt ? "It may have been changed." : "Nothing was changed.";
    return next.empty() ? changed : changed + ' ' + next;
}

std::string sentence(std::string text)
{
    if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos)
        text += '.';
    return text;
}

std::string inWords(const Error& error)
{
    return withoutCredentials(sentence(error.message) + ' ' + advice(error));
}

} // namespace fencepost
