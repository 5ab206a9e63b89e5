#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: tool_warm.sh PART PROGRAM ORACLE DATA_FOLDER VERSION
# The command `warm`, and the progress line of a first use, with empty caches.
# shellcheck disable=SC2317 # parts are called by name
# shellcheck source-path=SCRIPTDIR source=tool_support.sh
. "$(dirname "$0")/tool_support.sh"

# Caches of the library and of the drivers.
mkdir cache pocl nv mesa tmp
export CROSSLANE_CACHE_DIR=$dir/cache POCL_CACHE_DIR=$dir/pocl CUDA_CACHE_PATH=$dir/nv MESA_SHADER_CACHE_DIR=$dir/mesa
export TMPDIR=$dir/tmp

# The programs in the caches. PoCL leaves an empty file for each process.
programs() {
  find cache pocl nv mesa -type f ! -name 'tempfile_*' -printf '%p %s\n' | sort
}

is_pocl() {
  [ -n "$(ls pocl)" ]
}

# compiles_nothing ARGUMENT...: the program runs and adds nothing to the caches.
compiles_nothing() {
  programs >before
  runs "$crosslane" "$@"
  programs >after
  cmp -s before after || fail "programs that warm did not compile for $*: $(comm -13 before after)"
}

# milliseconds COMMAND...: sets `spent` to the milliseconds of a command.
milliseconds() {
  local start
  start=$(date +%s%N)
  runs "$@"
  spent=$((($(date +%s%N) - start) / 1000000))
}

warm() {
  local first number='[0-9]+\.[0-9]+'
  refuses 2 'warm: COMMAND: "quicksort"; must be one of scan, reduce, sort, topk, select, merge, search, histogram, neighbors' \
    warm sort quicksort
  refuses 2 'warm: --types: "u33"; must be one or more of u32, i32, u64, i64, f32, f64, i8, u8, i16, u16' \
    warm --types u32,u33
  refuses 2 'warm: --types: u32; neighbors requires f32 or f64' warm neighbors --types u32
  [ -z "$(programs)" ] || fail "wrong usage compiles: $(programs)"
  milliseconds "$crosslane" warm sort --types u32
  first=$spent
  has_line_like stdout "sort +$number s"
  [ "$(wc -l <stdout)" -eq 1 ] || fail "other lines: $(cat stdout)"
  [ -n "$(programs)" ] || fail "no cache has a program"
  for n in 1000 5000 20000 300000; do
    "$oracle" make u4 $n in.npy
    compiles_nothing sort in.npy out/o.npy
  done
  # A program that is not in a cache is found.
  "$oracle" make u2 1000 in.npy
  runs "$crosslane" sort in.npy out/o.npy
  ! cmp -s after <(programs) || fail "the test does not see that a program is compiled"
  milliseconds "$crosslane" warm sort --types u32 --json
  sed -i -E "s/\"device\":\"[^\"]*\"/\"device\":D/; s/$number/T/" stdout
  is_text stdout '{"device":D,"commands":[{"name":"sort","seconds":T,"failed":false}]}'
  ! is_pocl || [ $((2 * spent)) -lt "$first" ] || fail "the first run took $first ms, the second $spent"
  [ -z "$(ls -A tmp)" ] || fail "files left: $(ls -A tmp)"
  ended
}

# A signal ends the command and removes its folder.
ended() {
  local got=0 tries=0
  "$crosslane" warm sort merge --types i16 >stdout 2>stderr_all &
  until [ -n "$(ls -A tmp/crosslane.* 2>/dev/null)" ] || [ $((++tries)) -gt 600 ]; do sleep 0.05; done
  kill -TERM $!
  wait $! || got=$?
  [ $got -eq 143 ] || fail "exit $got, not 143: warm ended by a signal"
  [ -z "$(ls -A tmp)" ] || fail "files left by a signal: $(ls -A tmp) $(ls -A tmp/*)"
}

# on_terminal ARGUMENT...
on_terminal() {
  local command
  printf -v command '%q ' "$crosslane" "$@"
  script -qec "bash -c ${command@Q}" /dev/null </dev/null >stdout || fail "exit $?: $*"
}

# The line of a first use comes late, and only then.
progress() {
  local line='compiling kernels (first use)' tries=0
  if ! command -v script >/dev/null; then
    echo "skipped: for want of script(1)"
    exit 77
  fi
  "$oracle" points 1000 f4 points.npy
  local search=(neighbors points.npy --radius 1)
  on_terminal "${search[@]}"
  ! grep -F "llvmpipe" stdout || exit 77
  ! is_pocl || grep -qF "$line" stdout || fail "no \"$line\": $(cat -v stdout)"
  # A machine that is busy may take longer.
  until on_terminal "${search[@]}" && ! grep -qF "$line" stdout; do
    [ $((++tries)) -lt 5 ] || ! is_pocl || { fail "\"$line\" with a cache: $(cat -v stdout)"; break; }
    is_pocl || break
  done
  on_terminal warm sort --types u32
  grep -qF $'\r\e[Kwarm: sort, u32, 1 of 1\r\e[K' stdout || fail "progress of warm: $(cat -v stdout)"
  ! grep -qF reading stdout || fail "the progress of a command inside warm: $(cat -v stdout)"
}

run_part
