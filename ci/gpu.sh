#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/gpu.sh [--calls N] [--processes P] [--seed S] [--minutes M] [--only NAME,...] [--devices D,...]
#
# Runs the case runner (test/cases) on a GPU, in P processes side by side (16, or the number of
# cores), because a driver compiles one program at a time in a process. The cases cover all pairs of
# options; their 3,000 plans also share N random calls (100000). With --minutes the processes end
# after M minutes. Each process has its own plans and its own cache folder. --devices: the processes
# take these devices in turn, as CROSSLANE_DEVICE names them (CROSSLANE_DEVICE, or `gpu`):
# nvidia:0,nvidia:1 for two GPUs of one host, portable: for PoCL.
# Builds nothing: needs build/werror/test/cases/cases, or another program that RUNNER names.
#
# Prints a table and each failing case as one line, to be tried with `cases --case 'LINE'`.
# The exit code is 1 if a case failed. Logs: build/gpu/log.
set -u
cd "$(dirname "$0")/.." || exit
runner=${RUNNER:-build/werror/test/cases/cases}
cores=$(nproc)
calls=100000 processes=$((cores < 16 ? cores : 16)) seed=$(date +%Y%m%d) minutes='' only='' devices=${CROSSLANE_DEVICE:-gpu}
while [ $# -gt 0 ]; do
  case $1 in
    --calls) calls=${2:?} ;;
    --processes) processes=${2:?} ;;
    --seed) seed=${2:?} ;;
    --minutes) minutes=${2:?} ;;
    --only) only=${2:?} ;;
    --devices) devices=${2:?} ;;
    *) sed -n '3,15s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  shift 2
done
[ -x "$runner" ] || { echo "gpu: $runner is not built" >&2 && exit 2; }
IFS=, read -r -a devices <<<"$devices"
top=$PWD/build/gpu
log=$top/log
rm -rf "$log"
mkdir -p "$log"

# A process that crashes, hangs or loses its device starts again behind the case that did it.
restarts=8
share() { # K
  local k=$1 from=0 end=$((SECONDS + seconds)) file code next try
  mkdir -p "$top/cache/$k" "$log/folder/$k"
  export CROSSLANE_DEVICE=${devices[k % ${#devices[@]}]} CROSSLANE_CACHE_DIR=$top/cache/$k CUDA_CACHE_PATH=$top/cache/$k/nv
  for ((try = 0; try < restarts && SECONDS < end; ++try)); do
    file=$log/$k.$try
    (cd "$log/folder/$k" && exec "$runner" --pairs "${only:-all}" --seed "$seed" --calls $((calls / plans + 1)) --most 1048576 \
      --from "$from" --share "$k/$processes" --failures 8 --watchdog 240 --seconds $((end - SECONDS))) >"$file" 2>&1
    code=$?
    next=$(awk '/the next case is/ { print $NF } /: case [0-9]+: / { sub(/.*: case /, ""); print $1 + 1 }' "$file" | tail -n 1)
    grep -q 'the next case is' "$file" || echo "ended early: exit code $code" >>"$file"
    if [ -z "$next" ] || { [ $code != 3 ] && grep -q 'the next case is' "$file"; }; then
      return
    fi
    from=$next
  done
}

runner=$(realpath "$runner")
start=$SECONDS
seconds=$((minutes ? minutes * 60 : 86400))
plans=$("$runner" --pairs "${only:-all}" --seed "$seed" --list 1 | awk '/ plans cover / { sum += $5 } END { print sum + (sum == 0) }')
for ((k = 0; k < processes; ++k)); do
  share "$k" &
done
wait
awk -v wall=$((SECONDS - start)) -v processes="$processes" '
  function flush() { if (line != "") found[line "  # " why]; line = why = "" }
  FNR == 1 || /^primitive / { flush(); table = /^primitive / }
  /^FAILED: / { flush(); line = substr($0, 9); next }
  /^  smaller: / && line != "" { line = substr($0, 12); why = ""; next }
  /^(crashed|not done in time|ended in): case / { flush(); why = $1; line = $0; sub(/.*: case [0-9]+: /, "", line); next }
  /^ended early/ { early++ }
  /^  (before it|alone)/ { next }
  /^  [^ ]/ && line != "" && why == "" { why = substr($0, 3) }
  table && NF == 5 && $2 ~ /^[0-9]+$/ && $4 ~ /^[0-9.]+$/ {
    if (!($1 in cases) && $1 != "all")
      names[++n] = $1
    cases[$1] += $2; failed[$1] += $3; taken[$1] += $4; building[$1] += $5
  }
  /refused;.* on / { device = $0; sub(/.* refused, on /, "", device); sub(/; the next case.*/, "", device); refused += $1 }
  function row(name) {
    printf "%-12s %9d %8d %9.1f %11.2f %9.0f %%\n", name, cases[name], failed[name], taken[name],
      cases[name] ? 1000 * (taken[name] - building[name]) / cases[name] : 0, taken[name] ? 100 * building[name] / taken[name] : 0
  }
  END {
    printf "%-12s %9s %8s %9s %11s %11s\n", "primitive", "calls", "failed", "seconds", "ms a call", "compiling"
    for (k = 1; k <= n; ++k) row(names[k])
    row("all")
    printf "%d processes, %d s, %.0f calls a second; %d refused, %d ended early; %s\n", processes, wall,
      wall ? cases["all"] / wall : 0, refused, early, device
    flush()
    for (each in found) print "FAILED: " each
    exit failed["all"] > 0 || early > 0 || cases["all"] == 0
  }' "$log"/[0-9]*.[0-9]*
