#!/usr/bin/env bash
# The Python package: format and style with ruff, types with mypy --strict.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$(tools/setup/python_env.sh wheel)/bin
cd python
"$tools/ruff" format --quiet --check .
"$tools/ruff" check --quiet .
"$tools/mypy" --no-error-summary
echo "python: $(git ls-files '*.py' | wc -l) files"
