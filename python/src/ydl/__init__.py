"""Runs Python functions and programs as distributed jobs, on Hadoop YARN or on this machine.

    import ydl

    def train(epochs):
        ydl.report(step=1, loss=0.4)
        return 0.97

    job = ydl.run(train, args=(5,), framework="pytorch", roles={"worker": ydl.Role(2, memory="2g")})
    job.results["worker:0"]

Names are imported when they are first used, so that `import ydl` takes few milliseconds and a task imports
only what it needs.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ydl._version import __version__

if TYPE_CHECKING:
    from ydl._errors import JobFailed, RemoteError, YdlError
    from ydl._hdfs import use_hdfs
    from ydl._job import Job
    from ydl._report import report
    from ydl._roles import Role
    from ydl._submit import attach, run, submit, submit_file
    from ydl._views import Event, JobStatus, LogLine, TaskStatus

_MODULE_OF = {
    "Event": "ydl._views",
    "Job": "ydl._job",
    "JobFailed": "ydl._errors",
    "JobStatus": "ydl._views",
    "LogLine": "ydl._views",
    "RemoteError": "ydl._errors",
    "Role": "ydl._roles",
    "TaskStatus": "ydl._views",
    "YdlError": "ydl._errors",
    "attach": "ydl._submit",
    "report": "ydl._report",
    "run": "ydl._submit",
    "submit": "ydl._submit",
    "submit_file": "ydl._submit",
    "use_hdfs": "ydl._hdfs",
}

__all__ = [
    "Event",
    "Job",
    "JobFailed",
    "JobStatus",
    "LogLine",
    "RemoteError",
    "Role",
    "TaskStatus",
    "YdlError",
    "__version__",
    "attach",
    "report",
    "run",
    "submit",
    "submit_file",
    "use_hdfs",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'ydl' has no attribute '{name}'")
    value = getattr(importlib.import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
