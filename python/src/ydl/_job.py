"""A job that was submitted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Optional

from ydl import _cli, _show
from ydl._failure import end_of, job_failed
from ydl._results import Results, fetch_outcomes
from ydl._views import Event, JobStatus, LogLine

_METRIC = "::metric "


class Job:
    """A job, by its id. It runs on when this process ends; `ydl.attach(id)` finds it again."""

    def __init__(self, job: str) -> None:
        self.id = job
        self._results: Optional[Results] = None

    def __repr__(self) -> str:
        return f"<ydl.Job {self.id}>"

    @property
    def status(self) -> JobStatus:
        """The state of the job and of its tasks now."""
        return JobStatus.of(_cli.call(["status", self.id])[0])

    def wait(self, timeout: Optional[float] = None, *, show: bool = True) -> Job:
        """Shows the job until it has ended. Raises JobFailed if it did not succeed.

        Raises TimeoutError after `timeout` seconds. Ctrl-C ends the waiting and leaves the job running.
        """
        _show.follow(self.id, timeout, show=show)
        end = end_of(self.id)
        if end["state"] == "succeeded":
            return self
        raise job_failed(end, fetch_outcomes(self.id))

    def kill(self, *, now: bool = False) -> JobStatus:
        """Stops the job: SIGTERM, and SIGKILL after the grace period; with `now` SIGKILL at once."""
        if not self.status.has_ended:
            _cli.call(["kill", self.id, *(["--now"] if now else [])])
        return self.status

    def events(self) -> Iterator[Event]:
        """What has happened and happens, until the job ends."""
        for line in _cli.stream(["events", self.id, "--follow"]):
            if line.get("type") == "event":
                yield Event.of(line)

    def logs(self, task: Optional[str] = None, *, follow: bool = False) -> Iterator[LogLine]:
        """The lines that the tasks wrote; of one task ("worker:0") or of a role. `follow` waits for more."""
        words = ["logs", self.id, *([task] if task else []), *(["--follow"] if follow else [])]
        for line in _cli.stream(words):
            if line.get("type") == "log":
                yield LogLine.of(line)

    @property
    def metrics(self) -> dict[str, list[dict[str, Any]]]:
        """All values that the tasks have reported so far, in order: {"worker:0": [{"step": 1, "loss": 0.4}]}."""
        metrics: dict[str, list[dict[str, Any]]] = {}
        for line in _cli.call(["logs", self.id, "--grep", _METRIC]):
            values = _metric(str(line.get("text", "")))
            if values is not None:
                metrics.setdefault(str(line["task"]), []).append(values)
        return metrics

    @property
    def results(self) -> Results:
        """What the function returned in each task that has ended."""
        if self._results is None:
            results = Results(self.id, fetch_outcomes(self.id))
            if not self.status.has_ended:
                return results
            self._results = results
        return self._results


def _metric(line: str) -> Optional[dict[str, Any]]:
    if not line.startswith(_METRIC):
        return None
    try:
        values = json.loads(line[len(_METRIC) :])
    except ValueError:
        return None
    return values if isinstance(values, dict) else None
