// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fencepost {

// What a profile calls dangerous stands among the notes of its tables, marked by this word.
inline constexpr std::string_view dangerWord = "Danger: ";

[[nodiscard]] inline std::string dangerNote(std::string_view danger)
{
    return std::string(dangerWord) + std::string(danger);
}

[[nodiscard]] inline bool isDanger(std::string_view note) noexcept
{
    return note.substr(0, dangerWord.size()) == dangerWord;
}

// What is known of the functions behind a view: that they are somebody else's.
inline constexpr std::string_view aboutViews =
    ": the functions in it run with the rights of its owner, and what they do while it is read is not known here";

[[nodiscard]] inline bool isAboutAView(std::string_view note) noexcept
{
    return note.ends_with(aboutViews);
}

// The warning of a table whose profile reads local times of hosts whose time zone nobody has said.
inline constexpr std::string_view zoneUnsaid =
    "its times are local times of the application's hosts: until their time zone is said they are read as UTC and "
    "nothing is changed";

} // namespace fencepost
