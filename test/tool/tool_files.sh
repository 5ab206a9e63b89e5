#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: tool_files.sh PART PROGRAM ORACLE DATA_FOLDER VERSION CALLS
# Names, files and streams with any content. CALLS is tool_calls.c.
# shellcheck disable=SC2086,SC2317 # words without blanks; parts are called by name
# shellcheck source-path=SCRIPTDIR source=tool_support.sh
. "$(dirname "$0")/tool_support.sh"
export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS:-} # CALLS comes before it

same() { # FILE FILE
  cmp -s "$1" "$2" || fail "$1 differs from $2"
}

# rights FILE WANTED: owner, group and bits.
rights() {
  [ "$(stat -c %u:%g:%a "$1")" = "$2" ] || fail "rights $(stat -c %u:%g:%a "$1"), not $2: $1"
}

only_in_out() { # NAME...
  [ "$(ls -A out)" = "$(printf '%s\n' "$@")" ] || fail "in out: $(ls -A out)"
}

prepare() {
  "$oracle" make u4 1000 in.npy
  "$oracle" make u4 1000 values.npy
  runs "$crosslane" scan in.npy want.npy
  runs "$crosslane" sort in.npy sorted.npy --values values.npy moved.npy
}

# ---- rights ----

# An ordinary user, also where this one may do everything.
as_user() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  else
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  fi
}

read_only() {
  local program=./program
  cp "$crosslane" $program
  chmod 755 . $program
  mkdir cache
  chmod 777 out cache
  cp want.npy out/o.npy
  chmod 444 out/o.npy
  if ! as_user $program --version >stdout 2>stderr; then
    echo "not tested: a read-only output, for want of an ordinary user: $(cat stderr)"
    return
  fi
  local got=0
  as_user env POCL_CACHE_DIR="$dir/cache" CROSSLANE_CACHE_DIR=off \
    $program sort in.npy out/o.npy >stdout 2>stderr || got=$?
  [ $got -eq 1 ] || fail "exit $got, not 1: a read-only output"
  is_text stderr "crosslane: out/o.npy: cannot be written: Permission denied"
  same out/o.npy want.npy
}

keeps_rights() {
  local me
  me=$(id -u):$(id -g)
  prepare
  umask 022
  runs "$crosslane" scan in.npy new.npy
  rights new.npy "$me:644"
  umask 077
  runs "$crosslane" scan in.npy private.npy
  rights private.npy "$me:600"
  umask 022
  for mode in 600 640 666 755; do
    chmod $mode new.npy
    runs "$crosslane" sort in.npy new.npy
    rights new.npy "$me:$mode"
    same new.npy sorted.npy
  done
  if [ "$(id -u)" -eq 0 ]; then
    chown 65534:65533 new.npy
    chmod 640 new.npy
    runs "$crosslane" scan in.npy new.npy
    rights new.npy 65534:65533:640
    same new.npy want.npy
  fi
  read_only
}

# ---- links ----

# link_case TARGET LINK_TEXT: scan into out/link.npy, which leads to TARGET.
link_case() {
  ln -s "$2" out/link.npy
  runs "$crosslane" scan in.npy out/link.npy
  [ "$(readlink out/link.npy)" = "$2" ] || fail "the link to $2 was replaced"
  same "$1" want.npy
  rm -f out/link.npy "$1"
}

links() {
  prepare
  mkdir other out/below
  cp in.npy there.npy
  link_case there.npy ../there.npy
  link_case other/absent.npy ../other/absent.npy
  link_case out/absent.npy absent.npy
  link_case other/absolute.npy "$dir/other/absolute.npy"
  ln -s below/far.npy out/chain.npy
  link_case out/below/far.npy chain.npy
  rm out/chain.npy
  ln -s below out/folder
  link_case out/below/end.npy folder/end.npy
  rm -r out/below out/folder
  ln -s /dev/stdout stream
  "$crosslane" scan in.npy stream | cmp -s - want.npy || fail "a link to /dev/stdout"
  ln -s loop.npy loop.npy
  refuses 1 "loop.npy: cannot be written: Too many levels of symbolic links" sort in.npy loop.npy
  ln -s absent/o.npy nowhere.npy
  refuses 1 "nowhere.npy: cannot be written: No such file or directory" sort in.npy nowhere.npy
  ln -s one.npy alias.npy
  refuses 2 "sort: OUT.npy and the second file of --values name the same file, ./one.npy" \
    sort in.npy alias.npy --values values.npy ./one.npy
}

# ---- pipes, devices, open streams ----

streams() {
  prepare
  for name in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    "$crosslane" scan in.npy $name 2>stderr_all | cat >got.npy
    same got.npy want.npy
    printf abc >got.npy
    "$crosslane" scan in.npy $name >>got.npy
    cmp -s got.npy <(printf abc && cat want.npy) || fail "$name, appended to a file"
  done
  "$crosslane" scan in.npy /dev/stderr 2>&1 >/dev/null | cmp -s - want.npy || fail "/dev/stderr"
  "$crosslane" scan in.npy /dev/fd/7 7>got.npy
  same got.npy want.npy
  mkfifo fifo
  timeout 300 cat fifo >got.npy &
  runs "$crosslane" scan in.npy fifo
  wait $!
  same got.npy want.npy
  [ -p fifo ] || fail "the FIFO was replaced"
  runs "$crosslane" scan in.npy >(timeout 300 cat >fifo)
  timeout 300 cat fifo >got.npy
  same got.npy want.npy
  if own_device null 3; then
    runs "$crosslane" scan in.npy "$device"
    [ -c "$device" ] || fail "$device was replaced"
  fi
  refuses 1 "/dev/fd/77: cannot be written: Bad file descriptor" scan in.npy /dev/fd/77
  refuses 1 "/dev/stdin: cannot be written: Bad file descriptor" scan in.npy /dev/stdin </dev/null
  # The report goes to stderr if an array is written to standard output.
  "$oracle" points 20 f4 points.npy
  "$crosslane" neighbors points.npy --radius 5 --counts counts.npy >stdout
  "$crosslane" neighbors points.npy --radius 5 --counts /dev/stdout >got.npy 2>stderr_all
  program_said
  same got.npy counts.npy
  same stderr stdout
}

# ---- names ----

names() {
  local long folder=$'f\e[31m\ng'
  prepare
  long=$(printf 'n%.0s' {1..251}).npy
  runs "$crosslane" sort in.npy "$long"
  runs "$crosslane" sort in.npy "$long"
  same "$long" sorted.npy
  # Before the work.
  refuses 1 "n$long: cannot be written: File name too long" scan absent.npy "n$long"
  refuses 1 "out: is a folder; give a .npy file" scan out out/o.npy
  refuses 1 "out: is a folder; give a .npy file" scan in.npy out/o.npy --keys out
  refuses 1 "out: is a folder; give a .npy file" neighbors out --radius 1 --counts out/o.npy
  refuses 1 "out: is a folder; give the name of a file" scan in.npy out
  # Control characters of every kind, bytes that are not UTF-8, letters and quotes.
  refuses 1 'a\x1b[31m\n\t\x07\x7f.npy: cannot be opened: No such file or directory' \
    scan $'a\e[31m\n\t\a\x7f.npy' out/o.npy
  refuses 1 'b\xc2\x9b\xff\xc3.npy: cannot be opened: No such file or directory' \
    scan $'b\xc2\x9b\xff\xc3.npy' out/o.npy
  refuses 1 'c\xe2\x80\xa8\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80: cannot be opened: No such file or directory' \
    scan $'c\xe2\x80\xa8\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80' out/o.npy
  refuses 1 $'d\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\'"\\: cannot be opened: No such file or directory' \
    scan $'d\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\'"\\' out/o.npy
  refuses 2 'sort: --algorithm: "\x1bc"; must be one of auto, bitonic, radix' \
    sort in.npy out/o.npy --algorithm $'\ec'
  refuses 1 '--device (CROSSLANE_DEVICE): none matches "x\x1b; y"; there are: ...' \
    sort in.npy out/o.npy --device $'x\e\ny'
  mkdir "$folder"
  refuses 1 'f\x1b[31m\ng: is a folder; give a .npy file' scan "$folder" out/o.npy
  header $'{\'descr\': \'<\e]0;x\a\', \'fortran_order\': False, \'shape\': (1,)}' >type.npy
  refuses 1 "type.npy: header: unknown dtype '<\\x1b]0;x\\x07'; known are b1, i1 to i8, u1 to u8, f2, f4 and f8" \
    scan type.npy out/o.npy
  header $'{\'k\n\xff\': \'<u4\'}' >key.npy
  refuses 1 "key.npy: header: unknown key 'k\\x0a\\xff'" scan key.npy out/o.npy
  in_reports
  on_a_terminal
}

header() { # TEXT: a .npy file of that header and one element
  local length
  printf -v length '\\x%02x' "$(printf %s "$1" | wc -c)"
  printf '\x93NUMPY\x01\x00%b\x00%s1234' "$length" "$1"
}

# Files of more than 2^32 keys. Commands that take fewer report this before they read any; the
# others start to read. With CROSSLANE_TEST_LARGE=1 such a file is sorted, which takes 16 GiB.
limits() {
  local many="{'descr': '|u1', 'fortran_order': False, 'shape': (4294967303,)}"
  header "$many" >many.npy
  for command in "sort --argsort" "sort --offsets in.npy" "sort --algorithm bitonic"; do
    refuses 1 "many.npy: 4294967303 elements; ${command% in.npy} takes at most 4294967295" \
      $command many.npy out/o.npy
  done
  refuses 1 "many.npy: 4294967303 elements; merge takes at most 4294967295" merge --union many.npy in.npy out/o.npy
  refuses 1 "many.npy: 4294967303 elements; search takes at most 4294967295" search many.npy in.npy out/o.npy
  refuses 1 "many.npy: 4294967303 elements; topk takes at most 4294967295" topk many.npy out/o.npy --k 3
  refuses 1 "many.npy: 4 bytes of data, the header promises 4294967303" sort many.npy out/o.npy
  refuses 1 "many.npy: 4 bytes of data, the header promises 4294967303" merge many.npy in.npy out/o.npy
  refuses 1 "many.npy: 4 bytes of data, the header promises 4294967303" \
    sort many.npy out/o.npy --algorithm radix --stable
  if [ -z "${CROSSLANE_TEST_LARGE:-}" ]; then
    echo "not tested: a file of 2^32 + 7 keys; CROSSLANE_TEST_LARGE=1 has it sorted"
    return
  fi
  truncate -s $((10 + ${#many})) many.npy
  truncate -s $((10 + ${#many} + 4294967296)) many.npy
  printf '\x07\x03\x05\x01\x06\x02\x04' >>many.npy
  runs "$crosslane" sort many.npy out/o.npy
  printf '\x01\x02\x03\x04\x05\x06\x07' >./tail
  tail -c 7 out/o.npy | cmp - ./tail || fail "the greatest keys are not the last"
  [ "$(tail -c 4294967303 out/o.npy | head -c 4294967296 | tr -d '\0' | wc -c)" -eq 0 ] ||
    fail "the least keys are not the first"
}

# JSON and the list of devices, which name the cache's folder.
in_reports() {
  local name=$'p\e\x7f"\\\xc2\x9b\xff\xe2\x80\xa8\xc3\xa4'
  CROSSLANE_CACHE_DIR=$dir/$name runs "$crosslane" devices --json
  grep -qF '/p\u001b\u007f\"\\\u009b\ufffd\u2028'$'\xc3\xa4''"}' stdout ||
    fail "the name in JSON: $(cat stdout)"
  CROSSLANE_CACHE_DIR=$dir/$name runs "$crosslane" devices
  has_line stdout "cache of compiled programs: $dir/"'p\x1b\x7f"\\xc2\x9b\xff\xe2\x80\xa8'$'\xc3\xa4'
}

on_a_terminal() {
  if ! command -v script >/dev/null; then
    echo "not tested: progress on a terminal, for want of script(1)"
    return
  fi
  cp in.npy $'t\e[35m.npy'
  printf -v command '%q ' "$crosslane" scan $'t\e[35m.npy' out/o.npy
  script -qec "bash -c ${command@Q}" /dev/null </dev/null >stdout
  grep -qF $'\r\e[Kreading t\\x1b[35m.npy\r\e[K' stdout || fail "progress: $(cat -v stdout)"
  ! grep -qF $'\e[35m' stdout || fail "a terminal received bytes of a name: $(cat -v stdout)"
}

# ---- to the disk ----

calls_of() { # ARGUMENT...: sets `got`; stderr without the driver's
  got=0
  rm -f log
  TOOL_CALLS_LOG=$dir/log LD_PRELOAD=$calls "$crosslane" "$@" >stdout 2>stderr_all || got=$?
  program_said
}

# fails_at CALL LEFT...: two files are written, and CALL fails.
fails_at() {
  local call=$1
  shift
  rm -rf out
  mkdir out
  TOOL_CALLS_FAIL=$call calls_of sort in.npy out/o.npy --values values.npy out/w.npy
  [ $got -eq 1 ] || fail "exit $got, not 1: $call fails"
  is_text stderr "crosslane: out/o.npy: cannot be written: Input/output error"
  only_in_out "$@"
}

to_disk() {
  prepare
  calls_of sort in.npy out/o.npy --values values.npy out/w.npy
  [ $got -eq 0 ] || fail "exit $got: $(cat stderr)"
  only_in_out o.npy w.npy
  is_text log $'mkstemp \nmkstemp \nfsync 4128\nfsync 4128\nrename out/o.npy\nrename out/w.npy\nfolder \nfolder '
  fails_at mkstemp ""
  fails_at fsync ""
  fails_at rename ""
  fails_at folder o.npy w.npy
}

# ---- signals ----

# ends_by NAME CALL WHO: a signal at that call ends `sort in.npy out/o.npy`, and only it.
ends_by() {
  local number
  number=$(kill -l "$1")
  rm -rf out
  mkdir out
  cp in.npy out/o.npy
  TOOL_CALLS_SIGNAL="$2 $number $3" calls_of sort in.npy out/o.npy --values values.npy out/w.npy
  [ $got -eq $((128 + number)) ] || fail "exit $got, not $((128 + number)): $*"
  [ ! -s stderr ] || fail "stderr at $*: $(cat stderr)"
}

# unchanged_by NAME CALL WHO: ... and the old file stands, alone.
unchanged_by() {
  ends_by "$@"
  only_in_out o.npy
  same out/o.npy in.npy
}

signals() {
  ulimit -c 0
  prepare
  for name in HUP INT QUIT PIPE TERM XCPU XFSZ; do
    unchanged_by $name fsync self
  done
  unchanged_by TERM fsync other
  unchanged_by INT mkstemp self
  unchanged_by INT mkstemp other
  # Two files that belong together get their names together.
  ends_by TERM rename other
  only_in_out o.npy w.npy
  same out/o.npy sorted.npy
  same out/w.npy moved.npy
  # An ignored signal stays ignored.
  rm -rf out
  mkdir out
  (
    trap '' HUP
    TOOL_CALLS_SIGNAL="fsync 1 self" calls_of scan in.npy out/o.npy
    exit $got
  ) || fail "exit $?: HUP, ignored: $(cat stderr)"
  same out/o.npy want.npy
  # A reader that goes away.
  rm out/o.npy
  "$oracle" make u4 100000 in.npy
  "$crosslane" sort in.npy out/o.npy --values in.npy /dev/stdout 2>stderr_all | head -c 9 >stdout
  [ "${PIPESTATUS[0]}" -eq 141 ] || fail "exit ${PIPESTATUS[0]}, not 141: a broken pipe"
  [ -z "$(ls -A out)" ] || fail "files left after a broken pipe: $(ls -A out)"
}

# ---- standard output ----

# full COMMAND...: exit status 1 and one line where standard output takes nothing.
full() {
  local got=0
  "$crosslane" "$@" >/dev/full 2>stderr_all || got=$?
  program_said
  [ $got -eq 1 ] || fail "exit $got, not 1: crosslane $* >/dev/full"
  is_text stderr "crosslane: standard output: cannot be written: No space left on device"
}

closed() {
  local got=0
  "$crosslane" "$@" >&- 2>stderr_all || got=$?
  program_said
  [ $got -eq 1 ] || fail "exit $got, not 1: crosslane $* >&-"
  is_text stderr "crosslane: standard output: cannot be written: Bad file descriptor"
}

stdout_full() {
  [ -e /dev/full ] || { echo "skipped: no /dev/full"; exit 77; }
  prepare
  "$oracle" points 100 f4 points.npy
  full --help
  full --version
  for command in devices selftest scan reduce sort neighbors; do
    full $command --help
  done
  full devices
  full devices --json
  full selftest
  full scan in.npy out/o.npy --json
  full reduce in.npy out/o.npy --json
  full reduce in.npy out/o.npy --count
  full sort in.npy out/o.npy --json
  full neighbors points.npy --radius 1
  full neighbors points.npy --radius 1 --json
  closed --version
  closed scan in.npy out/o.npy --json
  closed selftest
  # A file that a driver opens and keeps open does not get the number of standard output.
  TOOL_CALLS_KEEP=$dir/kept LD_PRELOAD=$calls closed scan in.npy out/o.npy --json
  [ ! -s kept ] || fail "another file got: $(cat kept)"
  # Without output nothing fails. No output file receives the text for standard output.
  "$crosslane" scan in.npy out/o.npy >/dev/full 2>stderr_all || fail "exit $?: nothing to say"
  same out/o.npy want.npy
  "$crosslane" reduce in.npy out/count.npy --json >&- 2>stderr_all
  runs "$crosslane" reduce in.npy sum.npy
  same out/count.npy sum.npy
}

run_part
