"""A master that is killed in each state of its job on a real YARN cluster: the next one goes on from there."""

import os
import re
import signal

import pytest
from cluster_lib import processes
from hdfs_files import eventually
from masters import containers, events, kill_master, wait_until_known
from shared import YARN
from yarn_shell import SMALL, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)

# A host has room for one of these, and for masters.
LARGE = ("--resource", "worker:memory=7g")
UNTIL = "while [ ! -e {file} ]; do sleep 0.1; done"


class Story:
    """A job whose tasks wait for files of the test's."""

    def __init__(self, jobs):
        self.jobs = jobs
        self.go, self.ended = jobs.work / "go", jobs.work / "ended"
        self.until_go = UNTIL.format(file=self.go)

    def run(self, *words, task):
        self.id = self.jobs.run("run", "--detach", *words, "--", "sh", "-c", task)[0].split()[-1]

    def submit(self, file):
        self.id = self.jobs.run("submit", "--detach", file)[0].split()[-1]

    def events(self, kind):
        return [event for event in events(self.jobs, self.id) if event["kind"] == kind]

    def lose_master(self, containers):
        wait_until_known(self.jobs, containers)
        kill_master(self.jobs)

    def wait_for_successor(self):
        eventually(lambda: any("has taken over" in event["text"] for event in self.events("note")), "another master")

    def attempts(self):
        return {event["task"]: event["attempt"] for event in self.events("task_running")}

    def nothing_is_left(self):
        eventually(lambda: not containers(self.jobs), "the end of all containers")


@pytest.fixture
def story(clusters, tmp_path):
    return Story(jobs_on(clusters(*YARN), tmp_path))


@pytest.fixture
def one_placed(story):
    """Of two tasks one is placed. Two hosts are full until release() is called. Yields the task's name, and that."""
    held = story.jobs.work / "held"
    holder = story.jobs.start_and_see("started after", "run", "--am", "unmanaged", "--n", 2, *LARGE, "--", "sh", "-c", UNTIL.format(file=held))
    story.run("--n", 2, *LARGE, "--retries", 0, task=story.until_go)
    task = story.jobs.wait_for(story.id, "task_placed")["task"]

    def release():
        held.touch()
        out, err = holder.communicate(timeout=90)
        assert holder.returncode == 0, out + err

    yield task, release
    held.touch()
    holder.communicate(timeout=90)


def test_while_tasks_wait_to_be_placed(story, one_placed):
    task, release = one_placed
    story.lose_master(2)
    story.wait_for_successor()
    release()
    story.jobs.wait_for(story.id, "job_running")
    story.go.touch()
    story.jobs.wait_for(story.id, "job_succeeded")
    assert story.attempts()[task] == 1, "it was placed"
    story.nothing_is_left()


def agent_of(jobs, job):
    """Of the job's only container with an agent."""
    application = re.search(r"application_(\d+_\d+)", jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0]).group(1)
    of_job = [pid for pid in containers(jobs) if f"container_{application}" in processes.command_line(pid)]
    (agent,) = [pid for pid in of_job if "\0__agent\0" in processes.command_line(pid)]
    return agent


def test_while_tasks_start(story, one_placed):
    """One agent is stopped before it hears that its task is to start: the master that told it is gone when it goes on."""
    task, release = one_placed
    agent = agent_of(story.jobs, story.id)
    os.kill(agent, signal.SIGSTOP)
    try:
        release()
        story.jobs.wait_for(story.id, "task_running")
        assert task not in story.attempts()
        story.lose_master(3)
    finally:
        os.kill(agent, signal.SIGCONT)
    story.jobs.wait_for(story.id, "job_running")
    story.go.touch()
    story.jobs.wait_for(story.id, "job_succeeded")
    assert set(story.attempts().values()) == {1}
    story.nothing_is_left()


def test_while_results_are_saved(story):
    """The task ends before its master does, and its results are on HDFS after it."""
    story.run(*SMALL, "--retries", 0, task=f"truncate -s 300M $YDL_RESULTS_DIR/model; {story.until_go}; touch {story.ended}")
    story.jobs.wait_for(story.id, "job_running")
    wait_until_known(story.jobs, 2)
    story.go.touch()
    eventually(story.ended.exists, "the end of the task")
    kill_master(story.jobs)
    assert not story.events("task_succeeded"), "its results are not there yet"
    story.jobs.wait_for(story.id, "job_succeeded")
    listed, _ = story.jobs.run("results", "ls", story.id)
    assert "worker-0/model" in listed
    assert story.attempts() == {"worker:0": 1}
    story.nothing_is_left()


# Deaf to SIGTERM until the test lets it end.
DEAF = "trap '' TERM; {until_go}"
SERVICE = """\
version: 1
name: serves
framework: tensorflow
timeouts: {{stop_grace: 60s}}
retries: 0
roles:
  chief: {{count: 1, resources: {{memory: 256m}}, command: [sh, -c, "{until_ended}"]}}
  worker: {{count: 1, resources: {{memory: 256m}}, command: [sh, -c, "{deaf}"]}}
  ps: {{count: 1, resources: {{memory: 256m}}, command: [sh, -c, "{deaf}"]}}
"""


def test_while_services_end_after_the_tasks_that_decide(story):
    text = SERVICE.format(until_ended=UNTIL.format(file=story.ended), deaf=DEAF.format(until_go=story.until_go))
    (story.jobs.work / "serves.yaml").write_text(text)
    story.submit("serves.yaml")
    story.jobs.wait_for(story.id, "job_running")
    story.ended.touch()
    story.jobs.wait_for(story.id, "job_finishing")
    story.lose_master(4)
    story.wait_for_successor()
    story.go.touch()
    story.jobs.wait_for(story.id, "job_succeeded")
    assert story.attempts() == {"chief:0": 1, "worker:0": 1, "ps:0": 1}
    story.nothing_is_left()


def test_while_tasks_are_stopped(story):
    story.run("--n", 2, *SMALL, "--stop-grace", "60s", task=DEAF.format(until_go=story.until_go))
    story.jobs.wait_for(story.id, "job_running")
    stopping = story.jobs.start("kill", story.id)
    story.jobs.wait_for(story.id, "job_stopping")
    story.lose_master(3)
    story.wait_for_successor()
    story.go.touch()
    out, err = stopping.communicate(timeout=90)
    assert stopping.returncode == 0, out + err
    story.jobs.wait_for(story.id, "job_stopped")
    assert set(story.attempts().values()) == {1}
    story.nothing_is_left()
