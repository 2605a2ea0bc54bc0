#!/usr/bin/env python3
"""Runs clang-tidy on every source file of src/ that it has not found clean before.

Most of its time goes into headers of libraries, so files of one module are looked at together, as one source made of their texts. (One
that included them would need the analyzer to look into headers, Boost's too: minutes instead of seconds.) Files that define the same local
name cannot be in one; they go into another.

What was found clean is noted in the user's cache directory, under a hash of all that clang-tidy saw: its version, its settings, the
compiler's command, the file and every header it includes. So a second run, in this clone or another, looks only at what has changed. Needs
an up-to-date build/dev, whose record of included headers it reads.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/dev"
TIDY = "clang-tidy-19"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ydl/tidy"
BATCH = 12  # files
# What a file may define for itself: a function, a constant or a type.
LOCAL = re.compile(
    r"^(?:\w[\w:<>,*&\s\[\]]+?[\s*&])?(\w+)\("
    r"|^(?:constexpr|const|static|inline)\s.*?\b(\w+)\s*(?:=|\{)"
    r"|^(?:struct|class|enum class|enum)\s+(\w+)|^using (\w+) =",
    re.M,
)
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


def local_names(source):
    """The names that a file defines in its anonymous namespaces, and some more: names too many only make batches smaller."""
    text = source.read_text()
    spaces = re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.M | re.S)
    return {name for space in spaces for match in LOCAL.findall(space) for name in match if name}


def batches(units):
    """Lists of units of one module that can be compiled as one source."""
    found = defaultdict(list)
    for unit in units:
        source, command, _ = unit
        module = source.relative_to(ROOT / "src").parts[0]
        names = local_names(source)
        for batch, taken in found[module, tuple(flags(command))]:
            if len(batch) < BATCH and not names & taken:
                batch.append(unit)
                taken |= names
                break
        else:
            found[module, tuple(flags(command))].append(([unit], names))
    return [batch for of_module in found.values() for batch, _ in of_module]


def flags(command):
    """Of a compiler's command: without the compiler, its input and its outputs."""
    kept, skipped = [], {"-o", "-c", "-MF", "-MT", "-MQ"}
    words = iter(command[next(i for i, word in enumerate(command) if word.startswith("-")) :])
    for word in words:
        if word in skipped:
            next(words)
        elif word != "-MD":
            kept.append(word)
    return kept


def joined(sources):
    """(one text of all sources, [(source, the line after which it begins)])"""
    text, begins = "", []
    for source in sources:
        begins.append((source, text.count("\n")))
        text += source.read_text() + "\n"
    return text, begins


def in_sources(line, path, begins):
    """A line of clang-tidy's output with the source's name and line instead of the joined text's."""

    def place(match):
        number = int(match[1])
        source, before = next((source, before) for source, before in reversed(begins) if before < number)
        return f"{source}:{number - before}:"

    return re.sub(re.escape(str(path)) + r":(\d+):", place, line)


def run_tidy(sources, command):
    """(whether all is clean, what was found)"""
    text, begins = joined(sources)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "joined.cpp"
        path.write_text(text)
        done = subprocess.run(
            [TIDY, "--quiet", f"--config-file={ROOT}/.clang-tidy", "--header-filter=/src/[a-z]+/.*[.]hpp$", str(path), "--", *flags(command)],
            capture_output=True, text=True, check=False, cwd=BUILD)  # fmt: skip
        lines = [in_sources(line, path, begins) for line in (done.stdout + done.stderr).splitlines()]
    lines = [line for line in lines if not line.startswith(NOISE) and "generated." not in line]
    # In Asio's own headers the analyzer takes the state of a suspended coroutine for uninitialized.
    errors = [line for line in lines if ": error: " in line]
    are_asios = bool(errors) and all(line.startswith("/usr/include/boost/asio/") and "[clang-analyzer-" in line for line in errors)
    return done.returncode == 0 or are_asios, "\n".join(lines)


def check(batch):
    """What clang-tidy has to say about a batch, nothing if it is clean."""
    clean, findings = run_tidy([source for source, _, _ in batch], batch[0][1])
    if clean:
        for _, _, stamp in batch:
            stamp.touch()  # at once: a run that is interrupted was not in vain
        return ""
    if "[clang-diagnostic-error]" in findings and len(batch) > 1:  # they do not go together after all
        return "\n".join(filter(None, (check([unit]) for unit in batch)))
    return findings or f"{TIDY} failed on {', '.join(str(source) for source, _, _ in batch)} without a message"


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
            todo.append((source, command, stamp))
    CACHE.mkdir(parents=True, exist_ok=True)
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in filter(None, pool.map(check, batches(todo))):
            failed += 1
            print(findings, flush=True)
    print(f"tidy: {len(todo)} files looked at, {known} known to be clean, {'findings in ' + str(failed) if failed else 'no findings in'} batches")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
