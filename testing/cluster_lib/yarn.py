"""ResourceManager and NodeManagers."""

from . import web
from .daemon import JavaDaemon
from .errors import ClusterError
from .state import MASTER_ADDRESS

RESOURCE_MANAGER = "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager"
NODE_MANAGER = "org.apache.hadoop.yarn.server.nodemanager.NodeManager"
ADDRESSES = {"address": "rpc", "scheduler.address": "scheduler", "resource-tracker.address": "tracker", "admin.address": "admin",
             "webapp.address": "http"}


def client_sites(cluster):
    """What clients and all daemons are told about YARN."""
    if not cluster.options.yarn:
        return {}
    settings = {f"yarn.resourcemanager.{key}": f"localhost:{cluster.port(f'resourcemanager1.{port}')}" for key, port in ADDRESSES.items()}
    settings["yarn.log-aggregation-enable"] = "true"
    settings["yarn.node-labels.enabled"] = "true"
    return {"yarn": settings}


def daemons(cluster):
    if not cluster.options.yarn:
        return []
    return [_resource_manager(cluster), *(_node_manager(cluster, host) for host in range(1, cluster.options.nodes + 1))]


def _resource_manager(cluster):
    name = "resourcemanager1"
    data = cluster.folder / name / "data"
    return JavaDaemon(cluster, name, host=0, main=RESOURCE_MANAGER, sites={"yarn": {
        "yarn.resourcemanager.hostname": "localhost",
        "yarn.scheduler.minimum-allocation-mb": 64,
        "yarn.nm.liveness-monitor.expiry-interval-ms": 10000,
        "yarn.resourcemanager.recovery.enabled": "true",
        "yarn.resourcemanager.store.class": "org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore",
        "yarn.resourcemanager.fs.state-store.uri": f"file://{data}/state",
        # On the local file system, so that the ResourceManager need not wait for the NameNode.
        "yarn.node-labels.fs-store.root-dir": f"file://{data}/labels",
    }, "capacity-scheduler.xml": _queues(cluster)})


def _queues(cluster):
    """One queue with every label."""
    settings = {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": 100,
        # A small machine has few containers, and half of them may be masters of jobs.
        "yarn.scheduler.capacity.maximum-am-resource-percent": 0.5,
        "yarn.scheduler.capacity.resource-calculator": "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator",
    }
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
            "yarn.nodemanager.resource.memory-mb": 8192,
            "yarn.nodemanager.resource.cpu-vcores": 16,
            "yarn.nodemanager.vmem-check-enabled": "false",
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 99.5,
            # It starts together with the ResourceManager, and must not wait long for it.
            "yarn.resourcemanager.connect.retry-interval.ms": 200,
        },
    })


def what_is_missing(cluster, running):
    """Which of the running daemons is not ready, in words, or None. `running` are names of daemons."""
    managers = [name for name in running if name.startswith("nodemanager")]
    for name in managers:
        address = cluster.address(int(name[len("nodemanager"):]))
        if not web.json_of(address, cluster.port(f"{name}.http", address), "/ws/v1/node/info"):
            return f"{name} does not answer"
    if "resourcemanager1" not in running:
        return None
    answer = web.json_of(MASTER_ADDRESS, cluster.port("resourcemanager1.http"), "/ws/v1/cluster/metrics")
    if not answer:
        return "resourcemanager1 does not answer"
    active = answer["clusterMetrics"]["activeNodes"]
    return None if active >= len(managers) else f"resourcemanager1 knows {active} of {len(managers)} NodeManagers"


def add_labels(cluster):
    """Gives the hosts the labels that `up --label` asked for."""
    labels = cluster.options.labels
    if not labels:
        return
    hosts = " ".join(f"{cluster.address(host)}={label}" for label, numbers in labels.items() for host in numbers)
    for words in (["-addToClusterNodeLabels", ",".join(labels)], ["-replaceLabelsOnNode", hosts]):
        done = _resource_manager(cluster).run_tool("org.apache.hadoop.yarn.client.cli.RMAdminCLI", words)
        if done.returncode != 0:
            raise ClusterError(f"the ResourceManager does not take the labels ({' '.join(words)}):\n{done.stdout}")
