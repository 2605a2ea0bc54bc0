#!/usr/bin/env bash
# Puts the binary, completion and manual below a prefix.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=$1
ydl=build/bin/ydl
install -D -m 755 $ydl "$prefix/bin/ydl"
ln -sf ydl "$prefix/bin/ydl-mx"
install -d "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" \
  "$prefix/share/fish/vendor_completions.d" "$prefix/share/man/man1"
$ydl completion bash > "$prefix/share/bash-completion/completions/ydl"
$ydl completion zsh > "$prefix/share/zsh/site-functions/_ydl"
$ydl completion fish > "$prefix/share/fish/vendor_completions.d/ydl.fish"
$ydl __man > "$prefix/share/man/man1/ydl.1"
echo "installed ydl to $prefix/bin"
