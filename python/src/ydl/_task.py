"""`python -m ydl._task`: calls the function of a job in one of its tasks, and records how it ended."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
from pathlib import Path
from typing import Any, Callable

from ydl import _format, _outcome


def resolve(name: str) -> Callable[..., Any]:
    """The function of "package.module:function" or "package.module.function"."""
    module, colon, path = name.partition(":")
    if not colon:
        module, _, path = name.rpartition(".")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is not a function")
    return found  # type: ignore[no-any-return]


def main() -> int:
    folder = Path.cwd()
    # The directory is first on sys.path because of `-m`; processes that the function starts find modules too.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    results = Path(os.environ["YDL_RESULTS_DIR"])
    results.mkdir(parents=True, exist_ok=True)
    record = results / _format.OUTCOME_FILE
    record.unlink(missing_ok=True)  # of an earlier attempt
    attempt = int(os.environ.get("YDL_ATTEMPT", "1"))
    try:
        outcome = _run(folder / _format.FUNCTION_FILE)
    except SystemExit as end:
        _outcome.write(_exited(end), record, attempt)
        raise
    _outcome.write(outcome, record, attempt)
    if outcome.kind == _outcome.RETURNED:
        if not outcome.has_value:
            print(f"ydl: {outcome.sentence}", file=sys.stderr)
        return 0
    print(outcome.traceback or f"ydl: {outcome.sentence}", file=sys.stderr)
    return 1


def _run(path: Path) -> _outcome.Outcome:
    header, body = _format.read(path)
    why = _format.mismatch(header)
    if why is not None:
        remedy = "send the environment you submit from with the job, or name the same Python with python="
        return _outcome.Outcome(_outcome.REFUSED, f"the function {why}: {remedy}")
    try:
        function, args, kwargs = pickle.loads(body)
        if isinstance(function, str):
            function = resolve(function)
        return _outcome.returned(function(*args, **kwargs))
    except Exception as error:
        return _outcome.raised(error, _hint(error))


def _hint(error: BaseException) -> str:
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    return (
        f"ydl did not ship '{error.name}': import it at the top of the script if it is a file of the project, "
        "name it in files=, or add its package to pip_packages="
    )


def _exited(end: SystemExit) -> _outcome.Outcome:
    if end.code in (None, 0):
        return _outcome.returned(None)
    return _outcome.Outcome(_outcome.EXITED, f"the function called sys.exit({end.code!r})")


if __name__ == "__main__":
    sys.exit(main())
