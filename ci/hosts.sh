#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/hosts.sh [windows] [x86] [macos]
#
# Hosts that this machine is not, as far as its compilers go; without an argument all of them:
#   windows  MinGW-w64 compiles and links, against a made-up import library of OpenCL.dll, the
#            library as a DLL, the program, the reference, the tests' support; the DLL exports what
#            test/abi/symbols.txt lists. Nothing runs.
#   x86      gcc -m32 does so, but for the tests' support; then runs what needs no device: sizes of
#            chunks and scratch, compared with those of a 64-bit program, the layout of public
#            structures, and the program where there is no OpenCL platform.
#   macos    no more than what its headers have in common with those here: the sources compile as
#            C11 with POSIX 2008 alone, and with OpenCL 1.2's declarations alone.
# Exits with 77 where a compiler is missing, and says which. Files: build/hosts.
set -eu
cd "$(dirname "$0")/.."
hosts=build/hosts
jobs=${jobs:-$(nproc)}
mkdir -p $hosts/include
options=(-G Ninja -DXL_WERROR=ON -DXL_BENCH=OFF -DXL_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Debug
  -DCMAKE_C_FLAGS_DEBUG=-O0 "-DOpenCL_INCLUDE_DIR=$PWD/$hosts/include")

absent() { # WHAT
  echo "no $1 here"
  exit 77
}

# The headers of OpenCL, without the host's others; functions of OpenCL that anything here calls.
ln -sfn /usr/include/CL $hosts/include/CL
functions=$hosts/functions
grep -rhoE '\bcl[A-Z][A-Za-z]+\(' lib tools test/support test/cases | tr -d '(' | sort -u >$functions

windows() {
  command -v x86_64-w64-mingw32-gcc >/dev/null || absent "MinGW-w64"
  local here=$hosts/windows header
  mkdir -p $here/cmocka
  { printf 'LIBRARY OpenCL.dll\nEXPORTS\n' && cat $functions; } >$here/OpenCL.def
  x86_64-w64-mingw32-dlltool -d $here/OpenCL.def -l $here/libOpenCL.dll.a
  # cl_platform.h wants all of the processor's instructions there, and uses those of SSE2: to read
  # the declarations of all takes longer than the rest of a file.
  echo '#include <emmintrin.h>' >$hosts/include/intrin.h
  # Formats are C11's, as the tests write them; MinGW has another word for that.
  for header in /usr/include/cmocka*.h; do
    sed 's/__printf__/gnu_printf/' "$header" >"$here/cmocka/${header##*/}"
  done
  cmake -S . -B $here -DCMAKE_TOOLCHAIN_FILE=cmake/mingw.cmake "${options[@]}" -DXL_TESTS=ON \
    -DBUILD_SHARED_LIBS=ON "-DOpenCL_LIBRARY=$PWD/$here/libOpenCL.dll.a" \
    "-Dcmocka_include=$PWD/$here/cmocka" "-Dcmocka_library=$PWD/$here/none"
  cmake --build $here --parallel "$jobs" --target crosslane_tool xlt crosslane_reference
  rm -f $hosts/include/intrin.h
  x86_64-w64-mingw32-objdump -p $here/lib/libcrosslane.dll |
    sed -nE 's/^[[:space:]]+\[ *[0-9]+\] (\+base\[ *[0-9]+\] +[0-9a-f]+ )?(xl[a-z_]*)$/\2/p' | sort -u >$here/exports
  grep -v '^#' test/abi/symbols.txt | sort | diff - $here/exports
  echo "windows: $(wc -l <$here/exports) functions exported, as listed; compiled, not run"
}

x86() {
  if ! { echo 'int main(void) { return 0; }' | gcc -m32 -x c -o $hosts/runs-32 - &&
    $hosts/runs-32; } 2>/dev/null; then
    absent "compiler for 32-bit programs, or nothing that runs them"
  fi
  local here=$hosts/x86 name
  mkdir -p $here
  while read -r name; do
    case $name in
      clGetPlatformIDs) echo "int $name(void) { return -1001; }" ;; # there is no platform
      *) echo "int $name(void) { __builtin_trap(); }" ;;
    esac
  done <$functions >$here/opencl.c
  gcc -m32 -shared -fPIC -Wno-builtin-declaration-mismatch -o $here/libOpenCL.so $here/opencl.c
  cmake -S . -B $here "${options[@]}" -DCMAKE_C_FLAGS=-m32 -DXL_TESTS=OFF \
    "-DOpenCL_LIBRARY=$PWD/$here/libOpenCL.so"
  cmake --build $here --parallel "$jobs" --target crosslane_tool crosslane_reference
  sizes 32 -m32 $here/lib/libcrosslane.a "$PWD/$here/libOpenCL.so"
  $here/sizes-32
  sizes 64 -m64 build/werror/lib/libcrosslane.a -lOpenCL
  $here/sizes-32 --print >$here/sizes-32.txt
  $here/sizes-64 --print >$here/sizes-64.txt
  diff $here/sizes-32.txt $here/sizes-64.txt
  test/abi/layout.sh 32 gcc -m32 -isystem $hosts/include
  [ "$(wc -l <$here/sizes-32.txt)" -gt 1000 ]
  if $here/tools/crosslane devices >$here/devices 2>&1 || ! grep -q 'no OpenCL' $here/devices; then
    cat $here/devices
    return 1
  fi
  echo "x86: $(wc -l <$here/sizes-32.txt) sizes as those of a 64-bit program"
}

sizes() { # BITS FLAG LIBRARY...
  gcc "$2" -O1 -DCROSSLANE_STATIC -Iinclude -Ilib/{core,tune,ocl,plan,element,problem,scan,reduce,sort,top_k,select,merge,search,histogram,transform,grid} \
    -isystem $hosts/include test/unit/{sizes_test,shape_devices}.c "${@:3}" -Wl,-rpath,"$PWD/$hosts/x86" -pthread \
    -o "$hosts/x86/sizes-$1"
}

# Each file names the POSIX version that it needs; macOS stops at OpenCL 1.2.
macos() {
  local files
  mapfile -t files < <(find lib reference tools -name '*.c' ! -name '*_windows.c')
  gcc -std=c11 -fsyntax-only -Wall -Wextra -Werror -DCROSSLANE_BUILD -DCROSSLANE_STATIC \
    -DCL_TARGET_OPENCL_VERSION=120 -DCL_USE_DEPRECATED_OPENCL_1_1_APIS -Iinclude -Ilib -Ireference -Itest/cases -Itest/support \
    -Itools/{npy,common,neighbors,tune,workload} -Idrawing \
    -Ilib/{core,tune,ocl,plan,element,problem,scan,reduce,sort,top_k,select,merge,search,histogram,transform,grid} -isystem $hosts/include "${files[@]}"
  echo "macos: ${#files[@]} files are C11, POSIX 2008 and OpenCL 1.2; not compiled there"
}

[ $# -gt 0 ] || set -- windows x86 macos
for host; do
  case $host in
    windows | x86 | macos) ;;
    *) sed -n '3,17s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
done
for host; do
  "$host"
done
