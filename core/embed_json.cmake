# SPDX-License-Identifier: Apache-2.0
# Files under resources/ as constants of the program: <FUNCTION>() in <NAMESPACE>, which <HEADER> declares, answers a span
# of <TYPE>, each with the file's name and its text. NAMES is what get_filename_component() calls that name.
#   embed_json(shipped_profiles NAMESPACE … HEADER … TYPE … FUNCTION … NAMES … FILES profiles/a.json …)
# The same file writes them while the program is built, with -P.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(embed_json output)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE;HEADER;TYPE;FUNCTION;NAMES" "FILES")
    list(TRANSFORM arg_FILES PREPEND ${CMAKE_SOURCE_DIR}/resources/)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${output}.cpp)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_FILE})
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} "-DFILES=${arg_FILES}" -DOUT=${source} -DNAMESPACE=${arg_NAMESPACE} -DHEADER=${arg_HEADER}
        -DTYPE=${arg_TYPE} -DFUNCTION=${arg_FUNCTION} -DNAMES=${arg_NAMES} -P ${script}
      DEPENDS ${arg_FILES} ${script}
      VERBATIM)
    add_custom_target(fencepost_${output} DEPENDS ${source})
    add_dependencies(fencepost_core fencepost_${output})
    # Generated-ness is a property of the folder that made the rule, so the target's folder is told too.
    set_source_files_properties(${source} TARGET_DIRECTORY fencepost_core PROPERTIES GENERATED TRUE)
    target_sources(fencepost_core PRIVATE ${source})
  endfunction()
  return()
endif()

set(entries "")
foreach(path IN LISTS FILES)
  get_filename_component(name ${path} ${NAMES})
  file(READ ${path} json)
  string(APPEND entries "    { \"${name}\", R\"json(${json})json\" },\n")
endforeach()
file(WRITE ${OUT} "// SPDX-License-Identifier: Apache-2.0
#include \"${HEADER}\"

namespace ${NAMESPACE} {

namespace {

constexpr ${TYPE} embedded[] = {
${entries}};

} // namespace

std::span<const ${TYPE}> ${FUNCTION}() noexcept
{
    return embedded;
}

} // namespace ${NAMESPACE}
")
