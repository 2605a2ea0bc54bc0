#!/usr/bin/env bash
# Builds MIT krb5 as static libraries from Debian's source package, if that is not done yet, and prints its folder: tools/setup/krb5.sh
#
# Debian ships krb5 as shared libraries only, and ydl is one static binary. The folder (include/, lib/) lives in the user's cache under a name
# made of the version and of this script, so other flags make a new folder and never alter one that a build links with.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=1.20.1 # Debian 12's; its security updates keep it

fail() {
  printf 'tools/setup/krb5.sh: %s\n' "$1" >&2
  exit 1
}

key=$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-12)
folder=${XDG_CACHE_HOME:-$HOME/.cache}/ydl/krb5/$version-$key
if [[ -e $folder/.complete ]]; then
  echo "$folder"
  exit 0
fi

# Of several runs at once one builds and the others wait for it here.
mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9

# The machine's own package sources, asked for sources instead of binaries: its lists are not touched, and root is not needed.
# In their original positions: apt reads sources.list before the others, and where an archive is in both, the order counts.
source_entries() {
  local file
  mkdir -p "$1/sources.list.d"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ -f $file ]] || continue
    case $file in
      *.list) sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$file" ;;
      *) sed 's/^Types:.*/Types: deb-src/' "$file" ;;
    esac >"$1/${file#/etc/apt/}"
  done
}

fetch_source() {
  local apt=$1/apt
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$1/source"
  source_entries "$apt"
  local get=(apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/sources.list.d" -o Dir::State="$apt/state"
    -o Dir::State::Status=/var/lib/dpkg/status -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= -o Acquire::Languages=none)
  # One broken third-party source must not stop a build that needs only Debian's own: the fetch decides.
  "${get[@]}" update >&2 || echo "apt-get update reported errors; going on with what it has found." >&2
  (cd "$1/source" && "${get[@]}" source krb5 >&2) ||
    fail "apt-get could not fetch the source package krb5 (its message is above); it looked at the sources in /etc/apt/sources.list and sources.list.d."
  [[ -d $1/source/krb5-$version ]] ||
    fail "the source package krb5 of this system is not $version, which is Debian 12's and what ydl is tested with: $(ls "$1/source")."
}

compile() {
  cd "$1/source/krb5-$version/src"
  # Paths as any system has them. No dlopen: a static program must not load what another system calls plugins.
  # Sections, so that the linker drops what ydl never calls; position-independent, because test programs are.
  ac_cv_search_dlopen=no ./configure --prefix=/usr --sysconfdir=/etc --localstatedir=/var --enable-static --disable-shared --disable-rpath \
    --disable-nls --disable-pkinit --without-system-verto --without-libedit --without-ldap --without-lmdb --without-keyutils \
    --with-tls-impl=no --with-crypto-impl=builtin \
    CC=clang-19 AR=llvm-ar-19 RANLIB=llvm-ranlib-19 CFLAGS='-O2 -fPIC -ffunction-sections -fdata-sections -w' &&
    make -j"$(nproc)" -C util && make -j"$(nproc)" -C include && make -j"$(nproc)" -C lib
}

# In a static program these functions of glibc load the modules of whatever system it runs on. ydl has its own (src/third_party/krb5_host.cpp).
rename_host_functions() {
  local name renames=()
  for name in getaddrinfo freeaddrinfo getnameinfo getpwnam_r getpwuid_r getservbyname; do renames+=(--redefine-sym "$name=ydl_krb5_$name"); done
  for name in "$@"; do llvm-objcopy-19 "${renames[@]}" "$name"; done
}

build() {
  local work
  "$here/apt.sh" krb5 9>&-
  echo "Building static MIT krb5 $version in $folder (about two minutes)" >&2
  work=$(mktemp -d "$folder.XXXXXX")
  # shellcheck disable=SC2064  # the name is known now and gone later
  trap "rm -rf '$work'" EXIT
  fetch_source "$work"
  (compile "$work") >"$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "MIT krb5 does not build (the end of its log is above)."; }
  rm -rf "$folder"
  mkdir -p "$folder/include" "$folder/lib"
  cp -rL "$work/source/krb5-$version/src/include/"{gssapi,gssapi.h,krb5,krb5.h,com_err.h,profile.h} "$folder/include/"
  cp -L "$work/source/krb5-$version/src/lib/lib"{gssapi_krb5,krb5,k5crypto,com_err,krb5support}.a "$folder/lib/"
  rename_host_functions "$folder/lib/"*.a
  touch "$folder/.complete"
}

if [[ ! -e $folder/.complete ]]; then build; fi
echo "$folder"
