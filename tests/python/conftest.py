"""Fixtures of the tests of the Python package.

The package is tested as users get it: as a wheel, made with the binary that YDL names (default: build/bin/ydl).
"""

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "python/src"), str(REPOSITORY / "tests/examples")]

from jobs import kill_all, processes_that_mention  # noqa: E402
from projects import Project, build_wheels, environment, install  # noqa: E402


LONGEST_TEST = 120  # seconds; every wait has a shorter limit of its own


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_TEST))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory):
    """The folder with the two wheels."""
    return build_wheels(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installed(wheels, tmp_path_factory):
    return install(wheels, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def project(tmp_path, installed):
    yield Project(tmp_path, installed, environment("notebook") / "bin/python")
    kill_all(processes_that_mention(tmp_path))
