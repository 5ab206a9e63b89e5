#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/site.sh [OUT]
#
# Builds the documentation site into the folder OUT (build/site), which works without a server. Any warning
# of doxygen or Sphinx, dead link, or function without an entry is an error. Exits with 77 if a package is missing.
set -eu
out=$(realpath -m "${1:-build/site}")
cd "$(dirname "$0")/.."
# Another Python than the system's does not see the packages of the system.
for python in python3 /usr/bin/python3 none; do
  ! $python -c 'import breathe, furo, myst_parser, sphinx' 2>/dev/null || break
done
if ! command -v doxygen >/dev/null || [ "$python" = none ]; then
  echo "absent: doxygen, Sphinx, Breathe, MyST or Furo"
  exit 77
fi
work=$PWD/build/site-files
rm -rf "$work" "$out"
mkdir -p "$work/pages"
{ cat site/doxygen.conf && echo "OUTPUT_DIRECTORY = $work"; } | doxygen -
$python site/pages.py "$work/pages"
# The figure from the results of the benchmark; without gnuplot or jq the one that is there.
ci/compare.sh --only sort --case "u32 keys" --times --all --plot "$work/pages/docs/sort-h200.svg" \
  docs/sort-h200.json docs/sort-h200-cub.json >"$work/figure.log" || [ $? = 77 ]
CROSSLANE_SITE_XML=$work/xml $python -m sphinx -q -W --keep-going -c site -d "$work/doctrees" "$work/pages" "$out"
rm -r "$out/.buildinfo"
$python site/check.py "$out"
