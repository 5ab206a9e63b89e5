#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/check-parameters.sh [--counts | --list PROGRAM] [FOLDER]
#
# Holds host and kernels of the tree below FOLDER (standard: this one) against the table of
# parameters, cl/parameters.txt: what kernels use is in it or defined in cl, each row is used
# and set, and set by those whom it names. ci/checks-test.sh shows that it can fail.
#
# It also counts the contents of one program: the parameters that it asks the host for, the
# macros that one of its files defines and another one uses, and its files: its own one and all that
# it includes. More than 40 macros or 10 files are too many. --counts prints all numbers (shared: the macros
# between files), --list the counted macros of one program and the files that define them.
set -eu
export LC_ALL=C
self=$(cd "$(dirname "$0")" && pwd)
mode=check
program=
case ${1:-} in
--counts) mode=counts; shift ;;
--list) mode=list; program=$2; shift 2 ;;
esac
cd "${1:-$self/..}"

most=40
most_files=10
# who sets a parameter | the sources that do
setters='
runtime lib/ocl/*.c
element lib/element/*.c
problem lib/problem/*.c
scan lib/scan/*.c
reduce lib/reduce/*.c
sort lib/sort/*.c
top_k lib/top_k/*.c
select lib/select/*.c
merge lib/merge/*.c
search lib/search/*.c
histogram lib/histogram/*.c
transform lib/transform/*.c
grid lib/grid/*.c
neighbors lib/neighbors/*.c
nearest lib/nearest/*.c
morton lib/morton/*.c
nearest_approximate lib/nearest_approximate/*.c
'
# The device's are promised to users' kernels, whether ours want them or not.
promised=include/crosslane/program.h

failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}

table=cl/parameters.txt
roots=$(grep -rlE '^__kernel' cl --include='*.cl' | sort | tr '\n' ' ')
facts=$(find cl -name '*.cl' | sort |
  xargs awk -v roots="$roots" -f "$self/parameters.awk" "$table")
of() { # KIND: the facts of a kind, without its name
  sed -n "s/^$1 //p" <<<"$facts"
}

# The parameters that the host's sources set: names as strings, in tables of lines,
# and in texts. Files that check descriptors speak of the interface's names instead.
set_by() { # SOURCES
  local source
  for source in "$@"; do
    [[ $source != *_check.c ]] || continue
    grep -oE '"XL_[A-Z0-9_]+"' "$source" | tr -d '"' || true
    grep -oE '("|\\n)#define XL_[A-Z0-9_]+' "$source" | sed 's/.* //' || true
  done | sort -u
}

files=$(of holds | sed 's|.*/||; s/\.cl / /' | sort)
counts=$(of '\(asks\|gives\)' | awk '
  { file = $1; sub(/.*\//, "", file); sub(/\.cl$/, "", file); ++count[file] }
  END { for (file in count) print file, count[file] }' | sort)

if [ $mode = counts ]; then
  printf '%-19s %7s %6s %6s %6s\n' program macros host shared files
  while read -r name count of_files; do
    asked=$(of asks | grep -cE "/$name\.cl " || true)
    printf '%-19s %7d %6d %6d %6d\n' "$name" "$count" "$asked" $((count - asked)) "$of_files"
  done < <(join <(echo "$counts") <(echo "$files"))
  exit
elif [ $mode = list ]; then
  of asks | awk -v name="$program" '$1 ~ "/" name "\\.cl$" { print $2, "the host" }' | sort
  of gives | awk -v name="$program" '$1 ~ "/" name "\\.cl$" { $1 = ""; print substr($0, 2) }' | sort
  exit
fi

while read -r root file name; do
  fail "$file: $name is neither defined in a file of $root nor in $table"
done < <(of unknown)

names=$(of row | awk '{ print $1 }' | sort)
while read -r name; do
  grep -qw "$name" "$promised" || fail "$table: no kernel uses $name"
done < <(comm -23 <(echo "$names") <(of seen | sort) | grep .)

# A primitive sets only parameters of its kernels.
while read -r name setter; do
  if ! grep -q "^$setter " <<<"$setters"; then
    fail "$table: $name: no primitive is called $setter"
  elif [ -d "cl/$setter" ]; then
    fail "$table: no kernel of cl/$setter uses $name, which $setter sets"
  fi
done < <(comm -23 <(of row | awk '{ for (i = 2; i <= NF; ++i) print $1, $i }' | sort) \
  <(of asks | awk '{ split($1, part, "/"); print $2, part[2] }' | sort -u) | grep .)

while read -r setter sources; do
  # shellcheck disable=SC2086 # a pattern
  is=$(set_by $sources)
  said=$(of row | awk -v setter="$setter" '{ for (i = 2; i <= NF; ++i) if ($i == setter) print $1 }' | sort)
  while read -r name; do
    fail "$sources: sets $name, which $table does not say of $setter"
  done < <(comm -23 <(echo "$is") <(echo "$said") | grep .)
  while read -r name; do
    fail "$table: $name: $sources does not set it"
  done < <(comm -13 <(echo "$is") <(echo "$said") | grep .)
done < <(grep . <<<"$setters")

while read -r name count; do
  if [ "$count" -gt $most ]; then
    fail "$name: its reader has to know $count macros, at most $most: see ci/check-parameters.sh --list $name"
  fi
done <<<"$counts"

while read -r name count; do
  [ "$count" -le $most_files ] || fail "$name: consists of $count files, at most $most_files"
done <<<"$files"

if [ "$failures" -gt 0 ]; then
  echo "check-parameters: $failures faults"
  exit 1
fi
echo "check-parameters: $(of row | wc -l) parameters, as the table says"
