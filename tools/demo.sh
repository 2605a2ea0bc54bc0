#!/usr/bin/env bash
# `make demo`: the first thing a newcomer runs. MXNet with two workers and two parameter servers trains on the real
# MNIST, on this machine. DEMO=pytorch shows the same with two PyTorch workers. CLUSTER=yarn starts a YARN cluster of
# three hosts on this machine and runs the same job there.
set -euo pipefail
cd "$(dirname "$0")/.."
framework=${DEMO:-mxnet}
where=${CLUSTER:-local}
ydl=$PWD/build/bin/ydl
data=$(tools/fetch_data.py mnist)
results=$PWD/build/demo
rm -rf "$results"
case $where in
  local)
    options=(--cluster local --results "$results") ;;
  yarn)
    export YDL_CLUSTER_DIR=$PWD/build/demo-cluster
    testing/cluster up --nodes 3 --yarn
    trap 'testing/cluster down' EXIT
    eval "$(testing/cluster env)"
    options=(--cluster yarn --file "$data=mnist-data")
    data=mnist-data ;;
  *)
    echo "CLUSTER is local or yarn, not '$where'" >&2
    exit 2 ;;
esac
case $framework in
  mxnet)
    python=$(tools/setup/python_env.sh mxnet)/bin/python
    command=("$ydl-mx" --n 2 --jobname mnist --python "$python" "${options[@]}"
      train_mnist.py --kv-store dist_sync --data-dir "$data" --num-epochs 5) ;;
  pytorch)
    python=$(tools/setup/python_env.sh torch)/bin/python
    command=("$ydl" run --framework pytorch --n 2 --name mnist --python "$python" "${options[@]}"
      -- train_mnist.py --data-dir "$data" --epochs 2) ;;
  *)
    echo "DEMO is mxnet or pytorch, not '$framework'" >&2
    exit 2 ;;
esac
cd "examples/$framework"
echo
echo "\$ ${command[*]}"
start=$(date +%s)
"${command[@]}"
seconds=$(($(date +%s) - start))
job=$("$ydl" ls --cluster "$where" --output json --limit 1 | sed 's/.*"id":"\([^"]*\)".*/\1/')
echo
"$ydl" logs "$job" worker:0 2> /dev/null | grep '^accuracy:'
echo "time:  $seconds s"
if [ "$where" = yarn ]; then "$ydl" results get "$job" --task worker:0 --to "$results/worker-0"; fi
echo "model: $(ls -t "$results"/worker-0/* | grep -v symbol | head -n 1)"
echo "logs:  ydl logs $job"
