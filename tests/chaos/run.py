"""One schedule on a cluster: starts the training, carries out the faults, waits for the end, keeps what is seen on the way."""

import contextlib
import json
import re
import select
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import parts
from faults import Faults, heal
from trainings import DONE, PATIENT, TRAININGS
from yarn_shell import YDL, jobs_on

TICK = 0.2
LIMIT = 420  # seconds for a training beyond what its faults last
FLUSHED = 3  # seconds after which a line of a log must be on HDFS; it is flushed every second, and the machine is busy
LARGE = "6g"  # so that two tasks have more than their queue is sure of


@dataclass
class Hit:
    fault: object
    at: float  # time.time()
    what: str
    mended: float = 0.0


@dataclass
class Seen:
    """What one run came to, for checks.py."""

    hits: list = field(default_factory=list)
    too_late: list = field(default_factory=list)  # faults that are still to come; at the end, those for which the training was too short
    code: int = None
    out: str = ""
    logs: dict = field(default_factory=dict)  # {(task, attempt): bytes of stdout that were written FLUSHED before the first fault}
    ports: set = field(default_factory=set)  # (host, port) that tasks were given
    seconds: float = 0.0


class Run:
    """A job of a schedule. `folder` is the test's own, `cluster` a RunningCluster, `times` how much longer the training is."""

    def __init__(self, schedule, cluster, folder, times=1, **job_file):
        self.schedule, self.cluster, self.folder, self._times = schedule, cluster, folder, times
        self.training = TRAININGS[schedule.training]
        self.jobs = jobs_on(cluster, folder)
        self.jobs.environment["YDL_TEST_SCRATCH"] = str(folder)
        self.notes = folder / "notes"
        self.notes.mkdir()
        self.seen = Seen()
        self._job_file = job_file
        self.application = self.id = ""
        self._samples = []  # (time.monotonic(), {(task, attempt): stdout so far})
        self._urgent = None
        self._moments = {}  # {"submitted" or "running": time.monotonic()}
        self.seen.too_late = list(schedule.faults)

    @property
    def remote(self):
        return f"{self.jobs.root}/{self.id}"

    def play(self):
        """Until the client has ended, and all is mended."""
        client = self._submit()
        faults = Faults(self.cluster, self)
        began = time.monotonic()
        limit = began + LIMIT + sum(fault.seconds for fault in self.schedule.faults)
        try:
            while client.poll() is None and time.monotonic() < limit:
                self._look_for_moments()
                self._sample()
                self._carry_out(faults)
                select.select([], [], [], TICK)
        finally:
            self._keep_logs()
            faults.mend_all()
            self.seen.seconds = time.monotonic() - began
            self._end(client)
        self._look_for_moments()
        self.seen.out = (self.folder / "out").read_text(errors="replace")
        return self.seen

    def _carry_out(self, faults):
        now = time.monotonic()
        for fault in [fault for fault in self.seen.too_late if now >= self._moments.get(fault.since, float("inf")) + fault.after]:
            if what := faults.begin(fault):
                self._keep_logs()
                self.seen.too_late.remove(fault)
                self.seen.hits.append(Hit(fault, time.time(), what))
        for each in [each for each in self.seen.hits if not each.mended and time.time() >= each.at + each.fault.seconds]:
            faults.mend(each.fault)
            each.mended = time.time()
        if self.schedule.training == PATIENT and not self.seen.too_late and all(each.mended for each in self.seen.hits):
            heal(self.cluster)
            (self.notes / DONE).touch()

    def _end(self, client):
        """What should have ended by itself, and by now has not."""
        self.seen.code = client.poll()
        if self.seen.code is None:
            client.kill()
            client.wait()
            heal(self.cluster)
            subprocess.run([YDL, "kill", "--now", self.id], env=self.jobs.environment, cwd=self.jobs.work, capture_output=True, timeout=120, check=False)
        if self._urgent:
            self._urgent.terminate()
            self._urgent.wait(60)

    # ---- for Faults ----------------------------------------------------------------------------------------------

    def submit_urgent(self):
        """A job of the other queue that takes back what this queue has beyond its share; returns what ends it."""
        words = ["run", "--queue", "urgent", "--role", "worker=3", "--resource", "worker:memory=4g", "--", "sleep", 8]
        self._urgent = subprocess.Popen([YDL, *map(str, words)], env=self.jobs.environment, cwd=self.jobs.work, stdin=subprocess.DEVNULL,
                                        stdout=open(self.folder / "urgent", "wb"), stderr=subprocess.STDOUT)  # fmt: skip

    # ---- the job -------------------------------------------------------------------------------------------------

    def _submit(self):
        memory = LARGE if self.schedule.has("preempt") else "1g"
        more = ({"fail_fast": True, "retries": 3} if self.training.error else {}) | self._job_file
        spec = self.training.spec(f"chaos{self.schedule.seed}", self.notes, memory, self._times, **more)
        (self.jobs.work / "job.json").write_text(json.dumps(spec, indent=1))
        return subprocess.Popen([YDL, "submit", "--output", "plain", "job.json"], env=self.jobs.environment, cwd=self.jobs.work,
                                stdin=subprocess.DEVNULL, stdout=open(self.folder / "out", "wb"), stderr=open(self.folder / "err", "wb"))  # fmt: skip

    def _look_for_moments(self):
        if not self.application and (found := re.search(r"^(\S+) is (application_\d+_\d+) in queue", (self.folder / "err").read_text(), re.M)):
            self.id, self.application = found.groups()
            self._moments["submitted"] = time.monotonic()
        if "running" not in self._moments and all((self.notes / task.replace(":", "-")).exists() for task in self.training.tasks):
            self._moments["running"] = time.monotonic()

    def _sample(self):
        """How much each task has written by now. Of what is written before the first fault nothing may be lost."""
        now = time.monotonic()
        if not self.application or self.seen.logs or (self._samples and now < self._samples[-1][0] + 1):
            return
        written = {}
        for part in parts.find(self.cluster.folder, self.application):
            if part.kind == "task":
                with contextlib.suppress(OSError):
                    environment = dict(word.partition("=")[::2] for word in Path(f"/proc/{part.pid}/environ").read_text().split("\0"))
                    self.seen.ports |= {(part.host, int(port)) for port in environment["YDL_PORTS"].split(",") if port}
                    written[part.task, int(environment["YDL_ATTEMPT"])] = Path(f"/proc/{part.pid}/fd/1").read_bytes()
        self._samples.append((now, written))

    def _keep_logs(self):
        """Called at the first fault, and at the end if there was none."""
        if self.seen.logs:
            return
        old = [written for at, written in self._samples if at <= time.monotonic() - FLUSHED]
        self.seen.logs = old[-1] if old else {("", 0): b""}
        self._samples = self._samples[-1:]
