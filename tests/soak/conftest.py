"""Many jobs in a row, with kills at random moments: `make test-soak`, which is not part of `make test`.

What happens is drawn from --seed; each job's draw is in the message of a failure. The moments of kills are drawn too, so a failure may need
several runs of its seed to come again.
"""

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "cluster"), str(TESTS.parent / "testing")]

from harness import REPOSITORY, kill_all, processes_that_mention  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--local-jobs", type=int, default=500, help="jobs on this machine")
    parser.addoption("--cluster-jobs", type=int, default=50, help="jobs on a YARN cluster of three hosts")
    parser.addoption("--seed", type=int, default=1, help="what is drawn")


@pytest.fixture
def binary():
    path = Path(os.environ.get("YDL", REPOSITORY / "build/bin/ydl")).absolute()
    assert path.exists(), f"{path} does not exist: build it with make, or name another binary in the variable YDL"
    return path


@pytest.fixture
def scratch(tmp_path):
    """A folder that every process of the jobs has in its environment. They end with the test, whatever happens."""
    yield tmp_path
    kill_all(processes_that_mention(tmp_path))
