#!/usr/bin/env bash
# Runs one part of the vectors. What it needs comes from the environment: WEBNN, the program; IMPLEMENTATIONS and VECTORS, one
# on a line; PARTITION, EXPECTATIONS, OUTPUT.
set -euo pipefail

arguments=()
while IFS= read -r vectors; do
  if [ -n "$vectors" ]; then arguments+=("$vectors"); fi
done <<< "${VECTORS:-}"
while IFS= read -r implementation; do
  if [ -n "$implementation" ]; then arguments+=(-i "$implementation"); fi
done <<< "${IMPLEMENTATIONS:?name what to run on}"
if [ -n "${EXPECTATIONS:-}" ]; then arguments+=(--expectations "$EXPECTATIONS"); fi

exec "${WEBNN:-webnn}" run "${arguments[@]}" --partition "${PARTITION:-1/1}" --output "${OUTPUT:-webnn-results.jsonl}"
