"""A network of the cluster's own: each host and the masters in a namespace, with a bridge between them and the clients.

One process holds all of it: with that process and the daemons it is gone, however they end. This machine has one interface more meanwhile,
the clients' end of a cable to the bridge.

    client 198.18.N.1 ──┐        the bridge and its ports are in a namespace too, "switch": a listener there sees all packets
    masters  .2 ────────┼ bridge
    host 1   .3 ────────┤
    host 2   .4 ────────┘
"""

import ctypes
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

from . import processes
from .errors import ClusterError

NAME = "network"
SWITCH, MASTERS = "switch", "masters"
CLONE_NEWNET = 0x40000000


def choose_subnet():
    """One that nothing here uses, among the addresses that are set aside for tests of networks (RFC 2544)."""
    if os.geteuid() != 0:
        raise ClusterError("--namespaces needs root: only root can make a network namespace.")
    if missing := [name for name in ("ip", "nsenter") if shutil.which(name) is None]:
        raise ClusterError(f"the program {missing[0]} is missing; `tools/setup/apt.sh test` installs it.")
    used = subprocess.run(["ip", "-4", "route", "show", "table", "all"], capture_output=True, text=True, check=True).stdout
    free = [f"198.18.{number}" for number in range(256) if f"198.18.{number}." not in used]
    random.shuffle(free)
    for subnet in free:
        if _reserve(subnet):
            return subnet
    raise ClusterError("all of 198.18.0.0/16 is in use on this machine; end some of the clusters.")


_reserved = []


def _reserve(subnet):
    """Until this process ends, which is after the network was made: another cluster may start at the same moment."""
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0ydl-subnet-{subnet}")
    except OSError:
        name.close()
        return False
    _reserved.append(name)
    return True


def enter(cluster, host):
    """Words before a command that is to run on a host, or with 0 on that of the masters."""
    if not cluster.options.namespaces:
        return []
    return entering(cluster, f"host{host}" if host else MASTERS)


def entering(cluster, name):
    pid = processes.PidFile(cluster.folder / NAME / "pid").pid()
    return ["nsenter", f"--net=/proc/{pid}/fd/{_made(cluster)[name]}", "--"]


def is_made(cluster):
    return (cluster.folder / NAME / "namespaces.json").exists()


def _made(cluster):
    """{name: the descriptor of the namespace in the process that holds it}."""
    return json.loads((cluster.folder / NAME / "namespaces.json").read_text())


class Namespaces:
    """The process that holds them; to the rest of the program it is one more daemon."""

    name, host = NAME, 0

    def __init__(self, cluster):
        self.cluster = cluster
        self.folder = cluster.folder / NAME
        self.log = self.folder / "log"

    def configure(self, _common):
        self.folder.mkdir()

    def start(self):
        command = [sys.executable, "-m", "cluster_lib.network", self.folder / "namespaces.json", self.cluster.options.namespaces, self.cluster.options.nodes]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1]), "PYTHONDONTWRITEBYTECODE": "1"}
        process = processes.spawn(command, self.log, self.folder, environment, dies_with_parent=self.cluster.leash is not None)
        processes.PidFile(self.folder / "pid").write(process.pid)

    def pid(self):
        return processes.PidFile(self.folder / "pid").pid()

    def is_recording(self):
        return False

    def failure(self, what):
        return ClusterError(f"the network of the cluster {what}: {self.log.read_text()}")


# ---- in the process that holds the namespaces --------------------------------------------------------------------


def _ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


class _Namespace:
    libc = ctypes.CDLL(None, use_errno=True)

    def __init__(self, descriptor):
        self.descriptor = descriptor

    @classmethod
    def current(cls):
        return cls(os.open("/proc/self/ns/net", os.O_RDONLY))

    @classmethod
    def new(cls):
        if cls.libc.unshare(CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "a network namespace cannot be made")
        _ip("link", "set", "lo", "up")
        return cls.current()

    @property
    def path(self):
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    def enter(self):
        if self.libc.setns(self.descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "a network namespace cannot be entered")


def _connect(switch, port, namespace, interface, address):
    """A cable from the bridge to an interface there."""
    switch.enter()
    _ip("link", "add", port, "type", "veth", "peer", "name", interface, "netns", namespace.path)
    _ip("link", "set", port, "master", "bridge", "up")
    namespace.enter()
    _ip("addr", "add", f"{address}/24", "dev", interface)
    _ip("link", "set", interface, "up")


def _make(subnet, nodes):
    outside = _Namespace.current()
    made = {name: _Namespace.new() for name in (SWITCH, MASTERS, *(f"host{number + 1}" for number in range(nodes)))}
    switch = made.pop(SWITCH)
    switch.enter()
    _ip("link", "add", "bridge", "type", "bridge")
    _ip("link", "set", "bridge", "up")
    _connect(switch, "client", outside, f"ydl{os.getpid()}", f"{subnet}.1")
    for number, (name, namespace) in enumerate(made.items(), 2):
        _connect(switch, name, namespace, "eth0", f"{subnet}.{number}")
    return {name: namespace.descriptor for name, namespace in {SWITCH: switch, **made}.items()}


def _hold(file, subnet, nodes):
    made = _make(subnet, int(nodes))
    Path(f"{file}.new").write_text(json.dumps(made))
    os.replace(f"{file}.new", file)
    signal.pause()


if __name__ == "__main__":
    _hold(*sys.argv[1:])
