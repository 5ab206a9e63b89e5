#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/compare.sh [--only NAME] [--case TEXT] [--all] [--wall] [--linear]
#                      [--times] [--plot FILE.png|FILE.svg] [LABEL=]FILE...
#
# Prints the results of crosslane-bench and of its peers (the files of --json) side by
# side, and draws them. The first file's program is compared with the others. LABEL
# renames a file's program, so that two runs of one program can be compared.
#   --only NAME  one primitive: scan, reduce, sort, grid, or the yardstick, copy
#   --case TEXT  one case of it, by its name without the parentheses: "u32 keys"
#   --all        also the cases that the first program did not run
#   --wall       time per call on the host's clock instead of the device's
#   --plot FILE  rate over n, one panel per case, with the copy kernel as the limit;
#                one panel over the length for cases that differ in their length only
#   --linear     rates of the plot from 0 up instead of by powers of ten
#   --times      milliseconds per call in the plot, not rates, and no copy kernel
# Columns: milliseconds per call of each program; "x best", how many times faster the
# first program is than the best other one; its rate in GB/s; its share of the rate of
# the copy kernel in the same run.
#
# Needs jq, and for --plot gnuplot: apt install jq gnuplot-nox. Exits with 77 where one of
# them lacks, or where there is too little to draw.
set -eu

usage() {
  sed -n '3,22p' "$0" | sed 's/^# \{0,1\}//' >&2
  exit 2
}

only='' case='' all=0 wall=0 linear=0 times=0 plot=''
while [ $# -gt 0 ]; do
  case $1 in
    --all) all=1 ;;
    --wall) wall=1 ;;
    --linear) linear=1 ;;
    --times) times=1 ;;
    --only | --case | --plot)
      [ $# -gt 1 ] || usage
      case $1 in --only) only=$2 ;; --case) case=$2 ;; *) plot=$2 ;; esac
      shift
      ;;
    -*) usage ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || usage
command -v jq >/dev/null || {
  echo "compare: needs jq (apt install jq)" >&2
  exit 77
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/results" "$work/points" # there may be no result

# One line per right result: program, name, variant, n, bytes, ms, ms of the copy kernel.
first='' devices=''
for argument; do
  label='' file=$argument
  if [ ! -e "$file" ] && [[ $file == *=* ]]; then
    label=${argument%%=*} file=${argument#*=}
  fi
  program=$(jq -r '.program // "crosslane"' "$file")
  first=${first:-${label:-$program}}
  device=$(jq -r '.device' "$file")
  [[ ", $devices, " == *", $device, "* ]] || devices+=${devices:+, }$device
  jq -r --arg main "$program" --arg named "${label:-$program}" --arg only "$only" --arg case "$case" --argjson wall $wall '
    .results[] | select(.wrong == "" and .device_ms > 0)
    | select(.name == $only or ($only == "" and .name != "copy"))
    | select($case == "" or (.variant | sub(" \\([^()]*\\)$"; "")) == $case)
    | [(.program // $main | if . == $main then $named else . end), .name, .variant, .n, .bytes,
       (if $wall == 1 then .wall_us / 1000 else .device_ms end), .copy_ms] | @tsv' \
    "$file" >>"$work/results"
  jq -r '.results[] | select(.wrong != "")
    | "compare: wrong, left out: \(.program) \(.name) \(.variant) \(.n): \(.wrong)"' "$file" >&2
done
clock=$([ $wall = 1 ] && echo wall || echo device)
echo "$devices; $clock time in ms per call"

# The table, and one line per point of the plot: panel, x, program, GB/s. A result of
# another program belongs to a row if its variant is the same, with or without the
# parentheses behind it.
awk -F '\t' -v first="$first" -v all=$all -v times=$times -v points="$work/points" '
  function case_of(variant) { sub(/ \([^()]*\)$/, "", variant); return variant }
  function size(n,  k) {
    for (k = 0; 2 ^ k < n; ++k) {}
    return 2 ^ k == n ? "2^" k : n
  }
  function least(key, ms) { if (!(key in best) || ms < best[key]) best[key] = ms }
  {
    program = $1; row = $2 "\t" $3 "\t" $4
    if (!(program in seen)) { seen[program] = 1; if (program != first) others[++programs] = program }
    if (program == first) { if (!(row in own)) rows[++count] = row; own[row] = $6; copy[row] = $7; drawn[$2 "\t" case_of($3)] = 1 }
    least(program "\t" row, $6)
    least(program "\t" $2 "\t" case_of($3) "\t" $4, $6)
    bytes[row] = $5
    result[NR] = $0
  }
  function time_of(program, row,  part) {
    if (program "\t" row in best) return best[program "\t" row]
    split(row, part, "\t")
    row = part[1] "\t" case_of(part[2]) "\t" part[3]
    return program "\t" row in best ? best[program "\t" row] : 0
  }
  function cell(ms) { return ms > 0 ? sprintf("%.4f", ms) : "-" }
  function print_row(row, ms,  part, i, other, top) {
    split(row, part, "\t")
    printf "%-6s %-44s %9s %10s", part[1], part[2], size(part[3]), cell(ms)
    for (i = 1; i <= programs; ++i) {
      other = time_of(others[i], row)
      printf " %*s", width[i], cell(other)
      if (other > 0 && (!top || other < top)) top = other
    }
    printf " %7s", (ms > 0 && top > 0 ? sprintf("%.2f", top / ms) : "-")
    printf " %8s", (ms > 0 ? sprintf("%.1f", bytes[row] / ms * 1e-6) : "-")
    printf " %8s\n", (ms > 0 && copy[row] > 0 ? sprintf("%.2f", copy[row] / ms) : "-")
  }
  END {
    printf "%-6s %-44s %9s %10s", "name", "case", "n", first
    for (i = 1; i <= programs; ++i) {
      width[i] = length(others[i]) > 10 ? length(others[i]) : 10
      printf " %*s", width[i], others[i]
    }
    printf " %7s %8s %8s\n", "x best", "GB/s", "of copy"
    for (i = 1; i <= count; ++i) print_row(rows[i], own[rows[i]])
    for (i = 1; i <= NR && all; ++i) {
      split(result[i], f, "\t")
      row = f[2] "\t" f[3] "\t" f[4]
      if (!(row in own) && !(row in done)) { done[row] = 1; print_row(row, 0) }
    }
    for (i = 1; i <= NR; ++i) {
      split(result[i], f, "\t")
      what = case_of(f[3])
      if (!all && !(f[2] "\t" what in drawn)) continue
      how = f[1] substr(f[3], length(what) + 1)
      point(f[2] ": " what, f[4], how)
      if (match(what, /(runs|segments) of [0-9]+$/)) {
        at = what; sub(/.* /, "", at); sub(/ [0-9]+$/, "", what)
        point(f[2] ": " what " x, n = " size(f[4]), at, how)
      }
    }
  }
  # The copy kernel of a panel is that of the first program there.
  function point(panel, x, how) {
    if (f[7] > 0 && !(panel in owner)) owner[panel] = f[1]
    print panel "\t" x "\t" how "\t" (times ? f[6] : f[5] / f[6] * 1e-6) >points
    if (!times && f[7] > 0 && owner[panel] == f[1])
      print panel "\t" x "\tcopy kernel\t" f[5] / f[7] * 1e-6 >points
  }' "$work/results"

[ -n "$plot" ] || exit 0
command -v gnuplot >/dev/null || {
  echo "compare: --plot needs gnuplot (apt install gnuplot-nox)" >&2
  exit 77
}
case $plot in
  *.png) terminal=pngcairo ;;
  *.svg) terminal=svg ;;
  *)
    echo "compare: a plot is a .png or a .svg file" >&2
    exit 2
    ;;
esac

# One panel after the other: those over n, then those over a length, these for their
# largest n only. A panel of less than three points across is left out.
awk -F '\t' -v folder="$work" -v terminal="$terminal" -v plot="$plot" -v devices="$devices" \
  -v clock="$clock" -v linear=$linear -v times=$times -v first="$first" '
  function quoted(text) { gsub(/\047/, "\047\047", text); return "\047" text "\047" }
  {
    if (!($1 in across)) panels[++count] = $1
    if (!(($1, $2) in x)) { x[$1, $2] = 1; ++across[$1] }
    if (!(($1, $3) in data) && $3 != "copy kernel") lines[$1] = lines[$1] "\t" $3
    if (!(($1, $3, $2) in at)) data[$1, $3] = data[$1, $3] "\n" $2 " " $4
    at[$1, $3, $2] = 1
    if (match($1, / x, n = /)) largest[substr($1, 1, RSTART)] = $1
  }
  function choose(over_length,  i, is) {
    for (i = 1; i <= count; ++i) {
      is = match(panels[i], / x, n = /) > 0
      if (is == over_length && across[panels[i]] >= 3 &&
          (!is || largest[substr(panels[i], 1, RSTART)] == panels[i])) shown[++total] = panels[i]
    }
  }
  function curve(panel, name, style,  file) {
    file = sprintf("%s/curve-%d", folder, ++curves)
    print substr(data[panel, name], 2) | ("sort -n >" file)
    close("sort -n >" file)
    return quoted(file) " with " style " title " quoted(name) " noenhanced"
  }
  function draw(panel,  names, n, k, text) {
    print "set title " quoted(panel) " noenhanced"
    if (panel ~ / x, n = /) print "set logscale x 10; set format x \"10^{%L}\"; set xlabel \"x (elements)\""
    else print "set logscale x 2; set format x \"2^{%L}\"; set xlabel \"n (elements)\""
    n = split(substr(lines[panel], 2), names, "\t")
    for (k = 1; k <= n; ++k) {
      if (!(names[k] in number)) number[names[k]] = ++numbers
      text = text curve(panel, names[k], sprintf("linespoints lw %d ps %s pt %d lc rgb \"%s\"", \
        names[k] == first ? 4 : 2, names[k] == first ? "1.4" : "0.8", 4 + number[names[k]] % 10, colour[(number[names[k]] - 1) % 10 + 1])) ", "
    }
    if ((panel, "copy kernel") in data)
      text = text curve(panel, "copy kernel", "linespoints lw 2 dt 2 pt 2 ps 0.5 lc rgb \"#555555\"")
    sub(/, $/, "", text)
    print "plot " text
  }
  END {
    choose(0)
    choose(1)
    if (total == 0) { print "compare: no case has three sizes to draw" >"/dev/stderr"; exit 77 }
    split("#0060ad #dd181f #00a050 #e69f00 #8e44ad #17becf #7f4f24 #e377c2 #9aa000 #5c6b73", colour, " ")
    columns = total < 3 ? total : total == 4 ? 2 : 3
    deep = int((total + columns - 1) / columns)
    printf "set terminal %s size %d,%d font \"sans,11\" background \"white\"\n", terminal,
      total == 1 ? 900 : 620 * columns, (total == 1 ? 600 : 430 * deep) + 40
    print "set output " quoted(plot)
    printf "set multiplot layout %d,%d title %s noenhanced font \"sans,14\"\n", deep, columns,
      quoted(devices ", " clock " time")
    print linear ? "set yrange [0:*]" : "set logscale y 10"
    print "set grid back lt 1 lc rgb \"#dddddd\"; set ylabel \"" (times ? "ms per call" : "GB/s") "\""
    print "set key below reverse Left samplen 2"
    for (k = 1; k <= total; ++k) draw(shown[k])
    print "unset multiplot"
  }' "$work/points" >"$work/plot.gp"
gnuplot "$work/plot.gp"
echo "$plot: drawn"
