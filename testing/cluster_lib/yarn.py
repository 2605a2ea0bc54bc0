"""ResourceManagers and NodeManagers: what they are configured with and how they are run."""

import getpass

from . import users, web
from .daemon import JavaDaemon
from .errors import ClusterError

RESOURCE_MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
ADDRESSES = {"address": "rpc", "scheduler.address": "scheduler", "resource-tracker.address": "tracker", "admin.address": "admin",
             "webapp.address": "http"}


def manager_names(cluster):
    if not cluster.options.yarn:
        return []
    return ["resourcemanager1", "resourcemanager2"] if cluster.options.ha else ["resourcemanager1"]


def client_sites(cluster):
    """What clients and all daemons are told about YARN."""
    settings = {}
    for name in manager_names(cluster):
        suffix = f".rm{name[-1]}" if cluster.options.ha else ""
        settings.update({f"yarn.resourcemanager.{key}{suffix}": f"{cluster.masters}:{cluster.port(f'{name}.{port}')}" for key, port in ADDRESSES.items()})
    if cluster.options.ha:
        settings.update({
            "yarn.resourcemanager.ha.enabled": "true",
            "yarn.resourcemanager.ha.rm-ids": "rm1,rm2",
            # `testing/cluster failover` decides, and no ZooKeeper.
            "yarn.resourcemanager.ha.automatic-failover.enabled": "false",
            "yarn.resourcemanager.cluster-id": "ydl",
        })
    # With Kerberos a NodeManager reads logs through Hadoop's native library, which no registry has, and ends itself without it.
    settings["yarn.log-aggregation-enable"] = "false" if cluster.options.secure else "true"
    settings["yarn.node-labels.enabled"] = "true"
    if cluster.options.acl:
        settings.update({"yarn.acl.enable": "true", "yarn.admin.acl": getpass.getuser()})
    if cluster.options.https_policy != "NONE":
        settings["yarn.resourcemanager.application-https.policy"] = cluster.options.https_policy
    return {"yarn": settings} if cluster.options.yarn else {}


def daemons(cluster):
    hosts = range(1, cluster.options.nodes + 1) if cluster.options.yarn else []
    return [*(_resource_manager(cluster, name) for name in manager_names(cluster)), *(_node_manager(cluster, host) for host in hosts)]


def _resource_manager(cluster, name):
    shared = cluster.folder / "resourcemanager-state"  # the next active one goes on with it
    settings = {
        "yarn.scheduler.minimum-allocation-mb": 64,
        "yarn.cluster.max-application-priority": 10,
        "yarn.nm.liveness-monitor.expiry-interval-ms": 10000,
        "yarn.resourcemanager.recovery.enabled": "true",
        "yarn.resourcemanager.store.class": "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore",
        "yarn.resourcemanager.fs.state-store.uri": f"file://{shared}/applications",
        # On the local file system, so that the ResourceManager need not wait for the NameNode.
        "yarn.node-labels.fs-store.root-dir": f"file://{shared}/labels",
        # The default is one folder for all clusters of a user on this machine.
        "yarn.node-attribute.fs-store.root-dir": f"file://{shared}/attributes",
        "yarn.resourcemanager.nodes.exclude-path": _excluded(cluster),
    }
    if cluster.options.ha:
        settings["yarn.resourcemanager.ha.id"] = f"rm{name[-1]}"
    return JavaDaemon(cluster, name, host=0, main=RESOURCE_MANAGER, sites={"yarn": settings, "capacity-scheduler.xml": _queues(cluster)})


def _queues(cluster):
    """One queue with every label, and those of --queue, of which each may use what the others leave."""
    others = dict(cluster.options.queues)
    settings = {
        "yarn.scheduler.capacity.root.queues": ",".join(["default", *others]),
        "yarn.scheduler.capacity.root.default.capacity": 100 - sum(others.values()),
        # A small machine has few containers, and half of them may be masters of jobs.
        "yarn.scheduler.capacity.maximum-am-resource-percent": 0.5,
        "yarn.scheduler.capacity.resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    }
    for queue, share in others.items():
        settings[f"yarn.scheduler.capacity.root.{queue}.capacity"] = share
    for queue in ["default", *others] if others else []:
        settings[f"yarn.scheduler.capacity.root.{queue}.user-limit-factor"] = 100
    if cluster.options.acl:
        # Without it every user administers the queue, and may see and stop all of its applications.
        settings["yarn.scheduler.capacity.root.acl_administer_queue"] = getpass.getuser()
    for label in cluster.options.labels:
        for queue in ("root", "root.default"):
            settings[f"yarn.scheduler.capacity.{queue}.accessible-node-labels.{label}.capacity"] = 100
    if cluster.options.labels:
        settings["yarn.scheduler.capacity.root.default.accessible-node-labels"] = ",".join(cluster.options.labels)
    return settings


def _node_manager(cluster, host):
    name = f"nodemanager{host}"
    address = cluster.address(host)
    folder = cluster.folder / name

    def at(port):
        return f"{address}:{cluster.port(f'{name}.{port}', address)}"

    return JavaDaemon(cluster, name, host=host, main=NODE_MANAGER, sites={
        "core": {"ipc.client.connect.retry.interval": 200},
        "yarn": {
            "yarn.nodemanager.hostname": address,
            "yarn.nodemanager.address": at("rpc"),
            "yarn.nodemanager.localizer.address": at("localizer"),
            "yarn.nodemanager.webapp.address": at("http"),
            "yarn.nodemanager.local-dirs": folder / "local",
            "yarn.nodemanager.log-dirs": folder / "logs",
            # For those who set yarn.nodemanager.recovery.enabled: each host has its own.
            "yarn.nodemanager.recovery.dir": folder / "recovery",
            "yarn.nodemanager.resource.memory-mb": 8192,
            "yarn.nodemanager.resource.cpu-vcores": 16,
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 99.5,
            # It starts together with the ResourceManager, and must not wait long for it.
            "yarn.resourcemanager.connect.retry-interval.ms": 200,
            "yarn.client.failover-sleep-base-ms": 200,
            "yarn.client.failover-sleep-max-ms": 1000,
            **users.node_manager_settings(cluster),
        },
    })


def manager_state(cluster, name):
    """"active", "standby", or None while it does not serve."""
    answer = web.json_of(cluster.address(0), cluster.port(f"{name}.http"), "/ws/v1/cluster/info")
    return answer["clusterInfo"]["haState"].lower() if answer else None


def what_is_missing(cluster, running):
    """Which of the running daemons is not ready, in words, or None. `running` are names of daemons."""
    nodes = [name for name in running if name.startswith("nodemanager")]
    for name in nodes:
        address = cluster.address(int(name[len("nodemanager"):]))
        if not web.json_of(address, cluster.port(f"{name}.http", address), "/ws/v1/node/info"):
            return f"{name} does not answer"
    for name in manager_names(cluster):
        state = manager_state(cluster, name) if name in running else "gone"
        if state is None:
            return f"{name} does not answer"
        if state != "active" and name in running and not cluster.options.ha:
            return f"{name} is {state}"  # it answers before it serves
        if state == "active" and (missing := _nodes_are_missing(cluster, name, len(nodes))):
            return missing
    return None


def _nodes_are_missing(cluster, manager, nodes):
    answer = web.json_of(cluster.address(0), cluster.port(f"{manager}.http"), "/ws/v1/cluster/metrics")
    active = answer["clusterMetrics"]["activeNodes"] if answer else 0
    return None if active >= nodes else f"{manager} knows {active} of {nodes} NodeManagers"


def fail_over(cluster):
    """Makes the other ResourceManager active and returns its name."""
    states = {name: manager_state(cluster, name) for name in manager_names(cluster)}
    to = next((name for name, state in states.items() if state == "standby"), None)
    if to is None:
        raise ClusterError(f"no ResourceManager is standby, so none can take over: {states}.")
    source = next(name for name in states if name != to)
    if states[source] == "active":
        _administer(cluster, to, ["-transitionToStandby", f"rm{source[-1]}"])
    activate(cluster, to)
    return to


def activate(cluster, name):
    # --forceactive: it would ask the other one first, which may be gone.
    _administer(cluster, name, ["-transitionToActive", "--forceactive", f"rm{name[-1]}"])


def add_labels(cluster):
    """Gives the hosts the labels that `up --label` asked for."""
    labels = cluster.options.labels
    if not labels:
        return
    hosts = " ".join(f"{cluster.address(host)}={label}" for label, numbers in labels.items() for host in numbers)
    _administer(cluster, "resourcemanager1", ["-addToClusterNodeLabels", ",".join(labels)])
    _administer(cluster, "resourcemanager1", ["-replaceLabelsOnNode", hosts])


def prepare(cluster):
    if cluster.options.yarn:
        _excluded(cluster).touch()


def _excluded(cluster):
    return cluster.folder / "excluded-hosts"


def decommission(cluster, host):
    """Takes a host out of the cluster, as an administrator does: containers there may run for two more minutes."""
    _change_excluded(cluster, lambda hosts: hosts | {cluster.address(host)})


def recommission(cluster, host):
    _change_excluded(cluster, lambda hosts: hosts - {cluster.address(host)})


def _change_excluded(cluster, change):
    hosts = change(set(_excluded(cluster).read_text().split()))
    _excluded(cluster).write_text("".join(f"{host}\n" for host in sorted(hosts)))
    _administer(cluster, "resourcemanager1", ["-refreshNodes", "-g", "120", "-server"])


def _administer(cluster, name, words):
    done = _resource_manager(cluster, name).run_tool("org.apache.hadoop.yarn.client.cli.RMAdminCLI", words)
    if done.returncode != 0:
        raise ClusterError(f"`yarn rmadmin {' '.join(words)}` failed:\n{done.stdout}")
