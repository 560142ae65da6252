# SPDX-License-Identifier: GPL-3.0-or-later
# Linking alone does not hold a layer: with Qt's include folders any Qt header compiles. So the includes are read, and
# what the targets of a folder link.
#   cmake -DROOT=… -P tests/layers.cmake
set(broken 0)

# forbid(FOLDER EXPRESSION WHY [IN names…] [EXEMPT places…]): no file of the folder may have a line like this.
function(forbid folder expression why)
  cmake_parse_arguments(arg "" "" "IN;EXEMPT" ${ARGN})
  if(NOT arg_IN)
    set(arg_IN *.h *.cpp)
  endif()
  list(TRANSFORM arg_IN PREPEND ${ROOT}/${folder}/)
  file(GLOB_RECURSE files ${arg_IN})
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name ${ROOT} ${file})
    set(skip FALSE)
    foreach(place IN LISTS arg_EXEMPT)
      if(name MATCHES "^${place}")
        set(skip TRUE)
      endif()
    endforeach()
    if(skip)
      continue()
    endif()
    file(STRINGS ${file} hits REGEX "${expression}" ENCODING UTF-8)
    foreach(hit IN LISTS hits)
      message(SEND_ERROR "${name}: ${hit}\n  ${why}")
      math(EXPR broken "${broken} + 1")
    endforeach()
  endforeach()
  set(broken ${broken} PARENT_SCOPE)
endfunction()

set(pictures "QWidget|QApplication|QGuiApplication|QDialog|QMainWindow|QMessageBox|QAction|QIcon|QColor|QPixmap|QImage|QPainter|QPalette|QPen|QBrush|QFont|QKeySequence|QStandardItem|QtWidgets|QtGui|QtCharts|QChart")
set(statements "\"[a-z]*\\(?(SELECT [a-zA-Z_*(]+.* FROM |INSERT INTO [a-z]|UPDATE [a-zA-Z_]+ SET |DELETE FROM [a-z])")

# Upwards: core <- models <- ui <- app.
forbid(core "#include \"(models|ui|app|tests)/" "core is the lowest layer")
forbid(models "#include \"(ui|app|tests)/" "models know no layer above them")
forbid(ui "#include \"(app|tests)/" "widgets know no program")
forbid(app "#include \"tests/" "programs do not contain their tests")

# Sideways: who may know what.
forbid(core "#include <(Q|qt)" "the protocol has no Qt" EXEMPT core/store/ core/http/ core/delivery/)
forbid(core/store "#include <(${pictures})" "a store has no user interface")
forbid(core/http "#include <(${pictures}|QSql|QtSql)" "a client has neither a user interface nor SQL")
forbid(core "#include \"core/(store|http|delivery)/" "the protocol knows no backend" EXEMPT core/store/ core/http/ core/delivery/)
forbid(core/delivery "#include <(${pictures}|QSql|QtSql)" "a relay has neither a user interface nor SQL")
forbid(core/store "#include \"core/(http|delivery)/" "a store sends nothing")
forbid(core/http "#include \"core/(store|delivery)/" "a client knows no relay and no store")
forbid(models "#include <(QSql|QtSql|${pictures})" "models know neither SQL nor pictures")
forbid(models "#include \"core/(store|http|delivery)/" "models know the interfaces of core only")
forbid(ui "#include <(QSql|QtSql)" "widgets have no SQL")
forbid(ui "#include \"core/(store|http|delivery)/" "widgets know no backend")

# SQL has one home.
forbid(core "${statements}" "SQL lives under core/store" EXEMPT core/store/)
forbid(models "${statements}" "SQL lives under core/store")
forbid(ui "${statements}" "SQL lives under core/store")
forbid(app "${statements}" "SQL lives under core/store, and that of the lab's own tables under app/lab/sql")

# Links, where the includes would compile anyway.
forbid(core "Qt6::" "the protocol has no Qt" IN CMakeLists.txt EXEMPT core/store/ core/http/ core/delivery/ core/library/)
forbid(core "Qt6::(Gui|Widgets|Charts|Svg)" "core has no user interface" IN CMakeLists.txt)
forbid(core "fencepost_(models|ui|app)" "core is the lowest layer" IN CMakeLists.txt)
forbid(models "Qt6::(Gui|Widgets|Charts|Svg|Sql)|fencepost_(store|http|delivery|ui|app)" "models link core and Qt6::Core" IN CMakeLists.txt)
forbid(ui "Qt6::Sql|fencepost_(store|http|delivery|app)" "widgets link models" IN CMakeLists.txt)
forbid(tests/models "Qt6::(Gui|Widgets|Charts|Svg)|fencepost_(ui|app)|main_gui" "a test program links no layer above its subject" IN CMakeLists.txt)
forbid(tests/core "Qt6::(Gui|Widgets|Charts|Svg)|fencepost_(models|ui|app)|main_gui" "a test program links no layer above its subject" IN CMakeLists.txt)

foreach(folder core models ui app)
  forbid(${folder} "[^a-zA-Z](::instance|qApp->instance)\\(\\)|[a-zA-Z>]::instance\\(\\)" "no singletons")
  forbid(${folder} "#include <(Qt[A-Z][a-zA-Z]*)>" "no umbrella headers")
  forbid(${folder} "#include \"\\.\\.?/" "includes start at the root")
  forbid(${folder} "#include <QtConcurrent|QtConcurrent::" "only the store thread makes threads")
endforeach()
forbid(models "[^a-zA-Z_:.>]tr\\(|::translate\\(|QSettings" "words and settings live in ui and app")

message(STATUS "layers: ${broken} broken")
