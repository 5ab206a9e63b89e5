#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/check-layers-test.sh
#
# Breaks each rule of the house once in a copy of the tree and checks that
# ci/check-layers.sh finds just that fault.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$top"/{ci,cl,cmake,examples,include,lib,test,tools,README.md,CONTRIBUTING.md} "$copy"
mkdir -p "$copy"/{lib/tune,lib/scan,lib/sort,cl/tile}

# file to add | its text | what the check must say
faults='
lib/core/fault.c|#include "runtime.h"|lib/core may not include lib/ocl/runtime.h
lib/core/fault.c|#include <crosslane/context.h>|lib/core knows no OpenCL
lib/core/fault.c|#include <pthread.h>|headers of the operating system
lib/ocl/fault.c|#include <unistd.h>|headers of the operating system
lib/tune/fault.c|#include "runtime.h"|lib/tune may not include lib/ocl/runtime.h
lib/engine/fault.c|#include "private.h"|lib/ocl/private.h is for lib/ocl
lib/scan/fault.c|int x = clEnqueueNDRangeKernel(0);|only lib/ocl builds
lib/scan/fault.c|int x = clGetDeviceInfo(0);|only lib/ocl builds
lib/scan/fault.c|#include "nowhere.h"|nowhere.h is no file of this tree
lib/scan/fault.c|#include "../ocl/runtime.h"|by its bare name
tools/fault.c|#include "runtime.h"|tools may not include lib/ocl/runtime.h
tools/fault.c|#include "../lib/core/core.h"|tools may not include lib/core/core.h
examples/fault.c|#include "core.h"|examples may not include lib/core/core.h
include/crosslane/fault.h|#include "core.h"|include/crosslane may not include lib/core/core.h
lib/scan/sort_fault.h||
lib/sort/fault.c|#include "sort_fault.h"|lib/sort may not include lib/scan/sort_fault.h
cl/prelude/fault.cl|#include "../lane/lane.cl"|cl/prelude may not include cl/lane/lane.cl
cl/lane/fault.cl|#include "../kernel/probe.cl"|cl/lane may not include cl/kernel/probe.cl
cl/tile/fault.cl|__kernel void f(void)|kernels stand in cl/kernel
cl/group/fault.cl|// as in cl/group/group_none.cl|there is no cl/group/group_none.cl
cl/include/fault.cl|// as in cl/lane/lane.cl|is installed without the rest
cl/kernel/fault.cl|// é|kernel sources are ASCII
lib/ocl/core.h|int x;|more than one file is called core.h
'

"$copy/ci/check-layers.sh" >"$copy/said" || { cat "$copy/said"; exit 1; }
count=0
while IFS='|' read -r file text wanted; do
  printf '/* SPDX-License-Identifier: MIT */\n%s\n' "$text" >"$copy/$file"
  [ -n "$wanted" ] || continue # only there for the next line
  if "$copy/ci/check-layers.sh" >"$copy/said"; then
    echo "check-layers lets this through: $file: $text"
    exit 1
  fi
  grep -qF "$wanted" "$copy/said" || { echo "for $file: $text"; cat "$copy/said"; exit 1; }
  rm "$copy/$file"
  count=$((count + 1))
done < <(grep . <<<"$faults")

echo 'int x;' >"$copy/lib/core/fault.c"
! "$copy/ci/check-layers.sh" >"$copy/said" && grep -q 'fault.c: no SPDX line' "$copy/said"
echo "check-layers: $((count + 1)) broken rules found"
