"""For tests and benchmarks: a cluster that ends with the program that started it, and Hadoop's own client kept warm."""

import json
import os
import subprocess
from pathlib import Path

from . import jvm, state
from .errors import ClusterError

PROGRAM = Path(__file__).resolve().parents[1] / "cluster"


class RunningCluster:
    """A cluster on a leash: RunningCluster("--nodes", "3", "--secure"). It is gone when this process is, however that ends."""

    def __init__(self, *options):
        self._process = subprocess.Popen([PROGRAM, "up", "--foreground", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        ready = self._process.stdout.readline()
        if not ready.startswith("Ready"):
            raise ClusterError(f"`testing/cluster up {' '.join(options)}` failed: {self._process.communicate()[1]}")
        self.folder = Path(ready.rstrip("\n").rpartition(", ")[2])
        self._client = None

    @property
    def conf(self):
        return self.folder / "conf"

    @property
    def variables(self):
        """What a program needs in its environment to use the cluster."""
        return state.load(self.folder).variables()

    @property
    def options(self):
        return state.load(self.folder).options

    @property
    def client(self):
        """Hadoop's own client, started when it is first needed."""
        if self._client is None:
            self._client = JavaClient(self.folder)
        return self._client

    def run(self, *words, timeout=180):
        """A command of testing/cluster on this cluster, such as run("kill-host", "2"). Returns what it prints."""
        command, *arguments = words
        done = subprocess.run([PROGRAM, command, "--dir", self.folder, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout)
        if done.returncode != 0:
            raise ClusterError(f"`testing/cluster {' '.join(words)}` failed with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def stop(self):
        if self._client is not None:
            self._client.stop()
        self._process.stdin.close()
        self._process.stdout.read()
        self._process.stderr.read()
        self._process.wait(60)


class ClientError(Exception):
    """What a client reported: the class of its exception, without the package, and the message."""

    def __init__(self, answer):
        self.kind = answer["error"].rpartition(".")[2]
        super().__init__(f"{self.kind}: {answer['message']}")


class LineClient:
    """A program that does what it is told, one JSON object per line: client("time-read", remote=...), or client.put(local=..., remote=...)."""

    def __init__(self, command, environment):
        self._process = subprocess.Popen(command, env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    @property
    def pid(self):
        return self._process.pid

    def __call__(self, operation, **arguments):
        request = {"do": operation, **{name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()}}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise ClusterError(f"{self._process.args[0]} ended with {self._process.wait()} when asked for {request}.")
        answer = json.loads(line)
        if "error" in answer:
            raise ClientError(answer)
        return answer["ok"]

    def __getattr__(self, operation):
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **arguments: self(operation, **arguments)

    def stop(self):
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()


class JavaClient(LineClient):
    """Hadoop's own client; testing/java/Client.java says what it can do."""

    def __init__(self, folder):
        cluster = state.load(folder)
        super().__init__(jvm.command([*jvm.CLIENT, *cluster.jvm_options()], "ydl.testing.Client", []),
                         {**cluster.variables(), **jvm.environment(cluster.options.version, [cluster.conf])})
