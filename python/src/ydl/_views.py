"""What the binary tells about a job, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Optional

FINAL_STATES = frozenset({"succeeded", "failed", "stopped"})


def _time(text: Optional[str]) -> Optional[datetime]:
    return None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00"))


@dataclass(frozen=True)
class TaskStatus:
    """A task of a job."""

    task: str
    state: str
    attempt: int
    node: str
    reason: str
    percent: Optional[int]
    text: str
    last_line: str
    ran_seconds: Optional[float]
    running_since: Optional[datetime]
    step: Optional[int] = None
    metrics: dict[str, Optional[float]] = field(default_factory=dict)

    @classmethod
    def of(cls, line: dict[str, Any]) -> TaskStatus:
        metrics = line.get("metrics") or {"step": None, "values": {}}
        ran = line["ran_for_ms"]
        return cls(
            task=line["task"],
            state=line["state"],
            attempt=line["attempt"],
            node=line["node"],
            reason=line["reason"],
            percent=line["percent"],
            text=line["progress_text"],
            last_line=line["last_line"],
            ran_seconds=None if ran is None else ran / 1000,
            running_since=_time(line["running_since"]),
            step=metrics["step"],
            metrics=dict(metrics["values"]),
        )


@dataclass(frozen=True)
class JobStatus:
    """A job at one time. `state` is placing, starting, running, finishing, stopping, restarting, succeeded,
    failed or stopped."""

    job: str
    name: str
    framework: str
    cluster: str
    state: str
    reason: str
    submitted: datetime
    finished: Optional[datetime]
    percent: Optional[int]
    tasks: tuple[TaskStatus, ...]

    @classmethod
    def of(cls, line: dict[str, Any]) -> JobStatus:
        submitted = _time(line["submitted"])
        assert submitted is not None
        return cls(
            job=line["job"],
            name=line["name"],
            framework=line["framework"],
            cluster=line["cluster"],
            state=line["state"],
            reason=line["reason"],
            submitted=submitted,
            finished=_time(line["finished"]),
            percent=line["percent"],
            tasks=tuple(TaskStatus.of(task) for task in line["tasks"]),
        )

    @property
    def has_ended(self) -> bool:
        return self.state in FINAL_STATES

    def __str__(self) -> str:
        return self.state


@dataclass(frozen=True)
class Event:
    """Something that happened to a job, or to one of its tasks."""

    seq: int
    time: datetime
    kind: str
    task: Optional[str]
    attempt: Optional[int]
    text: str
    cause: Optional[str] = None

    @classmethod
    def of(cls, line: dict[str, Any]) -> Event:
        time = _time(line["time"])
        assert time is not None
        return cls(line["seq"], time, line["kind"], line["task"], line["attempt"], line["text"], line.get("cause"))


@dataclass(frozen=True)
class LogLine:
    """A line that a task wrote."""

    task: str
    stream: str
    time: Optional[datetime]
    text: str

    @classmethod
    def of(cls, line: dict[str, Any]) -> LogLine:
        return cls(line["task"], line["stream"], _time(line["time"]), line["text"])

    def __str__(self) -> str:
        return f"[{self.task}] {self.text}"
