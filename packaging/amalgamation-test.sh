#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: packaging/amalgamation-test.sh
#
# Makes the amalgamation; compiles it without warnings by gcc and, if they are there, clang and MinGW; compares its external symbols with test/abi/symbols.txt; runs
# examples, each of which checks its results, with it on the default device.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
here=build/amalgamation
rm -rf $here
packaging/amalgamate.py $here
strict=(-std=c11 -Wall -Wextra -Wpedantic -Werror -O2)
ccache=$(command -v ccache || true)
clang=
if command -v clang >/dev/null; then
  $ccache clang "${strict[@]}" -c $here/crosslane.c -o $here/clang.o &
  clang=$!
fi
$ccache gcc "${strict[@]}" -c $here/crosslane.c -o $here/crosslane.o
[ -z "$clang" ] || wait $clang
if command -v x86_64-w64-mingw32-gcc >/dev/null; then
  mkdir -p $here/windows
  ln -sfn /usr/include/CL $here/windows/CL
  echo '#include <emmintrin.h>' >$here/windows/intrin.h # as in ci/hosts.sh
  x86_64-w64-mingw32-gcc "${strict[@]}" -O0 -isystem $here/windows -fsyntax-only $here/crosslane.c
fi
for object in $here/crosslane.o ${clang:+$here/clang.o}; do
  nm -g --defined-only --format=posix "$object" | cut -d' ' -f1 | sort >$here/symbols
  grep -v '^#' test/abi/symbols.txt | sort | diff - $here/symbols
done
for example in 00_simple 01_scan 02_sort_pairs 03_neighbors 04_user_kernel 05_segments; do
  sed 's|^#include <crosslane/.*>|#include "crosslane.h"|' examples/$example.c >$here/$example.c
  gcc "${strict[@]}" $here/$example.c $here/crosslane.o -lOpenCL -pthread -o $here/$example
  $here/$example >$here/$example.log
done
sed 's|^#include <crosslane/.*>|#include "crosslane.h"|' test/install/consumer/headers.cpp >$here/headers.cpp
if command -v g++ >/dev/null; then
  g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror $here/headers.cpp $here/crosslane.o -lOpenCL -pthread -o $here/headers
  $here/headers
fi
echo "amalgamation: $(cat $here/crosslane.c $here/crosslane.h | wc -c) bytes, $(cat $here/crosslane.c $here/crosslane.h | wc -l) lines"
