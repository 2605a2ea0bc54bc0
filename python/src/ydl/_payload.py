"""The folder that is submitted: the job file, the function, this package and the modules of the project.

It is addressed by its content in the user's cache. Its content does not change when the user edits the project
while the job waits or runs, and equal submissions share it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Union

JOB_FILE = "job.json"
_UNUSED_DAYS = 30

Content = Union[bytes, Path]


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "")
    return Path(base if base.startswith("/") else Path.home() / ".cache") / "ydl" / "submissions"


def write_folder(files: Mapping[str, Content]) -> Path:
    """A folder with these files, by their names in it. It may exist already."""
    contents = {
        name: content if isinstance(content, bytes) else content.read_bytes() for name, content in sorted(files.items())
    }
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder = cache / digest.hexdigest()[:20]
    if folder.is_dir():
        os.utime(folder)
        return folder
    _remove_unused(cache)
    unfinished = Path(tempfile.mkdtemp(prefix=".new-", dir=cache))
    try:
        for name, content in contents.items():
            path = unfinished / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        unfinished.rename(folder)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not folder.is_dir():  # another process may have been faster
            raise
    return folder


def _remove_unused(cache: Path) -> None:
    oldest = time.time() - _UNUSED_DAYS * 24 * 3600
    for folder in cache.iterdir():
        if folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)
