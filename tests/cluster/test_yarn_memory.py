"""Tasks that NodeManagers kill for their memory: the job says how much there was, and what to do."""

import re

import pytest
from shared import STRICT_YARN
from yarn_shell import SMALL, jobs_on

pytestmark = pytest.mark.on_cluster(*STRICT_YARN)

USES = "import signal; used = b'x' * (600 << 20); signal.pause()"
MAPS = "import mmap, signal; mapped = mmap.mmap(-1, 4 << 30); signal.pause()"


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*STRICT_YARN), tmp_path)


def test_a_task_that_uses_more_memory_than_it_asked_for(jobs):
    out, _ = jobs.run("run", "--retries", 0, *SMALL, "--", "python3", "-c", USES, code=137)
    used = re.search(r"ran out of memory: it used (\d+) MiB, more than its limit of 256 MiB; raise the limit with --resource ROLE:memory=SIZE", out)
    assert used and 256 < int(used[1]) < 700, out
    assert "beyond the 'PHYSICAL' memory limit" in out and "process-tree" not in out


def test_a_task_that_maps_more_than_the_nodemanager_allows(jobs):
    out, _ = jobs.run("run", "--retries", 0, *SMALL, "--", "python3", "-c", MAPS, code=137)
    # The agent and the task's reaper are a little more than the task's 4 GiB.
    assert re.search(r"was killed by its NodeManager because it used too much virtual memory \(4\.[01] GB of 2\.5 GB\)", out), out
    assert "yarn.nodemanager.vmem-check-enabled to false" in out
