"""What the examples need on this machine: installed or fetched when it is first asked for."""

import re
import subprocess
from functools import lru_cache
from pathlib import Path

from programs import REPOSITORY

EXAMPLES = REPOSITORY / "examples"


@lru_cache
def output_of(*command):
    """The last line that a program of the repository prints."""
    return subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[-2]


def python_of(name):
    return Path(output_of("tools/setup/python_env.sh", name)) / "bin/python"


def mnist():
    return Path(output_of("tools/fetch_data.py", "mnist"))


def accuracy(text):
    return float(re.findall(r"accuracy: ([\d.]+)", text)[-1])
