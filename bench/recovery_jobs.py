"""Jobs of which something is killed: what recovery.py starts, watches and reads."""

import atexit
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from datetime import datetime
from pathlib import Path

from cluster_lib import processes

from report import fail

LIMIT_S = 180
# A task notes its process and when it began, writes a line as any program does, and waits.
WAITS = "f={folder}/$YDL_ROLE-$YDL_INDEX-$YDL_ATTEMPT; echo $$ $(date +%s%N) > $f.new; mv $f.new $f; echo at work; exec sleep 3600"
SMALL = ("--resource", "worker:memory=64m", "--no-auto-files")


def wait_for(look, what, limit=LIMIT_S, pause=0.01):
    """What `look` finds."""
    deadline = time.monotonic() + limit
    while not (found := look()):
        if time.monotonic() > deadline:
            fail(f"waited {limit} s for {what}.")
        time.sleep(pause)
    return found


def seconds_of(text):
    """Of a time as events and logs of agents have it."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Job:
    """`ydl run`, whose tasks write into `folder`. All hosts are this machine: there is one clock."""

    def __init__(self, ydl, env, *words, task=WAITS):
        self.folder = Path(tempfile.mkdtemp(prefix="ydl-bench-"))
        self.env = env
        self._ydl = ydl
        self._output = self.folder / "output"
        command = [ydl, "run", "--output", "json", *SMALL, *words, "--", "sh", "-c", task.replace("{folder}", str(self.folder))]
        with self._output.open("w") as output:
            self.began = time.time()
            self._process = subprocess.Popen([str(word) for word in command], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                             stderr=subprocess.STDOUT)  # fmt: skip
        atexit.register(self._process.kill)  # its cluster ends with this program

    def said(self):
        return self._output.read_text()

    def events(self, kind, task=None):
        lines = [line for line in self.said().splitlines() if line.startswith("{")]
        events = [event for event in map(json.loads, lines) if event["type"] == "event" and event["kind"] == kind]
        return [event for event in events if task is None or event.get("task") == task]

    def wait_for_event(self, kind, task=None, attempt=None, limit=LIMIT_S):
        found = lambda: [event for event in self.events(kind, task) if attempt is None or event.get("attempt") == attempt]
        return self._wait(found, f"{kind} of {task or 'the job'}", limit)[0]

    def _wait(self, look, what, limit=LIMIT_S):
        def found():
            if self._process.poll() is not None:
                fail(f"a job ended with {self._process.returncode} before {what}: {self.said()[-3000:]}")
            return look()

        return wait_for(found, what, limit)

    def began_at(self, task, attempt):
        """(process, time) of an attempt, once it has begun."""
        path = self.folder / f"{task.replace(':', '-')}-{attempt}"
        self._wait(path.exists, f"attempt {attempt} of {task}")
        pid, at = path.read_text().split()
        return int(pid), int(at) / 1e9

    def all_began_at(self, tasks, attempt):
        return max(self.began_at(task, attempt)[1] for task in tasks)

    def kill_task(self, task, attempt=1):
        """The time at which it was killed."""
        pid, _ = self.began_at(task, attempt)
        killed = time.time()
        os.kill(pid, signal.SIGKILL)
        return killed

    def back_off(self, task):
        """How long the retry of this task waited, to a twentieth of a second."""
        (retry,) = [event for event in self.events("task_retry", task)]
        (number, unit) = re.search(r"^restarting(?: all tasks)? in ([\d.]+) (ms|s)", retry["text"]).groups()
        return float(number) / (1000 if unit == "ms" else 1)

    def application(self):
        job = self.wait_for_event("job_running")["job"]
        return json.loads((Path(self.env["XDG_STATE_HOME"]) / "ydl/jobs" / job / "yarn.json").read_text())["application"]

    def wait(self):
        """Until it has succeeded by itself."""
        if self._process.wait(LIMIT_S) != 0:
            fail(f"a job ended with {self._process.returncode}: {self.said()[-3000:]}")

    def end(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        self._process.wait(120)


def lines_of(file):
    """Of a log that may not be there yet."""
    return file.read_text(errors="replace").splitlines() if file.exists() else []


def log_time(line):
    """Of a line of a daemon's log: 2026-11-19 12:00:00,123, in this machine's time."""
    return datetime.strptime(line[:23], "%Y-%m-%d %H:%M:%S,%f").timestamp()


def manager_log(cluster):
    return cluster.folder / "resourcemanager1/log"


def wait_until_known(cluster, application, containers):
    """The ResourceManager has heard of all containers: one of which it has not heard ends with the master."""
    number = application.removeprefix("application_")
    transition = re.compile(rf"(container_{number}_01_\d+) Container Transitioned from ACQUIRED to RUNNING")
    wait_for(lambda: len(set(transition.findall(manager_log(cluster).read_text()))) == containers, "the ResourceManager to know all containers")


def containers_on(cluster, host):
    return processes.containers_of(cluster.folder / f"nodemanager{host}/local")


def master_of(cluster, words):
    """The process of a container's ApplicationMaster, by words of its command line."""
    hosts = [path.name.removeprefix("nodemanager") for path in cluster.folder.glob("nodemanager*")]
    found = lambda: [pid for host in hosts for pid in containers_on(cluster, host) if all(word in processes.command_line(pid) for word in words)]
    return wait_for(found, "the ApplicationMaster's process")[0]


def agents_back_at(cluster, application, agents):
    """When the last agent had found the next master, by the agents' own logs."""
    took_over = re.compile(r"^(\S+) \[\d+\] the master at \S+ has taken over the job", re.MULTILINE)

    def times():
        logs = cluster.folder.glob(f"nodemanager*/logs/{application}/*/agent.stderr")
        found = [match.group(1) for log in logs if (match := took_over.search(log.read_text(errors="replace")))]
        return found if len(found) == agents else None

    return max(seconds_of(text) for text in wait_for(times, "all agents to be back", pause=0.1))
