#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: adoption/sibernetic/check.sh CHECKOUT [CONFIGURATION...]
#
# Builds a checkout of Sibernetic as it is and with Crosslane, runs both for 100 steps on each
# configuration (demo1 and demo2), compares all their output files byte for byte, and prints times: the
# median of the steps after the first and, in parentheses, the least. CHECKOUT is not changed. The
# outputs are in build/sibernetic.
#
# pkg-config must find crosslane (PKG_CONFIG_PATH). Also needed: g++, make, libpython3-dev,
# freeglut3-dev, an OpenCL loader and a driver. If the loader is ocl-icd, OCL_ICD_VENDORS chooses the
# driver. TIME: the simulated seconds, 0.002. PYTHON_CONFIG: as in Sibernetic's makefile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
checkout=$1
shift
[ $# -gt 0 ] || set -- demo1 demo2
mkdir -p "$here/../../build/sibernetic"
work=$(cd "$here/../../build/sibernetic" && pwd)
PYTHON_CONFIG=${PYTHON_CONFIG:-$(find /usr/bin -name 'python3.*-config' ! -name '*linux*' | sort -V | tail -n 1)}
export PYTHON_CONFIG
CROSSLANE_CFLAGS="-DUSE_CROSSLANE $(pkg-config --cflags crosslane)"
CROSSLANE_LIBS="$(pkg-config --libs crosslane) -Wl,-rpath,$(pkg-config --variable=libdir crosslane)"

build() { # NAME MAKE-ARGUMENT...: in $work/NAME
  local name=$1
  shift
  # Systems without the old C++ header of OpenCL: Sibernetic has a copy under another name.
  mkdir -p "$work/$name/inc/CL"
  [ -e /usr/include/CL/cl.hpp ] || cp "$work/$name/inc/OpenCL/cl.hpp" "$work/$name/inc/CL/"
  make -C "$work/$name" -j2 "$@" all >"$work/$name.log" 2>&1 || { tail "$work/$name.log"; exit 1; }
}
for name in before after; do
  rm -rf "${work:?}/$name"
  cp -R "$checkout" "$work/$name"
done
build before
"$here/apply.sh" "$work/after"
build after CROSSLANE_CFLAGS="$CROSSLANE_CFLAGS" CROSSLANE_LIBS="$CROSSLANE_LIBS"

times() { # LOG NAME...: of the sums of these times in a step, without the first step
  local log=$1
  shift
  awk -v names=" $* " '
    /Step [0-9]+/ { ++step }
    index(names, " " $1 " ") { sum[step] += $2 }
    END { for (i = 2; i <= step; ++i) print sum[i] }' "$log" | sort -n |
    awk '{ v[NR] = $1 } END { printf "%.2f (%.2f)", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1] }'
}
failed=0
printf '%-14s %5s %5s  %-30s %-30s %-34s %s\n' configuration steps files 'sort, ms' 'index, ms' 'step, ms' results
for configuration; do
  for name in before after; do
    rm -rf "${work:?}/$name-$configuration"
    mkdir "$work/$name-$configuration"
    (cd "$work/$name" && ./Release/Sibernetic -no_g -f "$configuration" -l_to logstep=1 \
      timelimit="${TIME:-0.002}" lpath="$work/$name-$configuration" >"$work/$name-$configuration.log" 2>&1) ||
      { tail "$work/$name-$configuration.log"; exit 1; }
  done
  files=$(find "$work/before-$configuration" -type f -size +0 | wc -l)
  results=equal
  if [ "$files" = 0 ] || ! diff -rq "$work/before-$configuration" "$work/after-$configuration"; then
    results=different
    failed=1
  fi
  columns=()
  for what in _runSort: '_runIndexx: _runIndexPostPass:' _Total_step_time:; do
    # shellcheck disable=SC2086 # a list
    columns+=("$(times "$work/before-$configuration.log" $what) -> $(times "$work/after-$configuration.log" $what)")
  done
  printf '%-14s %5s %5s  %-30s %-30s %-34s %s\n' "$configuration" "$(grep -c 'Step [0-9]' "$work/after-$configuration.log")" \
    "$files" "${columns[@]}" "$results"
done
exit $failed
