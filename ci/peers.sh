#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/peers.sh [--only NAME] [--max-n 2^K] [--quick] [--seconds N]
#
# Times the library and its peers on the cases they share and compares them. Builds
# build/peers with what there is: CUB (nvcc and a GPU of NVIDIA's), Boost.Compute, the
# C++ standard library's parallel algorithms (TBB), nanoflann. It names the absent ones and
# leaves them out. Runs everything on the device that CROSSLANE_DEVICE names, one program after the
# other; leaves the results in build/peers/json, ends with the table of ci/compare.sh and
# draws build/peers/peers.png.
#   --only NAME  one primitive, such as scan     --max-n 2^K  no larger sizes
#   --quick      fewer runs, for a look          --seconds N  for everything (540)
#
# Names each case as it starts. Each program gets its share of the time that is left; one
# that takes longer is stopped, and the table has its finished results.
#
# On Debian and Ubuntu: apt install g++ libboost-dev libtbb-dev libnanoflann-dev jq gnuplot-nox
# Exits with 1 if a program gave a wrong result.
set -u
cd "$(dirname "$0")/.." || exit
usage() {
  sed -n '3,19s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

options=(--progress) only='' seconds=540
while [ $# -gt 0 ]; do
  case $1 in
    --quick) options+=("$1") ;;
    --only | --max-n)
      [ $# -gt 1 ] || usage
      [ "$1" = --max-n ] || only=$2
      options+=("$1" "$2")
      shift
      ;;
    --seconds)
      [[ ${2:-} =~ ^[1-9][0-9]{0,5}$ ]] || usage
      seconds=$2
      shift
      ;;
    *) usage ;;
  esac
  shift
done

out=$PWD/build/peers
json=$out/json
mkdir -p "$json"
rm -f "$json"/*.json "$json"/*.new "$out"/*.png
failed=0 files=()

cmake -S . -B "$out" -G Ninja -DXL_PEERS=ON -DXL_TESTS=OFF -DXL_TOOL=OFF -DXL_EXAMPLES=OFF \
  >"$out/configure.log" 2>&1 || {
  tail -n 20 "$out/configure.log"
  exit 1
}
grep 'left out' "$out/configure.log"

# The programs: NAME TARGET FOLDER PROGRAM PRIMITIVES
programs=("crosslane crosslane-bench . crosslane-bench copy scan reduce sort merge search select histogram grid lists"
  "cub peer-cub-program peers peer-cub scan reduce sort merge select histogram"
  "std peer-std peers peer-std scan reduce"
  "boost peer-boost peers peer-boost scan reduce"
  "nanoflann peer-nanoflann peers peer-nanoflann lists")

# Builds one program: build_program NAME TARGET FOLDER PROGRAM PRIMITIVES. False if it is not to be run.
build_program() {
  if grep -q "$4: left out" "$out/configure.log"; then
    return 1
  elif [ -n "$only" ] && [[ " ${*:5} " != *" $only "* ]]; then
    return 1
  fi
  echo "building $4"
  if ! cmake --build "$out" --target "$2" >"$out/$1.log" 2>&1; then
    tail -n 20 "$out/$1.log"
    failed=1
    return 1
  fi
}

# Runs one program: run_program SECONDS NAME TARGET FOLDER PROGRAM
run_program() {
  local log=$out/$2.log file=$json/$2.json
  echo "running $5, for $1 s at most"
  timeout -k 5 "$1" "$out/test/bench/$4/$5" "${options[@]}" --json "$file" >"$log"
  case $? in
    0) ;;
    124 | 137) echo "$5: stopped after $1 s" ;;
    *) failed=1 ;;
  esac
  if grep WRONG "$log"; then
    failed=1
  fi
  [ ! -e "$file" ] || files+=("$file")
}

left=()
for program in "${programs[@]}"; do
  read -r -a words <<<"$program"
  ! build_program "${words[@]}" || left+=("$program")
done
nvidia=no
while [ ${#left[@]} -gt 0 ]; do
  read -r -a words <<<"${left[0]}"
  case ${words[0]},$nvidia in
    cub,no | std,yes) ;; # CUB on NVIDIA's devices, the host's library beside the others
    *)
      share=$(((seconds - SECONDS) / ${#left[@]}))
      run_program $((share > 1 ? share : 1)) "${words[@]}"
      ;;
  esac
  left=("${left[@]:1}")
  [ ! -e "$json/crosslane.json" ] || ! grep -q '"device": ".*NVIDIA' "$json/crosslane.json" || nvidia=yes
done
if [ ${#files[@]} = 0 ]; then
  echo "no program had a result in time; give them more (--seconds), or less to do (--max-n, --only)"
  exit 1
fi

ci/compare.sh --plot "$out/peers.png" ${only:+--only "$only"} "${files[@]}" || {
  [ $? = 77 ] || failed=1
}
exit $failed
