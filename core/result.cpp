// SPDX-License-Identifier: Apache-2.0
#include "core/result.h"

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

std::string advice(const Error& error)
{
    switch (error.failure) {
    case Failure::Invalid:
        return "Nothing was changed. Mend the input and try again.";
    case Failure::NotFound:
        return "Nothing was changed. Check the name.";
    case Failure::Conflict:
        return "Nothing was changed. Reload and look at it again.";
    case Failure::Denied:
        return "Nothing was changed. Check the password, the role's rights and whether the connection is armed.";
    case Failure::Unavailable:
        return "Nothing was changed. Try again.";
    case Failure::TimedOut:
        return "Nothing was changed. Narrow the filter or try again.";
    case Failure::InDoubt:
        return "It may have been changed: look it up before you repeat it.";
    case Failure::Full:
        return "Nothing was changed. Free some space and try again.";
    case Failure::Corrupt:
        return "Nothing was changed. Restore it from a backup or open another one.";
    case Failure::Unsupported:
        return "Nothing was changed. This cannot be done here.";
    case Failure::Cancelled:
        return "Nothing was changed.";
    case Failure::Internal:
        return "This is a defect of Fencepost. Please report it with the text above.";
    }
    return {};
}

std::string sentence(std::string text)
{
    if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos)
        text += '.';
    return text;
}

std::string inWords(const Error& error)
{
    return sentence(error.message) + ' ' + advice(error);
}

} // namespace fencepost
