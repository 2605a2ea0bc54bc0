#!/usr/bin/env bash
# All of `make test` once everything is built: ctest, then the tests in Python in two groups at a time, then the slowest of them all.
#
# Tests that wait for Hadoop leave a core idle, so a group that needs no cluster runs beside them. Both groups use free ports and temporary
# folders. The second one's output is shown when it has ended.
set -uo pipefail
cd "$(dirname "$0")/.."
reports=$PWD/build/test-reports
python=$(tools/setup/python_env.sh test)/bin/python || exit 1
export YDL=$PWD/build/bin/ydl
rm -rf "$reports"
mkdir -p "$reports"
failed=()

ctest --preset dev -j"$(nproc)" --output-junit "$reports/ctest.xml" || failed+=(ctest)

run_group() {
  local name=$1
  shift
  "$python" -m pytest --junitxml="$reports/$name.xml" --durations=0 --durations-min=60 "$@"
}

run_group local tests/cli tests/mxnet tests/examples >"$reports/local.log" 2>&1 &
other=$!
trap 'kill $other 2>/dev/null' EXIT
run_group cluster tests/cluster || failed+=(tests/cluster)
wait $other || failed+=("tests/cli tests/mxnet tests/examples")
trap - EXIT
echo "== tests/cli tests/mxnet tests/examples"
cat "$reports/local.log"

tools/slowest_tests.py 20 "$reports"/*.xml
if ((${#failed[@]})); then
  printf 'failed: %s\n' "${failed[*]}" >&2
  exit 1
fi
