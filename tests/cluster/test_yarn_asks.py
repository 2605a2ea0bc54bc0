"""What a job asks of a real YARN cluster: where its tasks run and its priority."""

import hashlib
import re

import pytest
from cluster_lib import state, web
from hdfs_files import eventually
from yarn_shell import SMALL, Jobs, let_users_in


@pytest.fixture
def yarn(clusters):
    return clusters("--nodes", "3", "--yarn", "--set", "yarn.cluster.max-application-priority=10")


@pytest.fixture
def jobs(yarn, tmp_path, request):
    let_users_in(yarn)
    eventually(lambda: len(hosts_that_run(yarn)) == 3, "all nodes to be well")
    return Jobs(yarn, tmp_path, "u" + hashlib.sha1(request.node.name.encode()).hexdigest()[:8])


def resource_manager(cluster, path):
    return web.json_of("127.0.0.1", state.load(cluster.folder).port("resourcemanager1.http"), f"/ws/v1/cluster/{path}")


def hosts_that_run(cluster):
    nodes = resource_manager(cluster, "nodes?states=RUNNING")["nodes"] or {}
    return sorted(node["nodeHostName"] for node in nodes.get("node", []))


def hosts_of(jobs, tasks, *options):
    """Where the tasks of a job ran, by what NodeManagers tell their containers."""
    out, _ = jobs.run("run", "--n", tasks, *SMALL, *options, "--", "sh", "-c", 'echo "on $NM_HOST"')
    hosts = re.findall(r"\] on (\S+)", out)
    assert len(hosts) == tasks, out
    return hosts


@pytest.mark.parametrize("tasks", [2, 3])
def test_tasks_are_spread_over_hosts_that_have_room(jobs, tasks):
    for _ in range(3):
        assert len(set(hosts_of(jobs, tasks))) == tasks


def test_more_tasks_than_hosts_are_spread_evenly(jobs):
    hosts = hosts_of(jobs, 6)
    assert sorted(map(hosts.count, set(hosts))) == [2, 2, 2]


def test_packed_tasks_share_a_host(jobs):
    assert len(set(hosts_of(jobs, 3, "--resource", "worker:placement=pack"))) == 1


def test_tasks_run_on_the_hosts_that_are_named(jobs):
    named = hosts_that_run(jobs.cluster)[1:]
    assert set(hosts_of(jobs, 3, "--resource", f"worker:hosts={'+'.join(named)}")) == set(named)
    assert set(hosts_of(jobs, 2, "--resource", f"worker:hosts={named[0]}")) == {named[0]}
    assert len(set(hosts_of(jobs, 3, "--resource", "worker:racks=/default-rack"))) == 3


@pytest.mark.parametrize("place, sentence", [
    ("hosts=nosuch.example.org", "worker asks for host nosuch.example.org, which has no NodeManager (there are 127."),
    ("racks=/nosuch", "worker asks for rack /nosuch, in which no host is (there are /default-rack)"),
])
def test_a_place_that_does_not_exist_is_refused_before_anything_is_submitted(jobs, place, sentence):
    _, err = jobs.run("run", "--resource", f"worker:{place}", "--", "true", code=1)
    assert sentence in err and " is application_" not in err


def test_a_job_file_says_queue_priority_and_the_masters_size(jobs):
    (jobs.work / "job.yaml").write_text("""
version: 1
command: [sh, -c, "true"]
queue: root.default
am: managed
priority: 4
am_resources: {memory: 320m}
roles: {worker: {resources: {memory: 256m}}}
""")
    _, err = jobs.run("submit", "job.yaml")
    application = re.search(r"is (application_\d+_\d+) in queue root.default", err).group(1)
    assert "note: the job has priority" not in err
    assert resource_manager(jobs.cluster, f"apps/{application}")["app"]["priority"] == 4
    _, err = jobs.run("submit", "--priority", "50", "job.yaml")
    assert "note: the job has priority 10 and not 50: the cluster allows no higher one" in err


def test_a_job_file_can_ask_for_an_unmanaged_master(jobs):
    (jobs.work / "job.yaml").write_text("{version: 1, command: ['true'], am: unmanaged, roles: {worker: {resources: {memory: 256m}}}}")
    _, err = jobs.run("submit", "job.yaml")
    application = re.search(r"is (application_\d+_\d+) in queue", err).group(1)
    assert resource_manager(jobs.cluster, f"apps/{application}")["app"]["unmanagedApplication"] is True
