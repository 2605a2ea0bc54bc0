"""What a job asks of a real YARN cluster: where its tasks run, its priority, and how long its folder stays."""

import json
import re
import time
import urllib.request
from pathlib import Path

import pytest
from cluster_lib import state, web
from hdfs_files import eventually
from shared import FAIR_YARN, SMALL_YARN, YARN
from yarn_shell import SMALL, Jobs, job_id, jobs_on, let_users_in, user_of_test

pytestmark = pytest.mark.on_cluster(*YARN)

DAY = 24 * 3600


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN)


@pytest.fixture
def jobs(yarn, tmp_path, request):
    let_users_in(yarn)
    eventually(lambda: len(hosts_that_run(yarn)) == 3, "all nodes to be well")
    jobs = Jobs(yarn, tmp_path, user_of_test(request))
    jobs.environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    return jobs


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


@pytest.mark.parametrize("where, sentence", [
    ("hosts=nosuch.example.org", "worker asks for host nosuch.example.org, which has no NodeManager (there are 127."),
    ("racks=/nosuch", "worker asks for rack /nosuch, which has no hosts (there are /default-rack)"),
])
def test_a_host_or_rack_that_does_not_exist_is_refused_before_anything_is_submitted(jobs, where, sentence):
    _, err = jobs.run("run", "--resource", f"worker:{where}", "--", "true", code=1)
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
    assert "note: the job has priority 10 instead of 50: the cluster allows no higher one" in err


def test_a_job_file_can_ask_for_an_unmanaged_master(jobs):
    (jobs.work / "job.yaml").write_text("{version: 1, command: ['true'], am: unmanaged, roles: {worker: {resources: {memory: 256m}}}}")
    _, err = jobs.run("submit", "job.yaml")
    application = re.search(r"is (application_\d+_\d+) in queue", err).group(1)
    assert resource_manager(jobs.cluster, f"apps/{application}")["app"]["unmanagedApplication"] is True


def folders(jobs):
    listed, _ = jobs.run("fs", "ls", jobs.root)
    return set(re.findall(r"/jobs/(\S+)", listed))


@pytest.mark.on_cluster(*SMALL_YARN)
def test_any_resource_type_that_the_cluster_counts_can_be_asked_for(clusters, tmp_path):
    jobs = jobs_on(clusters(*SMALL_YARN), tmp_path)
    eventually(lambda: len(hosts_that_run(jobs.cluster)) == 1, "the node to be well")
    running = jobs.start_and_see("runs", "run", "--resource", "worker:memory=256m,types.licences=2", "--", "sh", "-c", "mkfifo gate; echo runs; read line < gate")
    (node,) = resource_manager(jobs.cluster, "nodes")["nodes"]["node"]
    used = {each["name"]: each["value"] for each in node["usedResource"]["resourceInformations"]["resourceInformation"]}
    running.terminate()
    running.communicate(timeout=60)
    assert used["licences"] == 2
    _, err = jobs.run("run", "--resource", "worker:memory=256m,types.licences=3", "--", "true", code=1)
    # A ResourceManager allows any amount in its first 10 s, and later what its largest node has.
    assert re.search("3 licences each, but only 0 would fit|3 licences in one container, but the cluster allows 2 licences", err.splitlines()[-1]), err
    _, err = jobs.run("run", "--resource", "worker:memory=256m,types.yarn.io/fpga=1", "--", "true", code=1)
    assert "worker asks for 1 yarn.io/fpga" in err.splitlines()[-1] and "does not have this resource type" in err.splitlines()[-1]


@pytest.mark.on_cluster(*FAIR_YARN)
def test_a_fair_scheduler_makes_the_queue_that_is_named(clusters, tmp_path):
    jobs = jobs_on(clusters(*FAIR_YARN), tmp_path)
    jobs.run("run", *SMALL, "--", "true")
    _, err = jobs.run("run", *SMALL, "--queue", "research", "--", "true")
    assert "in queue research" in err
    assert "root.research" in jobs.run("doctor")[0]


def test_old_job_folders_go_and_running_jobs_stay(jobs):
    ended = job_id(jobs.run("run", *SMALL, "--", "true")[1])
    running = jobs.run("run", "--detach", *SMALL, "--", "sh", "-c", "exec tail -f /dev/null")[0].strip()
    jobs.wait_for(running, "job_running")
    listed, _ = jobs.run("env", "gc", "--keep-jobs", 0, "--dry-run", "--output", "json")
    assert [one["job"] for one in map(json.loads, listed.splitlines()) if one["type"] == "disposable_job"] == [ended]
    assert folders(jobs) == {ended, running}
    assert "1 job folder deleted" in jobs.run("env", "gc", "--keep-jobs", 0)[0]
    assert folders(jobs) == {running}
    jobs.run("kill", running)


def make_old(jobs, job, days):
    """As if the job had ended so long ago."""
    conf = (jobs.cluster.conf / "hdfs-site.xml").read_text()
    address = conf.partition("<name>dfs.namenode.http-address</name><value>")[2].partition("<")[0]
    then = int((time.time() - days * DAY) * 1000)
    url = f"http://{address}/webhdfs/v1{jobs.root}/{job}?op=SETTIMES&modificationtime={then}&user.name={jobs.user}"
    urllib.request.urlopen(urllib.request.Request(url, method="PUT")).read()


def settings_file(jobs):
    path = Path(jobs.environment["XDG_CONFIG_HOME"]) / "ydl/config.yaml"
    path.parent.mkdir(parents=True)
    return path


def test_a_setting_says_how_long_jobs_are_kept(jobs):
    old, new = (job_id(jobs.run("run", *SMALL, "--", "true")[1]) for _ in range(2))
    make_old(jobs, old, 8)
    make_old(jobs, new, 6)
    config = settings_file(jobs)
    config.write_text("keep_jobs: 7d\n")
    _, err = jobs.run("run", *SMALL, "--", "true")
    assert "removed 1 job folder that ended 7 d ago or earlier (keep_jobs)" in err
    assert folders(jobs) == {new, job_id(err)}
    config.write_text("keep_job: 7d\n")
    _, err = jobs.run("run", *SMALL, "--", "true", code=2)
    assert "config.yaml:1: unknown key 'keep_job'; did you mean 'keep_jobs'?" in err


def test_a_setting_names_a_cache_that_its_owner_fills_and_others_use(jobs, yarn, tmp_path_factory):
    let_users_in(yarn, "/apps")
    site = f"/apps/{jobs.user}"
    jobs.run("fs", "mkdir", "-p", f"{site}/cache/sha256")
    settings_file(jobs).write_text(f"site_cache: {site}\nsite_cache_owner: {jobs.user}\n")
    jobs.run("run", *SMALL, "--", "true")
    assert "/cache/sha256/" in jobs.run("fs", "ls", f"{site}/cache/sha256")[0]
    other = Jobs(yarn, tmp_path_factory.mktemp("other"), jobs.user + "x")
    other.environment["XDG_CONFIG_HOME"] = jobs.environment["XDG_CONFIG_HOME"]
    _, err = other.run("run", *SMALL, "--", "true")
    assert "uploaded" not in err and "is not used" not in err
