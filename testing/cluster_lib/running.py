"""For tests and benchmarks: a cluster that ends with the program that started it, and Hadoop's own client kept warm."""

import json
import os
import subprocess
from pathlib import Path

from . import jvm, sites, state
from .errors import ClusterError

PROGRAM = Path(__file__).resolve().parents[1] / "cluster"


class RunningCluster:
    """A cluster that ends with this process: RunningCluster("--nodes", "3", "--secure"). It is stopped however this process ends."""

    def __init__(self, *options):
        self._process = subprocess.Popen([PROGRAM, "up", "--foreground", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
        ready = self._process.stdout.readline()
        if not ready.startswith("Ready"):
            raise ClusterError(f"`testing/cluster up {' '.join(options)}` failed: {self._process.communicate()[1]}")
        self.folder = Path(ready.rstrip("\n").rpartition(", ")[2])
        self._client = None
        self._views = {}

    @property
    def conf(self):
        return self.folder / "conf"

    @property
    def variables(self):
        """What a program needs in its environment to use the cluster."""
        return state.load(self.folder).variables()

    def view(self, settings):
        """The cluster as clients with some settings of their own see it: view({"dfs.replication": 2}).client."""
        key = tuple(sorted(settings.items()))
        if key not in self._views:
            self._views[key] = View(self, self.folder / f"conf-{len(self._views) + 1}", settings)
        return self._views[key]

    @property
    def options(self):
        return state.load(self.folder).options

    @property
    def client(self):
        """Hadoop's own client, started when it is first needed."""
        if self._client is None:
            self._client = JavaClient(self.folder, self.conf)
        return self._client

    def run(self, *words, timeout=180):
        """A command of testing/cluster on this cluster, such as run("kill-host", "2"). Returns what it prints."""
        command, *arguments = words
        done = subprocess.run([PROGRAM, command, "--dir", self.folder, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout)
        if done.returncode != 0:
            raise ClusterError(f"`testing/cluster {' '.join(words)}` failed with {done.returncode}: {done.stdout}{done.stderr}")
        if any(word.startswith("namenode") for word in arguments):
            self._forget_clients()  # a connection that is open fails a call of a NameNode that was away, as users know it
        return done.stdout

    def _forget_clients(self):
        for each in (self, *self._views.values()):
            if each._client is not None:
                each._client.stop()
                each._client = None

    def stop(self):
        self._forget_clients()
        self._process.stdin.close()
        self._process.stdout.read()
        self._process.stderr.read()
        self._process.wait(60)


class View:
    """A running cluster with another configuration for its clients; for the rest, the cluster."""

    def __init__(self, cluster, conf, settings):
        self._cluster = cluster
        self._client = None
        self.conf = conf
        sites.copy(cluster.conf, conf, settings)

    @property
    def variables(self):
        return {**self._cluster.variables, "HADOOP_CONF_DIR": str(self.conf)}

    @property
    def client(self):
        if self._client is None:
            self._client = JavaClient(self.folder, self.conf)
        return self._client

    def __getattr__(self, name):
        return getattr(self._cluster, name)


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

    MAIN = "ydl.testing.Client"

    def __init__(self, folder, conf):
        cluster = state.load(folder)
        self._archive = jvm.archive(cluster.options.version, self.MAIN)
        self._new_archive = folder / "client.jsa"
        super().__init__(jvm.command([*self._basic_options(cluster), *cluster.jvm_options()], self.MAIN, []),
                         {**cluster.variables(), **jvm.environment(cluster.options.version, [conf])})

    def _basic_options(self, cluster):
        """As for daemons: soon there, with the classes that an earlier one has loaded, unless speed is what counts."""
        if cluster.options.optimize:
            return jvm.CLIENT
        if self._archive.exists():
            return [*jvm.QUICK_CLIENT, f"-XX:SharedArchiveFile={self._archive}"]
        return [*jvm.QUICK_CLIENT, f"-XX:ArchiveClassesAtExit={self._new_archive}"]

    def stop(self):
        super().stop()
        jvm.keep_archive(self._new_archive, self._archive)
