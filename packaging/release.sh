#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: packaging/release.sh [--out FOLDER] [--url URL] [COMMIT]
#
# Makes of a commit (default: HEAD) the release tarball crosslane-X.Y.Z.tar.gz, whose bytes depend on
# the commit alone; the amalgamation crosslane-amalgamation-X.Y.Z.tar.gz; SHA256SUMS; and the
# recipes for Spack, conda and vcpkg, filled with the version, the checksums and the address of the
# tarball. URL: where the tarball will be (default: the file itself); requires that the commit has no
# placeholder of the maintainer's address or the date. FOLDER: default build/release.
set -euo pipefail
umask 022
top=$(cd "$(dirname "$0")/.." && pwd)
out=$top/build/release url='' commit=HEAD
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2 && shift 2 ;;
    --url) url=$2 && shift 2 ;;
    -*) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    *) commit=$1 && shift ;;
  esac
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$top"
header=$(git show "$commit:include/crosslane/version.h")
part() { # NAME
  sed -n "s/^#define XL_VERSION_$1 \([0-9]*\)$/\1/p" <<<"$header"
}
version=$(part MAJOR).$(part MINOR).$(part PATCH)
name=crosslane-$version

for place in CITATION.cff:"version: $version" CHANGELOG.md:"## [$version] - " packaging/debian/changelog:"crosslane ($version-"; do
  git show "$commit:${place%%:*}" | grep -qF "${place#*:}" || { echo "${place%%:*}: the version must be $version" >&2 && exit 1; }
done

# The maintainer's address is in two files.
maintainer=$(git show "$commit:packaging/debian/control" | sed -n 's/^Maintainer: //p')
git show "$commit:packaging/debian/changelog" | grep -m 1 '^ -- ' | grep -qF " -- $maintainer  " ||
  { echo "packaging/debian/changelog: the maintainer must be $maintainer, as in packaging/debian/control" >&2 && exit 1; }
if [ -n "$url" ] && git grep -niE '@example\.|unreleased' "$commit" -- CHANGELOG.md packaging/debian/control packaging/debian/changelog >&2; then
  echo "--url: requires an address, a date and a distribution in these lines" >&2
  exit 1
fi

# git writes the times of the commit and fixed owners; tar.umask overrides the user's setting.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" | gzip -9n >"$out/$name.tar.gz"

# The amalgamation comes from the tarball, not from the working tree.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$out/$name.tar.gz" -C "$work"
amalgamation=crosslane-amalgamation-$version
"$work/$name/packaging/amalgamate.py" "$work/$amalgamation"
# By git, too: versions of tar differ in unused fields.
git -c tar.umask=0022 archive --format=tar --prefix="$amalgamation/" --add-file="$work/$amalgamation/crosslane.c" \
  --add-file="$work/$amalgamation/crosslane.h" "$commit" LICENSE | gzip -9n >"$out/$amalgamation.tar.gz"
(cd "$out" && sha256sum "$name.tar.gz" "$amalgamation.tar.gz" >SHA256SUMS)

sha256=$(sha256sum <"$out/$name.tar.gz")
sha512=$(sha512sum <"$out/$name.tar.gz")
rm -rf "$out/recipes"
for recipe in spack conda vcpkg; do
  mkdir -p "$out/recipes/$recipe"
  for template in "$work/$name/packaging/$recipe"/*; do
    sed -e "s|@version@|$version|g" -e "s|@url@|${url:-file://$out/$name.tar.gz}|g" \
      -e "s|@sha256@|${sha256%% *}|g" -e "s|@sha512@|${sha512%% *}|g" \
      "$template" >"$out/recipes/$recipe/${template##*/}"
  done
done
cat "$out/SHA256SUMS"
