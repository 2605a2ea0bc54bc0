#!/usr/bin/env bash
# `make demo`: the first thing a newcomer runs. MXNet with two workers and two parameter servers trains on the real
# MNIST, on this machine. DEMO=pytorch shows the same with two PyTorch workers.
set -euo pipefail
cd "$(dirname "$0")/.."
framework=${DEMO:-mxnet}
data=$(tools/fetch_data.py mnist)
results=$PWD/build/demo
rm -rf "$results"
case $framework in
  mxnet)
    python=$(tools/setup/python_env.sh mxnet)/bin/python
    command=(build/bin/ydl-mx --n 2 --jobname mnist --python "$python" --results "$results"
      examples/mxnet/train_mnist.py --kv-store dist_sync --data-dir "$data" --num-epochs 5) ;;
  pytorch)
    python=$(tools/setup/python_env.sh torch)/bin/python
    command=(build/bin/ydl run --framework pytorch --n 2 --name mnist --python "$python" --results "$results"
      examples/pytorch/train_mnist.py --data-dir "$data" --epochs 2) ;;
  *)
    echo "DEMO is mxnet or pytorch, not '$framework'" >&2
    exit 2 ;;
esac
echo
echo "\$ ${command[*]}"
start=$(date +%s)
"${command[@]}"
seconds=$(($(date +%s) - start))
job=$(build/bin/ydl ls --output json --limit 1 | sed 's/.*"id":"\([^"]*\)".*/\1/')
echo
build/bin/ydl logs "$job" worker:0 2> /dev/null | grep '^accuracy:'
echo "time:  $seconds s"
echo "model: $(ls -t "$results"/worker-0/* | grep -v symbol | head -n 1)"
echo "logs:  ydl logs $job"
