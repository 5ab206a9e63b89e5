# SPDX-License-Identifier: MIT
# usage: awk -v mode=names                                -f ci/mutants.awk LIST...
#        awk -v mode=apply -v list=LIST -v name=NAME -v to=OUT -f ci/mutants.awk LIST SOURCE
#        awk -v mode=blocks -v to=FOLDER                  -f ci/mutants.awk SUMS TESTS LIST...
#        awk -v mode=select -v changed= -v slice= -v patterns= -f ci/mutants.awk HASHES LEDGER NAMES
#        awk -v mode=record -v commit= -v date=           -f ci/mutants.awk HASHES LEDGER VERDICTS
#
# names   prints a line for each mutant: list, name, source, tests, variables.
# apply   copies SOURCE to OUT. The old lines of the block of NAME, which start with - or a space, are
#         replaced by the new ones, which start with + or a space. Fails unless SOURCE contains the
#         old lines exactly once.
# blocks  writes the content of each mutant to FOLDER/NAME: its block without comments and the sums
#         of its source and of the files of its tests. (SUMS: sum, file. TESTS: test, targets, files.)
# select  prints those of NAMES that a run takes. (HASHES: name, hash.)
# record  prints the ledger with VERDICTS (verdict, name) in it, without mutants that are gone.
#
# A list holds blocks, with empty lines between them:
#     @ NAME SOURCE TEST[,TEST...] [VARIABLE=VALUE...]
#     # the fault, unless the name says it
#      unchanged line, if the others occur more than once
#     -old line
#     +new line
function fail(text) {
  printf "%s: %s: %s\n", list, name, text >"/dev/stderr"
  failed = 1
  exit
}

FNR == 1 { while (FILENAME != ARGV[++place]); }

mode == "names" {
  if ($1 == "@")
    print FILENAME, substr($0, 3)
  next
}

mode == "blocks" {
  if (place == 1)
    sum[$2] = $1
  else if (place == 2)
    files[$1] = $0
  else if ($1 == "@")
    begin_block()
  else if (!take_line() && out && !/^#/) {
    print_lines()
    print >out
  }
  next
}

# Notes an old or a new line, or one that is both.
function take_line() {
  if (/^[- ]/)
    old[++num_old] = substr($0, 2)
  if (/^[+ ]/)
    new[++num_new] = substr($0, 2)
  return /^[-+ ]/
}

function print_lines(    k) {
  for (k = 1; k <= num_old; ++k)
    print "-" old[k] >out
  for (k = 1; k <= num_new; ++k)
    print "+" new[k] >out
  num_old = num_new = 0
}

function begin_block(    i, k, num_tests, num_files, test, file) {
  if (out) {
    print_lines()
    close(out)
  }
  out = to "/" $2
  print $0 "\n" sum[$3] >out
  num_tests = split($4, test, ",")
  for (i = 1; i <= num_tests; ++i) {
    num_files = split(files[test[i]], file)
    for (k = 3; k <= num_files; ++k)
      print sum[file[k]] >out
  }
}

mode == "select" || mode == "record" {
  if (place == 1)
    hash[$1] = $2
  else if (place == 2)
    row[$1] = $0
  else if (mode == "select" && is_selected())
    print
  else if (mode == "record" && $2 in hash && !($1 ~ /^(absent|no-base)$/ && is_known($2)))
    row[$2] = $2 "\t" hash[$2] "\t" commit "\t" date "\t" $1
  next
}

# If the ledger has a verdict of this mutant as it is. If its tests could not run there is none.
function is_known(which,    field) {
  return which in row && split(row[which], field, "\t") && field[2] == hash[which] && field[5] !~ /^(absent|no-base)$/
}

function is_selected(    i, num, word, found) {
  num = split(patterns, word, " ")
  for (i = 1; i <= num; ++i)
    found = found || index($0, word[i])
  if ((num && !found) || (changed == "yes" && is_known($2)))
    return 0
  split(slice, word, "/")
  return num_selected++ % word[2] == word[1]
}

place == 1 {
  if ($1 == "@")
    mine = $2 == name
  else if (mine)
    take_line()
  next
}

{ line[++num_lines] = $0 }

function matches_at(i,    k) {
  for (k = 1; k <= num_old; ++k)
    if (line[i + k - 1] != old[k])
      return 0
  return 1
}

END {
  if (mode == "blocks" && out)
    print_lines()
  if (mode == "record")
    for (which in row)
      if (which in hash)
        print row[which]
  if (mode != "apply" || failed)
    exit failed
  if (!num_old)
    fail("no such mutant, or one without old lines")
  for (i = 1; i + num_old - 1 <= num_lines; ++i)
    if (matches_at(i)) {
      ++found
      at = i
    }
  if (found != 1)
    fail("its source contains its old lines " found + 0 " times")
  for (i = 1; i <= num_lines; ++i) {
    if (i == at)
      for (k = 1; k <= num_new; ++k)
        print new[k] >to
    if (i < at || i >= at + num_old)
      print line[i] >to
  }
}
