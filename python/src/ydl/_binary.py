"""Finds the binary that was installed with this package.

A `ydl` of the PATH may be another version, or another program, so it is never used.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ydl._errors import YdlError

_ELF = b"\x7fELF"


def _folders() -> Iterator[Path]:
    yield Path(sysconfig.get_path("scripts"))
    package = Path(__file__).resolve().parent
    yield package.parent / "bin"  # pip install --target
    if len(package.parents) > 3:
        yield package.parents[3] / "bin"  # pip install --prefix: PREFIX/lib/pythonX.Y/site-packages/ydl
    yield Path(sysconfig.get_path("scripts", "posix_user"))  # pip install --user
    base = {"base": sys.base_prefix, "platbase": sys.base_prefix}
    yield Path(sysconfig.get_path("scripts", vars=base))


def _is_program(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_ELF)) == _ELF


@cache
def find_binary() -> Path:
    """The path of the binary. Raises YdlError if the installation has none."""
    folders = list(dict.fromkeys(_folders()))
    for folder in folders:
        if _is_program(folder / "ydl"):
            return folder / "ydl"
    looked = ", ".join(str(folder) for folder in folders)
    raise YdlError(
        f"the program ydl of this package is missing (looked in {looked}); "
        "install the package again: pip install --force-reinstall ydl-jobs"
    )
