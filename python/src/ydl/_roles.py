"""The roles of a job, and the job file made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union


@dataclass(frozen=True)
class Role:
    """Tasks that are alike. Memory is a size such as "2g", or a number of MiB.

    Every field means what the key of the job file with its name means (docs/job-file.md). A role with a
    `command` runs it; every other role runs the function.
    """

    count: Union[int, str] = 1
    memory: Union[int, str, None] = None
    vcores: Optional[int] = None
    gpus: Optional[int] = None
    label: Optional[str] = None
    types: Mapping[str, int] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    retries: Optional[int] = None
    kind: Optional[str] = None
    restart: Optional[str] = None
    ports: Optional[int] = None
    command: Union[str, Sequence[str], None] = None

    def as_json(self, function_command: Sequence[str]) -> dict[str, Any]:
        resources = without_defaults(
            memory=self.memory, vcores=self.vcores, gpus=self.gpus, label=self.label, types=dict(self.types)
        )
        command = function_command if self.command is None else self.command
        return without_defaults(
            count=self.count,
            command=command if isinstance(command, str) else list(command),
            resources=resources,
            env=dict(self.env),
            retries=self.retries,
            kind=self.kind,
            restart=self.restart,
            ports=self.ports,
        )


def without_defaults(**fields: Any) -> dict[str, Any]:
    """The fields that say something, so that the defaults are ydl's."""
    return {key: value for key, value in fields.items() if value is not None and value != {} and value != []}
