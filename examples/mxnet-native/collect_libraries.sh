#!/usr/bin/env bash
# Copies the libraries a program needs beside it: collect_libraries.sh PROGRAM FOLDER…
#
# They are looked for in the folders, then where the system has them. The C library's own parts stay behind: they belong to the kernel and
# loader of the machine that runs the program.
set -euo pipefail
program=$1
folder=$(dirname "$program")
shift
search=$(IFS=:; echo "$*")

LD_LIBRARY_PATH=$search ldd "$program" | while read -r name arrow path _; do
  [[ $arrow == '=>' ]] || continue
  case $name in
    libc.so.* | libm.so.* | libdl.so.* | librt.so.* | libpthread.so.*) continue ;;
  esac
  if [[ $path == not ]]; then
    echo "collect_libraries.sh: $program needs $name, which is neither in $search nor on this machine." >&2
    exit 1
  fi
  [[ $path -ef $folder/$name ]] || cp --reflink=auto -L "$path" "$folder/$name"
done
