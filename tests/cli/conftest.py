"""Fixtures of the tests that run the real binary in pipes and terminals.

YDL names the binary (default: build/bin/ydl of this repository).
"""

import os
from pathlib import Path

import pytest

from attacks import SideBySide
from harness import REPOSITORY, Ydl, assert_nothing_left, kill_all, processes_that_mention

LONGEST_TEST = 120  # seconds; every wait has a shorter limit of its own, this one catches what was forgotten


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(LONGEST_TEST))


@pytest.fixture(scope="session")
def binary():
    path = Path(os.environ.get("YDL", REPOSITORY / "build/bin/ydl")).absolute()
    assert path.exists(), f"{path} does not exist: build it with make, or name another binary in the variable YDL"
    return path


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.passed = report.passed
    return report


@pytest.fixture
def ydl(binary, tmp_path, request):
    """The command with its own jobs folder. Whatever the test was about, nothing of its jobs may outlive it."""
    yield Ydl(binary, tmp_path)
    try:
        if getattr(request.node, "passed", False):  # a test that failed half-way had no chance to clean up
            assert_nothing_left(tmp_path)
    finally:
        kill_all(processes_that_mention(tmp_path))


@pytest.fixture(scope="session")
def attacks(request, tmp_path_factory, binary):
    """Attacks by hostile servers, all of which begin with the first test that asks for one."""
    running = SideBySide(request.session.items, tmp_path_factory, binary)
    yield running
    running.close()
