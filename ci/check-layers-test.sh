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
cp -a "$top"/{ci,cl,cmake,drawing,examples,include,lib,reference,test,tools,docs,README.md,CONTRIBUTING.md,CHANGELOG.md,LICENSE} "$copy"
mkdir -p "$copy"/{lib/tune,lib/scan,lib/sort,cl/tile,cl/scan}

# file to add | its text | what the check must say
faults='
lib/core/fault.c|#include "runtime.h"|lib/core may not include lib/ocl/runtime.h
lib/core/fault.c|#include <crosslane/context.h>|lib/core knows no OpenCL
lib/core/fault.c|#include <pthread.h>|headers of the operating system
lib/ocl/fault.c|#include <unistd.h>|headers of the operating system
lib/tune/fault.c|#include "runtime.h"|lib/tune may not include lib/ocl/runtime.h
lib/problem/fault.c|#include "private.h"|lib/ocl/private.h is for lib/ocl
lib/scan/fault.c|int x = clEnqueueNDRangeKernel(0);|only lib/ocl builds
lib/scan/fault.c|int x = clGetDeviceInfo(0);|only lib/ocl builds
lib/scan/fault.c|#include "nowhere.h"|nowhere.h is no file of this tree
lib/scan/fault.c|#include "../ocl/runtime.h"|by its bare name
tools/fault.c|#include "runtime.h"|tools may not include lib/ocl/runtime.h
tools/fault.c|#include "../lib/core/core.h"|tools may not include lib/core/core.h
lib/scan/fault.c|#include "reference.h"|lib/scan may not include reference/reference.h
lib/core/fault.c|#include "reference.h"|lib/core may not include reference/reference.h
examples/fault.c|#include "reference.h"|examples may not include reference/reference.h
reference/fault.c|#include "core.h"|reference may not include lib/core/core.h
reference/fault.c|#include "runtime.h"|reference may not include lib/ocl/runtime.h
reference/fault.c|#include <crosslane/scan.h>|the reference knows crosslane/types.h only
reference/fault.c|int x = xl_type_size(0);|the reference calls nothing
reference/fault.c|#include <unistd.h>|headers of the operating system
drawing/fault.c|#include "npy.h"|drawing may not include lib/core/npy.h
examples/10_flip/fault.c|#include <unistd.h>|headers of the operating system
examples/fault.c|#include "core.h"|examples may not include lib/core/core.h
include/crosslane/fault.h|#include "core.h"|include/crosslane may not include lib/core/core.h
lib/scan/sort_fault.h||
lib/sort/fault.c|#include "sort_fault.h"|lib/sort may not include lib/scan/sort_fault.h
cl/prelude/fault.cl|#include "../lane/lane.cl"|cl/prelude may not include cl/lane/lane.cl
cl/lane/fault.cl|#include "../probe/probe.cl"|cl/lane may not include cl/probe/probe.cl
cl/tile/fault.cl|__kernel void f(void)|kernels stand in the folders of the primitives
cl/group/fault.cl|// as in cl/group/group_none.cl|there is no cl/group/group_none.cl
cl/include/fault.cl|// as in cl/lane/lane.cl|is installed without the rest
cl/scan/fault.cl|// é|kernel sources are ASCII
lib/ocl/core.h|int x;|more than one file is called core.h
docs/fault.md|as in lib/core/none.c|there is no lib/core/none.c
docs/fault.md|[terms](docs/terms.md)|docs/fault.md:2: the link to docs/terms.md leads nowhere
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
rm "$copy/lib/core/fault.c"
count=$((count + 1))

# ---- circles, of objects as they come from a build ----

says() { # TEXT: the check fails and says so
  if "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || ! grep -qF "$1" "$copy/said"; then
    echo "not said: $1"
    cat "$copy/said"
    exit 1
  fi
  count=$((count + 1))
}

object() { # FOLDER NAME TEXT: a source and what the compiler makes of it
  printf '/* SPDX-License-Identifier: MIT */\n%s\n' "$3" >"$copy/lib/$1/$2"
  "${CC:-cc}" -c -o "$objects/$1/$2.o" "$copy/lib/$1/$2"
}

if [ -d "$top/build/werror/lib/CMakeFiles" ]; then
  objects=$copy/build/werror/lib/CMakeFiles/crosslane.dir
  for folder in lib tools reference examples; do
    [ -d "$top/build/werror/$folder/CMakeFiles" ] || continue
    mkdir -p "$copy/build/werror/$folder"
    cp -a "$top/build/werror/$folder/CMakeFiles" "$copy/build/werror/$folder"
  done
  "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { cat "$copy/said"; exit 1; }
  if grep 'circles not checked' "$copy/said"; then
    exit 77
  fi
  object scan fault_a.c 'void b(void); void a(void) { b(); }'
  object scan fault_b.c 'void c(void); void b(void) { c(); }'
  object scan fault_c.c 'void c(void) { }'
  "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { echo "no circle, but:"; cat "$copy/said"; exit 1; }
  object scan fault_c.c 'void a(void); void c(void) { a(); }'
  says "lib/scan/fault_b.c calls lib/scan/fault_c.c, which comes back to it"
  object scan fault_b.c 'void a(void); void b(void) { a(); }'
  says "lib/scan/fault_b.c calls lib/scan/fault_a.c, which comes back to it"
  rm "$copy"/lib/scan/fault_?.c
  cp "$copy/ci/check-layers.sh" "$copy/as-it-was"
  sed -i "s|^standing='|&\nlib/scan/scan.c lib/scan/scan_check.c|" "$copy/ci/check-layers.sh"
  says "lib/scan/scan.c and lib/scan/scan_check.c are in no circle any more"
  mv "$copy/as-it-was" "$copy/ci/check-layers.sh"
  touch "$copy/lib/scan/scan.c"
  "$copy/ci/check-layers.sh" >"$copy/said" 2>&1 || { cat "$copy/said"; exit 1; }
  grep -qF 'older than lib/scan/scan.c' "$copy/said" ||
    { echo "an old build is taken for a new one"; cat "$copy/said"; exit 1; }
else
  echo "check-layers-test: circles not tested: no build/werror"
fi
echo "check-layers: $count broken rules found"
