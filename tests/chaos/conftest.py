"""`make chaos`: trainings on a real cluster of hosts in network namespaces, with faults that are drawn from a seed. It needs root.

A schedule that fails is repeated with its seed; what it left is kept below build/chaos.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cluster"), str(TESTS.parent / "testing")]

CLONE_NEWNS = 0x20000


def pytest_addoption(parser):
    parser.addoption("--schedules", type=int, default=0, help="how many schedules are carried out")
    parser.addoption("--seed", type=int, default=1, help="the seed of the first one")
    parser.addoption("--longer", type=float, default=3, help="how many times as many epochs as in `make test`")


@pytest.fixture(scope="session")
def own_mounts():
    """What is mounted from now on is gone when this process and those that it starts are."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "a mount namespace cannot be made; `make chaos` needs root")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


@pytest.fixture(scope="session")
def kept():
    """Where the files of schedules that failed are kept."""
    folder = TESTS.parent / "build/chaos"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pytest_configure():
    os.environ.setdefault("YDL", str(TESTS.parent / "build/bin/ydl"))
