"""Which kind of experiment a function makes. Its kind decides about roles and framework before it is called."""

from __future__ import annotations

import functools
from types import CodeType, FunctionType
from typing import Any

from ydl.tf_yarn.topologies import ESTIMATOR, KERAS, PYTORCH

_KINDS = {"KerasExperiment": KERAS, "PytorchExperiment": PYTORCH, "Experiment": ESTIMATOR}
_DEEPEST = 4  # calls of functions in functions


def kind_of(function: Any) -> str:
    """The kind by the name that the function, or a function it calls, uses; an estimator if none is found."""
    return _search(function, _DEEPEST) or ESTIMATOR


def _search(function: Any, depth: int) -> str:
    if isinstance(function, functools.partial):
        return _search(function.func, depth)
    if not isinstance(function, FunctionType) or depth == 0:
        return ""
    names = _names_in(function.__code__)
    for name, kind in _KINDS.items():
        if name in names:
            return kind
    values = [function.__globals__.get(name) for name in sorted(names)]
    for cell in function.__closure__ or ():
        values.append(cell.cell_contents)
    return next(filter(None, (_search(value, depth - 1) for value in values)), "")


def _names_in(code: CodeType) -> set[str]:
    names = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names_in(constant)
    return names
