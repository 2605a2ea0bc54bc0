"""Tasks that are told before a real YARN cluster takes their containers away: for another queue, or because their host leaves the cluster."""

import json

import pytest
from shared import FAIR_YARN, PREEMPTING_YARN, YARN
from yarn_shell import job_id, jobs_on

# Continues from its checkpoint, or waits for a warning and writes one.
TRAIN = """
if [ -n "$YDL_RESTORE_DIR" ]; then echo "continues from $(cat $YDL_RESTORE_DIR/model)"; exit 0; fi
trap 'cat $YDL_PREEMPTION_FILE; echo step 7 > $YDL_RESULTS_DIR/new; mv $YDL_RESULTS_DIR/new $YDL_RESULTS_DIR/model; echo ::checkpoint' TERM
echo ready
while :; do sleep 0.1; done
"""
# Three that fill a host of 8 GiB with their master and leave room for another one. They end when one of them has continued.
THREE = ("--n", 3, "--resource", "worker:memory=2g")
TRAIN_OF_THREE = TRAIN.replace("; exit 0", "; touch $CONTINUED; exit 0").replace("while :", "until [ -e $CONTINUED ]")
LARGE = ("--resource", "worker:memory=7g")


def events(jobs, job):
    return [json.loads(line) for line in jobs.run("events", "--output", "json", job)[0].splitlines()]


def preempted(jobs):
    """A job of which a task had to give way to one of another queue, and went on after it."""
    (jobs.work / "train.sh").write_text(TRAIN_OF_THREE)
    training = jobs.start_and_see("ready", "run", "--retries", 0, *THREE, "--env", f"CONTINUED={jobs.work / 'continued'}", "--", "sh", "train.sh")
    jobs.run("run", "--queue", "urgent", "--resource", "worker:memory=2g", "--", "true")
    out, err = training.communicate(timeout=170)
    assert training.returncode == 0, out + err
    return job_id(err)


@pytest.mark.parametrize("kind", [
    pytest.param(PREEMPTING_YARN, marks=pytest.mark.on_cluster(*PREEMPTING_YARN), id="capacity"),
    pytest.param(FAIR_YARN, marks=pytest.mark.on_cluster(*FAIR_YARN), id="fair"),
])
def test_a_training_that_is_preempted_continues_from_what_it_wrote_after_its_warning(clusters, tmp_path, kind):
    jobs = jobs_on(clusters(*kind), tmp_path)
    job = preempted(jobs)
    (warned,) = [event for event in events(jobs, job) if event["kind"] == "task_warned"]
    assert "the cluster needs its container" in warned["text"]
    (lost,) = [event for event in events(jobs, job) if event["kind"] == "task_failed"]
    assert lost["cause"] == "preempted", "no retry was charged"
    task = lost["task"]
    assert task == warned["task"]
    assert f'{{"task":"{task}","deadline":' in jobs.run("logs", "--attempt", 1, job, task)[0]
    assert jobs.run("logs", "--attempt", 2, job, task)[0].strip() == "continues from step 7"


@pytest.mark.on_cluster(*YARN)
def test_tasks_on_a_host_that_leaves_the_cluster_are_warned_and_move_elsewhere(clusters, tmp_path):
    cluster = clusters(*YARN)
    jobs = jobs_on(cluster, tmp_path)
    (jobs.work / "train.sh").write_text(TRAIN.replace("echo ::checkpoint", "exit 0"))
    training = jobs.start_and_see("ready", "run", "--retries", 0, *LARGE, "--", "sh", "train.sh")
    told = ""
    while " is application_" not in told:
        told += training.stderr.readline()
    job = job_id(told)
    (placed,) = [event for event in events(jobs, job) if event["kind"] == "task_placed"]
    host = placed["text"].rpartition(".")[2]  # 127.0.0.3 is host 2
    try:
        cluster.run("decommission", str(int(host) - 1))
        jobs.wait_for(job, "task_warned")
        out, err = training.communicate(timeout=170)
    finally:
        cluster.run("recommission", str(int(host) - 1))
    assert training.returncode == 0, out + err
    (warned,) = [event for event in events(jobs, job) if event["kind"] == "task_warned"]
    assert "will lose its container in 2 min: its host is leaving the cluster" in warned["text"]
    hosts = {event["text"] for event in events(jobs, job) if event["kind"] == "task_placed"}
    assert len(hosts) == 2
    assert jobs.run("logs", "--attempt", 2, job, "worker:0")[0].strip() == "continues from step 7"
