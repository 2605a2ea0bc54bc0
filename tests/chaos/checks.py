"""What must be true when a job has ended, whatever happened to it. Each check returns sentences: what is wrong."""

import json
import re
import select
import subprocess
import time

import parts
from cluster_lib import network, processes, state, web
from yarn_shell import YDL

FINAL = ("succeeded", "failed", "stopped")
CLEAN_UP = 100  # seconds: an agent that was not told of the end waits for a master until it has read HDFS
COMMAND = 120


class Checks:
    def __init__(self, run):
        self.run, self.seen, self.training = run, run.seen, run.training

    def problems(self):
        if not self.run.application:
            return [f"the job was not submitted: {(self.run.folder / 'err').read_text()[-1500:]}"]
        found = self._end() + self._overlaps() + self._logs() + self._answers()
        return found + self._left_over()

    def _ydl(self, *words):
        done = subprocess.run([YDL, *map(str, words)], env=self.run.jobs.environment, cwd=self.run.jobs.work, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=COMMAND, check=False)  # fmt: skip
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")

    # ---- the outcome ---------------------------------------------------------------------------------------------

    def _end(self):
        seen = self.seen
        if seen.code is None:
            return [f"the job did not end within {seen.seconds:.0f} s; its last lines:\n" + "\n".join(seen.out.splitlines()[-8:])]
        if self.training.error:
            if seen.code == 3 and self.training.error in seen.out:
                return []
            return [f"the job ended with {seen.code}, and was to end with 3 and the words '{self.training.error}':\n{_tail(seen.out)}"]
        if seen.code != 0:
            return [f"the job ended with {seen.code}:\n{_tail(seen.out)}"]
        if not self.training.accuracy:
            return []
        found = [float(text) for text in re.findall(r"accuracy: (\d\.\d+)$", seen.out, re.M)]
        if not found:
            return ["the client has shown no accuracy"]
        return [] if found[-1] >= self.training.accuracy else [f"the accuracy is {found[-1]}, and should be at least {self.training.accuracy}"]

    def _overlaps(self):
        found = []
        for task in self.training.tasks:
            file = self.run.notes / task.replace(":", "-")
            text = file.read_text() if file.exists() else ""
            found += [f"two attempts of {task} ran at the same time: {line}" for line in text.splitlines() if line.startswith("overlap")]
            attempts = [int(line.split()[1]) for line in text.splitlines() if line.startswith("start")]
            if attempts != sorted(set(attempts)):
                found.append(f"the attempts of {task} started in the order {attempts}")
        return found

    def _logs(self):
        found = []
        for (task, attempt), written in self.seen.logs.items():
            if not written:
                continue
            path = f"{self.run.remote}/logs/{task.replace(':', '-')}/{attempt}/stdout"
            code, there, err = self._ydl("fs", "cat", path)
            if code or not there.startswith(written):
                found.append(f"{path} has {len(there)} bytes and lacks some of the {len(written)} written before the first fault: {err.strip()}")
        return found

    # ---- afterwards ----------------------------------------------------------------------------------------------

    def events(self):
        code, out, err = self._ydl("events", "--output", "json", self.run.id)
        return [json.loads(line) for line in out.splitlines()] if code == 0 else None

    def _answers(self):
        found = []
        events = self.events()
        if events is None:
            found.append(f"`ydl events` fails: {self._ydl('events', self.run.id)[2]}")
        elif (numbers := [event["seq"] for event in events]) != list(range(1, len(numbers) + 1)):
            found.append(f"the numbers of the events are {numbers}")
        elif events[-1]["kind"] not in ("job_succeeded", "job_failed", "job_stopped"):
            found.append(f"the last event is {events[-1]}")
        code, out, err = self._ydl("status", self.run.id)
        text = out.decode(errors="replace")
        if code or not re.search(rf"\b({'|'.join(FINAL)})\b", text):
            found.append(f"`ydl status` ended with {code}: {text}{err}")
        return found

    def _left_over(self):
        deadline = time.monotonic() + CLEAN_UP
        while found := self._left():
            if time.monotonic() > deadline:
                return found
            select.select([], [], [], 0.5)
        return []

    def _left(self):
        """Processes, with whatever they hold, containers, applications, and files that were to be gone."""
        cluster = state.load(self.run.cluster.folder)
        found = [f"process {part.pid} ({part.kind or processes.command_line(part.pid)[:60]}) on host{part.host} is left over"
                 for part in parts.find(self.run.cluster.folder, self.run.application)]  # fmt: skip
        found += [f"port {port} of a task is open on host{host}" for host, port in sorted(self.seen.ports) if port in _listening(cluster, host)]
        apps = web.json_of(cluster.address(0), cluster.port("resourcemanager1.http"), f"/ws/v1/cluster/apps/{self.run.application}")
        if not apps or apps["app"]["state"] not in ("FINISHED", "FAILED", "KILLED"):
            found.append(f"{self.run.application} is {apps and apps['app']['state']}")
        for host in range(1, cluster.options.nodes + 1):
            address = cluster.address(host)
            answer = web.json_of(address, cluster.port(f"nodemanager{host}.http", address), "/ws/v1/node/containers")
            containers = ((answer or {}).get("containers") or {}).get("container", [])
            found += [f"container {each['id']} is {each['state']} on host{host}" for each in containers
                      if self.run.application.removeprefix("application_") in each["id"] and each["state"] not in ("DONE", "COMPLETE")]  # fmt: skip
        return found + self._staged()

    def _staged(self):
        """What ydl writes to HDFS for the time of the job."""
        code, out, err = self._ydl("fs", "ls", "-R", self.run.remote)
        if code:
            return [f"`ydl fs ls` fails: {err}"]
        names = [line.split()[-1].removeprefix(self.run.remote + "/") for line in out.decode().splitlines()]
        succeeded = self.seen.code == 0
        return [f"{name} is left over in the job's folder" for name in names
                if name.endswith(".tmp") or "/.ydl-unfinished" in name or name == "master.json" or succeeded and name.startswith(("saves/", "results/."))]  # fmt: skip


def _listening(cluster, host):
    """The TCP ports on a host on which a process listens."""
    done = subprocess.run([*network.enter(cluster, host), "cat", "/proc/net/tcp", "/proc/net/tcp6"], capture_output=True, text=True, check=True)
    return {int(line.split()[1].rpartition(":")[2], 16) for line in done.stdout.splitlines() if " 0A " in line}


def _tail(text):
    return "\n".join(text.splitlines()[-25:])
