// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/profile/profile.h"

namespace fencepost::profile {

// The profiles that come with Fencepost.
[[nodiscard]] Result<Library> shippedLibrary();

// The text of an operator's file: no symbolic link, no more than 1 MiB.
[[nodiscard]] Result<std::string> readProfileFile(const std::string& path);

// Adds every *.json of a folder in the order of their names. A folder that is not there adds nothing; the first bad
// file stops with its error.
Status addFolder(Library& library, const std::string& folder);

} // namespace fencepost::profile
