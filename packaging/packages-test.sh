#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: packaging/packages-test.sh
#
# Two release tarballs and amalgamations of HEAD, made with another clock, folder, umask, language and git
# setting, have the same bytes. A release with a URL refuses each placeholder. The library builds from the tarball, without git.
# Then packaging/amalgamation-test.sh tests the working tree.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
here=$PWD/build/packages
rm -rf "$here"
(umask 077 && packaging/release.sh --out "$here/one" >/dev/null) &
(cd / && umask 000 && sleep 1 && LC_ALL=C TZ=Asia/Tokyo GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=tar.umask GIT_CONFIG_VALUE_0=user \
  "$top/packaging/release.sh" --out "$here/two/deep" >/dev/null)
wait $!
diff "$here/one/SHA256SUMS" "$here/two/deep/SHA256SUMS"
(cd "$here/one" && sha256sum -c --quiet SHA256SUMS)

# The steps of CONTRIBUTING.md's checklist; then each forgotten once. In a clone, because a release is a commit.
release() { # [EXPRESSION]: a commit with each step done, except what this edits back
  git checkout -q --detach "$head"
  sed -i 's/@example\.org/@crosslane.net/; s/ UNRELEASED;/ unstable;/; s/ - unreleased$/ - 2026-12-01/' "${files[@]}"
  sed -i "${1:-}" "${files[@]}"
  git -c user.name=x -c user.email=x commit -q --allow-empty -am release
  packaging/release.sh --out "$here/released" --url https://crosslane.net/x.tar.gz
}
head=$(git rev-parse HEAD)
files=(CHANGELOG.md packaging/debian/control packaging/debian/changelog)
git clone -q . "$here/clone"
cd "$here/clone"
release >/dev/null
grep -q 'https://crosslane.net/x.tar.gz' "$here/released/recipes/spack/package.py"
for fault in 's/<.*@.*>/<x@example.org>/' 's/) [a-z]*;/) UNRELEASED;/' 's/^\(## .* - \)[0-9-]*$/\1unreleased/'; do
  if release "$fault" 2>"$here/refused"; then
    exit 1
  fi
  grep -q '^--url: ' "$here/refused"
done
cd "$top"

mkdir "$here/source"
tar -xzf "$here"/one/crosslane-[0-9]*.tar.gz --strip-components=1 -C "$here/source"
cmake -S "$here/source" -B "$here/build" -G Ninja -DXL_TESTS=OFF -DXL_BENCH=OFF -DXL_EXAMPLES=OFF -DXL_WERROR=ON \
  -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache || true)"
cmake --build "$here/build" --parallel "$(nproc)"
cmake --install "$here/build" --prefix "$here/prefix"
"$here/prefix/bin/crosslane" version
if grep -rE '@(version|url|sha256|sha512)@' "$here/one/recipes"; then
  exit 1
fi
packaging/amalgamation-test.sh
