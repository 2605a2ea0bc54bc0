"""Carries out the faults of a schedule on a cluster in network namespaces, and mends them."""

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import parts
from cluster_lib import lifecycle, network, processes, state
from cluster_lib.errors import ClusterError
from cluster_lib.running import ClientError
from schedule import DAEMONS, PROCESSES, WORKER

NOBODY = "02:00:00:00:00:01"  # an address of Ethernet that no interface has: what is sent to it disappears
MASTERS = 0
FILLED = "fills-the-disk"
PATIENCE = 200  # seconds for a call of HDFS


class Faults:
    """begin() hits something and returns what in words, or None while there is nothing to hit; mend() undoes it.

    `job` knows the application and its folder on HDFS.
    """

    def __init__(self, running, job):
        self._running = running
        self._cluster = state.load(running.folder)
        self._job = job
        self._mends = {}
        self._later = ThreadPoolExecutor(1)

    def begin(self, fault):
        begin = getattr(self, f"_{fault.action}")
        done = begin(fault)
        if done is None:
            return None
        what, mend = done
        if mend:
            self._mends[fault] = mend
        return what

    def mend(self, fault):
        if mend := self._mends.pop(fault, None):
            mend()

    def mend_all(self):
        for fault in list(self._mends):
            self.mend(fault)
        self._later.shutdown()

    # ---- processes -----------------------------------------------------------------------------------------------

    def _kill(self, fault):
        if fault.target in PROCESSES:
            part = self._choose_part(fault)
            return part and (self._send(part, signal.SIGKILL), None)
        if fault.target == "host":
            return self._lose_host(fault)
        names = ["resourcemanager1", "namenode1"] if fault.target == "masters" else [self._daemon_name(fault)]
        found = [lifecycle.daemon_named(self._cluster, name) for name in names]
        if fault.target == "masters":
            return self._lose_masters(found)
        processes.kill([pid for daemon in found if (pid := daemon.pid())])
        return ", ".join(names), lambda: self._start(found)

    def _lose_host(self, fault):
        """As when its power fails: no packet leaves it, not even one that closes a connection."""
        host = self._host(fault)
        mend = cut_off(self._cluster, host, range(self._cluster.options.nodes + 1))
        lifecycle.kill_host(self._cluster, host)

        def start():
            mend()
            self._start(lifecycle.host_daemons(self._cluster, host))

        return f"host{host}", start

    def _lose_masters(self, daemons):
        mend = cut_off(self._cluster, MASTERS, range(1, self._cluster.options.nodes + 1))
        processes.kill([pid for daemon in daemons if (pid := daemon.pid())])

        def start():
            mend()
            self._start(daemons)

        return "the host of ResourceManager and NameNode", start

    def _stop(self, fault):
        if fault.target in PROCESSES:
            part = self._choose_part(fault)
            return part and (self._send(part, signal.SIGSTOP), lambda: processes.send([part.pid], signal.SIGCONT))
        if fault.target == "host":
            host = self._host(fault)
            pids = [pid for daemon in lifecycle.host_daemons(self._cluster, host) if (pid := daemon.pid())]
            pids += processes.containers_of(self._running.folder / f"nodemanager{host}/local")
            what = f"host{host}"
        else:
            what = self._daemon_name(fault)
            pids = [pid for pid in [lifecycle.daemon_named(self._cluster, what).pid()] if pid]
        processes.send(pids, signal.SIGSTOP)
        return what, lambda: processes.send(pids, signal.SIGCONT)

    def _choose_part(self, fault):
        found = [part for part in parts.find(self._running.folder, self._job.application) if part.kind == fault.target]
        return found[fault.pick % len(found)] if found else None

    def _send(self, part, number):
        processes.send([part.pid], number)
        return f"{part.kind} {part.task} (pid {part.pid}) on host{part.host}".replace("  ", " ")

    def _daemon_name(self, fault):
        assert fault.target in DAEMONS, fault
        return f"{fault.target}{self._host(fault) if fault.target in ('nodemanager', 'datanode') else 1}"

    def _host(self, fault):
        if fault.pick == WORKER:
            found = parts.find(self._running.folder, self._job.application)
            masters = {part.host for part in found if part.kind == "master"}
            workers = [part.host for part in found if part.kind == "task" and part.task.startswith("worker")]
            return next((host for host in workers if host not in masters), workers[0])
        return 1 + fault.pick % self._cluster.options.nodes

    def _start(self, daemons):
        """Without waiting until they serve: other faults may be in their way."""
        for daemon in daemons:
            daemon.start()

    # ---- the network ---------------------------------------------------------------------------------------------

    def _cut(self, fault):
        host, nodes = self._host(fault), self._cluster.options.nodes
        if fault.target == "masters":
            others = [MASTERS]
        elif fault.target == "host":
            others = [other for other in range(nodes + 1) if other != host]
        else:
            others = [1 + host % nodes]
        mend = cut_off(self._cluster, host, others, fault.way, fault.silent)
        return f"host{host} from " + ", ".join(f"host{other}" if other else "the masters" for other in others), mend

    # ---- disks and queues ----------------------------------------------------------------------------------------

    def _fill(self, fault):
        if fault.target == "hdfs":
            return self._fill_hdfs()
        return self._fill_disk(self._host(fault))

    def _fill_hdfs(self):
        """The job's folder may not grow any more."""
        self._later.submit(self._quota, 1)
        return self._job.remote, lambda: self._later.submit(self._quota, -1)

    def _quota(self, space):
        """Another fault may keep the NameNode from answering: it is asked until it has."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self._running.client.quota(remote=self._job.remote, space=space)
            except (ClientError, ClusterError, OSError):
                self._running._forget_clients()
                if time.monotonic() > deadline:
                    raise

    def _fill_disk(self, host):
        """Of the NodeManager's folders, which are on a small file system of their own (small_disks)."""
        file = self._running.folder / f"nodemanager{host}/local" / FILLED
        with suppress(OSError), open(file, "wb") as full:
            while True:
                full.write(b"\0" * (1 << 20))
                full.flush()
        return f"the disk of nodemanager{host}", lambda: file.unlink(missing_ok=True)

    def _preempt(self, _fault):
        return "a job of another queue", self._job.submit_urgent()


def cut_off(cluster, host, others, way="both", silent=True):
    """`way` is that of the packets that are lost, as the host sees them. Returns what mends it."""
    pairs = [(host, other) for other in others if other != host and way in ("both", "out")]
    pairs += [(other, host) for other in others if other != host and way in ("both", "in")]
    for source, to in pairs:
        _route(cluster, source, to, silent, "cut")

    def mend():
        for source, to in pairs:
            _route(cluster, source, to, silent, "mend")

    return mend


def _route(cluster, source, to, silent, action):
    address = cluster.address(to)
    if silent:
        words = {"cut": ["neigh", "replace", address, "lladdr", NOBODY, "dev", "eth0", "nud", "permanent"],
                 "mend": ["neigh", "del", address, "dev", "eth0"]}[action]  # fmt: skip
    else:
        words = ["route", {"cut": "add", "mend": "del"}[action], "blackhole", f"{address}/32"]
    # Two faults may cut the same pair, and one of them mends first.
    subprocess.run([*network.enter(cluster, source), "ip", *words], check=False, capture_output=True)


def small_disks(running, megabytes):
    """Puts the local folders of each NodeManager on a file system of its own. They are gone with the mount namespace of this process."""
    cluster = state.load(running.folder)
    for host in range(1, cluster.options.nodes + 1):
        daemon = lifecycle.daemon_named(cluster, f"nodemanager{host}")
        processes.kill([pid for pid in [daemon.pid()] if pid])
        folder = running.folder / f"nodemanager{host}/local"
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "ydl-chaos", folder], check=True)
        daemon.start()
    heal(running)


def heal(running):
    """Starts all that is missing and waits until all of it serves."""
    cluster = state.load(running.folder)
    for daemon in lifecycle.daemons(cluster):
        if daemon.pid():
            with suppress(ProcessLookupError):
                os.kill(daemon.pid(), signal.SIGCONT)
        else:
            daemon.start()
    lifecycle._wait_for_running(cluster)
