"""The master of a job under attack for minutes: `make test-attack`, which is not part of `make test`."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cluster"), str(TESTS.parent / "testing")]


def pytest_addoption(parser):
    parser.addoption("--seconds", type=int, default=300, help="how long the master is attacked")
