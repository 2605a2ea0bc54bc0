"""Where the programs are that the tests run."""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "testing"))


def built(name):
    """A program of the build that is tested: the one with sanitizers unless YDL_BUILD says otherwise."""
    path = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / name
    assert path.exists(), f"{path} is not built: ninja -C {path.parents[1]} {name}"
    return str(path)
