# SPDX-License-Identifier: MIT
# Compiles every_primitive.cpp by CXX in C++STANDARD, and runs it. crosslane.hpp also compiles without
# exceptions, and in C++20 each example and public header of C is valid C++.
#
#   cmake -DCXX=g++ -DSTANDARD=17 -DROOT=. -DLIBRARY=<libcrosslane> -DSTATIC=1 -DOPENCL=<libOpenCL>
#         -DINCLUDE=<its headers> -DOUT=<program> -P cpp.cmake
cmake_minimum_required(VERSION 3.20)
set(compile ${CXX} -std=c++${STANDARD} -Wall -Wextra -Wpedantic -Wshadow -Werror -I${ROOT}/include -idirafter ${INCLUDE})
if(STATIC)
  list(APPEND compile -DCROSSLANE_STATIC)
endif()
execute_process(COMMAND ${compile} ${ROOT}/test/abi/every_primitive.cpp ${LIBRARY} ${OPENCL} -pthread -o ${OUT}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${compile} -fno-exceptions -fsyntax-only -include ${ROOT}/include/crosslane/crosslane.hpp
                        -x c++ /dev/null COMMAND_ERROR_IS_FATAL ANY)
if(STANDARD EQUAL 20)
  file(GLOB files ${ROOT}/include/crosslane/*.h ${ROOT}/examples/*.c ${ROOT}/examples/10_flip/*.c)
  list(FILTER files EXCLUDE REGEX _mpi_) # mpi/test compiles these
  execute_process(COMMAND ${CXX} -x c++ -std=c++20 -pedantic-errors -fsyntax-only -I${ROOT}/include -I${ROOT}/tools/npy
                          -I${ROOT}/lib/core -I${ROOT}/drawing -idirafter ${INCLUDE} ${files} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${OUT} COMMAND_ERROR_IS_FATAL ANY)
