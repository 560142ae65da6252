# SPDX-License-Identifier: GPL-3.0-or-later
# Plants each fault that sources.cmake must find into a copy of the tree; the untouched copy must pass.
#   cmake -DROOT=… -DWORK=… -P tests/sources_test.cmake
file(REMOVE_RECURSE ${WORK})
foreach(folder core models ui app resources packaging tests .ci)
  file(COPY ${ROOT}/${folder} DESTINATION ${WORK})
endforeach()
file(COPY ${ROOT}/CMakeLists.txt DESTINATION ${WORK})

function(check expected)
  execute_process(COMMAND ${CMAKE_COMMAND} -DROOT=${WORK} -P ${ROOT}/tests/sources.cmake
    RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(expected STREQUAL pass AND NOT code EQUAL 0)
    message(SEND_ERROR "the untouched copy is refused:\n${said}")
  elseif(expected STREQUAL fail AND (code EQUAL 0 OR NOT said MATCHES "planted"))
    message(SEND_ERROR "not caught: ${ARGN}")
  endif()
endfunction()

function(plant name text)
  file(WRITE ${WORK}/${name} "${text}")
  check(fail ${text})
  file(REMOVE ${WORK}/${name})
endfunction()

check(pass)
plant(core/planted.cpp "int planted;\n")
plant(core/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nint planted;\n")
plant(core/planted.cpp "int planted;\n\n// SPDX-License-Identifier: Apache-2.0\n")
plant(ui/planted.h "// SPDX-License-Identifier: Apache-2.0\nint planted;\n")
plant(packaging/planted "#!/bin/sh\necho planted\n")
plant(ui/planted.h "// SPDX-License-Identifier: GPL-3.0-or-later\n// TODO: planted\n")
plant(app/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nconst char* home = \"/home/somebody\";\n")
plant(ui/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nauto* planted = new QLabel(row.state);\n")
plant(ui/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nauto* planted = new QFileDialog(this);\n")
plant(ui/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nauto planted = QFileDialog::getOpenFileName(this);\n")
plant(ui/planted.cpp "// SPDX-License-Identifier: GPL-3.0-or-later\nplanted->addRow(tr(\"Name\"), field);\n")

file(REMOVE_RECURSE ${WORK})
