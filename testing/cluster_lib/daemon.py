"""One daemon of a cluster: its folder, its process, its log."""

import os
from dataclasses import dataclass, field

from . import jvm, network, processes, sites
from .errors import ClusterError

LINES_SHOWN = 25  # of the log of a daemon that did not come up
RECORD = "-XX:ArchiveClassesAtExit"
KEPT_VARIABLES = ("PATH", "HOME", "USER", "LOGNAME", "JAVA_HOME", "TMPDIR")


@dataclass
class Daemon:
    """A process that plays a part on a host; `host` is 0 for the daemons of the masters."""

    cluster: object
    name: str
    host: int

    @property
    def folder(self):
        return self.cluster.folder / self.name

    @property
    def log(self):
        return self.folder / "log"

    def pid(self):
        """Its process id, or None when it does not run."""
        return self._pid_file().pid()

    def spawn(self, command, environment, dies_with_parent=False):
        if self.pid() is None:
            process = processes.spawn([*network.enter(self.cluster, self.host), *command], self.log, self.folder, environment, dies_with_parent)
            self._pid_file().write(process.pid)

    def failure(self, what):
        """An error that ends with the last lines of the daemon's log, without the stacks of exceptions."""
        lines = [line for line in self.log.read_text(errors="replace").splitlines() if not line.startswith("\tat ")]
        shown = "\n".join(f"    {line}" for line in lines[-LINES_SHOWN:])
        return ClusterError(f"{self.name} {what}; the end of its log, {self.log}:\n{shown}")

    def is_recording(self):
        """Whether it will leave an archive of its classes when it is asked to end."""
        return False

    def _pid_file(self):
        return processes.PidFile(self.folder / "pid")


@dataclass
class JavaDaemon(Daemon):
    """`sites` is what it is configured with beyond what clients are."""

    main: str = ""
    sites: dict = field(default_factory=dict)

    def configure(self, common):
        sites.write(self.folder / "conf", sites.merged(common, self.sites, sites.everywhere(self.cluster.options.settings)))

    def start(self):
        self._new_archive().unlink(missing_ok=True)  # of one that was killed, perhaps while it wrote
        leash = [f"-Dydl.leash={self.cluster.leash}"] if self.cluster.leash else []
        options = [*self._basic_options(), *leash, *self.cluster.jvm_options()]
        self.spawn(jvm.command(options, "ydl.testing.Daemon", [self.main]), self.environment())

    def is_recording(self):
        return RECORD in processes.command_line(self.pid())

    def keep_classes(self):
        """Called when it has ended by itself: what it has written of its classes is for all clusters to come."""
        jvm.keep_archive(self._new_archive(), jvm.archive(self.cluster.options.version, self.main))

    def _basic_options(self):
        if self.cluster.options.optimize:
            return jvm.OPTIMIZED_DAEMON
        archive = jvm.archive(self.cluster.options.version, self.main)
        if archive.exists():
            return [*jvm.DAEMON, f"-XX:SharedArchiveFile={archive}"]
        is_first = self.name.endswith("1") and self.host <= 1  # one of a kind is enough
        return [*jvm.DAEMON, *([f"{RECORD}={self._new_archive()}"] if is_first else [])]

    def _new_archive(self):
        return self.folder / "classes.jsa"

    def run_tool(self, main, arguments):
        """Runs a Java program until it ends with this daemon's configuration; its output, errors included, is in `stdout`."""
        environment = {**self.cluster.variables(), **self.environment()}
        return processes.output_of(jvm.command([*jvm.CLIENT, *self.cluster.jvm_options()], main, arguments), environment)

    def environment(self):
        kept = {key: os.environ[key] for key in KEPT_VARIABLES if key in os.environ}
        empty = self.cluster.folder / "empty"
        # A JVM without a locale refuses file names that are not ASCII: NodeManagers could not unpack them.
        return {**kept, "LC_ALL": "C.UTF-8", **jvm.environment(self.cluster.options.version, [self.folder / "conf", empty]),
                "HADOOP_HOME": str(empty), "HADOOP_YARN_HOME": str(empty), "HADOOP_CONF_DIR": str(self.folder / "conf")}
