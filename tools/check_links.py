#!/usr/bin/env python3
"""Fails on a relative link in a *.md file that leads nowhere: no such file, or no such heading in it.

Links inside code are not looked at.
"""
import functools
import pathlib
import re
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)")


def lines_outside_fences(path):
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, line


@functools.cache
def anchors(path):
    """The headings of a file as GitHub names them."""
    found = set()
    for _, line in lines_outside_fences(path):
        if heading := re.match(r"#{1,6}\s+(.*)", line):
            text = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading.group(1)).strip().lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            found.add(name if name not in found else f"{name}-1")
    return found


def problem_of(source, target):
    """Why a link leads nowhere, or nothing."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target, re.I):  # http:, mailto:
        return None
    file_part, _, anchor = target.partition("#")
    path = (source.parent / urllib.parse.unquote(file_part)).resolve() if file_part else source
    if not path.is_relative_to(ROOT):
        return f"'{target}' leads out of the repository"
    if not path.exists():
        return f"'{target}' does not exist"
    if anchor and path.suffix == ".md" and anchor not in anchors(path):
        return f"'{target}': {path.relative_to(ROOT)} has no heading '#{anchor}'"
    return None


def main():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    problems = []
    links = 0
    for name in sorted(set(listed)):
        source = ROOT / name
        for number, line in lines_outside_fences(source):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                links += 1
                if problem := problem_of(source, target):
                    problems.append(f"{name}:{number}: {problem}")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"links: {links} in {len(listed)} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
