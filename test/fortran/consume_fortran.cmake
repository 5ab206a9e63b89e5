# SPDX-License-Identifier: MIT
# Installs a build that has the Fortran modules, moves the result, and builds and runs a program
# against it in a project whose only language is Fortran. The program is the example of PAGE.
#
#   cmake -DBUILD=<build> -DROOT=. -DFC=<compiler> -DGENERATOR=Ninja -DPAGE=docs/fortran.md -DFOLDER=<folder> -P consume_fortran.cmake
cmake_minimum_required(VERSION 3.20)
macro(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endmacro()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/stage)
file(RENAME ${FOLDER}/stage ${FOLDER}/prefix)
file(READ ${PAGE} text)
if(NOT text MATCHES "\n```fortran\n([^`]*)```")
  message(FATAL_ERROR "${PAGE}: no Fortran block")
endif()
file(WRITE ${FOLDER}/page.f90 "${CMAKE_MATCH_1}")
run(${CMAKE_COMMAND} -E compare_files ${FOLDER}/page.f90 ${ROOT}/fortran/examples/scan.f90)
run(${CMAKE_COMMAND} -S ${ROOT}/test/fortran/consumer -B ${FOLDER}/consumer -G ${GENERATOR} -DCMAKE_Fortran_COMPILER=${FC}
    -DCMAKE_PREFIX_PATH=${FOLDER}/prefix -DPROGRAM=${FOLDER}/page.f90)
run(${CMAKE_COMMAND} --build ${FOLDER}/consumer)
run(${FOLDER}/consumer/scan)
