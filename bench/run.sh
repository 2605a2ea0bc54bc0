#!/usr/bin/env bash
# Runs every benchmark and prints its tables and goals: bench/run.sh [options of local_launch.py]
#
# A missed goal is a number in the output, not a failure: the exit code is 1 only when a benchmark cannot run. YDL names another binary
# than build/bin/ydl.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ydl=$(realpath "${YDL:-$root/build/bin/ydl}")
tools=$root/build/bench

fail() {
  printf 'bench/run.sh: %s\n' "$1" >&2
  exit 1
}

[[ -x $ydl ]] || fail "there is no program $ydl; run \`make build\` first, or name one with YDL."
torch=$("$root/tools/setup/python_env.sh" torch) || fail "torchrun, one of the launchers compared, is not there."
mxnet=$("$root/tools/setup/python_env.sh" mxnet) || fail "MXNet, whose jobs are measured, is not there."
mnist=$("$root/tools/fetch_data.py" mnist) || fail "MNIST, which they train on, is not there."
hdfs_native=$("$root/tools/setup/python_env.sh" hdfs-native) || fail "hdfs-native, the HDFS client compared, is not there."
skein=$("$root/tools/setup/python_env.sh" skein) || fail "skein, the launcher for YARN compared, is not there."
native=$(make --silent -C "$root/examples/mxnet-native" | tail -n 1) || fail "examples/mxnet-native does not build."

cmake --build "$root/build/release" --target hdfs_client yarn_tool journal_tool replay_bench scale_bench hollow_nodes >/dev/null || fail "the clients that are measured do not build."

mkdir -p "$tools"
for program in trivial_task bare_loop; do
  # Static, so that their own start is not what is measured.
  clang-19 -O2 -static -Wall -Wextra -Werror -o "$tools/$program" "$root/bench/$program.c" || fail "$program.c does not compile."
done

printf '%s, %s cores, load %s, %s\n' "$("$ydl" --version)" "$(nproc)" "$(cut -d' ' -f1-3 /proc/loadavg)" "$(uname -sr)"

failed=0
/usr/bin/python3 "$root/bench/local_launch.py" --ydl "$ydl" --task "$tools/trivial_task" --bare-loop "$tools/bare_loop" \
  --torch-python "$torch/bin/python" "$@" || failed=1
/usr/bin/python3 "$root/bench/command_cost.py" --ydl "$ydl" || failed=1
/usr/bin/python3 "$root/bench/mxnet_launch.py" --ydl-mx "$(dirname "$ydl")/ydl-mx" --python "$mxnet/bin/python" --data-dir "$mnist" \
  --native "$native/train_mnist_native" || failed=1
/usr/bin/python3 "$root/bench/hdfs.py" --ydl "$ydl" --ydl-client "$root/build/release/bin/hdfs_client" \
  --hdfs-native-python "$hdfs_native/bin/python" || failed=1
/usr/bin/python3 "$root/bench/yarn_launch.py" --ydl "$ydl" --yarn-tool "$root/build/release/bin/yarn_tool" --skein-python "$skein/bin/python" || failed=1
/usr/bin/python3 "$root/bench/scale.py" --ydl "$ydl" --programs "$root/build/release/bin" || failed=1
/usr/bin/python3 "$root/bench/recovery.py" --ydl "$ydl" --programs "$root/build/release/bin" --torch-python "$torch/bin/python" || failed=1
exit "$failed"
