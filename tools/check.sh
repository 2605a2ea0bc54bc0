#!/usr/bin/env bash
# Format, layers, orphan tests, background coroutines, links, names and words, the Python package, tidy: all of `make check`. CHECK_TIDY=0 leaves the slow part out.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files '*.cpp' '*.hpp')
clang-format-19 --dry-run --Werror "${sources[@]}"
echo "format: ${#sources[@]} files"
python3 tools/check_layers.py
python3 tools/check_orphans.py
python3 tools/check_spawn.py
python3 tools/check_links.py
python3 tools/check_docs.py
python3 tools/check_words.py
tools/check_python.sh
if [ "${CHECK_TIDY:-1}" = 1 ]; then
  python3 tools/tidy.py
fi
