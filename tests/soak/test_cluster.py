"""Jobs on a YARN cluster, one after the other, whose client, master or agents are killed at random moments."""

import contextlib
import os
import random
import re
import signal
import time
from dataclasses import dataclass

import pytest
from harness import eventually, name_of, processes_that_mention
from leftovers import Machine, is_locked
from yarn_shell import SMALL, jobs_on

from cluster_lib import state, web
from cluster_lib.running import RunningCluster

COMMANDS = {
    "ends at once": "true",
    "fails": "exit 3",
    "writes a result": "echo result > $YDL_RESULTS_DIR/model; sleep 1",
    "waits": "exec sleep 600",
    "leaves children": "sleep 600 & (setsid sleep 600 &) ; exec sleep 600",
}
VICTIMS = ("nobody", "client", "ydl-master", "ydl-agent", "task")
FINAL = {"succeeded", "failed", "stopped", "lost"}
LATEST_KILL = 12  # seconds after the start of the command: from the upload to the task's run
CLEAN_UP = 180  # an agent without its master waits a minute for it


@dataclass(frozen=True)
class Draw:
    number: int
    command: str
    tasks: int
    unmanaged: bool
    retries: int
    victim: str
    signal: int
    after: float

    @staticmethod
    def of(chance, number):
        return Draw(
            number=number,
            command=chance.choice(list(COMMANDS)),
            tasks=chance.randint(1, 3),
            unmanaged=chance.random() < 0.2,
            retries=chance.randint(0, 1),
            victim=chance.choice(VICTIMS),
            signal=chance.choice((signal.SIGKILL, signal.SIGTERM)),
            after=chance.uniform(0, LATEST_KILL),
        )

    def words(self):
        return ["run", *SMALL, *(["--am", "unmanaged"] if self.unmanaged else []), "--role", f"worker={self.tasks}", "--retries", self.retries,
                "--stop-grace", "2s", "--name", f"soak{self.number}", "--", "sh", "-c", COMMANDS[self.command]]  # fmt: skip


@pytest.fixture(scope="module")
def cluster():
    running = RunningCluster("--nodes", "3", "--yarn")
    yield running
    running.stop()


class Soak:
    def __init__(self, cluster, folder):
        self.jobs = jobs_on(cluster, folder)
        self.jobs.environment["YDL_TEST_SCRATCH"] = str(folder)
        self.machine = Machine(folder)
        self.folder = folder

    def folders(self):
        root = self.folder / "state/ydl/jobs"
        return sorted(path for path in root.iterdir() if not path.name.startswith(".")) if root.exists() else []

    def applications(self):
        """The ids of what was submitted: every process in a container has its application's in its environment."""
        found = set()
        for folder in self.folders():
            with contextlib.suppress(FileNotFoundError):
                found |= set(re.findall(r"application_\d+_\d+", (folder / "yarn.json").read_text()))
        return found

    def running_applications(self):
        """Those of ours that the ResourceManager takes for unfinished."""
        port = state.load(self.jobs.cluster.folder).port("resourcemanager1.http")
        seen = web.json_of("127.0.0.1", port, "/ws/v1/cluster/apps?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING")["apps"] or {}
        return self.applications() & {application["id"] for application in seen.get("app", [])}

    def processes(self):
        found = dict(processes_that_mention(self.folder))
        for application in self.applications():
            found |= processes_that_mention(application) | processes_that_mention(application.replace("application", "container"))
        return found

    def kill(self, draw, client):
        if draw.victim == "nobody":
            return
        names = {"task": ("sh", "sleep")}.get(draw.victim, (draw.victim,))
        pids = [client.pid] if draw.victim == "client" else [pid for pid in self.processes() if name_of(pid) in names][:1]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, draw.signal)

    def stop_all(self):
        for folder in self.folders():
            self.jobs.start("kill", folder.name).communicate(timeout=120)

    def problems(self):
        self.stop_all()
        found = [f"process {pid}: {command}" for pid, command in self.processes().items()] + self.machine.left()
        for folder in self.folders():
            if is_locked(folder / "master.lock"):
                found.append(f"lock {folder}/master.lock")
            said = self.jobs.start("status", folder.name).communicate(timeout=120)[0].split()
            if len(said) > 1 and said[1] not in FINAL:
                found.append(f"job {folder.name} is {said[1]}")
        return found + [f"{application} runs" for application in self.running_applications()]


@pytest.mark.timeout(0)
def test_nothing_is_left_of_many_jobs_on_a_cluster_whose_processes_are_killed(cluster, scratch, request):
    chance = random.Random(request.config.getoption("--seed"))
    for number in range(request.config.getoption("--cluster-jobs")):
        draw = Draw.of(chance, number)
        folder = scratch / f"job{number}"
        folder.mkdir()
        soak = Soak(cluster, folder)
        client = soak.jobs.start(*draw.words())
        deadline = time.monotonic() + draw.after
        with contextlib.suppress(Exception):
            client.wait(max(0.001, deadline - time.monotonic()))
        soak.kill(draw, client)
        eventually(lambda: soak.stop_all() or client.poll() is not None, f"the end of the client after {draw}", CLEAN_UP)
        said = "".join(client.communicate(timeout=180))
        eventually(lambda: not soak.problems(), lambda: f"the end of {soak.problems()} after {draw}\n{said}", CLEAN_UP)
