# SPDX-License-Identifier: MIT
# usage: awk -v list=LIST -v name=NAME -v to=OUT -f ci/mutants.awk LIST SOURCE
#        awk -v names=1 -f ci/mutants.awk LIST...
#
# Applies the mutant NAME of a list to its source: copies SOURCE to OUT with the lines of the
# block that start with - replaced by those that start with +. Fails unless the old lines stand
# in SOURCE exactly once. With `names` it prints a line for each mutant: list, name, source,
# tests, and what else stands behind the @.
#
# A list holds blocks, with empty lines between them:
#     @ NAME SOURCE TEST[,TEST...] [VARIABLE=VALUE...]
#     # what is broken
#     -old line
#     +new line
function fail(text) {
  printf "%s: %s: %s\n", list, name, text >"/dev/stderr"
  failed = 1
  exit
}

names {
  if ($1 == "@")
    print FILENAME, substr($0, 3)
  next
}

FILENAME == list {
  if ($1 == "@")
    mine = $2 == name
  else if (mine && /^-/)
    old[++num_old] = substr($0, 2)
  else if (mine && /^\+/)
    new[++num_new] = substr($0, 2)
  next
}

{ line[++num_lines] = $0 }

function stands_at(i,    k) {
  for (k = 1; k <= num_old; ++k)
    if (line[i + k - 1] != old[k])
      return 0
  return 1
}

END {
  if (names || failed)
    exit failed
  if (!num_old)
    fail("no such mutant, or one without old lines")
  for (i = 1; i + num_old - 1 <= num_lines; ++i)
    if (stands_at(i)) {
      ++found
      at = i
    }
  if (found != 1)
    fail("its old lines stand " found + 0 " times in the source")
  for (i = 1; i <= num_lines; ++i) {
    if (i == at)
      for (k = 1; k <= num_new; ++k)
        print new[k] >to
    if (i < at || i >= at + num_old)
      print line[i] >to
  }
}
