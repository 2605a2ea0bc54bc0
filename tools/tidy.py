#!/usr/bin/env python3
"""Runs clang-tidy on every source file of src/ that it has not found clean before.

What was found clean is noted in the user's cache directory, under a hash of all that clang-tidy saw: its version, its settings, the
compiler's command, the file and every header it includes. So a second run, in this clone or another, looks only at what has changed. Needs
an up-to-date build/dev, whose record of included headers it reads.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/dev"
TIDY = "clang-tidy-19"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ydl/tidy"
NOISE = ("Suppressed ", "Use -header-filter", "Use -system-headers")


@cache
def content_hash(path):
    return hashlib.sha256(Path(path).read_bytes()).digest()


def included_files():
    """{object file: the files it was made of}, from ninja's record of the last build."""
    listing = subprocess.run(["ninja", "-C", str(BUILD), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, current = {}, []
    for line in listing.splitlines():
        if line.startswith("    "):
            current.append(str((BUILD / line.strip()).resolve()))
        elif ": #deps" in line:
            current = found.setdefault(line.split(":")[0], [])
    return found


def units():
    """(source file, compiler's command, object file) of what is checked."""
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = Path(entry["file"])
        if not source.is_relative_to(ROOT / "src") or source.is_relative_to(ROOT / "src/third_party"):
            continue
        command = shlex.split(entry["command"])
        yield source, command, entry.get("output") or command[command.index("-o") + 1]


def key(settings, command, files):
    """Paths below the clone do not count, so that clones share what they know."""
    seen = hashlib.sha256(settings)
    seen.update(" ".join(command).replace(str(ROOT), "").encode())
    for path in sorted(files):
        seen.update(path.removeprefix(str(ROOT)).encode() + content_hash(path))
    return seen.hexdigest()


def check(unit):
    """What clang-tidy has to say about a file, nothing if it is clean."""
    source, stamp = unit
    done = subprocess.run([TIDY, "-p", str(BUILD), "--quiet", str(source)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        stamp.touch()  # at once: a run that is interrupted was not in vain
        return ""
    lines = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(NOISE) and "generated." not in line]
    return "\n".join(lines) or f"{TIDY} failed on {source} without a word"


def main():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    settings = version + (ROOT / ".clang-tidy").read_bytes()
    included = included_files()
    todo, known = [], 0
    for source, command, output in units():
        if output not in included:
            sys.exit(f"tools/tidy.py: {source.relative_to(ROOT)} is not built; run `make dev` first.")
        stamp = CACHE / key(settings, command, {str(source), *included[output]})
        if stamp.exists():
            known += 1
        else:
            todo.append((source, stamp))
    CACHE.mkdir(parents=True, exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in filter(None, pool.map(check, todo)):
            failed += 1
            print(findings, flush=True)
    print(f"tidy: {len(todo)} files looked at, {known} known to be clean, {failed} with findings")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
