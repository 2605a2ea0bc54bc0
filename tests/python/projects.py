"""Runs users' scripts with the installed package."""

import json
import os
import subprocess
import textwrap
import time
import zipfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST_SCRIPT = 60  # seconds


def output_of(*command):
    done = subprocess.run([str(word) for word in command], cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


@lru_cache
def environment(name):
    """The folder of an environment of tools/setup/python."""
    return Path(output_of("tools/setup/python_env.sh", name))


def build_wheels(folder):
    """Both wheels, with the binary that YDL names."""
    binary = Path(os.environ.get("YDL", REPOSITORY / "build/bin/ydl")).absolute()
    output_of("tools/wheel.sh", binary, folder)
    return folder


def install(wheels, folder):
    """Both wheels and cloudpickle in a folder for PYTHONPATH, as `pip install --target` leaves them."""
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    (scripts,) = folder.glob("*.data/scripts")
    scripts.rename(folder / "bin")
    (folder / "bin/ydl").chmod(0o755)
    (cloudpickle,) = environment("notebook").glob("lib/python*/site-packages/cloudpickle")
    (folder / "cloudpickle").symlink_to(cloudpickle)
    return folder


@dataclass
class Ended:
    code: int
    out: str
    err: str


class Project:
    """A folder with the user's scripts, whose jobs and caches are below it."""

    def __init__(self, folder, installed, python):
        self.folder = folder / "project"
        self.folder.mkdir()
        self.scratch = folder
        self.python = python
        self.binary = installed / "bin/ydl"
        self.env = {
            **{key: value for key, value in os.environ.items() if not key.startswith(("YDL", "HADOOP"))},
            "PYTHONPATH": str(installed),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def start(self, script, *, python=None, **options):
        path = self.write("script.py", script) if "\n" in script else self.folder / script
        return subprocess.Popen(
            [str(python or self.python), str(path)],
            cwd=self.folder, env=self.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )

    def run(self, script, *, timeout=LONGEST_SCRIPT, **options):
        process = self.start(script, **options)
        out, err = process.communicate(timeout=timeout)
        return Ended(process.returncode, out, err)

    def ok(self, script, **options):
        done = self.run(script, **options)
        assert done.code == 0, f"{done.out}\n{done.err}"
        return done.out

    def refused(self, script):
        """The message of the YdlError or ValueError with which the script ended, before there was any job."""
        done = self.run(script)
        assert done.code == 1, f"{done.out}\n{done.err}"
        assert not self.jobs(), done.out
        return done.err.strip().splitlines()[-1]

    def jobs(self):
        return self.ydl("ls").splitlines()

    def wait_for_task(self):
        """Waits until a task of a job runs."""
        deadline = time.monotonic() + 60
        while not any('"state":"running"' in line for line in self.jobs()):
            assert time.monotonic() < deadline
            time.sleep(0.1)

    def last_metrics(self, task):
        """The last values that a task of the only job reported."""
        (job,) = self.jobs()
        lines = self.ydl("logs", json.loads(job)["job"], task, "--grep", "::metric ").splitlines()
        return json.loads(json.loads(lines[-1])["text"].removeprefix("::metric "))

    def ydl(self, *words):
        command = [str(self.binary), *words, "--output", "json"]
        return subprocess.run(command, env=self.env, stdout=subprocess.PIPE, text=True, check=True).stdout
