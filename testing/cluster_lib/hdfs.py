"""NameNodes and DataNodes: what they are configured with and how they are run."""

import json

from . import router, web
from .daemon import JavaDaemon
from .errors import ClusterError
from .sites import merged

NAMENODE = "ydl.testing.FirstNameNode"
DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode"
NAME_SERVICE = "ydl"
SECOND_NAMENODE, SECOND_DATANODE = "second-namenode", "second-datanode"  # an HDFS of its own beside the cluster's


def namenode_names(cluster):
    return ["namenode1", "namenode2"] if cluster.options.ha else ["namenode1"]


def client_sites(cluster):
    """What clients and all daemons are told about HDFS."""
    sites = {"core": {}, "hdfs": {"dfs.replication": min(3, cluster.options.nodes)}}
    if not cluster.options.ha:
        sites["core"]["fs.defaultFS"] = f"hdfs://{cluster.masters}:{cluster.port('namenode1.rpc')}"
        sites["hdfs"].update(_addresses(cluster, "namenode1", ""))
        return sites
    sites["core"]["fs.defaultFS"] = f"hdfs://{NAME_SERVICE}"
    sites["hdfs"].update({
        "dfs.nameservices": NAME_SERVICE,
        f"dfs.ha.namenodes.{NAME_SERVICE}": "nn1,nn2",
        f"dfs.client.failover.proxy.provider.{NAME_SERVICE}": "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
    })
    for number, name in enumerate(namenode_names(cluster), 1):
        sites["hdfs"].update(_addresses(cluster, name, f".{NAME_SERVICE}.nn{number}"))
    return sites


def _addresses(cluster, name, suffix):
    return {f"dfs.namenode.rpc-address{suffix}": f"{cluster.masters}:{cluster.port(f'{name}.rpc')}",
            f"dfs.namenode.http-address{suffix}": f"{cluster.masters}:{cluster.port(f'{name}.http')}"}


def daemons(cluster):
    return [*(_namenode(cluster, name) for name in namenode_names(cluster)),
            *(_datanode(cluster, f"datanode{host}", host) for host in range(1, cluster.options.nodes + 1)),
            *(_second(cluster) if cluster.options.second_namenode else [])]


def _second(cluster):
    """Clients reach it by its address, hdfs://localhost:PORT: their configuration does not name it."""
    own = {"core": {"fs.defaultFS": f"hdfs://{cluster.masters}:{cluster.port(f'{SECOND_NAMENODE}.rpc')}"},
           "hdfs": {"dfs.nameservices": "", "dfs.replication": 1, **_addresses(cluster, SECOND_NAMENODE, "")}}
    namenode = JavaDaemon(cluster, SECOND_NAMENODE, host=0, main=NAMENODE, sites={"hdfs": _namenode_settings(cluster, SECOND_NAMENODE)})
    datanode = _datanode(cluster, SECOND_DATANODE, 1)
    for daemon in (namenode, datanode):
        daemon.sites = merged(daemon.sites, own)
    return [namenode, datanode]


def _namenode(cluster, name):
    settings = _namenode_settings(cluster, name)
    if cluster.options.ha:
        settings.update(_ha_settings(cluster, name))
    return JavaDaemon(cluster, name, host=0, main=NAMENODE, sites={"core": router.namenode_settings(cluster), "hdfs": settings})


def _namenode_settings(cluster, name):
    return {
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
        # With three DataNodes, twice the average load is a file or two: one of them would often be passed over as too busy.
        "dfs.namenode.redundancy.considerLoad": "false",
        # A cluster that lives for minutes need not survive a loss of power.
        "dfs.namenode.edits.noeditlogchannelflush": "true",
        "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    }


def _ha_settings(cluster, name):
    return {
        "dfs.ha.namenode.id": "nn" + name[-1],
        # A shared folder instead of JournalNodes: three JVMs fewer, and the clients see no difference.
        "dfs.namenode.shared.edits.dir": f"file://{cluster.folder}/shared-edits",
        "dfs.ha.fencing.methods": "shell(/bin/true)",
        "dfs.ha.tail-edits.period": "1s",
        "dfs.ha.log-roll.period": "1s",
        # The first NameNode formats for both.
        "ydl.testing.standby.dir": cluster.folder / "namenode2/data",
    }


def _datanode(cluster, name, host):
    address = cluster.address(host)

    def at(port):
        return f"{address}:{cluster.port(f'{name}.{port}', address)}"

    return JavaDaemon(cluster, name, host=host, main=DATANODE, sites={
        "core": {
            **({} if cluster.options.namespaces else _on_loopback(address)),
            # It starts together with the NameNode, and must not wait long for it.
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
        },
    })


def _on_loopback(address):
    """Connections leave from the host's address, as they do by themselves where the host has no other."""
    return {"ydl.testing.host.address": address, "hadoop.rpc.socket.factory.class.default": "ydl.testing.HostSocketFactory"}


def namenode_state(cluster, name):
    """"active", "standby", or None while it does not serve."""
    status = web.bean(cluster.address(0), cluster.port(f"{name}.http"), "Hadoop:service=NameNode,name=NameNodeStatus")
    return status.get("State") if status else None


def what_is_missing(cluster, running):
    """Which of the running daemons is not ready, in words, or None. `running` are names of daemons."""
    return _missing_in(cluster, [name for name in namenode_names(cluster) if name in running],
                       {name: int(name[len("datanode"):]) for name in running if name.startswith("datanode")}) or \
        _missing_in(cluster, [name for name in running if name == SECOND_NAMENODE], {name: 1 for name in running if name == SECOND_DATANODE})


def _missing_in(cluster, namenodes, datanodes):
    """The same of one HDFS; `datanodes` are its hosts by the names of the daemons."""
    states = {name: web.bean(cluster.address(0), cluster.port(f"{name}.http"), "Hadoop:service=NameNode,name=FSNamesystemState") for name in namenodes}
    for name, state in states.items():
        if not state or "FSState" not in state:
            return f"{name} does not answer"
    for name, host in datanodes.items():
        # The NameNode remembers a DataNode that was killed for a while: only the new one knows whether it has registered.
        if _registrations(cluster, name, host) < len(namenodes):
            return f"{name} has not registered"
    for name, state in states.items():
        if state["NumLiveDataNodes"] < len(datanodes):
            return f"{name} knows {state['NumLiveDataNodes']} of {len(datanodes)} DataNodes"
        if namenode_state(cluster, name) == "active" and state["FSState"] != "Operational":
            return f"{name} is in safe mode"
    return None


def active_is_missing(cluster):
    active = any(namenode_state(cluster, name) == "active" for name in namenode_names(cluster))
    return None if active else "namenode1 is not active"


def _registrations(cluster, name, host):
    """With how many NameNodes a DataNode has registered."""
    info = web.bean(cluster.address(host), cluster.port(f"{name}.http"), "Hadoop:service=DataNode,name=DataNodeInfo")
    actors = json.loads(info.get("BPServiceActorInfo", "[]")) if info else []  # it comes a moment after the rest
    return sum(actor["ActorState"] == "RUNNING" for actor in actors)


def fail_over(cluster):
    """Makes the other NameNode active and returns its name. One that is gone needs no consent."""
    states = {name: namenode_state(cluster, name) for name in namenode_names(cluster)}
    to = next((name for name, state in states.items() if state == "standby"), None)
    if to is None:
        raise ClusterError(f"no NameNode is standby, so none can take over: {states}.")
    source = next(name for name in states if name != to)
    ids = {name: "nn" + name[-1] for name in states}
    if states[source] == "active":
        words = ["-ns", NAME_SERVICE, "-failover", ids[source], ids[to]]
    else:
        words = ["-ns", NAME_SERVICE, "-transitionToActive", "--forceactive", ids[to]]
    namenode = next(daemon for daemon in daemons(cluster) if daemon.name == to)
    done = namenode.run_tool("org.apache.hadoop.hdfs.tools.DFSHAAdmin", words)
    if done.returncode != 0:
        raise ClusterError(f"{to} did not take over from {source}:\n{done.stdout}")
    return to
