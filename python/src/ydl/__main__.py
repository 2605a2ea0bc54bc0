"""`python -m ydl` and `ydl-mx`: the binary of this package takes the place of the interpreter."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ydl._binary import find_binary
from ydl._errors import YdlError


def _become(name: str) -> NoReturn:
    try:
        binary = find_binary()
    except YdlError as error:
        sys.exit(f"ydl: {error}")
    os.execv(binary, [name, *sys.argv[1:]])


def main_mx() -> NoReturn:
    _become("ydl-mx")


if __name__ == "__main__":
    _become("ydl")
