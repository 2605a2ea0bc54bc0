"""Fixtures of the tests that run the examples through the real binary.

YDL names the binary (default: build/bin/ydl). Python environments and data come from the scripts in tools/, so a first run installs them.
"""

import os
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

from jobs import JobRunner, kill_all, processes_that_mention

REPOSITORY = Path(__file__).resolve().parents[2]


def output_of(*command):
    done = subprocess.run([str(word) for word in command], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="session")
def ydl():
    binary = Path(os.environ.get("YDL", REPOSITORY / "build/bin/ydl")).absolute()
    assert binary.exists(), f"{binary} does not exist: build it with make, or name another binary in the variable YDL"
    return binary


@pytest.fixture(scope="session")
def python_of():
    """The interpreter of an environment of tools/setup/python: python_of("torch")."""

    @lru_cache
    def interpreter(name):
        return Path(output_of("tools/setup/python_env.sh", name)) / "bin/python"

    return interpreter


@pytest.fixture(scope="session")
def mnist():
    return Path(output_of("tools/fetch_data.py", "mnist"))


@pytest.fixture(scope="session")
def cifar10():
    return Path(output_of("tools/fetch_data.py", "cifar10"))


@pytest.fixture
def run_job(ydl, tmp_path):
    """Runs a job until it ends on this machine; nothing of it outlives the test, whatever happens."""
    yield JobRunner(ydl, tmp_path, REPOSITORY)
    kill_all(processes_that_mention(tmp_path))
