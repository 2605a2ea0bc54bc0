#!/usr/bin/env bash
# Builds the two wheels of the Python package: tools/wheel.sh BINARY FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
(($# == 2)) || { echo "usage: tools/wheel.sh BINARY FOLDER" >&2; exit 2; }
binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
tools=$(tools/setup/python_env.sh wheel)
stripped=$(mktemp -d)
trap 'rm -r "$stripped"' EXIT
llvm-strip-19 -o "$stripped/ydl" "$binary"
rm -f "$folder"/ydl_jobs-*.whl "$folder"/ydl_tf_yarn-*.whl
for project in python python/tf_yarn_names; do
  (cd "$project" && YDL_BINARY=$stripped/ydl "$tools/bin/hatchling" build -t wheel -d "$folder")
done
