#!/usr/bin/env python3
"""Fails on an include that a module's CMake file does not name, or that points the wrong way.

src/CMakeLists.txt lists the modules lowest first; a module may use those above it in that list, and only those that
its own ydl_module(... USES ...) names. spec, framework and job use only core.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
PURE = {"spec", "framework", "job"}


def modules_in_order():
    return re.findall(r"^add_subdirectory\((\w+)\)", (SRC / "CMakeLists.txt").read_text(), re.M)


def uses_of(module):
    text = (SRC / module / "CMakeLists.txt").read_text()
    call = re.search(r"ydl_module\(\w+(.*?)\)", text, re.S)
    words = call.group(1).split()
    if "USES" not in words:
        return set()
    after = words[words.index("USES") + 1:]
    end = next((i for i, word in enumerate(after) if word in ("SOURCES", "LIBS")), len(after))
    return set(after[:end])


def main():
    order = modules_in_order()
    problems = []
    includes = 0
    for rank, module in enumerate(order):
        uses = uses_of(module)
        for used in sorted(uses):
            if used not in order[:rank]:
                problems.append(f"src/{module}: uses {used}, which is not below it")
        if module in PURE and uses - {"core"}:
            problems.append(f"src/{module}: is pure and may use only core, not {', '.join(sorted(uses - {'core'}))}")
        for path in sorted((SRC / module).rglob("*.[hc]pp")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = re.match(r'#include "(\w+)/', line)
                if not found:
                    continue
                includes += 1
                if found.group(1) != module and found.group(1) not in uses:
                    problems.append(f"{path.relative_to(ROOT)}:{number}: includes {found.group(1)}, which src/{module}/CMakeLists.txt does not name in USES")
    folders = {path.parent.name for path in SRC.glob("*/CMakeLists.txt")}
    for missing in sorted(folders - set(order)):
        problems.append(f"src/{missing}: is not in src/CMakeLists.txt")
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"layers: {len(order)} modules, {includes} includes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
