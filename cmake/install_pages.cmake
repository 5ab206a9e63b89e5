# SPDX-License-Identifier: MIT
# Installs the pages for users, and the examples beside them. In an installed page, a link to an installed file
# leads to its place, and a link to any other file of the source tree becomes its text, without a link.
# test/install/stage.cmake checks the links of the installed tree.

# Sets `out` to the place of a file or folder of the source tree after installation, or to "" if it is not installed.
function(xl_installed_place path out)
  set(place "")
  if(path MATCHES "^include/(.*)$")
    set(place ${CMAKE_INSTALL_FULL_INCLUDEDIR}/${CMAKE_MATCH_1})
  elseif(CROSSLANE_MPI AND path MATCHES "^mpi/include/(.*)$")
    set(place ${CMAKE_INSTALL_FULL_INCLUDEDIR}/${CMAKE_MATCH_1})
  elseif(path MATCHES "^cl/include(.*)$")
    set(place ${CMAKE_INSTALL_FULL_DOCDIR}/kernel-includes${CMAKE_MATCH_1})
  elseif(path MATCHES "^fortran/(examples/.*)$")
    set(place ${CMAKE_INSTALL_FULL_DOCDIR}/${CMAKE_MATCH_1})
  elseif(path MATCHES "^(README\\.md|CHANGELOG\\.md|LICENSE|docs/.*|examples.*)$" AND NOT path MATCHES "^docs/notebook")
    set(place ${CMAKE_INSTALL_FULL_DOCDIR}/${path})
  endif()
  set(${out} "${place}" PARENT_SCOPE)
endfunction()

# Writes the page FOLDER/NAME of the source tree, with the links of the installed tree, to the build folder.
function(xl_write_page page)
  file(READ ${PROJECT_SOURCE_DIR}/${page} text)
  get_filename_component(folder ${PROJECT_SOURCE_DIR}/${page} DIRECTORY)
  get_filename_component(installed_folder ${CMAKE_INSTALL_FULL_DOCDIR}/${page} DIRECTORY)
  string(REGEX MATCHALL "\\([^()\n ]+\\)" links "${text}") # and other words in parentheses, which follow no "]"
  list(REMOVE_DUPLICATES links)
  foreach(link IN LISTS links)
    string(REGEX MATCH "^\\(([^#]*)(#.*)?\\)$" all "${link}")
    set(path "${CMAKE_MATCH_1}")
    set(anchor "${CMAKE_MATCH_2}")
    if(path STREQUAL "" OR path MATCHES "^https?:" OR NOT EXISTS ${folder}/${path})
      continue()
    endif()
    get_filename_component(source ${folder}/${path} ABSOLUTE)
    file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
    xl_installed_place(${source} place)
    if(place)
      file(RELATIVE_PATH place ${installed_folder} ${place})
      string(REPLACE "]${link}" "](${place}${anchor})" text "${text}")
    else()
      string(REGEX REPLACE "([].()+*?^$\\[])" "\\\\\\1" pattern "${link}")
      string(REGEX REPLACE "!?\\[([^][]*)\\]${pattern}" "\\1" text "${text}")
    endif()
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/pages/${page} "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
endfunction()

file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     docs/*.md examples/*.md examples/*/*.md)
list(REMOVE_ITEM pages docs/notebook.md)
foreach(page README.md CHANGELOG.md ${pages})
  xl_write_page(${page})
  get_filename_component(folder ${page} DIRECTORY)
  install(FILES ${PROJECT_BINARY_DIR}/pages/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT doc)
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        FILES_MATCHING PATTERN "*.svg" PATTERN "*.json" PATTERN "notebook*" EXCLUDE)
install(DIRECTORY examples fortran/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc
        FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.cpp" PATTERN "*.cl" PATTERN "*.f90" PATTERN "*.png")
# For readers: the library contains these texts.
install(DIRECTORY cl/include/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/kernel-includes COMPONENT doc)
