#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: packaging/debian.sh [--install | --chroot FOLDER] [COMMIT | TARBALL]
#
# Builds Debian packages of a commit (default: HEAD) or of a release tarball into build/debian, and
# runs lintian, which must report no error. --install installs them on this machine, runs their
# autopkgtests here, and removes them; --chroot does that in a system of debootstrap, where they stay. Both need root.
# Exits with 77 if a program is missing; install them by apt-get install git lintian autopkgtest and
# apt-get build-dep ./packaging.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")/.."
top=$PWD place='' commit=HEAD tarball=''
while [ $# -gt 0 ]; do
  case $1 in
    --install) place=null && shift ;;
    --chroot) place="chroot $2" && shift 2 ;;
    -*) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *.tar.gz) tarball=$(cd "$caller" && realpath "$1") && shift ;;
    *) commit=$1 && shift ;;
  esac
done
for program in dpkg-buildpackage dh lintian ${place:+autopkgtest}; do
  command -v "$program" >/dev/null || { echo "no $program here" && exit 77; }
done
out=$top/build/debian
if [ -z "$tarball" ]; then
  git rev-parse --verify --quiet "$commit^{commit}" >/dev/null || {
    echo "debian.sh: $commit: not a commit of a git repository; give the release tarball: packaging/debian.sh TARBALL" >&2
    exit 1
  }
  packaging/release.sh --out "$top/build/debian-release" "$commit"
  tarball=$(echo "$top"/build/debian-release/crosslane-[0-9]*.tar.gz)
fi
rm -rf "$out"
mkdir -p "$out"
name=$(basename "$tarball" .tar.gz)
cp "$tarball" "$out/${name/-/_}.orig.tar.gz"
tar -xzf "$tarball" -C "$out"
cp -r "$out/$name/packaging/debian" "$out/$name/debian"
cd "$out/$name"
unset "${!CROSSLANE_@}" "${!CMAKE_@}" # a clean environment
export DEB_BUILD_OPTIONS="noautodbgsym ${DEB_BUILD_OPTIONS:-}"
dpkg-buildpackage --no-sign -j2 >"$out/build.log" 2>&1 || { tail -n 30 "$out/build.log" && exit 1; }
cd "$out"
lintian --fail-on error ./*.changes | tee lintian.log
case $place in
  null)
    code=0
    autopkgtest --output-dir autopkgtest ./*.changes -- null || code=$?
    apt-get purge -y -qq libcrosslane-dev libcrosslane0.1 crosslane-tools || true # absent if they could not be installed
    exit $code
    ;;
  chroot*)
    # PoCL reads /proc and /sys, which other processes do not see mounted there.
    # shellcheck disable=SC2016
    exec unshare --mount sh -c '
      mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
        exec autopkgtest --output-dir autopkgtest ./*.changes -- chroot "$1"' sh "${place#chroot }"
    ;;
esac
ls -l ./*.deb
