"""Puts the static binary into the wheel and tells for which machines the wheel is.

YDL_BINARY names the binary; `make wheel` sets it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binary needs no library of the machine, not even glibc.
TAG = "py3-none-manylinux_2_5_x86_64.manylinux1_x86_64.musllinux_1_1_x86_64"


class BinaryHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        binary = Path(os.environ.get("YDL_BINARY", ""))
        if not binary.is_file():
            raise FileNotFoundError("set YDL_BINARY to the static binary ydl; `make wheel` builds both")
        build_data["pure_python"] = False
        build_data["tag"] = TAG
        build_data["shared_scripts"][str(binary.resolve())] = "ydl"
