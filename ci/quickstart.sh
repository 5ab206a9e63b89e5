#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/quickstart.sh [FILE.npy --radius R [OPTION...]]
#
# From a bare machine to a picture: installs the missing packages, builds the program and the
# examples into build/quickstart, and lets examples/06_particles.c find the neighbours of
# 2,097,152 particles of a dam column, or of the points in FILE. That prints a table of
# times, checks the neighbours, and draws particles.png.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build/quickstart
log=$top/build/quickstart.log

"$top/ci/setup.sh" build
echo "quickstart: building into build/quickstart"
{
  cmake -S "$top" -B "$build" -G Ninja -DXL_TOOL=ON -DXL_TESTS=OFF -DXL_BENCH=OFF -DXL_EXAMPLES=ON &&
    cmake --build "$build"
} >"$log" 2>&1 || { tail -n 30 "$log"; exit 1; }
exec "$build/examples/example_06_particles" "$@"
