"""run_on_yarn with the arguments of every version of tf-yarn."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

from ydl import _submit
from ydl._errors import JobFailed
from ydl._job import Job
from ydl._roles import Role, without_defaults
from ydl.tf_yarn._kinds import kind_of
from ydl.tf_yarn._metrics import Metrics, measure
from ydl.tf_yarn._train import run_experiment
from ydl.tf_yarn.topologies import ESTIMATOR, KERAS, NO_TASKS, PYTORCH, Topology, check_topology

Environment = Union[str, Path, Mapping[Any, Union[str, Path]]]

_FRAMEWORKS = {ESTIMATOR: "tensorflow", KERAS: "tensorflow", PYTORCH: "pytorch"}
_TRAINING = ("chief", "worker")
_ENDLESS = 100_000  # restarts; -1 in tf-yarn


class RunFailed(JobFailed):
    """An experiment has failed. It is a ydl.JobFailed with tf-yarn's name."""


def run_on_yarn(
    experiment_fn: Any,
    task_specs: Any = None,
    *more: Any,
    python: Optional[str] = None,
    pip_packages: Sequence[str] = (),
    files: Optional[Mapping[str, str]] = None,
    env: Optional[Mapping[str, str]] = None,
    queue: str = "default",
    name: Optional[str] = None,
    name_nodes: Sequence[str] = (),
    file_systems: Sequence[str] = (),
    max_restarts: Union[int, Mapping[str, int], None] = None,
    nb_retries: int = 0,
    pyenv_zip_path: Optional[Environment] = None,
    pre_script_hook: Optional[str] = None,
    custom_task_module: Optional[str] = None,
    eval_monitor_log_thresholds: Any = None,
    skein_client: Any = None,
    acls: Any = None,
    cuda_runtime_hdfs_path: Optional[str] = None,
    kind: Optional[str] = None,
    cluster: str = "auto",
    **job_file: Any,
) -> Metrics:
    """Trains the experiment that `experiment_fn` returns, and returns how long it took.

    Shows the job until it ends. Ctrl-C stops the job. Raises RunFailed if the job failed, and ValueError before
    anything is uploaded if the tasks do not fit together. `kind` ("estimator", "keras" or "pytorch") is found by
    the name that the function uses. Further keywords are keys of the job file. docs/from-tf-yarn.md explains
    every argument.
    """
    if more:  # tf-yarn 0.4 and 0.5 have the environment first
        pyenv_zip_path, experiment_fn, task_specs = experiment_fn, task_specs, more[0]
    _refuse_arguments(cuda_runtime_hdfs_path, custom_task_module)
    if skein_client is not None:
        warnings.warn("skein_client is not needed: ydl talks to YARN itself", stacklevel=2)
    kind = kind or kind_of(experiment_fn)
    if kind not in _FRAMEWORKS:
        raise ValueError(f"kind '{kind}' is unknown (available: {', '.join(_FRAMEWORKS)})")
    if not isinstance(task_specs, Mapping):
        raise ValueError("task_specs is missing; give for example {'chief': TaskSpec(memory=2 * 2**10, vcores=4)}")
    task_specs = {role: spec for role, spec in task_specs.items() if spec != NO_TASKS}
    check_topology(task_specs, kind)
    _check_tensorflow(kind, own_environment=python is None and pyenv_zip_path is None and not pip_packages)
    tasks = sum(task_specs[role].instances for role in _TRAINING if role in task_specs)
    job = _submit.submit(
        run_experiment,
        (experiment_fn, kind, tasks),
        framework=_FRAMEWORKS[kind],
        roles=_roles(task_specs, kind, max_restarts, _command(custom_task_module, pre_script_hook)),
        name=name or "experiment",
        cluster=cluster,
        files=files or {},
        **_python(python, pyenv_zip_path),
        **without_defaults(
            pip_packages=list(pip_packages),
            env=dict(env or {}),
            name_nodes=[*name_nodes, *file_systems],
            job_retries=nb_retries or None,
            acl=_acl(acls),
            queue=None if queue == "default" else queue,
            **job_file,
        ),
    )
    return _finish(job)


def _finish(job: Job) -> Metrics:
    try:
        _submit.wait_or_kill(job)
    except JobFailed as error:
        failed = RunFailed(str(error), **vars(error))
        raise failed from error.__cause__
    return measure(job)


def _roles(
    specs: Topology,
    kind: str,
    max_restarts: Union[int, Mapping[str, int], None],
    command: Optional[Sequence[str]],
) -> dict[str, Role]:
    roles = {}
    for name, spec in specs.items():
        restarts = max_restarts.get(name) if isinstance(max_restarts, Mapping) else max_restarts
        retries = _ENDLESS if restarts == -1 else restarts
        # Workers of estimators end by themselves, unlike those of ParameterServerStrategy.
        role_kind = "decider" if kind == ESTIMATOR and name == "worker" else None
        role = spec.as_role(kind=role_kind, retries=retries)
        if command is not None:
            role = Role(**{**vars(role), "command": command})
        roles["master" if kind == PYTORCH and name == "chief" else name] = role
    return roles


def _command(module: Optional[str], hook: Optional[str]) -> Optional[list[str]]:
    """What the tasks run, where it is not simply the function."""
    if module is None and hook is None:
        return None
    words = ["python", "-m", module or "ydl._task"]
    # The shell line can set variables, so the task takes the place of the shell.
    return words if hook is None else ["sh", "-c", f'{hook}\nexec "$0" "$@"', *words]


def _python(python: Optional[str], environment: Optional[Environment]) -> dict[str, Any]:
    if isinstance(environment, Mapping):
        names = {str(path) for path in environment.values()}
        if len(names) > 1:
            raise ValueError(
                "pyenv_zip_path names several environments, and all tasks of a job have the same one; "
                "name one that has the packages of all of them"
            )
        environment = next(iter(names), None)
    if environment is not None:
        return {"python_env": environment}
    if python is None:
        return {}
    if not re.fullmatch(r"\d+(\.\d+)*", python):
        return {"python": python}
    here = platform.python_version()
    if python.split(".")[:2] != here.split(".")[:2]:
        raise ValueError(
            f"python='{python}': a function that Python {here} pickles runs only there; "
            f"submit with Python {python}, or leave python= out"
        )
    return {"python_version": python}


def _refuse_arguments(cuda_runtime: Optional[str], module: Optional[str]) -> None:
    if cuda_runtime is not None:
        raise ValueError(
            f"cuda_runtime_hdfs_path: name the files as inputs, for example inputs=['{cuda_runtime}'], "
            "and set LD_LIBRARY_PATH in env="
        )
    last = (module or "").rpartition(".")[2]
    if last == "gloo_allred_task":
        raise ValueError(
            "custom_task_module gloo_allred_task: ydl has no Horovod; return a KerasExperiment, "
            "which is trained with MultiWorkerMirroredStrategy"
        )


def _check_tensorflow(kind: str, *, own_environment: bool) -> None:
    """Estimators ended with TensorFlow 2.15. Another environment than this one is checked in the tasks."""
    if kind != ESTIMATOR or not own_environment:
        return
    for package in ("tensorflow", "tensorflow-cpu"):
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
        if tuple(int(part) for part in version.split(".")[:2]) >= (2, 16):
            raise ValueError(
                f"TensorFlow {version} has no estimators; install tensorflow 2.15 in {sys.prefix}, "
                "or return a KerasExperiment"
            )
        return


def _acl(acls: Any) -> Optional[dict[str, str]]:
    """skein's ACLs, or a dict with its fields: view_users, view_groups, modify_users, modify_groups."""
    if acls is None:
        return None

    def names(field: str) -> str:
        value = acls.get(field) if isinstance(acls, Mapping) else getattr(acls, field, None)
        return ",".join(value or ())

    lists = {right: f"{names(right + '_users')} {names(right + '_groups')}" for right in ("view", "modify")}
    return {right: text.rstrip() for right, text in lists.items() if text.strip()} or None
