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

python_of() { echo "--python=$(tools/setup/python_env.sh "$1")/bin/python"; }

case $framework in
  mxnet)
    command=("$ydl-mx" --n 2 --jobname mnist)
    # On a cluster MXNet is uploaded with the job: uv builds the environment.
    if [ "$where" = yarn ]; then PATH=$(tools/setup/python_env.sh uv)/bin:$PATH; else command+=("$(python_of mxnet)"); fi
    task=(train_mnist.py --kv-store dist_sync --num-epochs 5) ;;
  pytorch)
    command=("$ydl" run --framework pytorch --n 2 --name mnist "$(python_of torch)")
    task=(-- train_mnist.py --epochs 2) ;;
  *)
    echo "DEMO is mxnet or pytorch, not '$framework'" >&2
    exit 2 ;;
esac
case $where in
  local)
    command+=(--cluster local --results "$results") ;;
  yarn)
    export YDL_CLUSTER_DIR=$PWD/build/demo-cluster
    if [ -d "$YDL_CLUSTER_DIR" ]; then testing/cluster down || rm -rf "$YDL_CLUSTER_DIR"; fi  # of a demo that was killed
    testing/cluster up --nodes 3 --yarn
    trap 'testing/cluster down' EXIT
    eval "$(testing/cluster env)"
    command+=(--cluster yarn --file "$data=mnist-data")
    data=mnist-data ;;
  *)
    echo "CLUSTER is local or yarn, not '$where'" >&2
    exit 2 ;;
esac
command+=("${task[@]}" --data-dir "$data")

cd "examples/$framework"
echo
echo "\$ ${command[*]}"
start=$(date +%s)
"${command[@]}"
seconds=$(($(date +%s) - start))
job=$("$ydl" ls --cluster "$where" --output json --limit 1 | sed 's/.*"job":"\([^"]*\)".*/\1/')
if [ "$where" = yarn ]; then
  cd "$OLDPWD"
  "$ydl" results get "$job" --task worker:0 --to "$results/worker-0"
fi
echo
"$ydl" logs "$job" worker:0 2> /dev/null | grep '^accuracy:'
echo "time:  $seconds s"
echo "model: $(printf '%s\n' "$results"/worker-0/* | grep -v symbol | sort | tail -n 1)"
if [ "$where" = yarn ]; then echo "The cluster is being taken down."; else echo "logs:  ydl logs $job"; fi
