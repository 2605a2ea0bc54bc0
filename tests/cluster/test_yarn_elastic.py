"""Jobs on a small YARN cluster whose number of tasks follows the room that other jobs leave."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from shared import SMALL_YARN
from yarn_shell import job_id, jobs_on

pytestmark = [pytest.mark.rare, pytest.mark.on_cluster(*SMALL_YARN)]

# Of the host's 8 GiB: half of it until the file is there. Beside it there is room for two masters and one worker.
HALF = ("--resource", "worker:memory=4g")
UNTIL = 'until [ -e "$1" ]; do sleep 0.1; done'
WORKER = "{memory: 2g}"


@pytest.fixture
def jobs(clusters, tmp_path):
    jobs = jobs_on(clusters(*SMALL_YARN), tmp_path)
    yield jobs
    for file in ("free", "over"):  # or what a failed test leaves has no end
        (jobs.work / file).touch()


def hold(jobs, file, *size):
    """A job that uses the cluster until the file is there."""
    return jobs.start("run", *size, "--", "sh", "-c", f"echo holds; {UNTIL}", "sh", jobs.work / file)


def holds(job):
    for line in job.stdout:
        if "holds" in line:
            return
    raise AssertionError(job.communicate()[1])


def events(jobs, job):
    return [json.loads(line) for line in jobs.run("events", "--output", "json", job)[0].splitlines()]


def follow(jobs, job, seen_enough):
    """Reads events until they are enough; returns all of them."""
    process = jobs.start("events", "-f", "--output", "json", job)
    told = []
    try:
        for line in process.stdout:
            told.append(json.loads(line))
            if seen_enough(told):
                return told
    finally:
        process.kill()
        process.communicate()
    raise AssertionError(f"the job ended before: {told[-3:]}")


def count(told, kind):
    return sum(event["kind"] == kind for event in told)


def started(process):
    """The job's id, once it is told."""
    told = ""
    while " is application_" not in told:
        line = process.stderr.readline()
        assert line, told
        told += line
    return job_id(told)


def parent(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def is_agent(pid):
    return b"__agent" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def kill_agent_of(told, task):
    """The agent of the task's newest attempt, and with it the container."""
    pid = [re.search(r"pid (\d+)", event["text"])[1] for event in told if event["kind"] == "task_running" and event["task"] == task][-1]
    agent = parent(int(pid))
    assert is_agent(agent)
    while is_agent(parent(agent)):  # the process that watches over the task is started by the agent
        agent = parent(agent)
    os.kill(agent, signal.SIGKILL)


def test_tasks_come_and_go_with_the_room_and_the_others_run_on(jobs):
    holder = hold(jobs, "free", *HALF)
    holds(holder)
    (jobs.work / "job.yaml").write_text(f"""
version: 1
command: [sh, -c, 'echo "$YDL_TASK has index $YDL_INDEX"; {UNTIL}', sh, {jobs.work / 'over'}]
roles: {{worker: {{count: 1:3, resources: {WORKER}}}}}
""")
    elastic = jobs.start("submit", "job.yaml")
    job = started(elastic)
    told = follow(jobs, job, lambda told: count(told, "job_running"))
    assert count(told, "task_absent") == 2
    assert "1 of 1 to 3 workers" in jobs.run("status", job)[0]

    (jobs.work / "free").touch()
    assert holder.wait(timeout=170) == 0
    told = follow(jobs, job, lambda told: count(told, "task_running") == 3)
    assert count(told, "task_joined") == 2
    assert "3 of 1 to 3 workers" in jobs.run("status", job)[0]

    # Another job comes first for what becomes free: the lost task finds no container.
    taker = hold(jobs, "over", "--priority", "5", "--resource", "worker:memory=2g")
    jobs.wait_for(started(taker), "task_waiting")
    kill_agent_of(told, "worker:1")
    told = follow(jobs, job, lambda told: count(told, "task_absent") == 3)
    assert "2 of 1 to 3 workers" in jobs.run("status", job)[0]
    (jobs.work / "over").touch()
    out, err = elastic.communicate(timeout=170)
    assert elastic.returncode == 0, out + err
    taker.communicate(timeout=170)
    told = events(jobs, job)
    assert count(told, "job_restarting") == 0
    assert {event["attempt"] for event in told if event["kind"] == "task_running" and event["task"] != "worker:1"} == {1}
    assert jobs.run("logs", job, "worker:2")[0].strip() == "worker:2 has index 2"


# Writes checkpoints as rank 0, and goes on from them as any rank.
TRAIN = """
echo "rank $RANK of $WORLD_SIZE at $MASTER_ADDR continues from ${YDL_RESTORE_DIR:+$(cat $YDL_RESTORE_DIR/model)}"
step=0
until [ -e "$1" ]; do
  sleep 0.5
  step=$((step + 1))
  [ $RANK = 0 ] || continue
  echo "size $WORLD_SIZE step $step" > $YDL_RESULTS_DIR/new
  mv $YDL_RESULTS_DIR/new $YDL_RESULTS_DIR/model
  [ $((step % 4)) = 0 ] && echo ::checkpoint
done
"""


def test_a_gang_restarts_with_other_ranks_when_it_grows_after_a_checkpoint_and_when_it_shrinks(jobs):
    holder = hold(jobs, "free", *HALF)
    holds(holder)
    (jobs.work / "train.sh").write_text(TRAIN)
    (jobs.work / "job.yaml").write_text(f"""
version: 1
framework: pytorch
command: [sh, train.sh, {jobs.work / 'over'}]
roles: {{worker: {{count: 1:3, resources: {WORKER}}}}}
save_every: 2s
grow_every: 5s
""")
    elastic = jobs.start("submit", "job.yaml")
    job = started(elastic)
    told = follow(jobs, job, lambda told: count(told, "job_running"))
    assert "1 of 1 to 3 workers" in jobs.run("status", job)[0]

    (jobs.work / "free").touch()
    assert holder.wait(timeout=170) == 0
    told = follow(jobs, job, lambda told: count(told, "job_running") == 2)
    assert count(told, "task_retry") == 0, "to grow costs nothing"
    assert re.search(r"[23] of 1 to 3 workers", jobs.run("status", job)[0])
    told = follow(jobs, job, lambda told: "all 3 tasks started" in told[-1]["text"])

    taker = hold(jobs, "over", "--priority", "5", "--resource", "worker:memory=2g")
    jobs.wait_for(started(taker), "task_waiting")
    kill_agent_of(told, "worker:0")
    seen = len(told)
    told = follow(jobs, job, lambda told: any(event["text"] == "all 2 tasks started" for event in told[seen:]))
    (jobs.work / "over").touch()
    out, err = elastic.communicate(timeout=170)
    assert elastic.returncode == 0, out + err
    taker.communicate(timeout=170)

    # worker:1 has rank 0 now, and continues from what worker:0 wrote; so does the other one.
    for task, rank in (("worker:1", 0), ("worker:2", 1)):
        last = [line for line in jobs.run("logs", job, task)[0].splitlines() if "continues from" in line][-1]
        assert re.fullmatch(rf"rank {rank} of 2 at \S+ continues from size 3 step \d+", last), last
