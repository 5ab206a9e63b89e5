#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: packaging/debian.sh [--install | --chroot FOLDER] [COMMIT]
#
# Builds Debian packages of a commit (default: HEAD) from its release tarball into build/debian, and
# runs lintian, which must report no error. --install installs them on this machine, runs their
# autopkgtests here, and removes them; --chroot does that in a system of debootstrap, where they stay. Both need root.
# Exits with 77 if a program that it needs is missing. Debian: debhelper, lintian, autopkgtest.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD place='' commit=HEAD
while [ $# -gt 0 ]; do
  case $1 in
    --install) place=null && shift ;;
    --chroot) place="chroot $2" && shift 2 ;;
    -*) sed -n '3,9s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *) commit=$1 && shift ;;
  esac
done
for program in dpkg-buildpackage dh lintian ${place:+autopkgtest}; do
  command -v "$program" >/dev/null || { echo "no $program here" && exit 77; }
done
out=$top/build/debian
rm -rf "$out"
packaging/release.sh --out "$out/release" "$commit"
tarball=$(echo "$out"/release/crosslane-[0-9]*.tar.gz)
name=$(basename "$tarball" .tar.gz)
cp "$tarball" "$out/${name/-/_}.orig.tar.gz"
tar -xzf "$tarball" -C "$out"
cp -r "$out/$name/packaging/debian" "$out/$name/debian"
cd "$out/$name"
unset "${!CROSSLANE_@}" "${!CMAKE_@}" # a clean environment
dpkg-buildpackage --no-sign -j2 >"$out/build.log" 2>&1 || { tail -n 30 "$out/build.log" && exit 1; }
cd "$out"
lintian --fail-on error ./*.changes | tee lintian.log
if [ -n "$place" ]; then
  code=0
  # PoCL reads /proc and /sys, which other processes do not see mounted there.
  # shellcheck disable=SC2086,SC2016
  unshare --mount sh -c '
    if [ "$1" = chroot ]; then mount -t proc proc "$2/proc" && mount --rbind /sys "$2/sys"; fi
    exec autopkgtest --output-dir autopkgtest ./*.changes -- "$@"' sh $place || code=$?
  if [ "$place" = null ]; then
    apt-get purge -y -qq libcrosslane-dev libcrosslane0.1 crosslane-tools
  fi
  exit $code
fi
ls -l ./*.deb
