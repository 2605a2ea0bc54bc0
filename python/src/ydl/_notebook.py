"""The table of a job in a notebook: one output that is updated in place, as text and as HTML."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

from IPython.display import display

from ydl import _cli

_EVERY = 0.5  # seconds between two updates
_POINTS = 40  # of a curve
_BARS = "▁▂▃▄▅▆▇█"
_TASK_STATES = {
    "task_placed": "placed",
    "task_waiting": "waiting",
    "task_starting": "starting",
    "task_running": "running",
    "task_stopping": "stopping",
    "task_succeeded": "succeeded",
    "task_failed": "failed",
    "task_stopped": "stopped",
    "task_lost": "lost",
}


@dataclass
class _Row:
    state: str = ""
    progress: str = ""
    reason: str = ""
    metrics: dict[str, list[float]] = field(default_factory=dict)
    step: Optional[int] = None


@dataclass
class JobTable:
    """The job as the lines of `ydl follow --output json` tell it. IPython asks for its text and its HTML."""

    job: str
    state: str = "submitted"
    reason: str = ""
    rows: dict[str, _Row] = field(default_factory=dict)

    def note(self, line: dict[str, Any]) -> None:
        kind = line.get("type")
        if kind == "job":
            self._note_job(line)
        elif kind == "event" and line["task"]:
            row = self.rows.setdefault(line["task"], _Row())
            row.state = _TASK_STATES.get(line["kind"], row.state)
            if line["kind"] in ("task_failed", "task_lost"):
                row.reason = line["text"]
        elif kind == "progress":
            self.rows.setdefault(line["task"], _Row()).progress = f"{line['percent']}% {line['text']}".strip()
        elif kind == "metric":
            self._note_metric(line)
        elif kind == "result":
            self.state, self.reason = line["state"], line["reason"]

    def _note_job(self, line: dict[str, Any]) -> None:
        self.state, self.reason = line["state"], line["reason"]
        for task in line["tasks"]:
            row = self.rows.setdefault(task["task"], _Row())
            row.state = task["state"]
            if task["percent"] is not None:
                row.progress = f"{task['percent']}% {task['progress_text']}".strip()

    def _note_metric(self, line: dict[str, Any]) -> None:
        row = self.rows.setdefault(line["task"], _Row())
        row.step = line["step"]
        for name, value in line["values"].items():
            if value is not None:
                row.metrics[name] = [*row.metrics.get(name, []), value][-_POINTS:]

    def _cells(self) -> Iterable[tuple[str, str, str, str]]:
        for task, row in self.rows.items():
            yield task, row.state, row.progress or row.reason, _metrics_text(row)

    def _title(self) -> str:
        return f"{self.job} {self.state}" + (f": {self.reason}" if self.reason else "")

    def __repr__(self) -> str:
        rows = [("task", "state", "progress", "metrics"), *self._cells()]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([self._title(), *lines])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("task", "state", "progress", "metrics"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()
        )
        return f"<b>{html.escape(self._title())}</b><table><tr>{head}</tr>{body}</table>"


def follow_in_notebook(job: str) -> None:
    table = JobTable(job)
    handle = display(table, display_id=True)
    shown = time.monotonic()
    for line in _cli.stream(["follow", job, "--show-logs", "none"]):
        table.note(line)
        if line.get("type") == "result":
            break
        if time.monotonic() - shown >= _EVERY:
            handle.update(table)
            shown = time.monotonic()
    handle.update(table)


def _metrics_text(row: _Row) -> str:
    words = [] if row.step is None else [f"step {row.step}"]
    words += [f"{name} {values[-1]:.5g} {_curve(values)}" for name, values in row.metrics.items()]
    return ", ".join(words)


def _curve(values: list[float]) -> str:
    """The latest values as a line of blocks, from the lowest to the highest."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    return "".join(_BARS[round((value - low) / span * (len(_BARS) - 1))] for value in values)
