#!/usr/bin/env bash
# Runs every fuzz target for a bounded time, starting from its corpus; what it finds is left in build/fuzz/found.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
mkdir -p build/fuzz/found
for target in build/fuzz/bin/*_fuzz; do
  name=$(basename "$target" _fuzz)
  work=build/fuzz/work/$name
  mkdir -p "$work"
  echo "== $name for $seconds s"
  "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/found/ "$work" "tests/fuzz/corpus/$name" 2>&1 | tail -n 6
done
