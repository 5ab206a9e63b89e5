#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/format.sh [--check]
#
# Formats every C, C++ and OpenCL C file with clang-format 14, or, with --check,
# names those that are not formatted. Exits with 77 where there is no such tool.
set -eu
cd "$(dirname "$0")/.."

tool=
for name in clang-format-14 clang-format; do
  if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then
    tool=$name
    break
  fi
done
if [ -z "$tool" ]; then
  echo "format: clang-format 14 is not installed (other versions format differently)" >&2
  exit 77
fi

mapfile -t files < <(find cl drawing examples include lib mpi reference test tools -type f \
  \( -name '*.c' -o -name '*.h' -o -name '*.cl' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) | sort)
if [ "${1:-}" = --check ]; then
  "$tool" --dry-run --Werror "${files[@]}"
else
  "$tool" -i "${files[@]}"
fi
