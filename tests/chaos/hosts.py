"""The cluster of the chaos tests, as options of `testing/cluster up`: what takes minutes on a real one takes seconds."""

SETTINGS = {
    "dfs.replication": 2,  # of three hosts one may be lost
    "yarn.am.liveness-monitor.expiry-interval-ms": 20_000,
    "yarn.resourcemanager.am.max-attempts": 4,
    "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": 3_000,
    "yarn.nodemanager.disk-health-checker.interval-ms": 2_000,
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": 98,
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": 500,
    "yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill": 4_000,
    "yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round": 1.0,
    "yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor": 1.0,
    "yarn.resourcemanager.monitor.capacity.preemption.max_ignored_over_capacity": 0,
}
RECOVERY = {"yarn.nodemanager.recovery.enabled": "true", "yarn.nodemanager.recovery.supervised": "true"}


def options(node_recovery=False):
    settings = SETTINGS | (RECOVERY if node_recovery else {})
    return ("--nodes", "3", "--yarn", "--namespaces", "--queue", "urgent=50",
            *(word for key, value in settings.items() for word in ("--set", f"{key}={value}")))  # fmt: skip


CHAOS_YARN = options()
