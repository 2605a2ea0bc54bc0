"""Submits functions and job files."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Callable, Optional, Union

from ydl import _cli, _format
from ydl._captures import pickle_call
from ydl._errors import YdlError
from ydl._job import Job
from ydl._modules import package_files, project_files
from ydl._payload import JOB_FILE, Content, write_folder
from ydl._roles import Role, without_defaults

Function = Union[Callable[..., Any], str]
Files = Union[Mapping[str, Union[str, Path]], Sequence[Union[str, Path]]]

_TASK = ("python", "-m", "ydl._task")
_ENV_HERE = "here"  # the environment that the job is submitted from
_ENVIRONMENT_KEYS = ("image", "pip_packages", "requirements", "python_version")  # each has a Python of its own


def submit(
    function: Function,
    args: Sequence[Any] = (),
    kwargs: Optional[Mapping[str, Any]] = None,
    *,
    framework: str = "none",
    roles: Optional[Mapping[str, Role]] = None,
    name: Optional[str] = None,
    cluster: str = "auto",
    files: Files = (),
    python: Union[str, Path, None] = None,
    python_env: Union[str, Path, None] = None,
    **job_file: Any,
) -> Job:
    """Starts a job whose tasks call `function(*args, **kwargs)`, and returns without waiting for it.

    `function` is a function, or the name of one: "package.module:function". Functions of the script or notebook
    are sent by value, the modules of the project as files. `files` are further files, as a list of paths or as
    {name in the task's working directory: path here}. Every other keyword is a key of the job file, such as
    queue=, env=, retries= or timeouts={"run": "2h"}; docs/job-file.md lists them.

    Raises YdlError before anything is uploaded if the job cannot run as it was described.
    """
    call = pickle_call(function, args, kwargs or {})
    extra = job_files(files)
    shipped: dict[str, Content] = {**own_files(), **project_files()}
    covered = {str(entry["name"]) for entry in extra}
    shipped = {path: content for path, content in shipped.items() if not _is_covered(path, covered)}
    shipped[_format.FUNCTION_FILE] = _format.encode({}, call)
    job = without_defaults(
        version=1,
        name=name or _name_of(function),
        framework=framework,
        roles={role: spec.as_json(_TASK) for role, spec in (roles or {"worker": Role()}).items()},
        files=extra,
        **{**job_file, **_environment(python, python_env, job_file)},
    )
    shipped[JOB_FILE] = json.dumps(job, indent=1, default=str).encode()
    return _submitted(write_folder(shipped) / JOB_FILE, cluster)


def run(
    function: Function,
    args: Sequence[Any] = (),
    kwargs: Optional[Mapping[str, Any]] = None,
    **options: Any,
) -> Job:
    """`submit`, then `Job.wait`. Ctrl-C stops the job."""
    job = submit(function, args, kwargs, **options)
    return wait_or_kill(job)


def wait_or_kill(job: Job) -> Job:
    try:
        return job.wait()
    except KeyboardInterrupt:
        job.kill()
        raise


def submit_file(job: Union[str, Path, Mapping[str, Any]], *, cluster: str = "auto") -> Job:
    """Starts the job of a job file: its path, or its content as a dict.

    Paths in a dict are relative to the current directory, and only the files that it names are sent.
    """
    if not isinstance(job, Mapping):
        return _submitted(Path(job), cluster)
    content = dict(job)
    for key in ("files", "archives"):
        if key in content:
            content[key] = [_with_full_source(entry) for entry in content[key]]
    text = json.dumps(content, indent=1, default=str).encode()
    return _submitted(write_folder({JOB_FILE: text}) / JOB_FILE, cluster)


def attach(job: str) -> Job:
    """A job that was submitted before, by this process or by another one."""
    lines = _cli.call(["status", job])
    return Job(str(lines[0]["job"]))


def own_files() -> dict[str, Content]:
    """This package and cloudpickle, so that every task has those with which the function was pickled."""
    import cloudpickle

    import ydl

    packages = [ydl, cloudpickle]
    tf_yarn = sys.modules.get("tf_yarn")
    if tf_yarn is not None and hasattr(tf_yarn, "RunFailed") and issubclass(tf_yarn.RunFailed, YdlError):
        packages.append(tf_yarn)  # the names of this package, not the real tf-yarn
    files: dict[str, Content] = {}
    for package in packages:
        files.update(package_files(package))
    return files


def job_files(files: Files) -> list[dict[str, str]]:
    """The entries of the job file. Raises YdlError for a path that is missing and a name that leaves its folder."""
    named = files if isinstance(files, Mapping) else {Path(path).name: path for path in files}
    entries = []
    for name, source in named.items():
        target = PurePosixPath(name)
        if target.is_absolute() or ".." in target.parts or not target.parts:
            raise YdlError(f"files: '{name}' leaves the task's folder: write a relative name without '..'")
        path = Path(source).absolute()
        if not path.exists():
            raise YdlError(f"files: {path} does not exist (for '{name}')")
        entries.append({"source": str(path), "name": str(target)})
    return entries


def _environment(
    python: Union[str, Path, None], python_env: Union[str, Path, None], job_file: Mapping[str, Any]
) -> dict[str, str]:
    """The keys of the job file that name the Python of the tasks. The binary refuses those that exclude each other."""
    keys = {}
    if python is not None:
        keys["python"] = str(python)
    if python_env is not None:
        keys["python_env"] = _env_source(str(python_env))
    if not keys and not any(job_file.get(key) for key in _ENVIRONMENT_KEYS):
        # The packages of the system cannot be told from the system's own files, so they are not sent.
        name, value = ("python_env", _ENV_HERE) if _in_environment() else ("python", sys.executable)
        keys[name] = value
    if keys.get("python_env") == _ENV_HERE:
        keys.setdefault("python", sys.executable)
    if job_file.get("requirements"):
        keys["requirements"] = str(Path(job_file["requirements"]).absolute())
    return keys


def _in_environment() -> bool:
    """Whether this Python is that of a virtual environment or a conda prefix that has all of its packages."""
    prefix = Path(sys.prefix)
    if (prefix / "conda-meta").is_dir():
        return True
    if sys.prefix == sys.base_prefix:
        return False
    try:
        settings = (prefix / "pyvenv.cfg").read_text().lower().split("\n")
    except OSError:
        return False
    return not any(re.fullmatch(r"include-system-site-packages\s*=\s*true\s*", line) for line in settings)


def _env_source(text: str) -> str:
    """`here` and URLs as they are; paths become absolute, because the job file is in another folder."""
    return text if text == _ENV_HERE or ":" in text else str(Path(text).absolute())


def _is_covered(path: str, covered: set[str]) -> bool:
    """Whether the user has named the file, or a folder that contains it."""
    return path in covered or any(str(parent) in covered for parent in PurePosixPath(path).parents)


def _with_full_source(entry: Any) -> Any:
    if isinstance(entry, Mapping) and "source" in entry:
        return {**entry, "source": os.path.abspath(entry["source"])}  # noqa: PTH100  (keeps links as they are)
    return {"source": os.path.abspath(entry), "name": Path(entry).name}  # noqa: PTH100


def _name_of(function: Function) -> str:
    name = function.replace(":", ".") if isinstance(function, str) else getattr(function, "__name__", "job")
    last = name.rpartition(".")[2]
    return last if last.isidentifier() else "job"


def _submitted(path: Path, cluster: str) -> Job:
    if not path.exists():
        raise YdlError(f"there is no job file {path}")
    lines = _cli.call(["submit", str(path), "--detach", "--cluster", cluster])
    submitted = [line for line in lines if line.get("type") == "submitted"]
    return Job(str(submitted[0]["job"]))
