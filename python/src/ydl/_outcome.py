"""How the function of a task ended. The task writes it, and the client reads it among the task's results."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Optional

from ydl import _format
from ydl._errors import RemoteError, RemoteTraceback

RETURNED = "returned"
RAISED = "raised"
EXITED = "exited"
REFUSED = "refused"  # the function could not be called


@dataclass(frozen=True)
class Outcome:
    """`sentence` is the exception in one line, or the reason why the value is missing."""

    kind: str
    sentence: str = ""
    traceback: str = ""
    frame: str = ""
    attempt: int = 1
    python: str = ""
    has_value: bool = False
    body: bytes = field(default=b"", repr=False)

    def value(self) -> Any:
        """What the function returned. Raises RemoteError if it cannot be loaded here."""
        if not self.has_value:
            raise RemoteError(self.sentence)
        if self.python != _format.this_python():
            raise RemoteError(f"the value was pickled by {self.python} and cannot be loaded by {_format.this_python()}")
        try:
            return pickle.loads(self.body)
        except Exception as error:
            raise RemoteError(f"the value cannot be loaded here: {_sentence(error)}") from error

    def exception(self) -> Optional[BaseException]:
        """What the function raised, with the traceback of its task as its cause."""
        if self.kind != RAISED:
            return None
        try:
            value = self.value()
        except RemoteError:
            value = None
        error: BaseException = value if isinstance(value, BaseException) else RemoteError(self.sentence)
        error.__cause__ = RemoteTraceback(self.traceback)
        return error


def returned(value: Any) -> Outcome:
    body, problem = _pickle(value)
    if body is None:
        kind = f"{type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")
        sentence = (
            f"the function returned a {kind}, which cannot be pickled ({problem}); "
            "return numbers, texts or lists, and write the rest into files"
        )
        return Outcome(RETURNED, sentence)
    return Outcome(RETURNED, has_value=True, body=body)


def raised(error: BaseException, hint: str = "") -> Outcome:
    body, _ = _pickle(error)
    sentence = _sentence(error) + (f"; {hint}" if hint else "")
    trace = _own_frames(error.__traceback__)
    return Outcome(
        RAISED,
        sentence,
        traceback="".join(traceback.format_exception(type(error), error, trace)),
        frame=_last_frame(trace),
        has_value=body is not None,
        body=body or b"",
    )


def write(outcome: Outcome, path: Path, attempt: int) -> None:
    fields = {
        "kind": outcome.kind,
        "sentence": outcome.sentence,
        "traceback": outcome.traceback,
        "frame": outcome.frame,
        "attempt": attempt,
        "has_value": outcome.has_value,
    }
    unfinished = path.with_name(path.name + ".unfinished")
    unfinished.write_bytes(_format.encode(fields, outcome.body))
    unfinished.replace(path)


def read(path: Path) -> Outcome:
    header, body = _format.read(path)
    return Outcome(
        kind=str(header["kind"]),
        sentence=str(header["sentence"]),
        traceback=str(header["traceback"]),
        frame=str(header["frame"]),
        attempt=int(header["attempt"]),
        python=str(header["python"]),
        has_value=bool(header["has_value"]),
        body=body,
    )


def _pickle(value: Any) -> tuple[Optional[bytes], str]:
    """The pickle, or None and why there is none. What cannot be loaded again is of no use."""
    import cloudpickle

    try:
        body: bytes = cloudpickle.dumps(value)
        pickle.loads(body)
    except Exception as error:
        return None, _sentence(error)
    return body, ""


def _sentence(error: BaseException) -> str:
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    # The lines before tell where a syntax error is.
    return lines[-1] if lines else type(error).__name__


def _own_frames(trace: Optional[TracebackType]) -> Optional[TracebackType]:
    """Without the frames of this package that led to the function."""
    here = str(Path(__file__).parent)
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename.startswith(here):
        trace = trace.tb_next
    return trace


def _last_frame(trace: Optional[TracebackType]) -> str:
    """`File "winequality.py", line 31, in get_dataset`: the last frame that is not of an installed package."""
    frames: Sequence[traceback.FrameSummary] = traceback.extract_tb(trace)
    own = [frame for frame in frames if "-packages" not in frame.filename and "<frozen" not in frame.filename]
    if not (own or frames):
        return ""
    frame = (own or frames)[-1]
    path = Path(frame.filename)
    # A function that was sent by value has the path of the client.
    shown = path.relative_to(Path.cwd()) if Path.cwd() in path.parents else path.name
    return f'File "{shown}", line {frame.lineno}, in {frame.name}'
