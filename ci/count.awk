# SPDX-License-Identifier: MIT
# usage: ctest -V ... | awk -f ci/count.awk -v skips=FILE
#
# Counts the cases inside cmocka programs, and other tests as one case each: prints
# "PASSED FAILED SKIPPED", then a line for each failure. Appends the names of what
# was skipped to FILE. A simulator's finding is a failure though the program passed.
function note(kind, id, name) {
  if (!((kind, id, name) in seen)) {
    seen[kind, id, name] = 1
    ++cases[kind, id]
    list[kind] = list[kind] "\n" id "\t" name
  }
}

match($0, /^ *[0-9]+: /) {
  id = substr($0, 1, RLENGTH - 2) + 0
  text = substr($0, RLENGTH + 1)
  if (text != "")
    last[id] = text
  name = text
  sub(/^\[[^]]*\] */, "", name)
  if (text ~ /^\[ +OK \]/)
    ++cases["passed", id]
  else if (text ~ /^\[  (FAILED|ERROR) +\]/ && name !~ /^(--- |[0-9]+ test\(s\))/)
    note("failed", id, name)
  else if (text ~ /^\[  SKIPPED \]/ && name !~ /^(--- |[0-9]+ test\(s\))/)
    note("skipped", id, name)
  else if (text ~ /^(Invalid |.*data race at|Uninitialized )/)
    note("failed", id, text)
}

match($0, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /) {
  split($0, parts, "#")
  id = parts[2] + 0
  program[id] = $4 == "" ? id : $0
  sub(/^.*#[0-9]+: /, "", program[id])
  result = program[id]
  sub(/[ .*].*/, "", program[id])
  inside = cases["passed", id] + cases["failed", id] + cases["skipped", id]
  if (result ~ /\*\*\*(Skipped|Not Run)/) {
    if (!inside)
      note("skipped", id, "all of it")
  } else if (result ~ / Passed +[0-9.]+ sec/) {
    if (!inside)
      ++cases["passed", id]
  } else if (!cases["failed", id]) {
    sub(/^[^ ]* *\.*/, "", result)
    note("failed", id, result "; said last: " last[id])
  }
}

function print_list(kind, file,    lines, count, i, parts) {
  count = split(list[kind], lines, "\n")
  for (i = 2; i <= count; ++i) {
    split(lines[i], parts, "\t")
    printf "    %s %s: %s\n", kind, program[parts[1]], parts[2] >>file
  }
}

END {
  for (key in cases) {
    split(key, parts, SUBSEP)
    total[parts[1]] += cases[key]
  }
  print total["passed"] + 0, total["failed"] + 0, total["skipped"] + 0
  print_list("failed", "/dev/stdout")
  if (skips)
    print_list("skipped", skips)
}
