#!/usr/bin/env bash
# Installs the Debian packages of one or more groups: tools/setup/apt.sh build test
#
# A group is a file tools/setup/apt/GROUP.txt. Root (or sudo) is asked for only when a package is missing; a run with nothing to do reads
# dpkg's database once and ends.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

fail() {
  printf 'tools/setup/apt.sh: %s\n' "$1" >&2
  exit 1
}

available_groups() {
  local file names=()
  for file in "$here"/apt/*.txt; do names+=("$(basename "$file" .txt)"); done
  echo "${names[*]}"
}

# Entries of a group, one per line, without comments: `package`, or `package command` where any provider of that command will do.
entries_of() {
  local file=$here/apt/$1.txt
  [[ -f $file ]] || fail "there is no package group '$1'; the groups are: $(available_groups)."
  sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$file"
}

# Reads entries, writes the packages that are neither installed nor replaced by a command on the PATH.
missing_packages() {
  local package command installed
  local -A wanted=()
  while read -r package command; do
    if [[ -z $command ]] || ! command -v "$command" >/dev/null; then wanted[$package]=1; fi
  done
  ((${#wanted[@]})) || return 0
  # dpkg-query fails for an unknown package: that package is simply missing.
  while IFS=$'\t' read -r installed package; do
    [[ $installed == installed ]] && unset "wanted[$package]"
  done < <(dpkg-query -W -f '${db:Status-Status}\t${Package}\n' "${!wanted[@]}" 2>/dev/null || true)
  ((${#wanted[@]})) || return 0
  printf '%s\n' "${!wanted[@]}" | sort
}

# The words to put before a command that needs root.
root_prefix() {
  if ((EUID == 0)); then return 0; fi
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null || [[ -t 0 ]]; then echo sudo; return 0; fi
  return 1
}

install_packages() {
  local manual="apt-get update && apt-get install -y --no-install-recommends $*"
  local prefix
  command -v apt-get >/dev/null || fail "these Debian packages are missing and there is no apt-get here to install them: $*."
  prefix=$(root_prefix) || fail "packages are missing and neither root nor sudo is at hand; run this as root, then try again: $manual"

  echo "Installing $# Debian packages: $*" >&2
  local as_root=(${prefix:+"$prefix"} env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600)
  # One broken third-party source must not stop a build that needs only Debian's own: the install below decides.
  "${as_root[@]}" update >&2 || echo "apt-get update reported errors; going on with the package lists at hand." >&2
  "${as_root[@]}" install -y --no-install-recommends "$@" >&2 ||
    fail "apt-get could not install the packages (its message is above); the command was: $manual"
}

(($#)) || fail "name at least one package group; the groups are: $(available_groups)."
entries=$(for group in "$@"; do entries_of "$group"; done)
mapfile -t missing < <(missing_packages <<<"$entries")
if ((${#missing[@]})); then install_packages "${missing[@]}"; fi
