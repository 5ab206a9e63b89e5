#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/check-layers.sh [FOLDER]
#
# Checks that the tree below FOLDER (standard: this one) keeps the rules of the
# house: whom a file may include, who may call what, file names that say which file
# is meant, a licence line in each. ci/check-layers-test.sh shows that it can fail.
set -eu
export LC_ALL=C
cd "${1:-$(dirname "$0")/..}"

# folder        what its files may include by "name": folders or single files
allowed="
lib/core        lib/core
lib/tune        lib/tune lib/core
lib/ocl         lib/ocl lib/tune lib/core
lib/engine      lib/engine lib/tune lib/ocl lib/core
lib/scan        lib/scan lib/engine lib/tune lib/ocl lib/core
lib/reduce      lib/reduce lib/engine lib/tune lib/ocl lib/core
lib/sort        lib/sort lib/tune lib/ocl lib/core
lib/grid        lib/grid lib/tune lib/ocl lib/core
tools           tools lib/core/npy.h
examples        examples lib/core/npy.h
cl/prelude      cl/prelude
cl/lane         cl/lane cl/prelude
cl/group        cl/group cl/lane cl/prelude
cl/tile         cl/tile cl/group cl/lane cl/prelude
cl/kernel       cl/tile cl/group cl/lane cl/prelude
cl/include      cl/group cl/lane cl/prelude
"
# start of paths | what none of their lines may match | why (extended regular expressions)
forbidden='
lib/core/~# *include *<(CL/|OpenCL/|crosslane/(context|program|scan|sort|grid|crosslane))~lib/core knows no OpenCL
lib/([^o]|o[^c])~\<cl(Build|Compile|Link|Enqueue|CreateProgram)[A-Za-z]* *\(|\<clGetDeviceInfo *\(~only lib/ocl builds, enqueues and asks devices
lib/([^o]|o[^c])~# *include *"private\.h"~lib/ocl/private.h is for lib/ocl
(lib/[^c]|lib/core/([^o]|o[^s])|tools/([^h]|h[^o])|examples/|include/)~# *include *<(windows|unistd|pthread|fcntl|dirent|dlfcn|io|direct|process|sched|termios|(sys|mach|linux)/[a-z_]+)\.h>~headers of the operating system are for lib/core/os_*.c (and tools/host*.c)
(lib|tools|examples)/~# *include *"[^"]*/~a file is included by its bare name
(include|tools|examples)/~# *include *<crosslane/\.\.~a way round the public face
cl/(prelude|lane|group|tile|include)/~(^|[^_a-z])(__)?kernel +void~kernels stand in cl/kernel
cl/include/~\<cl/[a-z]+/[a-z_]+\.cl~is installed without the rest of cl, and has to say itself what to keep to
cl/~[^[:print:][:space:]]~kernel sources are ASCII
'

failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}

files=$(find . -type d \( -name .git -o -path './build*' -o -name .dev \) -prune -o -type f -print |
  sed 's|^\./||' | sort)
sources=$(grep -E '^(lib|include|tools|examples|cl)/.*\.(c|h|cl|cpp)$' <<<"$files")

declare -A place # file name -> its path
while read -r path; do
  place[${path##*/}]=$path
done <<<"$sources"
declare -A may # folder -> what it may include
while read -r folder list; do
  [ -z "$folder" ] || may[$folder]=" $list "
done <<<"$allowed"

# An include by name goes to the same floor of the house or down.
while IFS=: read -r path line text; do
  name=${text#*\"}
  name=${name%%\"*}
  target=${place[${name##*/}]:-}
  list=${may[${path%/*}]:-}
  if [ -z "$target" ]; then
    fail "$path:$line: $name is no file of this tree"
  elif [[ $list != *" ${target%/*} "* && $list != *" $target "* ]]; then
    fail "$path:$line: ${path%/*} may not include $target"
  fi
done < <(xargs grep -HnE '^ *# *include *"' <<<"$sources")

while IFS='~' read -r start pattern why; do
  some=$(grep -E "^$start" <<<"$sources") || continue
  while read -r hit; do
    fail "$hit: $why"
  done < <(xargs grep -HnE -- "$pattern" <<<"$some" | cut -c1-160)
done < <(grep . <<<"$forbidden")

# What a text tells to read is there.
while IFS=: read -r path line name; do
  [ -e "$name" ] || fail "$path:$line: there is no $name"
done < <(xargs grep -HnoE '\<(cl|lib|include|test|ci)/[A-Za-z0-9_/]+\.(cl|c|h|sh)\>' \
  <<<"$sources"$'\n'README.md$'\n'CONTRIBUTING.md)

while read -r name; do
  fail "more than one file is called $name"
done < <(grep -E '\.(c|h|cl|cpp|cmake|sh|in)$' <<<"$files" | sed 's|.*/||' | sort | uniq -d)

while read -r path; do
  head -n 3 "$path" | grep -q 'SPDX-License-Identifier: MIT' || fail "$path: no SPDX line"
done < <(grep -E '\.(c|h|cl|cpp|cmake|sh|in|yml|supp)$|CMakeLists\.txt$' <<<"$files")

if [ "$failures" -gt 0 ]; then
  echo "check-layers: $failures faults"
  exit 1
fi
echo "check-layers: $(wc -l <<<"$sources") files keep the rules"
