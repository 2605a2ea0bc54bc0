#!/usr/bin/env python3
"""Fails on a coroutine of src that is started without net::spawn: an exception that leaves it would disappear.

Outside src/net nothing may call co_spawn, and only src/net/spawn.cpp may use asio::detached.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SPAWN = ROOT / "src/net/spawn.cpp"
DETACHED = re.compile(r"\basio::detached\b|boost/asio/detached\.hpp")
CO_SPAWN = re.compile(r"\bco_spawn\b")


def problems_in(path):
    name = path.relative_to(ROOT)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code = line.partition("//")[0] if "#include" not in line else line
        if DETACHED.search(code) and path != SPAWN:
            yield f"{name}:{number}: uses asio::detached; start the coroutine with net::spawn (src/net/spawn.hpp)"
        elif CO_SPAWN.search(code) and "#include" not in line and path.parent != SPAWN.parent:
            yield f"{name}:{number}: calls co_spawn; start the coroutine with net::spawn (src/net/spawn.hpp)"


def main():
    sources = sorted((ROOT / "src").rglob("*.[hc]pp"))
    problems = [problem for path in sources for problem in problems_in(path)]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    print(f"coroutines: none of {len(sources)} files starts one without net::spawn")
    return 0


if __name__ == "__main__":
    sys.exit(main())
