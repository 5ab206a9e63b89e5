#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: adoption/sibernetic/apply.sh CHECKOUT
#
# Changes a checkout of Sibernetic so that its sort and its index are calls of Crosslane: copies
# owCrosslane.cpp into src/, puts #ifndef USE_CROSSLANE around the three functions that it replaces,
# and adds two lines to the makefile. Without USE_CROSSLANE the checkout builds as before.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
cd "$1"
solver=src/owOpenCLSolver.cpp
if [ ! -f $solver ] || [ ! -f makefile ]; then
  echo "apply: $1: no checkout of Sibernetic" >&2
  exit 2
fi
if grep -q USE_CROSSLANE $solver; then
  echo "apply: $1: already applied" >&2
  exit 1
fi
awk '
  /^[a-z].* owOpenCLSolver::_run(Sort|Indexx|IndexPostPass)\(/ { print "#ifndef USE_CROSSLANE"; inside = 1; ++found }
  { print }
  inside && /^}/ { print "#endif"; inside = 0 }
  END { exit !(found == 3 && !inside) }
' $solver >$solver.new || { rm $solver.new; echo "apply: $solver: the three functions were not found" >&2; exit 1; }
mv $solver.new $solver
cp "$here/owCrosslane.cpp" src/
cat >>makefile <<'END'

CXXFLAGS += $(CROSSLANE_CFLAGS)
LIBS += $(CROSSLANE_LIBS)
END
