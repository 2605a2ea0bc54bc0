"""NodeManagers that go while containers run on them: nothing of a container stays, and the job goes on elsewhere."""

import pytest

from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, Jobs, let_users_in

from cluster_lib import processes

pytestmark = pytest.mark.on_cluster(*YARN)

# The first attempt has children in its process group, in a session of their own, deaf to SIGTERM, and without a parent; the next one ends at once.
FAMILY = """\
[ "$YDL_ATTEMPT" = 1 ] || exit 0
tail -f /dev/null &
setsid sh -c 'trap "" TERM; tail -f /dev/null; :' &
(setsid sh -c 'cd /; tail -f /dev/null; :' &)
echo family is there
wait
"""
FAMILY_SIZE = 6  # the shell, three tails, two more shells


@pytest.fixture
def jobs(clusters, tmp_path):
    cluster = clusters(*YARN)
    let_users_in(cluster)
    return Jobs(cluster, tmp_path, "ann")


def running_on(cluster, host):
    """What runs in containers of a host."""
    return processes.containers_of(cluster.folder / f"nodemanager{host}/local")


@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_nodemanager_that_goes_leaves_no_process(jobs, how):
    # Unmanaged: the only container is the task's.
    running = jobs.start_and_see("family is there", "run", "--am", "unmanaged", "--retries", 1, *SMALL, "--", "sh", "-c", FAMILY)
    (host,) = [host for host in (1, 2, 3) if running_on(jobs.cluster, host)]
    assert len(running_on(jobs.cluster, host)) > FAMILY_SIZE  # and the agent
    try:
        jobs.cluster.run(how, f"nodemanager{host}")
        out, err = running.communicate(timeout=120)
        assert running.returncode == 0, out + err
        assert "worker:0 was lost" in out and "worker:0 restarting" in out
        eventually(lambda: not running_on(jobs.cluster, host), "the end of all that ran on the host", 20)
    finally:
        jobs.cluster.run("start", f"nodemanager{host}")
