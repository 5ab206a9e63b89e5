#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sourced by the tests of the program, which are called as
#   SCRIPT PART PROGRAM ORACLE DATA_FOLDER VERSION [CALLS]
# Creates a working folder and reports failures.
set -u
# shellcheck disable=SC2034 # each script uses some
part=$1 crosslane=$2 oracle=$3 data=$4 version=$5 calls=${6:-}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir out
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Removes messages of drivers: PoCL 3.1 reports an unknown way to make work-groups for every kernel;
# Intel's compiler reports some signals as crashes.
program_said() {
  grep -vE "^(Unknown work group generation method|PLEASE submit a bug report|MESA: warning: Treating)" stderr_all >stderr
}

# is_text FILE TEXT: the file contains this text and a line end, nothing else; "..." at the end of
# TEXT matches the rest of a line.
is_text() {
  local want=$2 got
  got=$(cat "$1" && echo .)
  if [[ $want == *... && $(wc -l <"$1") -eq 1 ]]; then
    want=${want%...}
    got=${got:0:${#want}}
  else
    want+=$'\n.'
  fi
  [ "$got" = "$want" ] || fail "not \"$2\": $(cat "$1")"
}

# runs COMMAND...: it must succeed and say nothing on stderr.
runs() {
  local got=0
  "$@" >stdout 2>stderr_all || got=$?
  program_said
  [ $got -eq 0 ] || { fail "exit $got: $*"; cat stderr; return; }
  [ ! -s stderr ] || fail "stderr of $*: $(cat stderr)"
}

# refuses CODE TEXT ARGUMENT...: the program must end with CODE, print "crosslane: TEXT" on stderr
# (is_text()), nothing on stdout, and leave no output file.
refuses() {
  local code=$1 text=$2 got=0
  shift 2
  "$crosslane" "$@" >stdout 2>stderr_all || got=$?
  program_said
  [ $got -eq "$code" ] || fail "exit $got, not $code: crosslane $*: $(cat stderr)"
  is_text stderr "crosslane: $text"
  [ ! -s stdout ] || fail "stdout of crosslane $*: $(cat stdout)"
  [ -z "$(ls -A out)" ] || fail "files left by crosslane $*: $(ls -A out)"
  rm -rf out
  mkdir out
}

# prints TEXT...: stdout is those lines, but for times, which are T, and the device, which is D.
prints() {
  local IFS=$'\n'
  sed -E 's/("[a-z_]*_ms":)(null|[0-9.e+-]+)/\1T/g; s/"device":"[^"]*"/"device":D/' stdout >shown
  is_text shown "$*"
}

has_line() { # FILE LINE
  [ "$(grep -cxF -- "$2" "$1")" -eq 1 ] || fail "not one line \"$2\" in: $(cat "$1")"
}

has_line_like() { # FILE EXPRESSION
  [ "$(grep -cxE -- "$2" "$1")" -eq 1 ] || fail "not one line like \"$2\" in: $(cat "$1")"
}

# own_device NAME NUMBER: sets `device` to a device like /dev/NAME that a broken program may replace:
# the machine's own one is for all, and root may replace it.
own_device() {
  device=/dev/$1
  [ "$(id -u)" -eq 0 ] || return 0
  device=$dir/$1
  [ -e "$device" ] || mknod "$device" c 1 "$2" 2>mknod_said
  if ! test -c "$device" || ! : 2>mknod_said >>"$device"; then
    echo "not tested: $1 as an output, for want of a device of the test's own: $(cat mknod_said)"
    return 1
  fi
}

# A missing check would find no fault. bash calls this in a sub-process.
command_not_found_handle() {
  echo "$1" >>"$dir/not_found"
}

# Runs the part. To be called last.
run_part() {
  "$part"
  [ ! -e "$dir/not_found" ] || fail "unknown commands: $(cat "$dir/not_found")"
  [ $failures -eq 0 ] || exit 1
}
