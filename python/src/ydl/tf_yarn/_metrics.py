"""How long an experiment took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Optional

from ydl import _cli
from ydl._job import Job

_TRAINING = ("chief", "master", "worker")


class ContainerKey(NamedTuple):
    type: str
    id: int

    def to_kv_str(self) -> str:
        return f"{self.type}:{self.id}"


class Metrics(NamedTuple):
    """Durations of an experiment; None for what did not happen."""

    total_training_duration: Optional[timedelta]
    total_eval_duration: Optional[timedelta]
    container_duration: dict[ContainerKey, Optional[timedelta]]
    train_eval_time_per_node: dict[ContainerKey, Optional[timedelta]]


@dataclass(frozen=True)
class Span:
    """When a task trained or evaluated, in seconds of its host's clock, and its last evaluation."""

    begin: float
    end: float
    evaluation: Mapping[str, float]


def measure(job: Job) -> Metrics:
    spans = {key: value for key, value in ((_key(task), _span(job, task)) for task in job.results) if value}
    return Metrics(
        _total(span for key, span in spans.items() if key.type in _TRAINING),
        _total(span for key, span in spans.items() if key.type == "evaluator"),
        _container_durations(job.id),
        {key: timedelta(seconds=span.end - span.begin) for key, span in spans.items()},
    )


def _span(job: Job, task: str) -> Optional[Span]:
    value = job.results[task]
    return value if isinstance(value, Span) else None


def _key(task: str) -> ContainerKey:
    role, _, index = task.partition(":")
    return ContainerKey("chief" if role == "master" else role, int(index))


def _total(spans: Any) -> Optional[timedelta]:
    known = list(spans)
    if not known:
        return None
    return timedelta(seconds=max(span.end for span in known) - min(span.begin for span in known))


def _container_durations(job: str) -> dict[ContainerKey, Optional[timedelta]]:
    """Of the last attempt of each task."""
    durations: dict[ContainerKey, Optional[timedelta]] = {}
    for line in _cli.call(["events", job, "--timeline"]):
        if line.get("type") == "attempt":
            durations[_key(line["task"])] = _between(line["placed"], line["ended"])
    return durations


def _between(begin: Optional[str], end: Optional[str]) -> Optional[timedelta]:
    if begin is None or end is None:
        return None
    return datetime.fromisoformat(end.replace("Z", "+00:00")) - datetime.fromisoformat(begin.replace("Z", "+00:00"))
