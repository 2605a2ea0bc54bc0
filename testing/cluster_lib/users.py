"""Containers that run as the users who submitted them; these have ids but no accounts on this machine."""

import os
import sys
from pathlib import Path

from . import jvm
from .errors import ClusterError
from .kdc import USERS

FIRST_ID = 61_001
EXECUTOR = Path(__file__).resolve().parents[1] / "container_executor"
OPEN, CLOSED = 0o711, 0o700
# What a user's container and its localizer read, beside the folder of their NodeManager.
REACHED = ("conf", "empty", "kdc")


def ids():
    """{user: id} of the ordinary users; the id is that of the user's group too."""
    return {user: FIRST_ID + number for number, user in enumerate(USERS)}


def check(arguments):
    if not (arguments.secure and arguments.yarn):
        raise ClusterError("--users is about containers on a secure cluster and needs --secure and --yarn.")
    if os.geteuid() != 0:
        raise ClusterError("--users needs root: only root can start a container as another user.")


def node_manager_settings(cluster):
    if not cluster.options.users:
        return {}
    return {
        "yarn.nodemanager.container-executor.class": "org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor",
        "yarn.nodemanager.linux-container-executor.path": _program(cluster),
        "yarn.nodemanager.linux-container-executor.group": "root",
        "yarn.nodemanager.container-localizer.java.opts": " ".join([*jvm.QUICK_CLIENT, *cluster.jvm_options()]),
    }


def prepare(cluster):
    """The accounts, the program that starts containers, and a folder in which others reach what concerns them and nothing else."""
    accounts = "".join(f"{user}:x:{number}:{number}::/nonexistent:/bin/sh\n" for user, number in ids().items())
    cluster.passwd.write_text(Path("/etc/passwd").read_text() + accounts)
    _program(cluster).write_text(f'#!/bin/sh\nYDL_PASSWD={cluster.passwd} YDL_VISIBLE={jvm.release(cluster.options.version)} exec {sys.executable} {EXECUTOR} "$@"\n')
    _program(cluster).chmod(CLOSED)
    for folder in cluster.folder.iterdir():
        if folder.is_dir():
            folder.chmod(OPEN if folder.name in REACHED or folder.name.startswith("nodemanager") else CLOSED)
    # A ResourceManager would make it, with the keys of jobs, for all to read.
    (cluster.folder / "resourcemanager-state").mkdir(mode=CLOSED)
    cluster.folder.chmod(OPEN)


def _program(cluster):
    return cluster.folder / "container-executor"
