#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/setup.sh build|test
#
# The one place that installs anything, on Debian 12, Ubuntu 24.04 and their kin:
#   build  a C compiler, CMake, Ninja, the OpenCL loader and headers, PoCL, libpng
#   test   that, cmocka, and whatever else there is to test with: more OpenCL
#          implementations, a simulator, static checks, peers for the benchmark,
#          compilers for other hosts
# Needs no network and no rights for packages that are installed. Packages of the second
# half of `test` that cannot be had are left out; ci/test.sh then reports them as absent.
set -eu
cd "$(dirname "$0")/.."

build_packages=(gcc libc6-dev cmake ninja-build ocl-icd-opencl-dev opencl-headers
  pocl-opencl-icd libpng-dev)
test_packages=(g++ libcmocka-dev pkg-config binutils)
extra_packages=(mesa-opencl-icd oclgrind clang clang-format-14 clang-tidy cppcheck shellcheck
  spin python3-venv jq gnuplot-nox libtbb-dev libboost-dev libnanoflann-dev gcc-mingw-w64-x86-64 gcc-multilib
  clang-19 rocm-device-libs mandoc groff debhelper lintian autopkgtest python3-yaml python3-jinja2
  gfortran libopenmpi-dev openmpi-bin libmpich-dev mpich opencl-clhpp-headers doxygen python3-sphinx python3-breathe python3-myst-parser furo)
intel_packages=(intel-opencl-rt intel-cmplr-lib-rt)
# Intel's compiler for GPUs, and the libraries that it needs beside clang 14; Debian 12's.
ocloc_packages=(intel-opencl-icd libigc1 libigdfcl1 libigdgmm12 libopencl-clang14 libllvmspirvlib14)

missing() { # PACKAGE...: those that are not installed
  local package
  for package; do
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: .* installed$' || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

updated=no
apt() { # PACKAGE...: installs them
  if [ $updated = no ]; then
    as_root apt-get update -qq >build/apt.log 2>&1 ||
      echo "setup: the package lists could not be renewed, using the old ones"
    updated=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" \
    >>build/apt.log 2>&1
}

need() { # PACKAGE...: all of them, or an error
  local packages
  mapfile -t packages < <(missing "$@")
  [ ${#packages[@]} -gt 0 ] || return 0
  echo "setup: installing ${packages[*]}"
  if ! apt "${packages[@]}"; then
    tail -n 5 build/apt.log
    echo "setup: these packages are needed, and installing them takes root rights or sudo" >&2
    exit 1
  fi
}

want() { # PACKAGE...: each that can be had
  local package
  for package in $(missing "$@"); do
    echo "setup: installing $package"
    apt "$package" || echo "setup: $package is not to be had here"
  done
}

intel_runtime() { # Intel's CPU runtime, from the Python package index
  [ ! -e build/intel/lib/libintelocl.so ] || return 0
  echo "setup: installing ${intel_packages[*]} into build/intel"
  if ! { python3 -m venv build/intel &&
    build/intel/bin/pip install --quiet --retries 1 "${intel_packages[@]}"; } >build/pip.log 2>&1; then
    echo "setup: Intel's CPU runtime is not to be had here (build/pip.log)"
  fi
}

python_packages() { # for the tests of python/; the last ones only for comparison
  [ ! -x build/python/bin/pytest ] || return 0
  echo "setup: installing packages for python/ into build/python"
  if ! { python3 -m venv build/python &&
    build/python/bin/pip install --quiet --retries 1 cffi numpy pyopencl scikit-build-core scipy pytest &&
    for package in ase matscipy freud-analysis vesin; do
      build/python/bin/pip install --quiet --retries 1 $package || echo "setup: $package is not to be had here"
    done; } >>build/pip.log 2>&1; then
    echo "setup: packages for python/ are not to be had here (build/pip.log)"
  fi
}

# Unpacked, not installed: the loader would find one more driver, for every test.
ocloc() {
  local folder=build/ocloc package
  [ ! -e $folder/version ] || return 0
  echo "setup: unpacking ${ocloc_packages[*]} into $folder"
  rm -rf $folder
  mkdir -p $folder/packages
  if (cd $folder/packages && apt-get download -qq "${ocloc_packages[@]}") >build/ocloc.log 2>&1; then
    for package in "$folder"/packages/*.deb; do
      dpkg -x "$package" $folder
    done
    LD_LIBRARY_PATH=$folder/usr/lib/x86_64-linux-gnu ldd $folder/usr/lib/x86_64-linux-gnu/lib{ocloc.so,igc.so.1,igdfcl.so.1} \
      >>build/ocloc.log 2>&1 && ! grep 'not found' build/ocloc.log &&
      dpkg-deb -f $folder/packages/intel-opencl-icd_*.deb Version >$folder/version && return
  fi
  echo "setup: Intel's compiler for GPUs is not to be had here (build/ocloc.log)"
}

case ${1:-} in
  build | test) ;;
  *)
    sed -n '3,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
mkdir -p build
if ! command -v dpkg >/dev/null; then
  echo "setup: no Debian or Ubuntu; please install the counterparts of ${build_packages[*]}" \
    "and, for tests, of ${test_packages[*]}"
  exit 0
fi
need "${build_packages[@]}"
if [ "$1" = test ]; then
  need "${test_packages[@]}"
  want "${extra_packages[@]}"
  intel_runtime
  python_packages
  ocloc
fi
