"""Files that client and tasks send each other: a line of JSON, then a pickle.

The line tells which Python wrote the pickle. Another one must not load it: Python 3.12 dies of a segmentation
fault on a function of 3.11.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any, Optional

FUNCTION_FILE = "ydl-function"  # in the task's working directory
OUTCOME_FILE = "ydl-outcome"  # among the task's results
VERSION = 1


def this_python() -> str:
    return f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}"


def encode(fields: dict[str, Any], body: bytes) -> bytes:
    header = {"version": VERSION, "python": this_python(), **fields}
    return json.dumps(header).encode() + b"\n" + body


def decode(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Raises ValueError if the bytes are not of this format."""
    line, newline, body = data.partition(b"\n")
    header = json.loads(line) if newline else None
    if not isinstance(header, dict) or header.get("version") != VERSION:
        raise ValueError("it was written by another version of the package ydl-jobs")
    return header, body


def read(path: Path) -> tuple[dict[str, Any], bytes]:
    return decode(path.read_bytes())


def mismatch(header: dict[str, Any]) -> Optional[str]:
    """Why this Python must not load the pickle, as the second half of a sentence."""
    there = header.get("python")
    if there == this_python():
        return None
    return f"was pickled by {there}, and this is {this_python()} ({sys.executable})"
