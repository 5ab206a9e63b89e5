#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/peers.sh [--only NAME] [--max-n 2^K] [--quick]
#
# Times the library and its peers on the cases they share and compares them. Builds
# build/peers with what there is: CUB (nvcc and a GPU of NVIDIA's), Boost.Compute, the
# C++ standard library's parallel algorithms (TBB). What is not there is named and left
# out. Runs everything on the device that CROSSLANE_DEVICE names, one program after the
# other; leaves the results in build/peers/json, ends with the table of ci/compare.sh and
# draws build/peers/peers.png.
#   --only NAME  one primitive, such as scan     --max-n 2^K  no larger sizes
#   --quick      fewer runs, for a look
#
# On Debian and Ubuntu: apt install g++ libboost-dev libtbb-dev jq gnuplot-nox
# Exits with 1 if a program gave a wrong result.
set -u
cd "$(dirname "$0")/.." || exit
usage() {
  sed -n '3,16s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

options=() only=''
while [ $# -gt 0 ]; do
  case $1 in
    --quick) options+=("$1") ;;
    --only | --max-n)
      [ $# -gt 1 ] || usage
      [ "$1" = --max-n ] || only=$2
      options+=("$1" "$2")
      shift
      ;;
    *) usage ;;
  esac
  shift
done

out=$PWD/build/peers
json=$out/json
mkdir -p "$json"
rm -f "$json"/*.json "$out"/*.png
failed=0 files=()

cmake -S . -B "$out" -G Ninja -DXL_PEERS=ON -DXL_TESTS=OFF -DXL_TOOL=OFF -DXL_EXAMPLES=OFF \
  >"$out/configure.log" 2>&1 || {
  tail -n 20 "$out/configure.log"
  exit 1
}
grep 'left out' "$out/configure.log"

# Builds and runs one program: run_program NAME TARGET FOLDER PROGRAM PRIMITIVES
run_program() {
  local log=$out/$1.log file=$json/$1.json
  if grep -q "$4: left out" "$out/configure.log"; then
    return
  elif [ -n "$only" ] && [[ " $5 " != *" $only "* ]]; then
    return
  elif ! cmake --build "$out" --target "$2" >"$log" 2>&1; then
    tail -n 20 "$log"
    failed=1
    return
  fi
  echo "running $4"
  if ! "$out/test/bench/$3/$4" "${options[@]}" --json "$file" >"$log" 2>&1; then
    grep WRONG "$log" || tail -n 3 "$log"
    failed=1
  fi
  [ ! -e "$file" ] || files+=("$file")
}

run_program crosslane crosslane-bench . crosslane-bench "copy scan reduce sort grid"
[ ${#files[@]} -gt 0 ] || exit 1
if grep -q '"device": ".*NVIDIA' "$json/crosslane.json"; then
  run_program cub peer-cub-program peers peer-cub "scan reduce sort"
else
  run_program std peer-std peers peer-std "scan reduce"
fi
run_program boost peer-boost peers peer-boost "scan reduce"

ci/compare.sh --plot "$out/peers.png" ${only:+--only "$only"} "${files[@]}" || {
  [ $? = 77 ] || failed=1
}
exit $failed
