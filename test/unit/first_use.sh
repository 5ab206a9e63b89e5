#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: first_use.sh PROGRAM
#
# Runs `first_use` in many processes: with each driver alone that has the device of
# CROSSLANE_DEVICE, and with all drivers. The loader asks a driver that is alone for its devices
# only when the program does, and several drivers while it loads them. Exit status 77 if no driver
# has the device.
set -u
program=$1
threads=16
runs=50
seconds=7 # for all runs with one set of drivers

fail() {
  echo "$1"
  exit 1
}

tried=0
try() { # DRIVERS [VARIABLE=VALUE]
  local drivers=$1 run status end=$((SECONDS + seconds))
  shift
  env "$@" "$program" 1
  status=$?
  [ $status = 77 ] && return
  [ $status = 0 ] || fail "$drivers: one thread: exit status $status"
  for ((run = 0; run < runs && SECONDS < end; ++run)); do
    env "$@" "$program" $threads
    status=$?
    [ $status = 0 ] || fail "$drivers: run $run: exit status $status"
  done
  echo "$drivers: $run runs of $threads threads"
  tried=$((tried + 1))
}

case ${OCL_ICD_VENDORS:+chosen}${OCL_ICD_FILENAMES:+added}${LD_PRELOAD:-} in
  chosen* | *oclgrind*) ;; # it is alone as it is
  added*) try "$OCL_ICD_FILENAMES alone" OCL_ICD_VENDORS=/var/empty ;;
  *)
    for icd in /etc/OpenCL/vendors/*.icd; do
      [ -e "$icd" ] && try "$icd alone" "OCL_ICD_VENDORS=$icd"
    done
    ;;
esac
runs=10
try "drivers as the environment has them" LC_ALL=C
[ $tried -gt 0 ] || exit 77
