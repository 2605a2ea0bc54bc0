"""How many tasks of each type an experiment has, and what each of them gets."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Optional, Union

from ydl._roles import Role

ESTIMATOR = "estimator"
KERAS = "keras"
PYTORCH = "pytorch"

TASK_TYPES = ("chief", "worker", "ps", "evaluator")
_MIB = {"kib": 1 / 1024, "mib": 1, "gib": 1024, "tib": 1024**2, "kb": 1 / 1024, "mb": 1, "gb": 1024}


class TaskFlavor(enum.Enum):
    """The nodes of a task, as in tf-yarn 0.1: without a label, or with the label "gpu"."""

    CPU = ""
    GPU = "gpu"


class NodeLabel(enum.Enum):
    """The same, as tf-yarn calls it since 0.2."""

    CPU = ""
    GPU = "gpu"


Label = Union[TaskFlavor, NodeLabel, str]


@dataclass(frozen=True)
class TaskSpec:
    """What the tasks of one type get. Memory is in MiB, or a size such as "2 GiB".

    `flavor` and `label` are the same: a node label of the cluster. `gpus` is ydl's: GPUs by number.
    """

    memory: Union[int, str] = 2 * 2**10
    vcores: int = 1
    instances: int = 1
    flavor: Label = TaskFlavor.CPU
    nb_proc_per_worker: int = 1
    label: Optional[Label] = None
    tb_termination_timeout_seconds: int = -1
    tb_model_dir: Optional[str] = None
    tb_extra_args: Optional[str] = None
    gpus: Optional[int] = None

    @property
    def node_label(self) -> Optional[str]:
        label = self.flavor if self.label is None else self.label
        return (label if isinstance(label, str) else str(label.value)) or None

    def memory_mib(self) -> int:
        if isinstance(self.memory, int):
            return self.memory
        size = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?B)?\s*", self.memory, re.IGNORECASE)
        if size is None:
            raise ValueError(f"memory '{self.memory}' is not a size; write MiB as a number, or '2 GiB'")
        return int(float(size[1]) * _MIB[(size[2] or "MiB").lower()])

    def as_role(self, kind: Optional[str] = None, retries: Optional[int] = None) -> Role:
        return Role(
            count=self.instances,
            memory=self.memory_mib(),
            vcores=self.vcores,
            gpus=self.gpus,
            label=self.node_label,
            kind=kind,
            retries=retries,
        )


Topology = Mapping[str, TaskSpec]

NO_TASKS = TaskSpec(0, 0, 0)  # TaskSpec.NONE of tf-yarn 0.1


def single_server_topology(memory: Union[int, str] = 2 * 2**10, vcores: int = 1) -> dict[str, TaskSpec]:
    """A chief and an evaluator."""
    return {"chief": TaskSpec(memory, vcores), "evaluator": TaskSpec(memory, vcores)}


def ps_strategy_topology(
    nb_workers: int = 2, nb_ps: int = 1, memory: Union[int, str] = 2 * 2**10, vcores: int = 1
) -> dict[str, TaskSpec]:
    """A chief, an evaluator, workers and parameter servers."""
    return {
        **single_server_topology(memory, vcores),
        "worker": TaskSpec(memory, vcores, instances=nb_workers),
        "ps": TaskSpec(memory, vcores, instances=nb_ps),
    }


def check_topology(specs: Topology, kind: str) -> None:
    """Raises ValueError, naming the role, if an experiment of this kind cannot run on these tasks."""
    for name, spec in specs.items():
        _check_task(name, spec)
    chiefs = specs["chief"].instances if "chief" in specs else 0
    if chiefs != 1:
        raise ValueError(f"chief: there must be exactly one, not {chiefs}; give 'chief' with instances=1")
    if "evaluator" in specs and specs["evaluator"].instances > 1:
        raise ValueError(f"evaluator: there can be at most one, not {specs['evaluator'].instances}")
    if kind == ESTIMATOR:
        if "worker" in specs and "ps" not in specs:
            raise ValueError("worker: estimators with workers need a ps for the variables; add 'ps' to task_specs")
        return
    _refuse(specs, ("ps",), f"a {_TITLES[kind]} needs no parameter server, because its tasks are peers")
    _refuse(specs, ("evaluator",), f"a {_TITLES[kind]} evaluates in its chief and workers")


_TITLES = {KERAS: "KerasExperiment", PYTORCH: "PytorchExperiment"}


def _refuse(specs: Topology, names: Iterable[str], why: str) -> None:
    for name in names:
        if name in specs:
            raise ValueError(f"{name}: {why}; remove '{name}' from task_specs")


def _check_task(name: str, spec: TaskSpec) -> None:
    if name == "tensorboard":
        raise ValueError(
            "tensorboard: there is no such task yet; run `tensorboard --logdir MODEL_DIR` where you can read model_dir"
        )
    if name not in TASK_TYPES:
        raise ValueError(f"{name}: unknown type of task (available: {', '.join(TASK_TYPES)})")
    if not isinstance(spec, TaskSpec):
        raise ValueError(f"{name}: give a TaskSpec, not {type(spec).__name__}")
    if spec.instances < 1:
        raise ValueError(f"{name}: instances is {spec.instances}; give at least 1")
    if spec.vcores < 1:
        raise ValueError(f"{name}: vcores is {spec.vcores}; give at least 1")
    if spec.nb_proc_per_worker != 1:
        raise ValueError(
            f"{name}: nb_proc_per_worker={spec.nb_proc_per_worker}: ydl runs one process per task; "
            "raise instances instead"
        )
    try:
        too_little = spec.memory_mib() < 1
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    if too_little:
        raise ValueError(f"{name}: memory is {spec.memory!r}; give MiB, for example 2 * 2**10")
