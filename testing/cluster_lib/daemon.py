"""One daemon of a cluster: its folder, its process, its log."""

import os
from dataclasses import dataclass, field

from . import jvm, processes, sites
from .errors import ClusterError

LINES_SHOWN = 25  # of the log of a daemon that did not come up


@dataclass
class Daemon:
    """`host` is 0 for the daemons of the masters. `sites` is what it is configured with beyond what clients are."""

    cluster: object
    name: str
    host: int
    main: str
    http_port: int
    sites: dict
    arguments: list = field(default_factory=list)

    @property
    def folder(self):
        return self.cluster.folder / self.name

    @property
    def log(self):
        return self.folder / "log"

    @property
    def pid_file(self):
        return processes.PidFile(self.folder / "pid")

    def pid(self):
        return self.pid_file.pid()

    def configure(self, common):
        sites.write(self.folder / "conf", sites.merged(common, self.sites, {name: self.cluster.options.settings for name in ("core", "hdfs", "yarn")}))

    def start(self):
        if self.pid():
            return
        cluster = self.cluster
        options = [*jvm.DAEMON, f"-Djdk.net.hosts.file={cluster.folder / 'hosts'}"]
        if cluster.leash:
            options.append(f"-Dydl.leash={cluster.leash}")
        command = jvm.java(cluster.options.version, options, [self.folder / "conf", cluster.folder / "empty"], "ydl.testing.Daemon",
                           [self.main, *self.arguments])
        process = processes.spawn(command, self.log, self.folder, self._environment())
        self.pid_file.write(process.pid)

    def failure(self, what):
        """An error that ends with the last lines of the daemon's log."""
        lines = self.log.read_text(errors="replace").splitlines()[-LINES_SHOWN:]
        shown = "\n".join(f"    {line}" for line in lines)
        return ClusterError(f"{self.name} {what}; the end of its log ({self.log}):\n{shown}")

    def _environment(self):
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "USER", "LOGNAME", "LANG", "JAVA_HOME", "TMPDIR") if key in os.environ}
        return {**kept, "HADOOP_HOME": str(self.cluster.folder / "empty"), "HADOOP_CONF_DIR": str(self.folder / "conf")}
