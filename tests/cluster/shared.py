"""Clusters that tests of several files share, as options of `testing/cluster up`.

Each start of daemons takes 5 to 20 seconds: a test that needs a setting joins one of these, or adds its setting to one where it disturbs no other test.
Settings of clients alone need no cluster of their own: `cluster.view({...})`.
"""

from pathlib import Path

HDFS = ("--nodes", "3")
YARN = ("--nodes", "3", "--yarn")
YARN_WITH_LABEL = (*YARN, "--label", "gpu=3")  # only what asks for the label runs on the third host


def _with(**settings):
    return tuple(word for key, value in settings.items() for word in ("--set", f"{key}={value}"))


# Obeys ACLs; with a second HDFS beside the cluster's, and tokens that end within the hour: every job is told.
SECURE_YARN = ("--nodes", "1", "--yarn", "--secure", "--acl", "--second-namenode", *_with(**{
    "dfs.namenode.delegation.token.max-lifetime": 50 * 60_000,
    "dfs.namenode.delegation.token.renew-interval": 50 * 60_000,
}))

# Containers run as their users: alice and bob are different users of the operating system, which takes root.
USERS_YARN = ("--nodes", "1", "--yarn", "--secure", "--acl", "--users")

# Hosts in network namespaces, behind a bridge that a test listens on; all calls and blocks of Hadoop's are encrypted.
PRIVATE_YARN = ("--nodes", "2", "--yarn", "--secure", "--protection", "privacy", "--data-protection", "privacy", "--namespaces")

# One host, so that a job can fill it, with a resource of its own kind.
SMALL_YARN = ("--nodes", "1", "--yarn", *_with(**{"yarn.resource-types": "licences", "yarn.nodemanager.resource-type.licences": 2}))

FAIR_YARN = ("--nodes", "1", "--yarn", *_with(**{
    "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
    "yarn.scheduler.fair.allocation.file": Path(__file__).with_name("fair-scheduler.xml"),
    "yarn.scheduler.fair.preemption": "true",
    "yarn.scheduler.fair.preemption.cluster-utilization-threshold": 0.0,
    "yarn.scheduler.fair.waitTimeBeforeKill": 4000,
    "yarn.scheduler.fair.am.preemption": "false",
}))

# A NodeManager that looks at its containers' memory itself and does not leave that to cgroups, which it takes to be there.
# No program with sanitizers runs on it: they map more than it allows.
STRICT_YARN = ("--nodes", "1", "--yarn", *_with(**{
    "yarn.nodemanager.resource.memory.enforced": "false",
    "yarn.nodemanager.vmem-check-enabled": "true",
    "yarn.nodemanager.vmem-pmem-ratio": 10,
    "yarn.nodemanager.container-monitor.interval-ms": 500,
}))


def strict_hdfs(key_provider):
    """One DataNode, large blocks and two replicas at the most; a trash, short pages of listings, and keys for encryption zones."""
    return ("--nodes", "1", *_with(**{
        "dfs.namenode.fs-limits.min-block-size": 16 << 20,
        "dfs.blocksize": 32 << 20,
        "dfs.replication": 1,
        "dfs.replication.max": 2,
        "fs.trash.interval": 60,
        "dfs.ls.limit": 21,
        "hadoop.security.key.provider.path": key_provider,
    }))

# Takes containers of one queue for the other, 4 s after a warning.
PREEMPTING_YARN = ("--nodes", "1", "--yarn", "--queue", "urgent=50", *_with(**{
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": 300,
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": 4000,
    "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": 1.0,
    "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": 1.0,
    "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity": 0,
}))
