"""The errors of the package."""

from __future__ import annotations

from typing import Optional


class YdlError(Exception):
    """A call could not be carried out. The message is one sentence with the cause and what to do."""


class JobFailed(YdlError):  # noqa: N818  (the name that users catch)
    """A job has ended and did not succeed. `__cause__` is the exception of the task, if it raised one."""

    def __init__(
        self,
        message: str,
        *,
        job: str,
        state: str,
        task: Optional[str] = None,
        attempt: Optional[int] = None,
        node: str = "",
        exit_code: Optional[int] = None,
        log_path: str = "",
    ) -> None:
        super().__init__(message)
        self.job = job
        self.state = state
        self.task = task
        self.attempt = attempt
        self.node = node
        self.exit_code = exit_code
        self.log_path = log_path


class RemoteError(Exception):
    """Stands for an exception of a task that could not come back as it was; it has its type's name and message."""


class RemoteTraceback(Exception):  # noqa: N818  (shown as the cause of the exception)
    """The traceback of an exception in its task, as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'
