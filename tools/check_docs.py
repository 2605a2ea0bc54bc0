#!/usr/bin/env python3
"""Fails on a document that names a file or a function which does not exist, or not there.

Looked at in every *.md file, code blocks included:
- a path of this tree: src/agent/task.cpp, `src/agent/protocol_*`
- a name with its file: `parse_job` (`src/spec/parse.cpp`), `describe` in `src/job/types.cpp`: the file defines it
- a member of a class or namespace: `Machine::place_all`: the sources define both words
The change log tells of files as they were at the time: there only links are checked (check_links.py).
"""
import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE_PATH = re.compile(r"(?<![\w./~$-])((?:src|docs|tests|testing|tools|cmake|examples|bench)/[\w./*-]*[\w*])")
NAME = r"`[A-Za-z_][\w:]*(?:\([\w ]*\))?`"
NAMES_AND_FILE = re.compile(
    rf"({NAME}(?:(?:,| and|, and)\s+{NAME})*)(?:\s+\(|,\s+|\s+in\s+)`(src/[\w./-]+\.[hc]pp)`")
MEMBER = re.compile(r"`((?:[A-Z]\w*::)+[a-z_]\w*)(?:\([\w ]*\))?`")
NOT_A_TYPE = r"(?!return\b|co_return\b|co_await\b|else\b|throw\b)"


@functools.cache
def code_of(path):
    """A source without its comments, which may name what is elsewhere."""
    return re.sub(r"//[^\n]*", "", path.read_text())


def last_word(name):
    return re.sub(r"\(.*", "", name.strip("`")).rpartition("::")[2]


def declares(code, word):
    return re.search(rf"\b{word}\b", code) is not None


def defines(code, word):
    """Whether a .cpp has the body of a function, a type or a constant of this name, and not only calls it."""
    function = rf"^(?:  )?{NOT_A_TYPE}[\w:<>,&*\[\]]+[\w:<>,&*\[\]\s]*?[\s&*:]{word}\("
    other = rf"\b{word}::\w+\(|\b(?:struct|class|enum class|using|constexpr [\w:<> ,]*) ?{word}\b"
    return re.search(function, code, re.M) is not None or re.search(other, code) is not None


def names_it(path, word):
    code = code_of(path)
    return defines(code, word) if path.suffix == ".cpp" else declares(code, word)


@functools.cache
def all_code():
    return "\n".join(code_of(path) for path in sorted((ROOT / "src").rglob("*.[hc]pp")))


def missing_paths(text):
    for found in TREE_PATH.finditer(text):
        target = found.group(1)
        exists = next(ROOT.glob(target), None) if "*" in target else (ROOT / target).exists()
        if not exists:
            yield found.start(), f"{target} does not exist"


def misplaced_names(text):
    for found in NAMES_AND_FILE.finditer(text):
        path = ROOT / found.group(2)
        if not path.exists():
            continue  # told by missing_paths
        for name in re.findall(NAME, found.group(1)):
            if not names_it(path, last_word(name)):
                yield found.start(), f"{found.group(2)} does not define {name}"


def unknown_members(text):
    for found in MEMBER.finditer(text):
        *owners, member = found.group(1).split("::")
        known = re.search(rf"\b(?:class|struct|namespace) (?:\w+::)*{owners[-1]}\b", all_code()) and declares(all_code(), member)
        if not known:
            yield found.start(), f"the sources have no `{found.group(1)}`"


def main():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md", ":!CHANGELOG.md"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    problems = []
    named = 0
    for name in sorted(set(listed)):
        text = (ROOT / name).read_text()
        named += sum(len(pattern.findall(text)) for pattern in (TREE_PATH, NAMES_AND_FILE, MEMBER))
        for check in (missing_paths, misplaced_names, unknown_members):
            for at, problem in check(text):
                problems.append(f"{name}:{text.count(chr(10), 0, at) + 1}: {problem}")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"names: {named} files and functions in {len(listed)} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
