// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "core/profile/profile.h"

namespace fencepost::profile {

// The profiles that come with Fencepost.
[[nodiscard]] Result<Library> shippedLibrary();

// The text of an operator's file: no symbolic link, no more than 1 MiB.
[[nodiscard]] Result<std::string> readProfileFile(const std::string& path);

// As parse(), of an operator's file. The names of the shipped profiles, and all that begin with "fencepost.", are
// refused unless it is that profile itself: what the verbs of a table do must not change under a name that is known.
[[nodiscard]] Result<Profile> parseOwn(std::string_view json, std::string_view fileName);

[[nodiscard]] bool isShippedName(const std::string& name); // or one that begins as theirs do
[[nodiscard]] bool isShipped(std::string_view json); // octet for octet

// What the operator has answered once and for all, beside the profiles: {"time_zones": {profile: zone}, "tables":
// {table: profile}}, each part of it optional.
inline constexpr auto answersFile = "answers.json";
// Of that file; where it is missing, nothing. What is said of a profile that is not there is wrong, unless the library
// is known to hold a part of them only.
enum class AnsweredOf { All, Part };
Status addAnswers(Library& library, const std::string& path, AnsweredOf of = AnsweredOf::All);

enum class Answer { TimeZone, Table };
// That file's text with one more answer, or another one than before: of a profile its zone, of a table its profile.
// `present` is what it says now, empty where there is none. Invalid: it is damaged, and must not be written over.
[[nodiscard]] Result<std::string> withAnswer(
    std::string_view present, const std::string& path, Answer what, const std::string& of, const std::string& answer);

// Every *.json of a folder but its answers, in the order of their names; `problem`: it could not be listed to its end.
[[nodiscard]] std::vector<std::string> profilePaths(const std::string& folder, std::error_code& problem);

// Adds every *.json of a folder in the order of their names, then its answers, and returns what is wrong with those
// that it left out. A folder that is not there adds nothing.
[[nodiscard]] std::vector<Error> addFolder(Library& library, const std::string& folder);

} // namespace fencepost::profile
