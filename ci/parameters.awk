# SPDX-License-Identifier: MIT
# For ci/check-parameters.sh: reads cl/parameters.txt and then every .cl file, and prints the names that a
# reader of each program must know. Wants -v roots="...", the programs' files.
#
#   row NAME SETTERS              a row of the table
#   seen NAME                     a parameter that the code of a kernel file contains
#   asks PROGRAM NAME             a parameter that the program asks for: it uses it and does not define it
#   gives PROGRAM NAME FILES      a macro that some file of it defines and another one uses
#   holds PROGRAM NUMBER          how many files it consists of
#   unknown PROGRAM FILE NAME     a macro that neither the program nor the table defines
#
# A constant of an enum is no macro. A comment uses nothing. A line that asks whether something is defined asks for no parameter. What
# a macro's text uses has to be defined where the macro is used, which may be another program.

FNR == 1 {
  in_comment = in_enum = 0
  continued = ""
}

FILENAME ~ /parameters\.txt$/ {
  if ($0 ~ /^(#|$)/)
    next
  split($0, cell, "|")
  gsub(/ /, "", cell[1])
  gsub(/^ +| +$/, "", cell[5])
  row[cell[1]] = cell[5]
  print "row", cell[1], cell[5]
  next
}

{
  text = $0
  code = ""
  while (text != "") {
    if (in_comment) {
      at = index(text, "*/")
      in_comment = at == 0
      text = at == 0 ? "" : substr(text, at + 2)
    } else if ((at = index(text, "/*")) > 0) {
      code = code substr(text, 1, at - 1) " "
      in_comment = 1
      text = substr(text, at + 2)
    } else {
      code = code text
      text = ""
    }
  }
  code = continued code
  continued = ""
  if (code ~ /\\$/) {
    continued = substr(code, 1, length(code) - 1) " "
    next
  }
  take(code)
}

function take(line, word, names, count, i, asks, in_body) {
  if (line ~ /^# *include "/) {
    split(line, word, "\"")
    includes[FILENAME] = includes[FILENAME] " " resolve(FILENAME, word[2])
    return
  }
  if (line ~ /^# *(undef|error)/)
    return
  take_constants(line)
  asks = line !~ /^# *(ifdef|ifndef)|^#.*defined *\(/
  in_body = line ~ /^# *define /
  if (in_body) {
    sub(/^# *define +/, "", line)
    match(line, /^[A-Za-z0-9_]+/)
    defines[FILENAME, substr(line, 1, RLENGTH)]
    anywhere[substr(line, 1, RLENGTH)]
    line = substr(line, RLENGTH + 1)
  }
  count = split(line, names, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= count; ++i)
    if (names[i] ~ /^XL_[A-Z0-9_]+$/) {
      if (names[i] in row)
        found[names[i]]
      if (!((FILENAME, names[i]) in uses))
        used[FILENAME] = used[FILENAME] " " names[i]
      uses[FILENAME, names[i]] += asks
      plain[FILENAME, names[i]] += !in_body
    }
}

# The constants of enums, which may go over several lines.
function take_constants(line, list, count, i) {
  if (line !~ /^#/ && match(line, /(^|[^A-Za-z0-9_])enum *[A-Za-z0-9_]* *\{/)) {
    in_enum = 1
    line = substr(line, RSTART + RLENGTH)
  }
  if (!in_enum)
    return
  if (index(line, "}")) {
    in_enum = 0
    line = substr(line, 1, index(line, "}") - 1)
  }
  count = split(line, list, ",")
  for (i = 1; i <= count; ++i)
    if (match(list[i], /^ *XL_[A-Z0-9_]+ *(=|$)/)) {
      sub(/^ */, "", list[i])
      match(list[i], /^[A-Z0-9_]+/)
      constants[FILENAME, substr(list[i], 1, RLENGTH)]
    }
}

function resolve(from, name) {
  sub(/[^\/]*$/, "", from)
  name = from name
  while (sub(/[^\/]+\/\.\.\//, "", name)) ;
  return name
}

function visit(path, list, count, i) {
  if (path in seen)
    return
  seen[path]
  files[++num_files] = path
  count = split(includes[path], list, " ")
  for (i = 1; i <= count; ++i)
    visit(list[i])
}

# Whether a file of the program has a constant of that name.
function is_constant(name, i) {
  for (i = 1; i <= num_files; ++i)
    if ((files[i], name) in constants)
      return 1
  return 0
}

# The files of the program that define a name.
function definers(name, i, list) {
  list = ""
  for (i = 1; i <= num_files; ++i)
    if ((files[i], name) in defines)
      list = list " " files[i]
  return list
}

END {
  for (name in found)
    print "seen", name
  count = split(roots, root, " ")
  for (r = 1; r <= count; ++r) {
    split("", seen)
    split("", told)
    num_files = 0
    visit(root[r])
    print "holds", root[r], num_files
    for (i = 1; i <= num_files; ++i) {
      num = split(used[files[i]], names, " ")
      for (k = 1; k <= num; ++k) {
        name = names[k]
        from = definers(name)
        if (name in row && from == "") {
          if (uses[files[i], name] && !(name in told)) {
            print "asks", root[r], name
            told[name]
          }
        } else if (from == "" && is_constant(name)) {
          continue
        } else if (from == "") {
          if (plain[files[i], name] || !(name in anywhere))
            print "unknown", root[r], files[i], name
        } else if (!((files[i], name) in defines) && !(name in told)) {
          print "gives", root[r], name, from
          told[name]
        }
      }
    }
  }
}
