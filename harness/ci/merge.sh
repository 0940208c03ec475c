#!/usr/bin/env bash
# Makes a whole of the parts that it is given, and reports it: report.html, junit.xml, badges, a summary; and the comparison with
# the run of BASE, where there is one. WEBNN is the program, FOLDER where everything goes.
set -euo pipefail
webnn="${WEBNN:-webnn}"
folder="${FOLDER:-webnn-report}"
mkdir -p "$folder"

"$webnn" merge "$@" --output "$folder/results.jsonl"
"$webnn" report "$folder/results.jsonl" --format html --output "$folder/report.html"
"$webnn" report "$folder/results.jsonl" --format junit --output "$folder/junit.xml"
"$webnn" report "$folder/results.jsonl" --format markdown --output "$folder/summary.md"

status=0
if [ -n "${BASE:-}" ] && [ -f "$BASE" ]; then
  # 1 is a comparison in which something broke; anything else is no comparison.
  "$webnn" compare "$BASE" "$folder/results.jsonl" --format markdown > "$folder/comparison.md" || status=$?
  if [ "$status" -gt 1 ]; then exit "$status"; fi
fi

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  cat "$folder/summary.md" >> "$GITHUB_STEP_SUMMARY"
  if [ -f "$folder/comparison.md" ]; then cat "$folder/comparison.md" >> "$GITHUB_STEP_SUMMARY"; fi
fi
exit "$status"
