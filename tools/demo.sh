#!/usr/bin/env bash
# `make demo`: the first thing a newcomer runs. Two PyTorch workers train on the real MNIST on this machine.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(tools/setup/python_env.sh torch)/bin/python
data=$(tools/fetch_data.py mnist)
results=$PWD/build/demo
rm -rf "$results"
command=(build/bin/ydl run --framework pytorch --n 2 --results "$results" --name mnist --python "$python"
  examples/pytorch/train_mnist.py --data-dir "$data" --epochs 2)
echo
echo "\$ ${command[*]}"
start=$(date +%s)
"${command[@]}"
seconds=$(($(date +%s) - start))
echo
build/bin/ydl logs "$(build/bin/ydl ls --output json --limit 1 | sed 's/.*"id":"\([^"]*\)".*/\1/')" worker:0 2> /dev/null | grep '^accuracy:'
echo "time: $seconds s"
echo "model: $(ls "$results"/worker-0/*)"
