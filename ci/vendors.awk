# SPDX-License-Identifier: MIT
# usage: awk [-v all=yes] [-v only=bmg] -f vendors.awk file=1 REASONS file=2 COMMITTED file=3 FRESH
#
# Compares rows of ci/vendors.sh with those of the committed table and prints the faults.
# REASONS has lines "FORM KERNEL TARGET WAY SCRATCH SPILLS reason", where * in the first four matches
# any letters, and the numbers are the most that the reason covers. With all=yes FRESH has
# every row, and a committed one or a reason that none answers to is wrong, too. Rows and reasons of
# bmg are another run's, by hand: they count with only=bmg, and no others then.
BEGIN { FS = "\t" }
function wrong(text) { print "vendors: " text; ++faults }
function pattern(glob) {
  gsub(/\./, "\\.", glob)
  gsub(/\*/, ".*", glob)
  return "^" glob "$"
}
# Whether a line of the reasons covers this row.
function is_reasoned(k) {
  for (i = 1; i <= reasons; ++i)
    if ($1 ~ form[i] && $3 ~ kernel[i] && $4 ~ target[i] && $5 ~ way[i] && $8 <= scratch[i] && $9 <= spills[i])
      return answered[i] = 1
  return 0
}
function key() { return $1 " " $2 " " $3 " " $4 " " $5 }
function is_ours(name) { return (name == "bmg") == (only == "bmg") }
/^#/ || NF == 0 { next }
file == 1 {
  split($0, word, / +/)
  if (word[7] == "") wrong("no reason in \"" $0 "\"")
  form[++reasons] = pattern(word[1]); kernel[reasons] = pattern(word[2])
  target[reasons] = pattern(word[3]); way[reasons] = pattern(word[4])
  scratch[reasons] = word[5]; target_word[reasons] = word[3]; spills[reasons] = word[6]; text[reasons] = $0
  next
}
file == 2 { if (is_ours($4)) was[key()] = $0; next }
# Several programs of a plan may have a kernel, if it is the same one but for its lanes (Intel's
# programs have the widest sub-groups that do not spill).
function facts() { return $6 " " $8 " " $9 " " $10 }
key() in seen { if (seen[key()] != facts()) wrong("two rows of " key()); next }
{ seen[key()] = facts() }
!(key() in was) { wrong(key() ": not in the table (ci/vendors.sh --update)"); ++rows; next }
{
  split(was[key()], old, FS)
  ++rows
  if ($8 > old[8] + 0) wrong(key() ": " $8 " bytes of scratch memory, were " old[8])
  if ($9 > old[9] + 0) wrong(key() ": " $9 " spills, were " old[9])
  slack = old[6] / 8 > 12 ? old[6] / 8 : 12
  if ($6 > old[6] + slack) wrong(key() ": " $6 " registers, were " old[6])
  if ($8 + $9 > 0 && !is_reasoned()) wrong(key() ": " $8 " bytes of scratch memory, " $9 " spills, and no reason in test/vendors/vendors-reasons.txt")
  if ($6 != old[6] || $7 != old[7] || $8 != old[8] || $9 != old[9] || $10 != old[10]) ++changed
}
END {
  if (rows == 0) wrong("no kernel was compiled")
  if (all == "yes") {
    for (k in was)
      if (!(k in seen)) wrong(k ": in the table, but not compiled")
    for (i = 1; i <= reasons; ++i)
      if (!answered[i] && is_ours(target_word[i])) wrong("a reason for nothing: " text[i])
  }
  print rows + 0 " kernels compiled, " changed + 0 " of them other than in the table, " faults + 0 " wrong"
  exit faults > 0
}
