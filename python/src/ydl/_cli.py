"""Calls the binary and reads its JSON. Everything this package does with jobs goes through here."""

from __future__ import annotations

import ctypes
import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ydl._binary import find_binary
from ydl._errors import YdlError

Line = dict[str, Any]

_PR_SET_PDEATHSIG = 1


def call(words: Sequence[str]) -> list[Line]:
    """Runs a command, waits for it and returns its lines. Raises YdlError with the command's own sentence."""
    done = subprocess.run(
        [str(find_binary()), *words, "--output", "json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    lines = [_parse(line) for line in done.stdout.splitlines()]
    errors = [line["text"] for line in lines if line.get("type") == "error"]
    if done.returncode != 0:
        raise YdlError("; ".join(errors) or _last_words(done.stderr) or f"ydl ended with {done.returncode}")
    _pass_on(done.stderr)
    return lines


def stream(words: Sequence[str]) -> Iterator[Line]:
    """The lines of a command as it writes them. The command ends with the iterator."""
    process = subprocess.Popen(
        [str(find_binary()), *words, "--output", "json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # errors are lines of JSON too
        start_new_session=True,  # Ctrl-C is for this process, which ends the command
        preexec_fn=end_with_parent,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            yield _parse(line)
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def end_with_parent() -> None:
    """In a new process: it gets SIGTERM when this one is killed, so that no process follows the job unseen."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _parse(line: bytes) -> Line:
    value = json.loads(line)
    if not isinstance(value, dict):
        raise YdlError(f"ydl wrote a line that is not an object: {line[:80]!r}")
    return value


def _last_words(stderr: bytes) -> str:
    lines = stderr.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("ydl: ") if lines else ""


def _pass_on(stderr: bytes) -> None:
    """Notes of a command that succeeded, such as what it uploaded."""
    text = stderr.decode(errors="replace")
    if text.strip():
        print(text.rstrip(), file=sys.stderr)
