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

// What is known of that which stands behind a view: that it is somebody else's.
inline constexpr std::string_view aView = "It is a view: ";
inline constexpr std::string_view viewsFunctions =
    "the functions in it run with the rights of whoever reads it, which is this connection's role, and what they do "
    "then is not known here";
inline constexpr std::string_view viewsQuery = "what it reads and computes, and how long that takes, is not known here";

[[nodiscard]] inline bool isAboutAView(std::string_view note) noexcept
{
    return note.starts_with(aView);
}

// Where one would be expected, and why there is none.
inline constexpr std::string_view noViewOverAll = "there is no view over the tables of all schemas";

[[nodiscard]] inline bool isAboutViewOverAll(std::string_view note) noexcept
{
    return note.starts_with(noViewOverAll);
}

// The warning of a table whose profile reads local times of hosts whose time zone nobody has said.
inline constexpr std::string_view zoneUnsaid =
    "its times are local times of the application's hosts: until their time zone is said they are read as UTC and "
    "nothing is changed";

} // namespace fencepost
