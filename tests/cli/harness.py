"""Runs the real binary as a user does, in a state directory of the test's own, and looks at what it leaves."""

import contextlib
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# Generous, so that a loaded machine fails no test: a healthy run comes nowhere near them.
COMMAND_LIMIT = 60
EVENT_LIMIT = 30
# How long after its end, or its master's, something of a job may still be there.
CLEAN_UP_LIMIT = 10


def eventually(condition, what, seconds=EVENT_LIMIT):
    """The first true value of condition(), or a failure that says what was waited for."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"not within {seconds} s: {what() if callable(what) else what}"
        select.select([], [], [], 0.01)


@contextlib.contextmanager
def short_path(path):
    """The path of a socket in a form that fits into its address, which has 107 bytes."""
    folder = os.open(path.parent, os.O_PATH)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


@dataclass
class Done:
    code: int
    out: str
    err: str

    def lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def everything(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}--- stderr\n{self.err}"


class Ydl:
    """The command, with its own jobs folder, and a working directory to run it in."""

    def __init__(self, binary, scratch):
        self.binary = binary
        self.scratch = scratch
        self.state = scratch / "state"
        self.work = scratch / "work"
        self.work.mkdir()
        # Every process of a job has the scratch folder in its environment: that is how orphans are found.
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("YDL", "HADOOP"))}
        self.env |= {"XDG_STATE_HOME": str(self.state), "YDL_TEST_SCRATCH": str(scratch), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        self.env.pop("NO_COLOR", None)

    def start(self, *arguments, env=None, **options):
        """ydl in the background, its output in pipes unless the options say otherwise."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.work} | options
        return subprocess.Popen([str(word) for word in (self.binary, *arguments)], env=self.env | (env or {}), **options)

    def __call__(self, *arguments, timeout=COMMAND_LIMIT, **options):
        process = self.start(*arguments, **options)
        return finish(process, timeout)

    def ok(self, *arguments, **options):
        done = self(*arguments, **options)
        assert done.code == 0, done.everything()
        return done

    def detach(self, *arguments, **options):
        """A job that runs without us; arguments as for run."""
        done = self.ok("run", "--detach", *arguments, **options)
        return Job(self, done.out.strip())

    def jobs_folder(self):
        return self.state / "ydl/jobs"

    def jobs(self):
        folder = self.jobs_folder()
        # A name that begins with '.' is a folder that a client is still making.
        return [Job(self, path.name) for path in sorted(folder.iterdir()) if not path.name.startswith(".")] if folder.exists() else []

    def the_job(self):
        """The one job there is, as soon as it is there."""
        return eventually(self.jobs, "a job's folder")[0]

    def listed(self):
        return {job["job"]: job for job in self.ok("ls", "--output", "json").lines()}

    def write(self, name, text):
        path = self.work / name
        path.write_text(text)
        return path

    def program(self, text, name="task.py"):
        """A Python program, as the words of a command. Not of the PATH: no shim may stand between a task and its process."""
        return ["/usr/bin/python3", str(self.write(name, text))]


class Job:
    def __init__(self, ydl, job_id):
        self.ydl = ydl
        self.id = job_id
        self.folder = ydl.jobs_folder() / job_id

    def events(self):
        with contextlib.suppress(FileNotFoundError):
            return [json.loads(line) for line in (self.folder / "events.jsonl").read_text().splitlines()]
        return []

    def wait_for(self, kind, task=None, attempt=None):
        def found():
            for event in self.events():
                if event["kind"] == kind and task in (None, event.get("task")) and attempt in (None, event.get("attempt")):
                    return event
            return None

        return eventually(found, lambda: f"event {kind} of {task or 'the job'}; there is {self.events()}")

    def wait_for_line(self, text, task="worker-0", stream="stdout", attempt=1):
        """Waits until a task wrote a line with this text, which says what it is doing."""
        path = self.folder / "logs" / task / str(attempt) / stream
        return eventually(
            lambda: path.exists() and next((line for line in path.read_text().splitlines() if text in line), None),
            f"'{text}' in {path}",
        )

    def running(self):
        self.wait_for("job_running")
        return self

    def log(self, task="worker:0"):
        return self.ydl.ok("logs", self.id, task).out

    def state_file(self):
        return json.loads((self.folder / "state.json").read_text())

    def kill(self, *options):
        return self.ydl.ok("kill", *options, self.id)

    def endpoint(self):
        return json.loads((self.folder / "master.json").read_text())

    def processes(self):
        return processes_that_mention(self.folder)

    def master_pid(self):
        return self._named("ydl-master")

    def agent_pid(self):
        return self._named("ydl-agent")

    def _named(self, name):
        (pid,) = eventually(lambda: [pid for pid in self.processes() if name_of(pid) == name], f"a process {name}")
        return pid

    def task_pid(self, task="worker:0", attempt=1):
        return self.wait_for("task_running", task, attempt)["pid"]

    def reaper_pid(self, task="worker:0"):
        return parent_of(self.task_pid(task))

    def socket_path(self):
        return self.folder / self.endpoint()["socket"]

    def dial(self, timeout=EVENT_LIMIT):
        """A connection to the job's master, without HTTP."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout)
        with short_path(self.socket_path()) as path:
            connection.connect(path)
        return connection

    def connection(self, timeout=EVENT_LIMIT):
        """The same as http.client has it."""
        connection = http.client.HTTPConnection("master", timeout=timeout)
        connection.sock = self.dial(timeout)
        return connection

    def call(self, method, target, body=None, secret=True, headers=None, timeout=EVENT_LIMIT):
        """One call of the job's HTTP API: (status, body)."""
        endpoint = self.endpoint()
        headers = dict(headers or {})
        if secret:
            headers["Authorization"] = f"Bearer {endpoint['secret'] if secret is True else secret}"
        connection = self.connection(timeout)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()


def read_line(process, text, seconds=EVENT_LIMIT):
    """Reads a background command's output up to a line with this text, and returns that line."""
    deadline = time.monotonic() + seconds
    seen = []
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))
        assert ready, f"no '{text}' within {seconds} s in {seen}"
        line = b""
        # Byte by byte: what comes after the line stays in the pipe.
        while not line.endswith(b"\n") and (byte := os.read(process.stdout.fileno(), 1)):
            line += byte
        assert line, f"the output ended without '{text}': {seen}"
        seen.append(line.decode())
        if text in seen[-1]:
            return seen[-1]


def finish(process, timeout=COMMAND_LIMIT):
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"{process.args} did not end within {timeout} s\n--- stdout\n{out}\n--- stderr\n{err}") from None
    return Done(process.returncode, (out or b"").decode(), (err or b"").decode())


def process_ids():
    return [int(entry) for entry in os.listdir("/proc") if entry.isdigit()]


def processes_that_mention(folder):
    """{pid: command line} of the processes that have the folder in their environment, command line or working directory."""
    found = {}
    needle = os.fsencode(folder)
    for pid in process_ids():
        # A process may end while we look at it; a zombie has no environment any more and is not an orphan.
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
            traces = [command]
            with contextlib.suppress(PermissionError):  # processes that hold keys show the rest to root alone
                traces += [Path(f"/proc/{pid}/environ").read_bytes(), os.fsencode(os.readlink(f"/proc/{pid}/cwd"))]
            if pid != os.getpid() and any(needle in trace for trace in traces):
                found[pid] = command.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def parent_of(pid):
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def name_of(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def is_alive(pid):
    """Whether it runs: a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def assert_gone(pids, seconds=CLEAN_UP_LIMIT):
    eventually(lambda: not any(map(is_alive, pids)), lambda: f"the end of {[pid for pid in pids if is_alive(pid)]}", seconds)


def assert_nothing_left(folder, seconds=CLEAN_UP_LIMIT):
    eventually(lambda: not processes_that_mention(folder), lambda: f"the end of {processes_that_mention(folder)}", seconds)


def kill_all(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def moved_to_cluster(job, address, folder, results, unmanaged=False):
    """Makes the folder of a job that has ended look as if it had run on a cluster whose NameNode is at this address."""
    file = json.loads((job.folder / "job.json").read_text()) | {"cluster": "yarn", "results": f"{address}{results}"}
    (job.folder / "job.json").write_text(json.dumps(file))
    yarn = {"version": 1, "folder": folder, "application": "application_1700000000000_0001", "unmanaged": unmanaged, "user": "ann"}
    yarn |= {"queue": "default", "scheduler": "", "folder_url": "", "results": "/r", "nodes": []}
    yarn |= {"staged": {"files": {}, "linked_directory": "", "links": []}}
    yarn["hadoop"] = {"fs.defaultFS": address, "yarn.resourcemanager.hostname": "127.0.0.1"}
    (job.folder / "yarn.json").write_text(json.dumps(yarn))
    return job
