#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: lane_amd.sh waves|instructions
#
# The lanes of AMD's GPUs (cl/lane/lane.cl) where no such GPU is.
#   waves         they are right: lane_amd_wave.cl and .c emulate AMD's instructions on this machine
#   instructions  clang, which is AMD's compiler, makes cross-lane instructions of lane_amd_moves.cl,
#                 no call, and no scratch memory
# Exits with 77 if clang is missing or knows no OpenCL or no GPU of AMD's, or if AMD's device
# libraries are missing (rocm-device-libs). CLANG: the compiler, DEVICE_LIBS: the libraries' folder.
set -eu
export LC_ALL=C
what=$1
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
absent() {
  echo "absent: $*"
  exit 77
}
failures=0
fail() {
  echo "$*"
  failures=$((failures + 1))
}
clang=${CLANG:-}
for name in clang-19 clang-18 clang-17 clang-16 clang-15 clang; do
  if [ -z "$clang" ] && command -v $name >/dev/null; then
    clang=$name
  fi
done
opencl=(-w -x cl -cl-std=CL2.0)
[ -n "$clang" ] || absent clang
echo 'kernel void k(global uint *a) { a[0] = 1; }' >"$out/probe.cl"
"$clang" "${opencl[@]}" -c -o "$out/probe.o" "$out/probe.cl" 2>/dev/null ||
  absent "an OpenCL that $clang compiles here"

# Optimised, moves are known when they are compiled; not optimised, they are not.
wave() { # LANES GENERATION KIND OPTIMISATION
  local defines=("-DXL_LANES=$1" "-DXLT_GENERATION=$2" "-DXLT_KIND=$3")
  "$clang" "${opencl[@]}" "${defines[@]}" "$4" -c -o "$out/kernel.o" lane_amd_wave.cl &&
    "$clang" -std=gnu11 -Wall -Wextra -Werror "${defines[@]}" -o "$out/wave" lane_amd_wave.c \
      "$out/kernel.o" &&
    "$out/wave"
}
waves() {
  local trials=0 kind of lanes generation optimisation
  for kind in 0 1 2; do
    for of in '64 8 -O2' '32 10 -O2' '64 11 -O2' '32 0 -O2' '64 8 -O0'; do
      read -r lanes generation optimisation <<<"$of"
      wave "$lanes" "$generation" $kind "$optimisation" || fail "wave $of, kind $kind: failed"
      trials=$((trials + 1))
    done
  done
  echo "lane_amd: $trials trials of waves, by $clang"
}

# Patterns that the instructions of a kernel must contain or, after "no:", must not contain.
kernel() { # FILE NAME WANTED...
  local file=$1 name=$2 text want
  text=$(awk -v name="$name:" '$1 == name { inside = 1 }
    inside { print }
    /s_endpgm/ { inside = 0 }' "$out/$file.s")
  [ -n "$text" ] || fail "$file: no kernel $name"
  shift 2
  for want in "$@" no:s_swappc no:scratch_ no:buffer_; do
    case $want in
      no:*) ! grep -q "${want#no:}" <<<"$text" || fail "$file, $name: ${want#no:}" ;;
      *) grep -q "$want" <<<"$text" || fail "$file, $name: no $want" ;;
    esac
  done
}
device() { # DEVICE LANES, moves: TO-THE-LANE-BEFORE FROM-ROW-TO-ROW
  local device=$1 lanes=$2 before=$3 carry=$4 file=$1-$2 options=()
  case $file in
    gfx1*-64) options=(-mwavefrontsize64) ;;
  esac
  if ! "$clang" "${opencl[@]}" -O3 --target=amdgcn-amd-amdhsa "-mcpu=$device" "-DXL_LANES=$lanes" \
    "${options[@]}" -nogpulib -Xclang -mlink-builtin-bitcode -Xclang "$libraries/opencl.bc" \
    -Xclang -mlink-builtin-bitcode -Xclang "$libraries/ockl.bc" -S -o "$out/$file.s" \
    lane_amd_moves.cl 2>"$out/log"; then
    # Too old a compiler for the device, for its 64 lanes, or for the libraries.
    if grep -qE 'invalid target ID|between the halves|cannot open file' "$out/log"; then
      echo "lane_amd: $file left out, $clang: $(grep -m 1 error "$out/log")"
    else
      fail "$file: $(grep -m 1 error "$out/log")"
    fi
    return
  fi
  devices=$((devices + 1))
  kernel "$file" reduce row_ror:1 row_ror:8 "$carry" v_readlane no:ds_
  kernel "$file" scan row_ror:1 row_ror:8 "$carry" no:ds_
  kernel "$file" before "$before" no:ds_
  kernel "$file" segments row_ror:1 row_ror:8 "$carry" no:ds_
  kernel "$file" flags row_ror:1 row_ror:8 "$carry" no:ds_
  kernel "$file" anywhere ds_bpermute
  kernel "$file" last v_readlane no:ds_
  kernel "$file" vote v_cmp no:ds_
  ! grep -qE 'private_segment_fixed_size: +[1-9]' "$out/$file.s" || fail "$file: scratch memory"
}
instructions() {
  devices=0
  libraries=${DEVICE_LIBS:-}
  local folder
  for folder in /usr/lib/x86_64-linux-gnu/amdgcn/bitcode /usr/lib/amdgcn/bitcode \
    /opt/rocm/amdgcn/bitcode; do
    if [ -z "$libraries" ] && [ -f "$folder/ockl.bc" ]; then
      libraries=$folder
    fi
  done
  [ -n "$libraries" ] || absent rocm-device-libs
  "$clang" --print-targets | grep -q amdgcn || absent "AMD's GPUs as a target of $clang"
  device gfx90a 64 wave_shr row_bcast:15
  device gfx942 64 wave_shr row_bcast:15
  device gfx1030 32 row_shr:1 v_permlanex16
  device gfx1100 32 row_shr:1 v_permlanex16
  device gfx1100 64 row_shr:1 v_permlanex16
  [ $devices -gt 0 ] || absent "a device that $clang knows"
  echo "lane_amd: instructions as looked for on $devices kinds of devices, by $clang"
}

case $what in
  waves) waves ;;
  instructions) instructions ;;
esac
[ $failures = 0 ]
