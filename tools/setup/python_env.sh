#!/usr/bin/env bash
# Prints the path of a ready Python environment: tools/setup/python_env.sh NAME
#
# NAME is a file tools/setup/python/NAME.txt that pins every package. The environment lives in the user's cache under a name made of that
# file's content and the interpreter's version, so a changed pin makes a new environment and never alters one that is in use.
# Lines `#: KEY VALUE` of the file are for this script:
#   #: python 3.11                  the only Python version the pins are for
#   #: apt GROUP                    Debian packages it stands on (tools/setup/apt.sh)
#   #: venv --system-site-packages  an option of `python3 -m venv`
#   #: check import torch           a statement that must run before the environment counts as ready
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Not the python3 of the PATH: another one may stand there, which does not see Debian's packages.
python=/usr/bin/python3

fail() {
  printf 'tools/setup/python_env.sh: %s\n' "$1" >&2
  exit 1
}

available_names() {
  local file names=()
  for file in "$here"/python/*.txt; do names+=("$(basename "$file" .txt)"); done
  echo "${names[*]}"
}

(($# == 1)) || fail "give the name of one environment: $(available_names)."
name=$1
lock_file=$here/python/$name.txt
[[ -f $lock_file ]] || fail "there is no environment '$name'; the environments are: $(available_names)."

directives() { sed -n "s/^#: $1 //p" "$lock_file"; }

# The cheap part: where the environment is, and whether it is ready.
[[ -x $python ]] || "$here/apt.sh" python
version=$("$python" -c 'import platform as p; print(p.python_version(), p.machine())')
key=$({ echo "$version"; cat "$lock_file"; } | sha256sum | cut -c1-12)
environment=${XDG_CACHE_HOME:-$HOME/.cache}/ydl/python/$name-$key
if [[ -e $environment/.complete ]]; then
  echo "$environment"
  exit 0
fi

wanted=$(directives python)
[[ -z $wanted || $version == "$wanted".* ]] ||
  fail "environment '$name' is pinned for Python $wanted, but $python is ${version% *}; use Debian 12, or pin other versions in tools/setup/python/$name.txt."

# An environment has its own path in its scripts, so it is made in place; the marker says that it is whole.
# Of several runs at once one builds and the others wait for it here.
mkdir -p "$(dirname "$environment")"
exec 9>"$environment.lock"
flock 9

build() {
  local groups statement
  mapfile -t groups < <(directives apt)
  # 9>&-: a service that a package starts must not keep the lock. What follows keeps it on purpose: should this script be killed, its pip
  # goes on for a while, and the next run has to wait for it.
  "$here/apt.sh" python "${groups[@]}" 9>&-

  echo "Building the Python environment '$name' in $environment" >&2
  rm -rf "$environment"
  # shellcheck disable=SC2046  # the directive is a list of options
  "$python" -m venv $(directives venv) "$environment" >&2
  # --no-deps: the file is the whole truth, a package it forgets must be noticed by the checks below.
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps -r "$lock_file" >&2 ||
    fail "pip could not install the packages of tools/setup/python/$name.txt (its message is above)."
  while read -r statement; do
    "$environment/bin/python" -c "$statement" >&2 </dev/null ||
      fail "environment '$name' was built in $environment but '$statement' fails in it (its message is above)."
  done < <(directives check)
  touch "$environment/.complete"
}

if [[ ! -e $environment/.complete ]]; then build; fi
echo "$environment"
