"""What a task tells about its training."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping
from typing import Any, Optional, SupportsFloat


def report(step: Optional[int] = None, *, steps: Optional[int] = None, **metrics: SupportsFloat) -> None:
    """Reports values of this task: `ydl.report(step=10, loss=0.4)`.

    They are shown by `ydl status` and in notebooks, and are `job.metrics`. With `steps`, the number of all
    steps, the task's progress bar moves too. Values are numbers, or what `float()` accepts. Outside of a job
    nothing happens, so that a function can be tried without one.
    """
    report_values(step, metrics, steps)


def report_values(step: Optional[int], metrics: Mapping[str, SupportsFloat], steps: Optional[int] = None) -> None:
    """The same for metrics whose names are not known in advance."""
    values = {name: _number(name, value) for name, value in metrics.items()}
    if "YDL_JOB_ID" not in os.environ:
        return
    lines = []
    if steps is not None and step is not None:
        lines.append(f"::progress {step}/{steps}")
    if values:
        fields: dict[str, Any] = {} if step is None else {"step": int(step)}
        lines.append("::metric " + json.dumps({**fields, **values}))
    out = sys.__stdout__ or sys.stdout
    out.write("".join(line + "\n" for line in lines))
    out.flush()


def _number(name: str, value: SupportsFloat) -> Optional[float]:
    try:
        number = float(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        raise TypeError(f"report({name}=…): a metric is a number, not {kind}; pass float(…)") from None
    return number if math.isfinite(number) else None  # JSON has no other numbers
