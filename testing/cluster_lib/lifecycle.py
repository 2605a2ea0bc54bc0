"""Starting a cluster, changing it while it runs, and stopping it."""

import shutil
import signal
import socket
import time

from . import hdfs, jvm, kdc, network, processes, router, security, sites, users, yarn
from .errors import ClusterError

START_TIMEOUT = 120.0  # seconds; a busy machine of two cores needs about 40 for a secure cluster with YARN
POLL = 0.1


def daemons(cluster):
    first = [network.Namespaces(cluster)] if cluster.options.namespaces else []
    first += [kdc.Kdc(cluster, "kdc", host=0)] if cluster.options.secure else []
    return [*first, *hdfs.daemons(cluster), *router.daemons(cluster), *yarn.daemons(cluster)]


def daemon_named(cluster, name):
    known = {daemon.name: daemon for daemon in daemons(cluster)}
    found = known.get(name) or known.get(f"{name}1")
    if not found:
        raise ClusterError(f"there is no daemon '{name}' in this cluster; the daemons are: {', '.join(known)}.")
    return found


def prepare(cluster):
    """Everything on disk that daemons and clients read."""
    folder = cluster.folder
    # Hadoop's jars lack the pages of HDFS, and its daemons do not start without their folders.
    for pages in ("hdfs", "datanode", "secondary"):
        (folder / "empty/webapps" / pages).mkdir(parents=True)
    (folder / "hosts").write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")
    client = sites.merged(hdfs.client_sites(cluster), yarn.client_sites(cluster), security.client_sites(cluster))
    for daemon in daemons(cluster):
        daemon.configure(sites.merged(client, security.daemon_sites(cluster)))
    # WARN: what `testing/cluster java` prints should be the program's own.
    sites.write(cluster.conf, sites.merged(client, sites.everywhere(cluster.options.settings)), "WARN")
    yarn.prepare(cluster)
    cluster.save()
    if cluster.options.users:
        users.prepare(cluster)


def start(cluster):
    jvm.classpath(cluster.options.version)
    for daemon in daemons(cluster):
        daemon.start()
        if isinstance(daemon, network.Namespaces):
            _wait_until(lambda: None if network.is_made(cluster) else "the network is not made", [daemon])
        if isinstance(daemon, kdc.Kdc):
            _wait_until(lambda: None if kdc.is_listening(cluster) else "the KDC does not answer", [daemon])
            daemon.log_in()
    _wait_for_running(cluster)
    if cluster.options.ha and cluster.options.yarn:
        yarn.activate(cluster, "resourcemanager1")
        _wait_for_running(cluster)
    _wait_until(lambda: hdfs.active_is_missing(cluster), daemons(cluster))
    yarn.add_labels(cluster)


def _wait_for_running(cluster):
    """Waits until what runs serves. What was killed on purpose does not count."""
    running = [daemon for daemon in daemons(cluster) if daemon.pid()]
    names = [daemon.name for daemon in running]
    _wait_until(lambda: hdfs.what_is_missing(cluster, names) or router.what_is_missing(cluster, names) or yarn.what_is_missing(cluster, names), running)


def _wait_until(what_is_missing, watched):
    """Waits until nothing is missing, or one of the daemons responsible for it has ended."""
    deadline = time.monotonic() + START_TIMEOUT
    while missing := what_is_missing():
        for daemon in watched:
            if daemon.pid() is None:
                raise daemon.failure("has ended before the cluster was up")
        if time.monotonic() > deadline:
            blamed = next((daemon for daemon in watched if missing.startswith(daemon.name)), watched[0])
            raise blamed.failure(f"is not up after {START_TIMEOUT:.0f} s: {missing}")
        time.sleep(POLL)


def host_daemons(cluster, host):
    found = [daemon for daemon in daemons(cluster) if daemon.host == host and host > 0]
    if not found:
        raise ClusterError(f"there is no host {host}; the hosts are 1 to {cluster.options.nodes}.")
    return found


def kill_host(cluster, host):
    """Everything on a host ends at once, as when its power fails: daemons and containers."""
    found = host_daemons(cluster, host)
    processes.kill([daemon.pid() for daemon in found if daemon.pid()])
    _kill_containers(found)


def start_host(cluster, host):
    for daemon in host_daemons(cluster, host):
        daemon.start()
    _wait_for_running(cluster)


def kill(cluster, name):
    daemon = daemon_named(cluster, name)
    processes.kill([daemon.pid()] if daemon.pid() else [])


def stop(cluster, name):
    """As an administrator stops it: it may tidy up."""
    daemon = daemon_named(cluster, name)
    processes.end([daemon.pid()] if daemon.pid() else [])


def recommission(cluster, host):
    """With a new NodeManager: one that has left the cluster ends, sooner or later."""
    yarn.recommission(cluster, host)
    restart(cluster, f"nodemanager{host}")


def start_one(cluster, name):
    daemon_named(cluster, name).start()
    _wait_for_running(cluster)


def restart(cluster, name):
    daemon = daemon_named(cluster, name)
    # One that would first write an archive of its classes is away long enough for clients to give up.
    stop = processes.kill if daemon.is_recording() else processes.end
    stop([daemon.pid()] if daemon.pid() else [])
    start_one(cluster, daemon.name)


def pause(cluster, name):
    _signal(cluster, name, signal.SIGSTOP)


def resume(cluster, name):
    _signal(cluster, name, signal.SIGCONT)


def _signal(cluster, name, number):
    daemon = daemon_named(cluster, name)
    if not daemon.pid():
        raise ClusterError(f"{daemon.name} does not run.")
    processes.send([daemon.pid()], number)


def end(cluster):
    """Ends every process of the cluster; its folder, with the logs, stays."""
    running = [daemon for daemon in daemons(cluster) if daemon.pid()]
    # Those that write down their classes end by themselves, the last first: a NodeManager whose ResourceManager has gone does not.
    for daemon in reversed([daemon for daemon in running if daemon.is_recording()]):
        processes.send([daemon.pid()], signal.SIGCONT)  # one that was paused could not end
        if processes.end([daemon.pid()]):
            daemon.keep_classes()
    # The rest of their output is not needed.
    processes.kill([pid for daemon in running if (pid := daemon.pid())])
    _kill_containers(daemons(cluster))


def _kill_containers(of):
    for daemon in of:
        if daemon.name.startswith("nodemanager"):
            processes.kill(processes.containers_of(daemon.folder / "local"))


def remove(cluster):
    end(cluster)
    shutil.rmtree(cluster.folder, ignore_errors=True)
