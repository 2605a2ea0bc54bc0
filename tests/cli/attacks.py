"""Runs the real binary against hostile servers, many attacks side by side, and checks what every one of them must end in."""

import contextlib
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from harness import COMMAND_LIMIT, Done, Ydl, assert_nothing_left
from hostile_servers import MIB, Identity, Server

MEMORY = 200 * MIB
LONGEST_COMPLAINT = 2000  # characters: what a person reads
LOG_LINE = r"\d{4}-\d\d-\d\dT[\d:.]+Z \[\d+\] hdfs: "  # of each DataNode that failed
MOST_LOG_LINES = 10
AT_ONCE = 12  # most attacks wait

# A process of its own starts the command: what the kernel counts as a child's memory includes its parent's at the start.
MEASURE = """
import json, os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(child, 0)
with open(sys.argv[1], "w") as out:
    json.dump({"code": os.waitstatus_to_exitcode(status), "memory": used.ru_maxrss * 1024}, out)
"""

# Retries are quick and few, so that only what is meant to wait does.
QUICK = {
    "ipc.client.connect.max.retries": 2,
    "ipc.client.connect.retry.interval": 10,
    "yarn.resourcemanager.connect.max-wait.ms": 30,
    "yarn.resourcemanager.connect.retry-interval.ms": 10,
    "dfs.client.failover.sleep.base.millis": 10,
    "dfs.client.failover.sleep.max.millis": 20,
    "dfs.client.max.block.acquire.failures": 1,
    "dfs.client.block.write.retries": 1,
}
IMPATIENT = {"ipc.client.connect.timeout": 1000, "ipc.client.rpc-timeout.ms": 1000, "dfs.client.socket-timeout": 1000}


@dataclass
class Attack:
    """What a server does to a client. `script(stage)` starts the servers and gives the words of the command."""

    name: str
    script: object
    says: str  # what the complaint holds, as a regular expression
    code: int = 1
    prints: str | None = None  # what standard output holds; by default it is empty
    leaves: tuple = field(default_factory=tuple)  # files that may be there afterwards

    def judge(self, outcome, memory):
        judge(self, outcome, memory)


class Stage:
    """One attack's servers, configuration and folders."""

    def __init__(self, binary, folder, shared):
        self.ydl = Ydl(binary, folder)
        self.shared = shared
        self.cluster = None  # that a job is submitted to
        self._servers = contextlib.ExitStack()

    def server(self, serve):
        """The port of a server that lasts as long as the attack."""
        return self._servers.enter_context(Server(serve)).port

    def stand_up(self, cluster):
        self.cluster = self._servers.enter_context(cluster)

    def hold_lock(self, path):
        """As a process that runs does."""
        file = self._servers.enter_context(path.open("w"))
        fcntl.lockf(file, fcntl.LOCK_EX)

    def configure(self, settings):
        folder = self.ydl.scratch / "conf"
        folder.mkdir()
        rows = "".join(f"<property><name>{name}</name><value>{value}</value></property>" for name, value in (QUICK | settings).items())
        for name in ("core-site.xml", "yarn-site.xml"):
            (folder / name).write_text(f"<configuration>{rows}</configuration>")
        self.ydl.env |= {"HADOOP_CONF_DIR": str(folder), "HADOOP_USER_NAME": "ann"}

    def files(self):
        return {str(path.relative_to(self.ydl.scratch)) for path in self.ydl.scratch.rglob("*") if not path.is_dir()}

    def run(self, words):
        """What the command ended in, the memory it had, and what it left."""
        before = self.files()
        out, err, facts = (self.ydl.scratch / f"..{name}" for name in ("out", "err", "facts"))
        command = [sys.executable, "-I", "-S", "-c", MEASURE, facts, self.ydl.binary, *words]
        with out.open("wb") as output, err.open("wb") as errors:
            process = subprocess.Popen(command, cwd=self.ydl.work, env=self.ydl.env, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                       start_new_session=True)  # fmt: skip
            hung = False
            try:
                process.wait(COMMAND_LIMIT)
            except subprocess.TimeoutExpired:
                hung = True
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shown = [path.read_bytes() for path in (out, err)]
        known = json.loads(facts.read_text()) if facts.exists() else {"code": None, "memory": 0}
        left = self.files() - before - {path.name for path in (out, err, facts)}
        return Outcome(hung, known["code"], known["memory"], *shown, left, self)

    def close(self):
        self._servers.close()


@dataclass
class Outcome:
    hung: bool
    code: int
    memory: int
    out: bytes
    err: bytes
    left: set
    stage: Stage

    def everything(self):
        shown = [text[:3000].decode(errors="backslashreplace") for text in (self.out, self.err)]
        return f"{self.memory / MIB:.0f} MiB, left {self.left}\n" + Done(self.code, *shown).everything()


def has_control_characters(text):
    return re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.decode()) is not None


def judge(attack, outcome, memory):
    """One or two sentences, the exit code, no control characters, little memory, nothing left."""
    seen = outcome.everything()
    assert not outcome.hung, f"it did not end within {COMMAND_LIMIT} s\n{seen}"
    assert outcome.code == attack.code, seen
    for text in (outcome.out, outcome.err):
        assert not has_control_characters(text), seen
    log_lines = [line for line in outcome.err.decode().splitlines(True) if re.match(LOG_LINE, line)]
    assert len(log_lines) <= MOST_LOG_LINES, seen
    complaint = "".join(line for line in outcome.err.decode().splitlines(True) if line not in log_lines)
    assert complaint == "" or complaint.splitlines()[-1].startswith("ydl: "), seen
    assert len(complaint) <= LONGEST_COMPLAINT and complaint.count("\n") <= 2, seen
    assert re.search(attack.says, complaint), seen
    if attack.prints is None:
        assert outcome.out == b"", seen
    else:
        assert re.search(attack.prints, outcome.out.decode()), seen
    assert outcome.memory <= memory, seen
    assert outcome.left <= set(attack.leaves), seen


class Shared:
    """What takes a while to make, and is made when the first attack needs it: certificates, and a job that has run."""

    def __init__(self, folder, binary):
        self._folder, self._binary = folder, binary
        self._lock = threading.RLock()
        self._made = {}

    def _once(self, name, make):
        with self._lock:
            if name not in self._made:
                (self._folder / name).mkdir()
                self._made[name] = make(self._folder / name)
            return self._made[name]

    @property
    def own(self):
        """The certificate that the job's master should have."""
        return self._once("own", Identity)

    @property
    def other(self):
        return self._once("other", Identity)

    @property
    def cache(self):
        """A folder for what clients keep between jobs."""
        return self._once("cache", lambda folder: folder)

    @property
    def job(self):
        return self._once("job", self._run_a_job)

    def _run_a_job(self, folder):
        job = Ydl(self._binary, folder).detach("--name", "near", "--", "true")
        job.wait_for("job_succeeded")
        assert_nothing_left(folder)
        return job


class SideBySide:
    """Begins all attacks that were selected, of all files, so that they wait together; each test takes its own outcome."""

    def __init__(self, items, tmp_path_factory, binary):
        chosen = [item.callspec.params["attack"] for item in items if "attacks" in getattr(item, "fixturenames", ())]
        is_sanitized = b"__asan_init" in binary.read_bytes()  # such a binary has much memory of its own
        self.memory = 8 * MEMORY if is_sanitized else MEMORY
        shared = Shared(tmp_path_factory.mktemp("shared"), binary)
        self._pool = ThreadPoolExecutor(AT_ONCE)
        # Folders whose names have one length: none is the beginning of another, by which its processes would be mistaken.
        folders = [tmp_path_factory.mktemp(f"attack-{i:04}", numbered=False) for i in range(len(chosen))]
        self._outcomes = {
            attack.name: self._pool.submit(self._run, attack, binary, folder, shared)
            for attack, folder in zip(chosen, folders, strict=True)
        }
        assert len(self._outcomes) == len(chosen), "two attacks have one name"

    @staticmethod
    def _run(attack, binary, folder, shared):
        stage = Stage(binary, folder, shared)
        try:
            outcome = stage.run([str(word) for word in attack.script(stage)])
            assert_nothing_left(folder)
            return outcome
        finally:
            stage.close()

    def check(self, attack):
        attack.judge(self._outcomes[attack.name].result(), self.memory)

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)


def by_name(attacks):
    """For pytest's parametrize: each attack is a row with its name."""
    return {"argvalues": attacks, "ids": [attack.name.replace(" ", "_") for attack in attacks]}
