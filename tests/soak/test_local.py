"""Jobs on this machine, one after the other, whose processes are killed at random moments: nothing of them is left."""

import contextlib
import os
import random
import signal
import time
from dataclasses import dataclass

import pytest
from harness import Ydl, eventually, finish, name_of, processes_that_mention
from leftovers import Machine, Ports, is_locked, unfinished_files

COMMANDS = {
    "ends at once": "true",
    "fails": "exit 3",
    "writes a result": "echo result > $YDL_RESULTS_DIR/model; echo note > note.txt; sleep 0.2",
    "waits": "exec sleep 600",
    "ignores signals": "trap '' TERM HUP INT; while :; do sleep 1; done",
    "leaves children": "sleep 600 & (setsid sleep 600 &) ; exec sleep 600",
    "ends before its children": "sleep 600 & (setsid sleep 600 &) ; sleep 0.1",
}
VICTIMS = ("nobody", "client", "ydl-master", "ydl-agent", "ydl-task", "task", "client and ydl-master")
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
FINAL = {"succeeded", "failed", "stopped", "lost"}
LATEST_KILL = 0.8  # seconds after the start of the command
CLEAN_UP = 30  # a stop has a grace of two seconds, and the machine may be busy


@dataclass(frozen=True)
class Draw:
    """What happens to one job."""

    number: int
    command: str
    tasks: int
    detached: bool
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
            detached=chance.random() < 0.3,
            retries=chance.randint(0, 1),
            victim=chance.choice(VICTIMS),
            signal=chance.choice(SIGNALS),
            after=chance.uniform(0, LATEST_KILL),
        )

    def ends_by_itself(self):
        """A job whose client is gone stops; every other may run for ever."""
        return "client" in self.victim and not self.detached

    def words(self):
        return ["run", *(["--detach"] if self.detached else []), "--role", f"worker={self.tasks}", "--retries", self.retries, "--stop-grace", "2s",
                "--name", f"soak{self.number}", "--", "sh", "-c", COMMANDS[self.command]]  # fmt: skip


def victims_of(draw, scratch, client):
    """The processes to kill; none when they have not started yet, or have ended."""
    if draw.victim == "nobody":
        return []
    found = {pid: name_of(pid) for pid in processes_that_mention(scratch)}
    names = ("sh", "sleep") if draw.victim == "task" else draw.victim.split(" and ")
    return ([client.pid] if "client" in names else []) + [pid for pid, name in found.items() if name in names][:1]


def kill(draw, scratch, client):
    for pid in victims_of(draw, scratch, client):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, draw.signal)


def play(ydl, draw, ports):
    """Runs one job as drawn."""
    client = ydl.start(*draw.words())
    deadline = time.monotonic() + draw.after
    while time.monotonic() < deadline and client.poll() is None:
        with contextlib.suppress(Exception):
            client.wait(min(0.05, max(0.001, deadline - time.monotonic())))
        ports.look(ydl.scratch)
    kill(draw, ydl.scratch, client)
    if not draw.ends_by_itself():
        # A job that has no folder yet cannot be stopped: it is tried until the client has seen the end.
        eventually(lambda: stop_all(ydl) or client.poll() is not None, f"the end of the client after {draw}", CLEAN_UP)
    return finish(client)


def stop_all(ydl):
    for job in ydl.jobs():
        ydl("kill", job.id)


def problems_of(ydl, draw, machine, ports):
    if not draw.ends_by_itself():
        stop_all(ydl)  # again: a master that was just starting could not be asked before
    found = machine.left() + ports.left()
    for job in ydl.jobs():
        if is_locked(job.folder / "master.lock"):
            found.append(f"lock {job.folder}/master.lock")
    listed = {entry["job"]: entry["state"] for entry in ydl.ok("ls", "--output", "json").lines() if "job" in entry}
    found += [f"job {job} is {state}" for job, state in listed.items() if state not in FINAL]
    for job in ydl.jobs():
        # `ydl ls` has removed what a killed master was writing; what a killed agent was writing stays in a task's folder.
        pattern = "*.tmp" if draw.signal == signal.SIGKILL else "**/*.tmp"
        found += [f"file {path}" for path in unfinished_files(job.folder, pattern)]
    return found


@pytest.mark.timeout(0)
def test_nothing_is_left_of_many_jobs_whose_processes_are_killed(binary, scratch, request):
    chance = random.Random(request.config.getoption("--seed"))
    for number in range(request.config.getoption("--local-jobs")):
        draw = Draw.of(chance, number)
        folder = scratch / f"job{number}"
        folder.mkdir()
        ydl = Ydl(binary, folder)
        machine, ports = Machine(folder), Ports()
        done = play(ydl, draw, ports)
        eventually(lambda: not problems_of(ydl, draw, machine, ports),
                   lambda: f"the end of {problems_of(ydl, draw, machine, ports)} after {draw}\n{done.everything()}", CLEAN_UP)  # fmt: skip
