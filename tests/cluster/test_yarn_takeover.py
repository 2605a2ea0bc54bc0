"""A master that is lost on a real YARN cluster: the next one takes the job over, and the tasks run on."""

import json
import os
import re
import signal

import pytest
from hdfs_files import eventually
from masters import events, kill_master, master_of, only_job, wait_until_known
from shared import YARN
from yarn_shell import SMALL, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)

# Writes its process id and a line for each line that it reads, so that a test decides how far it is.
COUNTS = 'echo "pid $$ attempt $YDL_ATTEMPT"; while read line; do echo "line $line"; [ "$line" = end ] && exit 0; done < {gate}'


class Gate:
    """Lets tasks go on step by step: each has a pipe that is held open."""

    def __init__(self, folder, tasks):
        self.pipes = {}
        for task in tasks:
            path = folder / task
            os.mkfifo(path)
            self.pipes[task] = os.open(path, os.O_RDWR)
        self.command = ("sh", "-c", COUNTS.format(gate=f"{folder}/$YDL_ROLE-$YDL_INDEX"))

    def say(self, line):
        for pipe in self.pipes.values():
            os.write(pipe, f"{line}\n".encode())


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*YARN), tmp_path)


@pytest.fixture
def gate(tmp_path):
    return Gate(tmp_path, ["worker-0", "worker-1"])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended by its NodeManager"])
def test_tasks_run_on_when_their_master_is_lost(jobs, gate, number):
    running = jobs.start_and_see("started after", "run", "--n", 2, *SMALL, "--", *gate.command)
    gate.say("before")
    wait_until_known(jobs)
    os.kill(master_of(jobs), number)
    seen = ""
    for line in running.stdout:
        seen += line
        if "has taken over" in line:
            break
    gate.say("after")
    gate.say("end")
    out, err = running.communicate(timeout=90)
    told = seen + out + err
    assert running.returncode == 0, told
    assert "the job's master is gone; waiting for another" in told
    job = only_job(jobs)
    for task in ("worker:0", "worker:1"):
        lines = jobs.run("logs", job, task)[0].splitlines()
        assert [line for line in lines if line.startswith("line")] == ["line before", "line after", "line end"]
        assert len([line for line in lines if line.startswith("pid")]) == 1
    numbers = [event["seq"] for event in events(jobs, job)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert {event["attempt"] for event in events(jobs, job) if event["kind"] == "task_running"} == {1}


def test_a_record_that_a_lost_master_was_writing_is_removed_at_the_jobs_end(jobs, gate):
    running = jobs.start_and_see("started after", "run", "--n", 2, *SMALL, "--", *gate.command)
    wait_until_known(jobs)
    folder = f"{jobs.root}/{only_job(jobs)}"
    kill_master(jobs)
    jobs.run("fs", "put", "/dev/null", f"{folder}/view.json.03fa91c2.tmp")
    gate.say("end")
    out, err = running.communicate(timeout=90)
    assert running.returncode == 0, out + err
    assert ".tmp" not in jobs.run("fs", "ls", folder)[0]


def test_what_ended_without_a_master_is_told_to_the_next_one(jobs, gate):
    running = jobs.start_and_see("started after", "run", "--n", 2, *SMALL, "--", *gate.command)
    wait_until_known(jobs)
    kill_master(jobs)
    gate.say("end")
    out, err = running.communicate(timeout=90)
    assert running.returncode == 0, out + err


# Their NodeManager has forgotten them when the next master asks, as one that was restarted would: the end is certain two minutes later.
@pytest.mark.rare
@pytest.mark.timeout(500)
def test_containers_of_which_the_resource_manager_has_not_heard_are_replaced(jobs, tmp_path):
    opened = tmp_path / "opened"
    job = {
        "version": 1,
        "command": ["sh", "-c", f"while [ ! -e {opened} ]; do sleep 0.1; done"],
        "roles": {"worker": {"count": 2, "resources": {"memory": "256m"}}},
        "timeouts": {"blind": "1s"},
    }
    (jobs.work / "job.yaml").write_text(json.dumps(job))
    running = jobs.start_and_see("started after", "submit", "job.yaml")
    kill_master(jobs)
    opened.touch()
    out, err = running.communicate(timeout=400)
    assert running.returncode == 0, out + err


def test_a_journal_that_cannot_be_read_ends_the_job_with_file_and_line(jobs, gate):
    running = jobs.start_and_see("started after", "run", "--n", 2, *SMALL, "--", *gate.command)
    job = only_job(jobs)
    master = master_of(jobs)
    os.kill(master, signal.SIGSTOP)
    journal = f"{jobs.root}/{job}/journal/1"
    text = jobs.run("fs", "cat", journal)[0]
    lines = text.splitlines(keepends=True)
    lines[1] = "not an event\n"
    (jobs.work / "journal").write_text("".join(lines))
    jobs.run("fs", "rm", "--skip-trash", journal)
    jobs.run("fs", "put", jobs.work / "journal", journal)
    os.kill(master, signal.SIGKILL)
    out, err = running.communicate(timeout=170)
    assert running.returncode == 1, out + err
    assert "journal/1, line 2" in out + err
