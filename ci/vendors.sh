#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/vendors.sh [--all] [--update]
#        ci/vendors.sh --bmg ROOT [--update]
#        ci/vendors.sh --sources FOLDER...
#
# Compiles kernels for GPUs of AMD and Intel that need not be here, as the library would build them
# there, and compares the compilers' reports with test/vendors/vendors.tsv: registers, scratch
# memory, spills, local memory. Nothing is run.
#
#   (none)     the main programs of each primitive, every target: 90 s of a processor
#   --all      the other forms too, for gfx90a, gfx1100, dg2 and pvc, and the table has no rows
#              beside; three times as long
#   --update   writes the table anew, of all forms (as --all), instead of comparing
#   --bmg      by hand, as the ocloc of build/ocloc does not know that GPU: compiles for it with a newer
#              one, of the system whose root folder ROOT is (ci/newer-drivers.sh makes such), what
#              --all left there for Intel's GPUs, and compares the report with the table's rows of bmg
#   --sources  prints the rows of the *.cl files in these folders, to try a change: a folder is
#              one that an earlier run left, in build/vendor-kernels/sources/PROFILE/FORM
#
# The sources come from test/vendors, a layer on top of Intel's CPU runtime that reports the properties
# of GPUs under ROCm and under Intel's driver. For AMD clang with ROCm's device libraries compiles them,
# without lanes and with them; for Intel ocloc, which ci/setup.sh has put into build/ocloc. Exits with 77 and says so if a compiler is missing, or
# if its version is not the table's.
#
# A kernel fails the comparison if it is not in the table, if it has more scratch memory or spills
# than there, if it has any and no line of test/vendors/vendors-reasons.txt says why, or if it takes more
# registers than the table says and a slack of 12, or 1 in 8.
set -u
cd "$(dirname "$0")/.." || exit
top=$PWD
out=$top/build/vendor-kernels
jobs=${VENDOR_JOBS:-$(nproc)}
export ocloc=$top/build/ocloc bitcode=$out/bitcode
export ocloc_command=$ocloc/usr/bin/ocloc ocloc_loader=

absent() {
  echo "$*"
  exit 77
}

# ---- targets ---------------------------------------------------------------------------
# AMD: name, processor, work-items of a wave, and `main` if every form is compiled for it, not the
# main ones alone. Work-groups stay on one compute unit (-mcumode), as ROCm's OpenCL has it.
amd_targets='gfx906    gfx906  64 few
gfx90a    gfx90a  64 main
gfx942    gfx942  64 few
gfx1030   gfx1030 32 few
gfx1100   gfx1100 32 main
gfx1100w64 gfx1100 64 few'
# Intel: name, the row of vendor_facts.c that has the facts, the dialect that this ocloc takes.
intel_targets='tgllp neo      CL3.0 few
dg2   neo      CL3.0 main
pvc   neo-fp64 CL2.0 main'

# By hand (--bmg).
bmg_target='bmg neo-fp64 CL3.0 main'

# ---- the compilers -----------------------------------------------------------------------
find_clang() {
  for clang in clang-19 clang-18 clang-17 clang-16; do
    command -v $clang >/dev/null && return
  done
  absent "no clang 16 to 19"
}

# ROCm's device libraries of Debian 12 know neither gfx942 nor gfx1100: the one number that makes
# the difference is written here.
make_bitcode() {
  local folder=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode version
  [ -e $folder/ockl.bc ] || absent "no rocm-device-libs"
  mkdir -p "$bitcode"
  ln -sf $folder/*.bc "$bitcode"
  for version in 942:9402 1100:11000; do
    [ ! -e "$bitcode/oclc_isa_version_${version%:*}.bc" ] || continue
    echo "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 ${version#*:}, align 4" |
      $clang -w -x ir --target=amdgcn-amd-amdhsa -nogpulib -c -emit-llvm \
        -o "$bitcode/oclc_isa_version_${version%:*}.bc" -
  done
}

# The sources of all profiles, in $out/sources/PROFILE/FORM/PROGRAM-HASH.cl.
make_sources() { # [all]
  local profile loader lib=$top/build/intel/lib tests=$top/build/werror/test/vendors
  loader=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')
  rm -rf "$out/sources"
  for profile in rocm-gfx90a neo neo-fp64; do
    env XLT_VENDOR=$profile XLT_VENDOR_FAST=1 "OPENCL_LAYERS=$tests/libxlt_vendors.so" \
      "OCL_ICD_VENDORS=$lib/libintelocl.so" "LD_LIBRARY_PATH=$lib" "LD_PRELOAD=$loader" \
      CROSSLANE_DEVICE=gpu "$tests/vendor_programs" "$out/sources/$profile" "$@" || return
  done
}

# ---- one compilation ---------------------------------------------------------------------
# Both print rows: form, program, kernel, target, way, registers, scalar registers, scratch bytes,
# spills, bytes of local memory. For AMD the registers are a work-item's and a wave's, spills are
# registers of both kinds; of Intel they are a thread's, as scalars stands the sub-group size,
# scratch is private memory, and spills are bytes of a thread, in powers of two.
row_name() { # FILE
  local program
  program=$(basename "$1" .cl)
  printf '%s\t%s' "$(basename "$(dirname "$1")")" "${program%-*}"
}
compile_amd() { # FILE NAME PROCESSOR WAVE WAY
  local file=$1 options=() base
  base=$(mktemp -d)
  [[ $3 != gfx1* ]] || options+=(-mcumode)
  [[ $3 != gfx1* || $4 = 32 ]] || options+=(-mwavefrontsize64)
  cp "$file" "$base/x.cl"
  [ "$5" = local ] || sed -i "s/^#define XL_LANE_WAY 0$/#define XL_LANE_WAY 3/
    s/^#define XL_LANES 1$/#define XL_LANES $4/" "$base/x.cl"
  if ! $clang -w -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa "-mcpu=$3" \
    "--rocm-device-lib-path=$bitcode" -mcode-object-version=5 -O3 -mllvm -amdgpu-internalize-symbols \
    "${options[@]}" -S -o "$base/x.s" "$base/x.cl" 2>"$base/log"; then
    echo "FAILED $file for $2, $5: $(grep -m 1 error "$base/log")"
  else
    awk -v name="$(row_name "$file")" -v target="$2" -v way="$5" -v OFS='\t' '
      $1 == ".group_segment_fixed_size:" { local_bytes = $2 }
      $1 == ".name:" && $2 ~ /^xl_/ { kernel = $2 }
      $1 == ".private_segment_fixed_size:" { scratch = $2 }
      $1 == ".sgpr_count:" { scalars = $2 }
      $1 == ".sgpr_spill_count:" { spills = $2 }
      $1 == ".vgpr_count:" { registers = $2 }
      $1 == ".vgpr_spill_count:" {
        print name, kernel, target, way, registers, scalars, scratch, spills + $2, local_bytes
      }' "$base/x.s"
  fi
  rm -rf "$base"
}
intel_rows() { # SOURCE NAME TARGET DIALECT: of one binary; 1 if it does not compile
  local base=$1.out
  mkdir "$base"
  # A newer system's program needs that system's loader.
  LD_LIBRARY_PATH=${ocloc_loader:+$ocloc/lib/x86_64-linux-gnu:}$ocloc/usr/lib/x86_64-linux-gnu \
    ${ocloc_loader:+"$ocloc_loader"} "$ocloc_command" compile -q -file "$1" \
    -device "$3" -options "-cl-std=$4 -w" -internal_options -cl-intel-allow-zebin -output x \
    -output_no_suffix -out_dir "$base" >"$base/log" 2>&1 || return
  [ ! -e "$base/x.bin" ] || mv "$base/x.bin" "$base/x" # as newer ones name it
  # The part .ze_info of the binary is text.
  strings -n 2 "$base/x" | awk -v name="$2" -v target="$3" -v OFS='\t' '
    # Where a function is called, the binary has a table of symbols, too, which looks like a kernel.
    function flush() { if (kernel && kernel !~ /^Intel_/) print name, kernel, target, "khr", registers, width, scratch, spills, bytes }
    $1 == "kernels:" { on = 1 }
    !on { next }
    /^  - name:/ { flush(); kernel = $3; registers = width = scratch = spills = bytes = 0 }
    $1 == "grf_count:" { registers = $2 }
    $1 == "simd_size:" { width = $2 }
    $1 == "slm_size:" { bytes = $2 }
    $1 == "-" && $2 == "type:" { usage = "" }
    $1 == "usage:" { usage = $2 }
    $1 == "size:" && usage ~ /private_space/ { scratch += $2 }
    $1 == "size:" && usage ~ /spill_fill_space|single_space/ { spills += $2 }
    $1 == "size:" { usage = "" }
    /^[a-z]/ && $1 != "kernels:" { flush(); kernel = "" ; on = 0 }
    END { flush() }'
}
# A program whose kernels require a sub-group size is compiled as the library would do it on the
# device (lib/ocl/program_get.c): for 16, 32 and 8, until none of them spills; else the least counts.
compile_intel() { # FILE NAME DIALECT
  local base name width spills least=
  base=$(mktemp -d)
  name=$(row_name "$1")
  for width in 16 32 8; do
    sed "s/intel_reqd_sub_group_size(16)/intel_reqd_sub_group_size($width)/" "$1" >"$base/$width.cl"
    intel_rows "$base/$width.cl" "$name" "$2" "$3" >"$base/rows" || continue
    spills=$(awk -F'\t' '{ sum += $(NF - 1) } END { print sum + 0 }' "$base/rows")
    if [ -z "$least" ] || [ "$spills" -lt "$least" ]; then
      least=$spills
      mv "$base/rows" "$base/best"
    fi
    if [ "$least" = 0 ] || ! grep -q 'intel_reqd_sub_group_size(16)' "$1"; then
      break
    fi
  done
  if [ -n "$least" ]; then
    cat "$base/best"
  else
    echo "FAILED $1 for $2: $(grep -m 1 error "$base"/*.out/log)"
  fi
  rm -rf "$base"
}
export -f compile_amd compile_intel intel_rows row_name

# ---- all of them -------------------------------------------------------------------------
main_forms=' scan-u32 scan-f32 scan-f32-flags scan-u32-two-pass scan-f32-reproducible reduce-f32 reduce-f32-offsets sort-u32-values grid neighbors nearest-16 morton-63 '
ways='local lanes'
commands() { # FOLDER...: a command a line for each of their files
  local folder file name processor wave which facts dialect way
  for folder; do
    folder=${folder%/}
    for file in "$folder"/*.cl; do
      case ${file##*/} in probe-* | type_size-* | '*.cl') continue ;; esac
      if [[ $folder != *rocm* ]]; then
        while read -r name facts dialect which; do
          [[ $folder == */"$facts"/* ]] || continue
          [[ $which = main || $main_forms = *" ${folder##*/} "* ]] || continue
          echo "compile_intel $file $name $dialect"
        done <<<"$intel_targets"
        continue
      fi
      while read -r name processor wave which; do
        [[ $which = main || $main_forms = *" ${folder##*/} "* ]] || continue
        for way in $ways; do
          echo "compile_amd $file $name $processor $wave $way"
        done
      done <<<"$amd_targets"
    done
  done
}
compile() { # FOLDER...: their rows, in order
  export clang
  # shellcheck disable=SC2016 # each line is a command, which that shell runs
  commands "$@" | tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 bash -c '$0' >"$out/rows${bmg_only:-}"
  LC_ALL=C sort "$out/rows${bmg_only:-}"
}

# The table as rows that compile() prints: those of bmg, or all others.
table_rows() { # bmg | others
  awk -F'\t' -v OFS='\t' -v wanted="$1" '
    /^#/ { next }
    $1 == "form" { for (i = 4; i <= NF; ++i) { target[i] = $i; sub("/", OFS, target[i]) } next }
    {
      for (i = 4; i <= NF; ++i) {
        if ($i == "-" || (target[i] ~ /^bmg\t/) != (wanted == "bmg")) continue
        gsub("/", OFS, $i)
        print $1, $2, $3, target[i], $i
      }
    }' test/vendors/vendors.tsv
}
# Writes the table: comments, the names of the columns, then a line for each kernel.
write_table() { # COMPILERS COMPILERS-OF-BMG ROWS...
  local compilers=$1 of_bmg=$2
  shift 2
  LC_ALL=C sort "$@" >"$out/all"
  {
    echo "# Resources of kernels, made by ci/vendors.sh --update: $compilers"
    echo "# bmg by hand, by ci/vendors.sh --bmg: $of_bmg"
    echo "# A column is a target and a way. A cell: registers, scalar registers (Intel: sub-group"
    echo "# size), scratch bytes, spills, local bytes; - where the kernel is not compiled."
    awk -F'\t' -v columns="$(cut -f4,5 "$out/all" | LC_ALL=C sort -u | tr '\t\n' '/ ')" '
      function print_kernel() {
        for (i = 1; i <= count; ++i) kernel = kernel FS (column[i] in cell ? cell[column[i]] : "-")
        print kernel
        split("", cell)
      }
      BEGIN {
        kernel = "form" FS "program" FS "kernel"
        count = split(columns, column, " ")
        for (i = 1; i <= count; ++i) cell[column[i]] = column[i]
      }
      $1 FS $2 FS $3 != name { print_kernel(); kernel = name = $1 FS $2 FS $3 }
      { cell[$4 "/" $5] = $6 "/" $7 "/" $8 "/" $9 "/" $10 }
      END { print_kernel() }' "$out/all"
  } >test/vendors/vendors.tsv
}
# Compares rows with the table; prints the faults.
compare() { # ROWS [-v VARIABLE=VALUE]...
  local rows=$1 part=others
  shift
  [[ $* != *only=bmg* ]] || part=bmg
  table_rows $part >"$out/was-$part"
  awk "$@" -f ci/vendors.awk file=1 test/vendors/vendors-reasons.txt file=2 "$out/was-$part" file=3 "$rows"
}
compilers_of() { # TEXT: the rest of that comment of the table
  sed -n "s/^# $1: //p" test/vendors/vendors.tsv
}

bmg() { # ROOT [--update]
  local version
  ocloc_command=$(find "$1/usr/bin" -name 'ocloc-*' | tail -n 1) # `ocloc` is a link of that system
  [ -n "$ocloc_command" ] || absent "no ocloc in $1"
  [ -d "$out/sources/neo-fp64" ] || absent "no sources: run ci/vendors.sh --all first"
  ocloc=$1 intel_targets=$bmg_target bmg_only=-bmg
  ocloc_loader=$1/lib64/ld-linux-x86-64.so.2
  version=$(sed -n '/^Package: intel-ocloc$/,/^$/s/^Version: //p' "$1/var/lib/dpkg/status")
  compile "$out"/sources/neo-fp64/[!c]*/ >"$out/table-bmg"
  ! grep FAILED "$out/table-bmg" || return
  if [ "${2:-}" = --update ]; then
    table_rows others >"$out/others"
    write_table "$(compilers_of 'Resources of kernels.*--update')" "ocloc $version, $(LC_ALL=C date '+%B %Y')" "$out/others" "$out/table-bmg"
  fi
  compare "$out/table-bmg" -v all=yes -v only=bmg
}

all=no update=no
case "$*" in
  '') ;;
  --all) all=yes ;;
  --update | '--all --update') all=yes update=yes ;;
  --sources\ * | --bmg\ *) ;;
  *) sed -n '3,30s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
mkdir -p "$out"
if [ "${1:-}" = --bmg ]; then
  shift
  bmg "$@"
  exit
fi
find_clang
[ -e "$ocloc/version" ] || absent "no ocloc in build/ocloc"
make_bitcode
if [ "${1:-}" = --sources ]; then
  shift
  compile "$@"
  exit
fi
[ -e build/intel/lib/libintelocl.so ] || absent "no runtime of Intel in build/intel"
[ -x build/werror/test/vendors/vendor_programs ] || absent "build/werror has no vendor_programs: build it first"
for variable in "${!CROSSLANE_@}"; do
  unset "$variable"
done
if [ $all = yes ]; then
  make_sources all || exit
else
  make_sources || exit
fi
compile "$out"/sources/{rocm-gfx90a,neo,neo-fp64}/[!c]*/ >"$out/table"
if grep FAILED "$out/table"; then
  exit 1
fi
compilers="$($clang --version | sed -n '1s/^.*version \([0-9.]*\).*/clang \1/p'), ocloc $(cat "$ocloc/version")"
if [ $update = yes ]; then
  table_rows bmg >"$out/bmg"
  write_table "$compilers" "$(compilers_of 'bmg by hand.*--bmg')" "$out/table" "$out/bmg"
fi
if ! grep -q ": $compilers\$" test/vendors/vendors.tsv; then
  absent "the compilers of the table: $(wc -l <"$out/table") kernels compiled, not compared, by $compilers"
fi
compare "$out/table" -v all=$all
