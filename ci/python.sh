#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/python.sh [PYTEST OPTION...]
#
# Builds the wheel of python/, installs it in the virtual environment of ci/setup.sh (build/python), and runs
# its tests there. Lists the skipped tests and the package that each of them lacks, such as ASE, matscipy or
# freud. Exits with 77 if the environment is missing.
set -eu
cd "$(dirname "$0")/.."
python=build/python/bin/python
if ! $python -c 'import cffi, numpy, pyopencl, pytest, scikit_build_core, scipy' 2>/dev/null; then
  echo "python: build/python lacks packages (ci/setup.sh test)"
  exit 77
fi
$python -m pip install --quiet --no-build-isolation --no-deps --no-index -C build-dir="$PWD/build/python-wheel" ./python
$python -m pytest --quiet -rs "$@" python/tests
