#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/newer-drivers.sh [--only NAME]...
#        ci/newer-drivers.sh --list
#
# By hand: tests on drivers and compilers newer than this machine's, those of Debian 13 and Debian
# unstable, each in a separate folder (build/newer, 6 GB) that debootstrap fills. Nothing is
# installed outside but debootstrap. Needs root or sudo, Debian's keys (debian-archive-keyring) and
# unshare; an hour of two cores, the first time some minutes more.
#
#   pocl-6    trixie: tests and the self-test on PoCL 6
#   pocl-7    sid: the same on PoCL 7
#   rusticl   sid: the same on rusticl of the newest Mesa, on llvmpipe
#   rocm      sid: ROCm's OpenCL, which lists GPUs that are not there, builds for gfx90a, gfx942 and
#             gfx1100 every program that ci/vendors.sh --all left in build/vendor-kernels; nothing runs
#   bmg       sid: the newest ocloc compiles for bmg what ci/vendors.sh --all left for Intel's GPUs,
#             and its report is compared with the rows of bmg in test/vendors/vendors.tsv
#
# Each folder is kept for the next time, and its packages stay as they are: to have newer ones delete
# it. No other process sees the file systems that are mounted there, and they are gone when the
# command inside ends, however that is. Ends with a table as ci/test.sh does, and exits with 1 if anything failed. Logs:
# build/log/newer-NAME.
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
log=$top/build/log
newer=$top/build/newer
names=' pocl-6 pocl-7 rusticl rocm bmg '

arguments=()
fail() { # WHY
  echo "newer-drivers: $*" >&2
  exit 1
}

only=' '
while [ $# -gt 0 ]; do
  case $1 in
    --list)
      tr ' ' '\n' <<<"$names" | sed '/^$/d'
      exit
      ;;
    --only)
      [[ $names == *" ${2:-} "* ]] || fail "--only: one of$names"
      only+="$2 "
      shift 2
      ;;
    *) sed -n '3,24s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
done
[ "$only" != ' ' ] || only=$names
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "needs root or sudo"
  for name in $only; do arguments+=(--only "$name"); done
  exec sudo ci/newer-drivers.sh "${arguments[@]}"
fi

# ---- folders -----------------------------------------------------------------------------
tools=(gcc libc6-dev cmake ninja-build ocl-icd-opencl-dev opencl-headers libpng-dev libcmocka-dev)
declare -A suite=([trixie]=trixie [sid]=sid [rocm]=sid)
# rocm-opencl-icd disables every other driver: it has a separate folder. intel-ocloc is a compiler
# alone, with its libraries, no driver.
declare -A packages=(
  [trixie]="${tools[*]} pocl-opencl-icd"
  [sid]="${tools[*]} pocl-opencl-icd mesa-opencl-icd intel-ocloc libigc2 libigdfcl2"
  [rocm]="gcc libc6-dev ocl-icd-opencl-dev opencl-headers rocm-opencl-icd"
)

# Runs a command whose mounts are its own, and which ends with this script, and all that it started.
apart() { # COMMAND...
  unshare --mount --propagation private --pid --fork --kill-child --mount-proc "$@" &
  child=$!
  wait $child
}
child=
# unshare itself heeds nothing less than KILL.
trap '[ -z "$child" ] || kill -KILL $child; exit 130' INT TERM

# Runs a command in a folder, with the source tree at /crosslane to read.
inside() { # FOLDER COMMAND...
  # shellcheck disable=SC2016 # the inner shell's variables
  apart bash -c '
    root=$1 top=$2
    shift 2
    mkdir -p "$root/crosslane"
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" &&
      mount --bind "$top" "$root/crosslane" && mount -o remount,bind,ro "$root/crosslane" || exit
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
      DEBIAN_FRONTEND=noninteractive "$@"
    exit' - "$newer/$1" "$top" "${@:2}"
}

install_debootstrap() {
  command -v debootstrap >/dev/null || [ -x /usr/sbin/debootstrap ] && return
  apt-get install -y -qq --no-install-recommends debootstrap
}
# An unfinished folder has another name.
prepare() { # FOLDER
  [ "$(cat "$newer/$1/packages" 2>/dev/null)" != "${packages[$1]}" ] || return 0
  echo "newer-drivers: preparing build/newer/$1"
  mkdir -p "$newer"
  if [ ! -d "$newer/$1" ]; then
    install_debootstrap || return
    rm -rf "$newer/$1.part"
    apart env PATH="/usr/sbin:$PATH" debootstrap --variant=minbase "${suite[$1]}" "$newer/$1.part" || return
    mv "$newer/$1.part" "$newer/$1" || return
  fi
  # Lists that cannot be renewed, as a mirror's that has stood still too long, are as debootstrap left them.
  # shellcheck disable=SC2086,SC2016 # a list; the inner shell's arguments
  inside "$1" sh -c 'dpkg --configure -a; apt-get update -qq; apt-get install -y -qq --no-install-recommends "$@"' - ${packages[$1]} &&
    echo "${packages[$1]}" | tee "$newer/$1/packages" >/dev/null
}
version() { # FOLDER PACKAGE
  # shellcheck disable=SC2016 # dpkg-query's variable
  inside "$1" dpkg-query -W -f '${Version}' "$2"
}

# ---- rows --------------------------------------------------------------------------------
row() { # NAME PASSED FAILED SKIPPED REMARK: since `began`
  echo "$1|$2|$3|$4|$((SECONDS - began))|$5" >>"$log/newer-table"
}

# At small sizes, and few kinds of elements, as compilers take most of the time; the self-test has more.
tests='context|lane|group|tile|scan_(segments|carry|calls)|reduce|select|merge|search|histogram|transform|grid|neighbors'
run_tests() { # NAME FOLDER DRIVER PACKAGE METHOD VARIABLE=VALUE...
  local name=$1 folder=$2 driver=$3 method=$5 file=$log/newer-$1 device result words
  device="$4 $(version "$folder" "$4")${5:+, $5}"
  shift 5
  inside "$folder" sh -c 'cmake -S /crosslane -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DXL_TOOL=ON \
    -DXL_TESTS=ON && cmake --build /build' >"$file" 2>&1 || {
    row "$name" 0 1 0 "does not build: build/log/newer-$name"
    return
  }
  local settings=("OCL_ICD_VENDORS=/etc/OpenCL/vendors/$driver.icd" CROSSLANE_TEST_SMALL=1 CROSSLANE_TEST_PROGRAMS=few
    "CROSSLANE_CACHE_DIR=/build/cache" "POCL_CACHE_DIR=/build/pocl$method" "$@")
  inside "$folder" env "${settings[@]}" ${method:+"POCL_WORK_GROUP_METHOD=$method"} \
    ctest --test-dir /build -V -j "$(nproc)" --timeout 1200 --no-tests=error -R "^($tests)_test\$" >>"$file" 2>&1
  result=$(awk -f ci/count.awk "$file")
  read -r -a words <<<"${result%%$'\n'*}"
  [ "${words[0]}" != 0 ] || words[1]=$((words[1] + 1))
  [ "${words[1]}" = 0 ] || echo "${result#*$'\n'}"
  row "$name" "${words[@]}" "$device"
  began=$SECONDS
  if inside "$folder" env "${settings[@]}" timeout 1200 /build/tools/crosslane selftest >"$file-selftest" 2>&1; then
    row "$name selftest" 1 0 0 "$(tail -n 1 "$file-selftest" | cut -c1-60)"
  else
    tail -n 3 "$file-selftest"
    row "$name selftest" 0 1 0 "build/log/newer-$name-selftest"
  fi
}

# The programs for waves of 32 and 64 lanes, and without lanes, as in ci/vendors.sh.
make_programs() { # TO
  local from way lanes to
  rm -rf "$1"
  for way in local:1 lanes:32 lanes:64; do
    lanes=${way#*:} to=$1/${way%:*}-${way#*:}
    mkdir -p "$to"
    for from in build/vendor-kernels/sources/rocm-gfx90a/[!c]*/*.cl; do
      [ -e "$from" ] || continue
      # A dump of a program that did not build begins with its log.
      sed -n "s/^\(#define XL_LANE_WAY\) [0-9]*\$/\1 $((lanes > 1 ? 3 : 0))/; s/^\(#define XL_LANES\) [0-9]*\$/\1 $lanes/
        /^#define XL_LANE_WAY/,\$p" "$from" >"$to/$(basename "$(dirname "$from")")-${from##*/}"
    done
  done
}
rocm() {
  local file=$log/newer-rocm gpu way failed=0 passed=0
  [ -d build/vendor-kernels/sources/rocm-gfx90a ] || {
    row rocm 0 0 1 "absent: no sources; run ci/vendors.sh --all first"
    return
  }
  make_programs "$top/build/newer-programs"
  inside rocm gcc -Wall -o /offline_programs /crosslane/test/vendors/offline_programs.c -lOpenCL >"$file" 2>&1 || {
    row rocm 0 1 0 "does not build: build/log/newer-rocm"
    return
  }
  inside rocm /offline_programs >>"$file"
  for gpu in gfx90a:64 gfx942:64 gfx1100:32; do
    for way in local-1 "lanes-${gpu#*:}"; do
      # shellcheck disable=SC2016 # the inner shell's variables
      inside rocm sh -c 'find /crosslane/build/newer-programs/$2 -name "*.cl" -print0 | sort -z |
        xargs -0 -n 16 -P "$3" /offline_programs "$1"' - "${gpu%:*}" "$way" "$(nproc)" >"$file-${gpu%:*}-${way%-*}" 2>&1
    done
  done
  passed=$(cat "$file"-gfx* | grep -c '^built')
  grep -h '^FAILED\|rror' "$file"-gfx* && failed=$(cat "$file"-gfx* | grep -c '^FAILED\|rror')
  [ "$passed" != 0 ] || failed=$((failed + 1))
  row rocm "$passed" "$failed" 0 "rocm-opencl-icd $(version rocm rocm-opencl-icd)"
}

bmg() {
  local file=$log/newer-bmg code
  ci/vendors.sh --bmg "$newer/sid" >"$file" 2>&1
  code=$?
  case $code in
    0) row bmg "$(sed -n '$s/ .*//p' "$file")" 0 0 "ocloc $(version sid intel-ocloc)" ;;
    77) row bmg 0 0 1 "absent: $(tail -n 1 "$file")" ;;
    *)
      head -n 20 "$file"
      row bmg 0 1 0 "build/log/newer-bmg"
      ;;
  esac
}

mkdir -p "$log"
rm -f "$log"/newer-*
command -v unshare >/dev/null || fail "needs unshare (util-linux)"

declare -A folder=([pocl-6]=trixie [pocl-7]=sid [rusticl]=sid [rocm]=rocm [bmg]=sid)
for name in $names; do
  [[ $only == *" $name "* ]] || continue
  began=$SECONDS
  if ! prepare "${folder[$name]}" >"$log/newer-prepare" 2>&1; then
    row "$name" 0 0 1 "absent: $(tail -n 1 "$log/newer-prepare" | cut -c1-60)"
    continue
  fi
  echo "newer-drivers: $name"
  began=$SECONDS
  case $name in
    pocl-6) run_tests pocl-6 trixie pocl pocl-opencl-icd '' CROSSLANE_DEVICE=portable: ;;
    # Its other method is wrong (docs/drivers.md); the self-test goes by that all the same.
    pocl-7) run_tests pocl-7 sid pocl pocl-opencl-icd cbs CROSSLANE_DEVICE=portable: ;;
    rusticl) run_tests rusticl sid rusticl mesa-opencl-icd '' CROSSLANE_DEVICE=rusticl: RUSTICL_ENABLE=llvmpipe ;;
    *) "$name" ;;
  esac
done

# The files that sudo wrote are the user's again.
chown -R --reference=ci "$log" build/vendor-kernels build/newer-programs 2>/dev/null
echo
awk -F'|' '
  BEGIN { print_row("driver", "passed", "failed", "skipped", "s", "") }
  function print_row(a, b, c, d, e, f) { printf "%-18s %6s %6s %7s %5s  %s\n", a, b, c, d, e, f }
  { print_row($1, $2, $3, $4, $5, $6); for (k = 2; k <= 4; ++k) sum[k] += $k }
  END { printf "\n%d passed, %d failed, %d skipped\n", sum[2], sum[3], sum[4]; exit sum[3] > 0 }' "$log/newer-table"
