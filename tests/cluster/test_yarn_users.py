"""Containers that run as the users who submitted them, with testing/container_executor instead of Hadoop's own."""

import stat

import pytest
from cluster_lib import state, web
from people import IDS, needs_root, people_on
from shared import USERS_YARN
from yarn_shell import SMALL, job_id

pytestmark = [needs_root, pytest.mark.on_cluster(*USERS_YARN)]
TASK = 'cat data; id -u; id -un; umask; echo of $(id -un) > "$YDL_RESULTS_DIR/model"'


@pytest.fixture
def people(clusters):
    with people_on(clusters(*USERS_YARN), "alice", "bob") as people:
        yield people


def run(person):
    person.file("data", f"shipped by {person.user}\n")
    out, err = person.run("run", *SMALL, "--file", "data", "--", "sh", "-c", TASK)
    assert [line for line in out.splitlines() if line.startswith("[worker:0]")] == [
        f"[worker:0] {line}" for line in (f"shipped by {person.user}", IDS[person.user], person.user, "0027")
    ], out + err
    return job_id(err)


def modes(paths):
    """Owner, group and mode of each."""
    return {(found.st_uid, found.st_gid, oct(stat.S_IMODE(found.st_mode))) for found in (path.stat() for path in paths)}


def test_tasks_run_as_the_user_who_submitted_them(people, clusters):
    folder = clusters(*USERS_YARN).folder / "nodemanager1"
    for person in people.values():
        before = set(folder.glob("logs/application_*"))
        job = run(person)
        person.run("results", "get", job, "--to", "here")
        assert (person.work / "here/worker-0/model").read_text() == f"of {person.user}\n"
        assert f"shipped by {person.user}\n" in person.run("logs", job)[0]
        (logs,) = set(folder.glob("logs/application_*")) - before
        containers = list(logs.iterdir())
        assert len(containers) == 2
        # The NodeManager's group reads the logs, as it does on clusters with the real container-executor.
        assert modes([logs, *containers]) == {(person.uid, 0, oct(0o2750))}
        assert modes(path for container in containers for path in container.iterdir()) == {(person.uid, 0, oct(0o640))}
        assert modes([folder / "local/usercache" / person.user]) == {(person.uid, 0, oct(0o2750))}


def test_users_have_no_account_on_this_machine(clusters):
    """The ids stand in a file that only containers see, and the cluster's folder lets others see only what concerns them."""
    cluster = clusters(*USERS_YARN)
    with open("/etc/passwd") as accounts:
        assert not set(IDS) & {line.split(":")[0] for line in accounts}
    closed = [path.name for path in cluster.folder.iterdir() if path.is_dir() and not stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert {"namenode1", "datanode1", "resourcemanager1", "resourcemanager-state"} <= set(closed)
    port = state.load(cluster.folder).port("resourcemanager1.http")
    assert web.json_of("127.0.0.1", port, "/ws/v1/cluster/info")
