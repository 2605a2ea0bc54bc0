"""Pickles a function with its arguments, and finds what cannot be sent to tasks."""

from __future__ import annotations

import ast
import functools
import io
import linecache
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any, Optional

from ydl._errors import YdlError

_CELL = "ipykernel"  # in the file names of a notebook's cells
LARGEST = 64 << 20  # bytes of a pickled function with its arguments

# What a type is called by those who use it.
_TYPE_NAMES = {
    "_thread.lock": "threading.Lock",
    "_thread.RLock": "threading.RLock",
    "_io.TextIOWrapper": "file that is open",
    "_io.BufferedWriter": "file that is open",
    "_io.BufferedReader": "file that is open",
}


class _TooLargeError(Exception):
    pass


class _LimitedBuffer(io.BytesIO):
    def __init__(self, largest: int) -> None:
        super().__init__()
        self._largest = largest

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self._largest:
            raise _TooLargeError
        return super().write(data)


def pickle_call(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
    """The pickle of (function, args, kwargs). Raises YdlError that names what cannot be sent, and why."""
    try:
        return _pickle((function, tuple(args), dict(kwargs)), LARGEST)
    except _TooLargeError:
        raise YdlError(_why_too_large(function, args, kwargs)) from None
    except Exception as error:
        raise YdlError(_why_not(function, args, kwargs, error)) from error


def _pickle(value: Any, largest: int = sys.maxsize) -> bytes:
    import cloudpickle

    buffer = _LimitedBuffer(largest)
    cloudpickle.dump(value, buffer)
    return buffer.getvalue()


@dataclass(frozen=True)
class _Capture:
    """Something that is sent with the function. `phrase` names it: "train uses the global 'lock'"."""

    phrase: str
    value: Any
    remedy: str = "make it inside the function"
    set_at: str = ""


def _why_not(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], error: Exception) -> str:
    for capture in _captures(function, args, kwargs):
        try:
            _pickle(capture.value)
        except Exception:
            return f"{capture.phrase}, a {_type_name(capture.value)}{capture.set_at}: {capture.remedy}"
    name = getattr(function, "__qualname__", repr(function))
    return f"{name} cannot be sent to the tasks: {error}"


def _why_too_large(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    largest: Optional[_Capture] = None
    most = 0
    for capture in _captures(function, args, kwargs):
        size = _size(capture.value)
        if size > most:
            largest, most = capture, size
    limit = f"at most {LARGEST >> 20} MiB are sent with a function"
    remedy = "write it to a file and name that in files=, or read it inside the function"
    if largest is None:
        return f"the function and its arguments are too large ({limit}); {remedy}"
    kind = _type_name(largest.value)
    return f"{largest.phrase}, a {kind} of {most >> 20} MiB{largest.set_at}: {limit}; {remedy}"


def _size(value: Any) -> int:
    try:
        return len(_pickle(value))
    except Exception:
        return 0


def _captures(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[_Capture]:
    yield from _captures_of(function, set())
    for number, value in enumerate(args, 1):
        yield _Capture(f"argument {number} of {_name(function)}", value, "make it inside the function")
    for key, value in kwargs.items():
        yield _Capture(f"the argument {key}= of {_name(function)}", value, "make it inside the function")


def _captures_of(function: Any, seen: set[int]) -> Iterator[_Capture]:
    if id(function) in seen:
        return
    seen.add(id(function))
    if isinstance(function, functools.partial):
        yield from _captures(function.func, function.args, function.keywords)
    elif isinstance(function, MethodType):
        yield _Capture(f"{_name(function)} is a method of an object", function.__self__, "send a function instead")
        yield from _captures_of(function.__func__, seen)
    elif isinstance(function, FunctionType) and _is_sent_by_value(function):
        for capture in _variables_of(function):
            inner = capture.value
            if isinstance(inner, (FunctionType, MethodType, functools.partial)):
                yield from _captures_of(inner, seen)
            yield capture


def _is_sent_by_value(function: FunctionType) -> bool:
    module = sys.modules.get(function.__module__ or "")
    return module is None or module.__name__ == "__main__" or "<locals>" in function.__qualname__


def _variables_of(function: FunctionType) -> Iterator[_Capture]:
    name = _name(function)
    for variable in sorted(_names_in(function.__code__)):
        if variable in function.__globals__:
            value = function.__globals__[variable]
            set_at = _set_at(variable, function.__code__.co_filename)
            yield _Capture(f"{name} uses the global '{variable}'", value, set_at=set_at)
    for variable, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            value = cell.cell_contents
        except ValueError:  # not set yet
            continue
        yield _Capture(f"{name} uses '{variable}' of the function around it", value)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield _Capture(f"{name} has a default value", value)


def _names_in(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_in(constant)
    return names


def _set_at(variable: str, filename: str) -> str:
    """The words `, set in wine.py line 12`, or nothing where that cannot be told."""
    if _CELL not in filename:
        line = _line_of(variable, filename)
        return f", set in {Path(filename).name} line {line}" if line else ""
    cells = [name for name in linecache.cache if _CELL in name]
    lines = [line for line in (_line_of(variable, cell) for cell in cells) if line]
    return f", set in a cell of the notebook, line {lines[-1]}" if lines else ""


def _line_of(variable: str, filename: str) -> int:
    """The last line outside of functions that sets the variable, or 0."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:  # a cell may have magic commands
        return 0
    return max(
        (
            node.lineno
            for statement in tree.body
            if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and node.id == variable and isinstance(node.ctx, ast.Store)
        ),
        default=0,
    )


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", None) or type(function).__name__)


def _type_name(value: Any) -> str:
    kind = type(value)
    full = f"{kind.__module__}.{kind.__qualname__}".replace("builtins.", "")
    return _TYPE_NAMES.get(full, full)
