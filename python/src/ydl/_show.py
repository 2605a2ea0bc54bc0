"""Shows a running job where the user looks: on the terminal as `ydl run` does, or in the notebook."""

from __future__ import annotations

import subprocess
import sys
from typing import Optional

from ydl._binary import find_binary
from ydl._cli import end_with_parent


def follow(job: str, timeout: Optional[float], *, show: bool) -> None:
    """Returns when the job has ended. Raises TimeoutError if that takes longer than `timeout` seconds."""
    if show and is_notebook() and timeout is None:
        from ydl._notebook import follow_in_notebook

        follow_in_notebook(job)
        return
    is_seen = show and _is_own_stdout()
    where = None if is_seen else subprocess.DEVNULL
    process = subprocess.Popen(
        [str(find_binary()), "follow", job, "--output", "auto" if is_seen else "quiet"],
        stdin=subprocess.DEVNULL,
        stdout=where,
        stderr=where,
        preexec_fn=end_with_parent,
    )
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"{job} has not ended after {timeout:g} s; it runs on") from None
    finally:
        _end(process)


def is_notebook() -> bool:
    return "ipykernel" in sys.modules


def _is_own_stdout() -> bool:
    """Whether what a process writes appears where this program prints."""
    try:
        return sys.stdout.fileno() == 1
    except (AttributeError, OSError, ValueError):
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """`ydl follow` ends by itself after Ctrl-C on the terminal, and restores it."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
