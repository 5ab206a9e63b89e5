#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/check-parameters-test.sh
#
# Breaks the agreement of host, kernels and table once in each way in a copy of the tree and
# checks that ci/check-parameters.sh finds just that, and that cmake/guards.cmake makes of the
# table what it should.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -a "$top"/{ci,cl,cmake,include,lib} "$copy"

# file | an edit of it, as sed has it | what the check must say
faults='
cl/parameters.txt|/^XL_KEEP_SELF /d|cl/neighbors/neighbors_pair.cl: XL_KEEP_SELF is neither defined
cl/parameters.txt|/^XL_KEEP_SELF /d|lib/neighbors/*.c: sets XL_KEEP_SELF, which
cl/parameters.txt|s/^XL_KEEP_SELF /XL_KEEP_US /|no kernel uses XL_KEEP_US
cl/parameters.txt|s/^XL_KEEP_SELF /XL_KEEP_US /|XL_KEEP_US: lib/neighbors/*.c does not set it
cl/parameters.txt|/^XL_ITEMS /s/scan reduce/scan/|lib/reduce/*.c: sets XL_ITEMS, which
cl/parameters.txt|/^XL_STAGED /s/neighbors/neighbours/|XL_STAGED: nobody is called neighbours
cl/grid/grid_map.cl|s/XL_ITEMS/XL_ELEMENTS/|cl/grid/grid_map.cl: XL_ELEMENTS is neither defined
cl/grid/grid_setup.cl|6s/^/#if XL_FAULT\n#endif\n/|XL_FAULT is neither defined
cl/tile/tile_descriptor.cl|s/enum { XL_EMPTY,/enum { XL_NOTHING,/|XL_EMPTY is neither defined
cl/probe/probe.cl|s/XL_LANE_WAY/XL_SORT_KEY/|cl/probe/probe.cl: XL_SORT_KEY is neither defined in a file of cl/probe/probe.cl
lib/reduce/reduce_kernels.c|/"XL_SERIAL"/s/$/ {"XL_ORDERED", 1},/|lib/reduce/*.c: sets XL_ORDERED, which
lib/reduce/reduce_kernels.c|/"XL_LIMITED_LOOPS"/d|XL_LIMITED_LOOPS: lib/reduce/*.c does not set it
lib/grid/grid.c|s/#define XL_STRIDE/#define XL_STEP/|lib/grid/*.c: sets XL_STEP, which
ci/check-parameters.sh|s/^most=40/most=20/|sort_bitonic: its reader has to know
'

says() { # EDIT TEXT
  if "$copy/ci/check-parameters.sh" >"$copy/said"; then
    echo "check-parameters lets this through: $1"
    exit 1
  fi
  grep -qF -- "$2" "$copy/said" || { echo "for $1:"; cat "$copy/said"; exit 1; }
}

"$copy/ci/check-parameters.sh" >"$copy/said" || { cat "$copy/said"; exit 1; }
count=0
while IFS='|' read -r file edit wanted; do
  cp -p "$copy/$file" "$copy/as-it-was"
  sed -i "$edit" "$copy/$file"
  ! cmp -s "$copy/$file" "$copy/as-it-was" || { echo "$file: nothing to edit: $edit"; exit 1; }
  says "$file: $edit" "$wanted"
  mv "$copy/as-it-was" "$copy/$file"
  count=$((count + 1))
done < <(grep . <<<"$faults")

# ---- what embedding makes of the table ----

embed() { # leaves $copy/out.c.NAME.cl
  cmake -DROOT="$copy" -DOUT="$copy/out.c" -DDEPFILE="$copy/out.d" -P "$copy/cmake/embed.cmake" \
    >"$copy/said" 2>&1
}

refuses() { # EDIT-OF-THE-TABLE TEXT
  cp "$top/cl/parameters.txt" "$copy/cl"
  sed -i "$1" "$copy/cl/parameters.txt"
  if embed || ! tr -s '\n ' ' ' <"$copy/said" | grep -qF -- "$2"; then
    echo "embedding lets this through: $1"
    cat "$copy/said"
    exit 1
  fi
  count=$((count + 1))
}

# Every parameter that a program asks for is checked in it, and no other one; both read the same.
embed || { cat "$copy/said"; exit 1; }
while read -r name; do
  comm -3 <(sed -nE 's/^#error "(XL_[A-Z0-9_]+), [0-9a-z.]+ \(.*/\1/p' "$copy/out.c.$name.cl" | sort -u) \
    <("$copy/ci/check-parameters.sh" --list "$name" | sed -n 's/ the host$//p' | sort -u) |
    grep . || continue
  echo "of $name: checked in it, or asked for by it, but not both"
  exit 1
done < <("$copy/ci/check-parameters.sh" --counts | sed 1d | cut -d ' ' -f 1)
count=$((count + 1))

refuses '/^XL_TILE /s/|/;/' 'cannot stand there'
refuses '/^XL_TILE /s/| *$/| a | b/; /^XL_TILE /s/$/ | more/' 'a row has six cells'
refuses '/^XL_TILE /s/1\.\./one/' 'are no values'
refuses '/^XL_TILE /p' 'is no name of its own'
refuses '/^XL_TILE /s/XL_TILE/TILE/' 'is no name of its own'
echo "check-parameters: $count disagreements found"
