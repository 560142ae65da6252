# SPDX-License-Identifier: Apache-2.0
# cmake -DFILES=a.json;b.json -DOUT=shipped_scenarios.cpp -P embed_scenarios.cmake
set(entries "")
list(LENGTH FILES count)
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} NAME_WLE)
  file(READ ${path} json)
  string(APPEND entries "    ShippedScenario{ \"${name}\", R\"scenario(${json})scenario\" },\n")
endforeach()
file(WRITE ${OUT} "// SPDX-License-Identifier: Apache-2.0
#include <array>

#include \"core/simulation/scenario.h\"

namespace fencepost::simulation {

namespace {

constexpr std::array<ShippedScenario, ${count}> scenarios = {
${entries}};

} // namespace

std::span<const ShippedScenario> shippedScenarios() noexcept
{
    return scenarios;
}

} // namespace fencepost::simulation
")
