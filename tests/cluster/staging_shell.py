"""A user who stages jobs with `staging_tool`, as a submission does."""

import os
import subprocess

from programs import REPOSITORY

TOOL = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / "staging_tool"
PATIENCE = 120


class Submitter:
    """A user with a cache of hashes and a home directory of its own."""

    def __init__(self, cluster, tmp_path, name):
        self.cluster = cluster
        self.home = f"/user/{name}"
        self.environment = {**os.environ, **cluster.variables, "XDG_CACHE_HOME": str(tmp_path / "cache"), "HADOOP_USER_NAME": name}
        self.program = tmp_path / "program"
        self.program.write_bytes(b"what containers run")
        cluster.client.mkdirs(remote=self.home)
        cluster.client.chown(remote=self.home, owner=name)

    def start(self, *words):
        return subprocess.Popen([TOOL, "--executable", self.program, *words], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        process = self.start(*words)
        lines = process.communicate(timeout=PATIENCE)[0].splitlines()
        return lines, process.returncode

    def stage(self, *words):
        lines, code = self.ask(*words)
        assert code == 0, lines
        return lines


def field(lines, beginning):
    return [line[len(beginning) + 1:] for line in lines if line.startswith(beginning + " ")]


def files(lines):
    """The staged files by their name in the container: path in HDFS, visibility, size."""
    parts = [line.split(" ") for line in field(lines, "file")]
    return {name: ("/" + url.split("/", 3)[3], visibility, int(size)) for name, url, visibility, size in parts}
