"""The processes of a job on a cluster of this machine, by what they are and the host that they are on."""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

NAMES = {"ydl-master": "master", "ydl-agent": "agent", "ydl-task": "reaper"}


@dataclass(frozen=True)
class Part:
    pid: int
    kind: str  # master, agent, reaper, task (the command's own process), or "" for the rest
    host: int
    task: str = ""  # worker:0, of reapers and tasks


@dataclass
class _Process:
    parent: int
    name: str
    environment: bytes


def find(folder, application):
    """All processes in containers of an application, on the cluster in `folder`."""
    needle = application.removeprefix("application_").encode()  # also a part of its containers' names
    found = {pid: process for pid, process in _processes() if needle in process.environment}
    parts = []
    for pid, process in found.items():
        host = re.search(rb"LOCAL_DIRS=" + re.escape(os.fsencode(folder)) + rb"/nodemanager(\d+)/", process.environment)
        if host:
            parts.append(_part(pid, process, int(host[1]), found))
    return sorted(parts, key=lambda part: part.pid)


def _part(pid, process, host, found):
    if kind := NAMES.get(process.name):
        child = next((_task(other) for other in found.values() if other.parent == pid and _task(other)), "")
        return Part(pid, kind, host, child if kind == "reaper" else "")
    parent = found.get(process.parent)
    grandparent = parent and found.get(parent.parent)
    # note.sh is the reaper's child, and the training is the child of that.
    is_training = grandparent is not None and grandparent.name == "ydl-task"
    return Part(pid, "task" if is_training and _task(process) else "", host, _task(process))


def _task(process):
    role, index = (re.search(rb"(?:^|\0)" + name + rb"=([^\0]*)", process.environment) for name in (b"YDL_ROLE", b"YDL_INDEX"))
    return f"{role[1].decode()}:{index[1].decode()}" if role and index else ""


def _processes():
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended
                stat = (entry / "stat").read_text()
                name, fields = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
                if fields[0] not in "ZX":
                    yield int(entry.name), _Process(int(fields[1]), name, (entry / "environ").read_bytes())
