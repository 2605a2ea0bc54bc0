"""Bringing a cluster up and taking it down."""

import shutil
import socket
import time

from . import hdfs, jvm, processes, sites
from .errors import ClusterError

START_TIMEOUT = 120.0


def common_sites(cluster):
    return hdfs.client_sites(cluster)


def daemons(cluster):
    return hdfs.daemons(cluster)


def prepare(cluster):
    """Everything on disk that daemons and clients read."""
    folder = cluster.folder
    # Hadoop's jars lack the pages of HDFS, and its daemons do not start without their folders.
    for pages in ("hdfs", "datanode", "journal", "secondary"):
        (folder / "empty/webapps" / pages).mkdir(parents=True)
    # Daemons resolve names by this file alone, so that a slow or lying DNS does not matter.
    (folder / "hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")
    common = common_sites(cluster)
    for daemon in daemons(cluster):
        daemon.configure(common)
    client_level = "WARN"  # what `testing/cluster java` prints should be the program's own
    sites.write(cluster.conf, sites.merged(common, {name: cluster.options.settings for name in ("core", "hdfs", "yarn")}), client_level)
    cluster.save()


def start(cluster):
    jvm.classpath(cluster.options.version)
    for daemon in daemons(cluster):
        daemon.start()
    wait_until_ready(cluster)


def wait_until_ready(cluster):
    deadline = time.monotonic() + START_TIMEOUT
    everything = daemons(cluster)
    while True:
        for daemon in everything:
            if daemon.pid() is None:
                raise daemon.failure("ended before the cluster was up")
        live = hdfs.live_datanodes(cluster)
        if live == cluster.options.nodes:
            return
        if time.monotonic() > deadline:
            if live is None:
                raise everything[0].failure(f"does not serve after {START_TIMEOUT:.0f} s")
            raise ClusterError(f"{live} of {cluster.options.nodes} DataNodes have registered after {START_TIMEOUT:.0f} s; see the logs in {cluster.folder}.")
        time.sleep(0.1)


def stop(cluster):
    """Ends every process of the cluster and removes its folder."""
    processes.end([daemon.pid() for daemon in daemons(cluster) if daemon.pid()])
    processes.kill(processes.mentioning(cluster.folder))
    shutil.rmtree(cluster.folder, ignore_errors=True)
