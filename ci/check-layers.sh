#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/check-layers.sh [FOLDER]
#
# Checks that the tree below FOLDER (standard: this one) keeps the rules of the
# house: whom a file may include, who may call what, file names that say which file
# is meant, a licence line in each; and, where build/werror is there, that no files of one
# folder call each other in a circle. ci/checks-test.sh shows that it can fail.
set -eu
export LC_ALL=C
cd "${1:-$(dirname "$0")/..}"

# folder        what its files may include by "name": folders or single files
allowed="
lib/core        lib/core
lib/tune        lib/tune lib/core
lib/ocl         lib/ocl lib/tune lib/core
lib/plan        lib/plan lib/ocl lib/tune lib/core
lib/simple      lib/simple lib/ocl lib/core
lib/element     lib/element lib/ocl lib/core
lib/problem     lib/problem lib/plan lib/element lib/ocl lib/core
lib/scan        lib/scan lib/plan lib/problem lib/element lib/tune lib/ocl lib/core
lib/reduce      lib/reduce lib/plan lib/problem lib/element lib/tune lib/ocl lib/core
lib/sort        lib/sort lib/plan lib/element lib/tune lib/ocl lib/core
lib/top_k        lib/top_k lib/plan lib/element lib/tune lib/ocl lib/core
lib/select      lib/select lib/plan lib/element lib/tune lib/ocl lib/core
lib/merge       lib/merge lib/plan lib/element lib/tune lib/ocl lib/core
lib/search      lib/search lib/plan lib/element lib/tune lib/ocl lib/core
lib/histogram   lib/histogram lib/plan lib/element lib/tune lib/ocl lib/core
lib/transform   lib/transform lib/plan lib/element lib/tune lib/ocl lib/core
lib/morton      lib/morton lib/plan lib/tune lib/ocl lib/core
lib/grid        lib/grid lib/plan lib/element lib/tune lib/ocl lib/core
lib/neighbors   lib/neighbors lib/plan lib/grid/grid_index.h lib/grid/grid_sums.h lib/tune lib/ocl lib/core
lib/nearest         lib/nearest lib/plan lib/grid/grid_index.h lib/tune lib/ocl lib/core
lib/nearest_approximate lib/nearest_approximate lib/plan lib/tune lib/ocl lib/core
reference       reference
tools           tools/common
tools/npy       tools/npy lib/core/printf_format.h
tools/common    tools/common reference tools/npy/npy.h
tools/commands  tools/common reference tools/npy/npy.h test/cases/case.h
tools/neighbors tools/neighbors tools/common drawing tools/npy/npy.h
tools/workload  tools/workload tools/common reference
tools/bench     tools/workload tools/common
tools/tune      tools/tune tools/workload tools/common
test/cases      test/cases test/support reference
test/support    test/support
examples        examples drawing tools/npy/npy.h
drawing         drawing
examples/10_flip examples/10_flip drawing
mpi/src         mpi/src
mpi/test        mpi/test
mpi/bench       mpi/bench
cl/prelude      cl/prelude
cl/lane         cl/lane cl/prelude
cl/group        cl/group cl/lane cl/prelude
cl/tile         cl/tile cl/group cl/lane cl/prelude
cl/probe        cl/lane cl/prelude
cl/scan         cl/scan cl/tile cl/group cl/lane cl/prelude
cl/reduce       cl/reduce cl/tile cl/group cl/lane cl/prelude
cl/sort         cl/sort cl/tile cl/group cl/lane cl/prelude
cl/top_k         cl/top_k cl/prelude
cl/select       cl/select cl/tile cl/group cl/lane cl/prelude
cl/merge        cl/merge cl/tile cl/group cl/lane cl/prelude
cl/search       cl/search cl/tile cl/group cl/lane cl/prelude
cl/histogram    cl/histogram cl/lane cl/prelude
cl/transform    cl/transform cl/prelude
cl/grid         cl/grid cl/tile cl/group cl/lane cl/prelude
cl/neighbors    cl/neighbors cl/grid cl/tile cl/group cl/lane cl/prelude
cl/nearest          cl/nearest cl/neighbors cl/grid cl/group cl/prelude
cl/nearest_approximate cl/nearest_approximate cl/nearest/nearest_list.cl cl/prelude
cl/morton       cl/morton cl/include/morton.cl cl/prelude
cl/include      cl/neighbors cl/group cl/lane cl/prelude
"
# start of paths | what none of their lines may match | why (extended regular expressions)
forbidden='
lib/core/~# *include *<(CL/|OpenCL/|crosslane/(context|program|scan|sort|top_k|select|merge|search|histogram|transform|grid|crosslane))~lib/core knows no OpenCL
lib/([^o]|o[^c])~\<cl(Build|Compile|Link|Enqueue|CreateProgram)[A-Za-z]* *\(|\<clGetDeviceInfo *\(~only lib/ocl builds, enqueues and asks devices
lib/([^o]|o[^c])~# *include *"private\.h"~lib/ocl/private.h is for lib/ocl
(lib/[^c]|lib/core/([^o]|o[^s])|reference/|tools/([^c]|commands/|common/([^h]|h[^o]))|examples/([^1]|1[^0]|10_[^f]|10_flip/([^h]|h[^o]))|include/)~# *include *<(windows|unistd|pthread|fcntl|dirent|dlfcn|io|direct|process|sched|termios|(sys|mach|linux)/[a-z_]+)\.h>~headers of the operating system are for lib/core/os_*.c (and host*.c of tools and of an example)
(lib|reference|drawing|tools|examples)/~# *include *"[^"]*/~a file is included by its bare name
(include|tools|examples)/~# *include *<crosslane/\.\.~a way round the public face
reference/~# *include *<(CL/|OpenCL/|crosslane/([^t]|t[^y]))~of OpenCL the reference knows crosslane/types.h only
reference/~\<xl_[a-z_]+ *\(~the reference calls nothing of what it is held against
cl/(prelude|lane|group|tile|include)/~(^|[^_a-z])(__)?kernel +void~kernels stand in the folders of the primitives
cl/include/~\<cl/[a-z]+/[a-z_]+\.cl~is installed without the rest of cl, and has to say itself what to keep to
cl/~[^[:print:][:space:]]~kernel sources are ASCII
'

# objects of build/werror | the folder of their sources
objects='
lib/CMakeFiles/crosslane.dir lib
tools/CMakeFiles/crosslane_tool.dir tools
reference/CMakeFiles/crosslane_reference.dir reference
examples/CMakeFiles/example_06_particles.dir examples
examples/10_flip/CMakeFiles/flip.dir examples/10_flip
examples/10_flip/CMakeFiles/example_10_flip.dir examples/10_flip
'
# Circles that stand, each to be removed: a file, and one that it calls and that comes back to it.
standing='
'

failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}

files=$(find . -type d \( -name .git -o -path './build*' -o -name .dev \) -prune -o -type f -print |
  sed 's|^\./||' | sort)
sources=$(grep -E '^(lib|include|reference|drawing|tools|examples|mpi|cl|test/cases|test/support)/.*\.(c|h|cl|cpp)$' <<<"$files")
texts=$(grep -E '^(docs/)?[^/]*\.md$' <<<"$files")

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

# The files that a text names exist.
while IFS=: read -r path line name; do
  [ -e "$name" ] || fail "$path:$line: there is no $name"
done < <(xargs grep -HnoE '(mpi/)?\<(cl|lib|include|reference|test|ci)/[A-Za-z0-9_/]+\.(cl|c|h|sh)\>' \
  <<<"$sources"$'\n'"$texts")

# The targets of links between texts exist, too.
while IFS=: read -r path line link; do
  link=${link#*](}
  link=${link%%[)#]*}
  [[ -z $link || $link == *://* || -e ${path%"${path##*/}"}$link ]] ||
    fail "$path:$line: the link to $link leads nowhere"
done < <(xargs grep -HnoE '\]\([^)]*\)' <<<"$texts")

while read -r name; do
  fail "more than one file is called $name"
done < <(grep -vE '^(test/abi/older|cl/include)/' <<<"$files" | grep -E '\.(c|h|cl|cpp|cmake|sh|in)$' | sed 's|.*/||' | sort | uniq -d)

while read -r path; do
  head -n 3 "$path" | grep -q 'SPDX-License-Identifier: MIT' || fail "$path: no SPDX line"
done < <(grep -E '\.(c|h|cl|cpp|cmake|sh|in|yml|supp)$|CMakeLists\.txt$' <<<"$files")

# Each symbol of the objects whose source exists: source, symbol, type. Fails if an object is older
# than its source.
symbols() {
  local folder sources object source
  while read -r folder sources; do
    [ -d "build/werror/$folder" ] || continue
    while read -r object; do
      source=$sources/${object#"build/werror/$folder/"}
      source=${source%.o}
      [ -e "$source" ] || continue # left by an older tree
      [ ! "$source" -nt "$object" ] || { echo "build/werror is older than $source" >&2; return 1; }
      nm -P "$object" | awk -v source="$source" '{ print source, $1, $2 }'
    done < <(find "build/werror/$folder" -name '*.c.o')
  done < <(grep . <<<"$objects")
}

# Prints those lines in which files of one folder call each other in a circle of two files or more:
# caller, called.
circles() {
  awk '
    function folder(path) { sub("/[^/]*$", "", path); return path }
    $3 ~ /^[TDBRCVW]$/ { home[folder($1), $2] = $1 }
    $3 == "U" { wants[$1, $2] }
    { file[$1] }
    END {
      for (pair in wants) {
        split(pair, part, SUBSEP)
        to = home[folder(part[1]), part[2]]
        if (to != "" && to != part[1])
          calls[part[1], to] = reaches[part[1], to] = 1
      }
      for (by in file)
        for (from in file)
          if ((from, by) in reaches)
            for (to in file)
              if ((by, to) in reaches)
                reaches[from, to] = 1
      for (pair in calls) {
        split(pair, part, SUBSEP)
        if ((part[2], part[1]) in reaches)
          print part[1], part[2]
      }
    }' | sort
}

if [ ! -d build/werror/lib ]; then
  echo "check-layers: circles not checked: no build/werror"
elif ! said=$(symbols); then
  echo "check-layers: circles not checked: build first"
else
  found=$(circles <<<"$said")
  while read -r caller called; do
    fail "$caller calls $called, which comes back to it: a circle"
  done < <(comm -23 <(grep . <<<"$found") <(grep . <<<"$standing" | sort))
  while read -r caller called; do
    fail "$caller and $called are in no circle any more: take them off the list of those that stand"
  done < <(comm -13 <(grep . <<<"$found") <(grep . <<<"$standing" | sort))
fi

if [ "$failures" -gt 0 ]; then
  echo "check-layers: $failures faults"
  exit 1
fi
echo "check-layers: $(wc -l <<<"$sources") files keep the rules"
