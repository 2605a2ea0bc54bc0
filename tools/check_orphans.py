#!/usr/bin/env python3
"""Fails when a test or source file is listed by no CMake file: it would silently not be built.

Examples build by Makefiles of their own.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    tracked = subprocess.run(["git", "ls-files", "*.cpp", ":!examples"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    lists = "\n".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake"), *ROOT.glob("src/**/CMakeLists.txt"),
                                                    *ROOT.glob("tests/**/CMakeLists.txt"), *ROOT.glob("bench/**/CMakeLists.txt"),
                                                    *ROOT.glob("tools/**/CMakeLists.txt")])
    # The frameworks are listed by name alone (src/framework/CMakeLists.txt).
    orphans = [name for name in tracked
               if pathlib.Path(name).name not in lists
               and not (name.startswith("src/framework/") and f"\n  {pathlib.Path(name).stem}" in lists)]
    if orphans:
        print("\n".join(f"{name}: no CMake file lists it" for name in orphans), file=sys.stderr)
        return 1
    print(f"orphans: none of {len(tracked)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
