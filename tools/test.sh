#!/usr/bin/env bash
# All of `make test` once everything is built: ctest, then the tests in Python in two groups at a time, then the slowest of them all.
#
# Tests that wait for Hadoop leave a core idle, so two groups of about the same length run side by side. Both use free ports and temporary
# folders. The output of the first one is shown when both have ended.
set -uo pipefail
set -m  # or what runs in the background ignores SIGINT, and what tests send would not arrive
cd "$(dirname "$0")/.."
reports=$PWD/build/test-reports
python=$(tools/setup/python_env.sh test)/bin/python || exit 1
export YDL=$PWD/build/bin/ydl
rm -rf "$reports"
mkdir -p "$reports"
failed=()

ctest --preset dev -j"$(nproc)" --output-junit "$reports/ctest.xml" || failed+=(ctest)

# Halves of 10,000 seeds, side by side (docs/simulation.md).
simulate() {
  YDL_CHAOS_FIRST=$1 YDL_CHAOS_SEEDS=5000 build/release/bin/chaos_tests --gtest_brief=1
}
simulate 1 &
half=$!
simulate 5001 || failed+=("simulation, second half")
wait $half || failed+=("simulation, first half")

first="YARN and examples"
second="command line, MXNet, Python, HDFS"

run_group() {
  local name=$1
  shift
  "$python" -m pytest --junitxml="$reports/$name.xml" --durations=0 --durations-min=60 "$@"
}

run_group first tests/cluster/test_yarn*.py tests/examples >"$reports/first.log" 2>&1 &
other=$!
trap 'kill $other 2>/dev/null' EXIT
run_group second tests/cli tests/mxnet tests/python tests/chaos/test_{drawing,instruments,checks}.py tests/cluster --ignore-glob='*/test_yarn*' || failed+=("$second")
wait $other || failed+=("$first")
trap - EXIT
echo "== $first"
cat "$reports/first.log"

tools/slowest_tests.py 20 "$reports"/*.xml
if ((${#failed[@]})); then
  printf 'failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
