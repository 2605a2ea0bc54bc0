"""A router of HDFS's federation: clients take it for a NameNode, and it asks the cluster's one as their proxy."""

import getpass

from . import processes
from .daemon import JavaDaemon
from .kdc import REALM

NAME = "router"
NAME_SERVICE = "ydl"
MAIN = "org.apache.hadoop.hdfs.server.federation.router.DFSRouter"
STORE = "org.apache.hadoop.hdfs.server.federation.store.driver.impl.StateStoreFileImpl"


def namenode_settings(cluster):
    """The NameNode lets it act for every user."""
    user = getpass.getuser()  # whom the rules of a secure cluster make of every service
    return {f"hadoop.proxyuser.{user}.{key}": "*" for key in ("hosts", "users")} if cluster.options.router else {}


def daemons(cluster):
    if not cluster.options.router:
        return []
    namenode = {f"dfs.namenode.{port}-address.{NAME_SERVICE}": f"{cluster.masters}:{cluster.port(f'namenode1.{port}')}" for port in ("rpc", "http")}
    return [JavaDaemon(cluster, NAME, host=0, main=MAIN, sites={"hdfs": {
        "dfs.nameservices": NAME_SERVICE,
        **namenode,
        "dfs.federation.router.rpc-address": f"{cluster.masters}:{cluster.port('router.rpc')}",
        "dfs.federation.router.admin.enable": "false",
        "dfs.federation.router.http.enable": "false",
        # Without a mount table every path is one of the default name service.
        "dfs.federation.router.default.nameserviceId": NAME_SERVICE,
        "dfs.federation.router.monitor.namenode": NAME_SERVICE,
        "dfs.federation.router.monitor.localnamenode.enable": "false",
        "dfs.federation.router.store.driver.class": STORE,
        "dfs.federation.router.store.driver.file.directory": cluster.folder / NAME / "store",
        # It learns at these times that the NameNode serves.
        "dfs.federation.router.heartbeat.interval": 500,
        "dfs.federation.router.cache.ttl": 500,
        "dfs.federation.router.safemode.enable": "false",
        **(_security(cluster) if cluster.options.secure else {}),
    }})]


def _security(cluster):
    return {
        "dfs.federation.router.keytab.file": cluster.keytab("services"),
        # Clients expect a NameNode's principal of it.
        "dfs.federation.router.kerberos.principal": f"nn/localhost@{REALM}",
        "dfs.federation.router.kerberos.internal.spnego.principal": f"HTTP/localhost@{REALM}",
        "dfs.federation.router.secret.manager.class": "ydl.testing.RouterTokens",
    }


def what_is_missing(cluster, running):
    """Whether it listens; it serves a moment later, when it has heard of the NameNode."""
    if NAME in running and not processes.accepts_connections(cluster.address(0), cluster.port("router.rpc")):
        return f"{NAME} does not answer"
    return None
