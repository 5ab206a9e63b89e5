#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage: ci/peers-test.sh
#
# Gives ci/peers.sh next to no time and checks that it ends, says which programs it stopped,
# names each program that it runs, and makes the table of the finished ones. Exits with 77 without jq.
set -u
cd "$(dirname "$0")/.." || exit
command -v jq >/dev/null || {
  echo "peers-test: there is no jq" >&2
  exit 77
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
fail() {
  echo "peers-test: $*"
  failed=1
}

ci/peers.sh --quick --only scan --max-n 2^10 >"$log" 2>&1 || fail "a short run failed: $(tail -n 3 "$log")"
grep -q '^crosslane: scan, u32 exclusive sum, n 2^10$' "$log" || fail "no case is named as it starts"
! grep 'stopped after' "$log" || fail "a short run was stopped"

start=$SECONDS # from here on everything is built
ci/peers.sh --only scan --seconds 1 >"$log" 2>&1
code=$?
[ $((SECONDS - start)) -lt 60 ] || fail "it took $((SECONDS - start)) s with a budget of 1 s"
[ $code = 0 ] || fail "ended with $code: $(tail -n 3 "$log")"
grep -q '^running crosslane-bench, for 1 s at most$' "$log" || fail "does not say what runs and how long"
grep -qE '^(crosslane-bench|peer-[a-z]+): stopped after 1 s$' "$log" || fail "does not name the stopped programs"
grep -q '; device time in ms per call$' "$log" || fail "made no table"
results=0
for file in build/peers/json/*.json; do
  results=$((results + $(jq '.results | length' "$file" || echo 0)))
done
[ $results -gt 0 ] || fail "no finished result is kept"
[ $failed = 0 ] && echo "peers-test: stopped programs leave $results results and a table"
exit $failed
