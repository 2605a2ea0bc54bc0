"""Makes an exception of the end of a job that did not succeed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any, Optional

from ydl import _cli, _outcome
from ydl._errors import JobFailed, YdlError
from ydl._outcome import Outcome

_LAST_LINES = 5


def end_of(job: str) -> dict[str, Any]:
    """The `result` line of a job that has ended, and its `failure` line under that key."""
    end: dict[str, Any] = {}
    failure = None
    for line in _cli.stream(["follow", job, "--show-logs", "none"]):
        if line.get("type") == "failure":
            failure = line
        elif line.get("type") == "result":
            end = line
        elif line.get("type") == "error":
            raise YdlError(str(line["text"]))
    if not end:
        raise YdlError(f"ydl follow {job} ended without a result; call attach('{job}') again")
    return {**end, "failure": failure}


def job_failed(end: Mapping[str, Any], outcomes: Mapping[str, Outcome]) -> JobFailed:
    """The exception for a job whose end is not a success."""
    failure: Optional[Mapping[str, Any]] = end["failure"]
    job, state = str(end["job"]), str(end["state"])
    if failure is None:
        return JobFailed(f"{job} {_state_words(end)}", job=job, state=state, exit_code=end["exit_code"])
    outcome = outcomes.get(failure["task"])
    if outcome is not None and outcome.attempt != failure["attempt"]:
        outcome = None
    log_path = _log_path(end, failure)
    error = JobFailed(
        "\n".join(_lines(job, failure, outcome, log_path)),
        job=job,
        state=state,
        task=failure["task"],
        attempt=failure["attempt"],
        node=failure["node"],
        exit_code=end["exit_code"],
        log_path=log_path,
    )
    error.__cause__ = None if outcome is None else outcome.exception()
    return error


def _state_words(end: Mapping[str, Any]) -> str:
    words = "was stopped" if end["state"] == "stopped" else str(end["state"])
    return f"{words}: {end['reason']}" if end["reason"] else words


def _log_path(end: Mapping[str, Any], failure: Mapping[str, Any]) -> str:
    """Where the log is for all: on a cluster the line names this machine's copy of it."""
    folder = str(failure["task"]).replace(":", "-")
    return f"{end['logs_path']}/{folder}/{failure['attempt']}/{PurePath(failure['log_path']).name}"


def _lines(job: str, failure: Mapping[str, Any], outcome: Optional[Outcome], log_path: str) -> Iterable[str]:
    where = f" on {failure['node']}" if failure["node"] else ""
    why = failure["text"]
    if outcome is not None and outcome.kind != _outcome.RETURNED:
        why = outcome.sentence
    yield f"{job}: {failure['task']}{where} failed first: {why}"
    yield f"  in {failure['task']}, attempt {failure['attempt']}:"
    if outcome is not None and outcome.frame:
        yield f"    {outcome.frame}"
    elif outcome is None:
        for line in failure["last_lines"][-_LAST_LINES:]:
            yield f"    {line}"
    yield f"  log: {log_path}   more: {failure['more_command']}"
