"""Finds the modules of the user's project among those that are imported now."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Optional
from urllib.parse import unquote, urlparse

from ydl._errors import YdlError

LARGEST = 64 << 20  # bytes of all modules
_LEFT_OUT = {"__pycache__", ".git", ".hg", ".svn", ".mypy_cache", ".pytest_cache", ".ipynb_checkpoints"}
_OURS = {"ydl", "cloudpickle", "__main__", "__mp_main__"}


def project_files() -> dict[str, Path]:
    """The files of the project's modules by their names in a task's working directory: `pkg/module.py`.

    A module belongs to the project if it was imported from the folder of the script, from PYTHONPATH or from a
    project that is installed editable, and is not in site-packages. A package is taken as a whole.
    """
    roots = list(_roots())
    files: dict[str, Path] = {}
    size = 0
    for name, module in sorted(sys.modules.items()):
        path = _file_of(module)
        if path is None or name.partition(".")[0] in _OURS or not _is_of_project(path, roots):
            continue
        for target, source in _files_of(name, path):
            if target in files:
                continue
            files[target] = source
            size += source.stat().st_size
            if size > LARGEST:
                raise YdlError(
                    f"the modules of the project have more than {LARGEST >> 20} MiB, with {source}; "
                    "move its data out of the package and name it in files="
                )
    return files


def package_files(package: ModuleType) -> dict[str, Path]:
    """The Python files of an installed package, which are sent with the job."""
    folder = Path(package.__path__[0])
    return {
        str(Path(package.__name__) / path.relative_to(folder)): path
        for path in sorted(folder.rglob("*.py"))
        if "__pycache__" not in path.parts
    }


def _roots() -> Iterator[Path]:
    main = sys.modules.get("__main__")
    script = getattr(main, "__file__", None)
    is_notebook = "ipykernel" in sys.modules or script is None
    yield Path.cwd() if is_notebook or script is None else Path(script).resolve().parent
    if getattr(main, "__spec__", None) is not None:  # python -m package.module
        yield Path.cwd()
    for folder in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
        yield Path(folder).resolve()
    yield from _editable_projects()


def _editable_projects() -> Iterator[Path]:
    for distribution in importlib.metadata.distributions():
        text = distribution.read_text("direct_url.json")
        if not text or '"editable"' not in text:
            continue
        direct = json.loads(text)
        if direct.get("dir_info", {}).get("editable"):
            yield Path(unquote(urlparse(direct["url"]).path))


def _file_of(module: ModuleType) -> Optional[Path]:
    name = getattr(module, "__file__", None)
    if not isinstance(name, str) or not name.endswith((".py", ".so")):
        return None
    path = Path(name).resolve()
    return path if path.is_file() else None


def _is_of_project(path: Path, roots: list[Path]) -> bool:
    if "site-packages" in path.parts or "dist-packages" in path.parts:
        return False
    library = Path(sysconfig.get_path("stdlib")).resolve()
    if library in path.parents:
        return False
    return any(root in path.parents for root in roots)


def _files_of(name: str, path: Path) -> Iterator[tuple[str, Path]]:
    target = Path(*name.split("."))
    if path.stem != "__init__":
        yield str(target.parent / path.name), path
        return
    for source in sorted(path.parent.rglob("*")):
        inside = source.relative_to(path.parent)
        if source.is_file() and not _LEFT_OUT.intersection(inside.parts):
            yield str(target / inside), source
