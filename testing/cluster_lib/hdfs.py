"""NameNode and DataNodes: what they are configured with and how they are run."""

from .daemon import Daemon
from .state import MASTER_ADDRESS

NAMENODE = "ydl.testing.FirstNameNode"
DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"


def client_sites(cluster):
    """What clients and all daemons of HDFS are told."""
    namenode = f"localhost:{cluster.port('namenode1.rpc')}"
    return {
        "core": {"fs.defaultFS": f"hdfs://{namenode}"},
        "hdfs": {
            "dfs.namenode.rpc-address": namenode,
            "dfs.namenode.http-address": f"localhost:{cluster.port('namenode1.http')}",
            "dfs.replication": min(3, cluster.options.nodes),
        },
    }


def daemons(cluster):
    namenodes = [_namenode(cluster, 1)]
    return [*namenodes, *(_datanode(cluster, host) for host in range(1, cluster.options.nodes + 1))]


def _namenode(cluster, number):
    name = f"namenode{number}"
    return Daemon(cluster, name, host=0, main=NAMENODE, http_port=cluster.port(f"{name}.http"), sites={"hdfs": {
        "dfs.namenode.name.dir": cluster.folder / name / "data",
        # Small blocks: a test of many blocks need not write much.
        "dfs.namenode.fs-limits.min-block-size": 512,
        "dfs.namenode.safemode.extension": 0,
        # A DataNode that is silent is avoided after 3 s (the least there is) and dead after 11 s (2 x recheck + 10 x heartbeat).
        "dfs.heartbeat.interval": 1,
        "dfs.namenode.heartbeat.recheck-interval": 500,
        "dfs.namenode.stale.datanode.interval": 3000,
        "dfs.namenode.avoid.read.stale.datanode": "true",
        "dfs.namenode.avoid.write.stale.datanode": "true",
        "dfs.namenode.write.stale.datanode.ratio": 1.0,
        "dfs.namenode.redundancy.interval.seconds": 1,
        "dfs.namenode.decommission.interval": 1,
        # A cluster that lives for minutes need not survive a loss of power.
        "dfs.namenode.edits.noeditlogchannelflush": "true",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    }})


def _datanode(cluster, host):
    name = f"datanode{host}"
    address = cluster.address(host)

    def at(port):
        return f"{address}:{cluster.port(f'{name}.{port}', address)}"

    return Daemon(cluster, name, host=host, main=DATANODE, http_port=cluster.port(f"{name}.http", address), sites={
        "core": {
            "ydl.testing.host.address": address,
            "hadoop.rpc.socket.factory.class.default": "ydl.testing.HostSocketFactory",
            "ipc.client.connect.retry.interval": 200,
            "ipc.client.connect.max.retries": 600,
        },
        "hdfs": {
            "dfs.datanode.data.dir": cluster.folder / name / "data",
            "dfs.datanode.hostname": address,
            "dfs.datanode.address": at("data"),
            "dfs.datanode.ipc.address": at("ipc"),
            "dfs.datanode.http.address": at("http"),
            "dfs.heartbeat.interval": 1,
            "dfs.datanode.du.reserved": 0,
            "dfs.datanode.failed.volumes.tolerated": 0,
        },
    })


def live_datanodes(cluster, number=1):
    """How many DataNodes a NameNode has heard of lately, or None while it does not serve."""
    from . import web
    state = web.bean(MASTER_ADDRESS, cluster.port(f"namenode{number}.http"), "Hadoop:service=NameNode,name=FSNamesystemState")
    return state["NumLiveDataNodes"] if state and state["FSState"] == "Operational" else None
