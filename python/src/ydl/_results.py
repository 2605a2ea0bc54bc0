"""What the functions of a job's tasks returned or raised."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ydl import _cli, _format, _outcome
from ydl._errors import YdlError
from ydl._outcome import Outcome


class Results(Mapping[str, Any]):
    """The values that the tasks' functions returned, by task: `results["worker:0"]`.

    Values are unpickled when they are read. Read only those of jobs that you trust: a pickle can run code.
    """

    def __init__(self, job: str, outcomes: Mapping[str, Outcome]) -> None:
        self._job = job
        self._outcomes = outcomes

    def __getitem__(self, task: str) -> Any:
        outcome = self._outcomes.get(task)
        if outcome is None:
            raise KeyError(f"{task} of {self._job} has left no result yet; call wait() first")
        if outcome.kind != _outcome.RETURNED:
            raise YdlError(f"{task} returned nothing: {outcome.sentence}") from outcome.exception()
        return outcome.value()

    def __iter__(self) -> Iterator[str]:
        return (task for task, outcome in self._outcomes.items() if outcome.kind == _outcome.RETURNED)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<results of {self._job}: {', '.join(self) or 'none yet'}>"


def fetch_outcomes(job: str) -> dict[str, Outcome]:
    """The outcomes of all tasks that have ended and have left one."""
    names = {
        str(line["name"])
        for line in _cli.call(["results", "ls", job])
        if line.get("type") == "file" and _is_outcome(str(line["name"]))
    }
    if not names:
        return {}
    with tempfile.TemporaryDirectory(prefix="ydl-results-") as folder:
        _cli.call(["results", "get", job, *sorted(names), "--to", folder])
        return {_task_of(name): _outcome.read(Path(folder) / name) for name in _in_order(names)}


def _is_outcome(name: str) -> bool:
    return name.count("/") == 1 and name.endswith("/" + _format.OUTCOME_FILE)


def _task_of(name: str) -> str:
    """The task of `worker-0/ydl-outcome` is worker:0."""
    role, _, index = name.partition("/")[0].rpartition("-")
    return f"{role}:{index}"


def _in_order(names: set[str]) -> list[str]:
    def key(name: str) -> tuple[str, int]:
        role, _, index = _task_of(name).partition(":")
        return role, int(index)

    return sorted(names, key=key)
