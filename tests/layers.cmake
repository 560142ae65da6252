# SPDX-License-Identifier: GPL-3.0-or-later
# Linking alone does not hold a layer: with Qt's include folders any Qt header compiles. So the includes are read.
# Each rule: folder | regular expression of what its files must not contain | why. Subfolders named after ! are exempt.
set(rules
  "core|#include <(Q|qt)|the protocol has no Qt|!core/store/|!core/http/"
  "core|#include \"(models|ui|app)/|core is the lowest layer"
  "core/store|#include <(QWidget|QApplication|QDialog|QMainWindow|QIcon|QColor|QPixmap|QtWidgets|QtGui|QtCharts)|a store has no user interface"
  "core/http|#include <(QWidget|QApplication|QDialog|QMainWindow|QIcon|QColor|QPixmap|QtWidgets|QtGui|QtCharts|QSql)|a client has no user interface and no SQL"
  "models|#include <(QSql|QtSql|QWidget|QApplication|QDialog|QMainWindow|QIcon|QColor|QPixmap|QPainter|QBrush|QFont|QtWidgets|QtGui|QtCharts)|models know neither SQL nor pictures"
  "models|#include \"(core/store/|ui/|app/)|models know the interfaces of core only"
  "ui|#include <(QSql|QtSql)|widgets have no SQL"
  "ui|#include \"(core/store/|app/)|widgets know neither stores nor programs"
  "models|(SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-zA-Z_*]+ (FROM|SET|WHERE|VALUES)|SQL lives under core/store"
  "ui|(SELECT|INSERT INTO|UPDATE|DELETE FROM) [a-zA-Z_*]+ (FROM|SET|WHERE|VALUES)|SQL lives under core/store"
  "core|::instance\\(\\)|no singletons"
  "models|::instance\\(\\)|no singletons"
  "ui|::instance\\(\\)|no singletons"
  "app|::instance\\(\\)|no singletons")

set(broken 0)
foreach(rule IN LISTS rules)
  # The expression itself contains "|", so only the first and the last two separators count.
  string(REGEX MATCH "^[a-z/]+" folder "${rule}")
  string(REGEX MATCHALL "\\|![a-z/]+" exempt "${rule}")
  string(REGEX REPLACE "(\\|![a-z/]+)+$" "" body "${rule}")
  string(REGEX REPLACE "^[a-z/]+\\|" "" body "${body}")
  string(REGEX MATCH "[^|]*$" why "${body}")
  string(REGEX REPLACE "\\|[^|]*$" "" forbidden "${body}")
  file(GLOB_RECURSE files ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cpp)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH name ${ROOT} ${file})
    set(skip FALSE)
    foreach(place IN LISTS exempt)
      string(SUBSTRING "${place}" 2 -1 place)
      if(name MATCHES "^${place}")
        set(skip TRUE)
      endif()
    endforeach()
    if(skip)
      continue()
    endif()
    file(STRINGS ${file} hits REGEX "${forbidden}")
    foreach(hit IN LISTS hits)
      message(SEND_ERROR "${name}: ${hit}\n  ${why}")
      math(EXPR broken "${broken} + 1")
    endforeach()
  endforeach()
endforeach()
message(STATUS "layers: ${broken} broken")
