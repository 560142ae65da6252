# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=a.json;b.json -DOUT=shipped_profiles.cpp -P embed_profiles.cmake
set(entries "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME)
  file(READ ${path} json)
  string(APPEND entries "    { \"${name}\", R\"profile(${json})profile\" },\n")
endforeach()
file(WRITE ${OUT} "// SPDX-License-Identifier: Apache-2.0
#include <array>

#include \"core/profile/shipped_profiles.h\"

namespace fencepost::profile {

namespace {

constexpr ShippedProfile profiles[] = {
${entries}};

} // namespace

std::span<const ShippedProfile> shippedProfiles() noexcept
{
    return profiles;
}

} // namespace fencepost::profile
")
