"""The native ps-lite scheduler against unmodified MXNet 1.9.1.

YDL_MXNET_PYTHON names an interpreter that has it, YDL_PSLITE_TOOL the pslite_scheduler_tool of a build.
"""
import os
import queue
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest

PYTHON = os.environ.get("YDL_MXNET_PYTHON")
ROOT = Path(__file__).resolve().parents[2]
TOOL = os.environ.get("YDL_PSLITE_TOOL", str(ROOT / "build/dev/bin/pslite_scheduler_tool"))
WORKER = str(Path(__file__).with_name("worker.py"))
LIMIT = 120  # seconds for anything; only a hang takes that long

if not PYTHON:
    pytest.fail("YDL_MXNET_PYTHON must name a Python interpreter that has MXNet 1.9.1", pytrace=False)


class Scheduler:
    def __init__(self, workers, servers, *times, address="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [TOOL, address, str(workers), str(servers), *times],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.lines = []
        self._queue = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = int(self.wait_for("listening").split()[1])

    def _read(self):
        for line in self.process.stdout:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def tell(self, line):
        self.process.stdin.write(line + "\n")

    def wait_for(self, beginning):
        """The next line with this beginning."""
        while True:
            line = self._queue.get(timeout=LIMIT)
            assert line is not None, f"the scheduler ended without '{beginning}': {self.lines}"
            self.lines.append(line)
            if line.startswith(beginning):
                return line

    def end(self):
        code = self.process.wait(LIMIT)
        self._reader.join(LIMIT)
        while (line := self._queue.get_nowait()) is not None:
            self.lines.append(line)
        return code


class Job:
    """The processes of one job. Every one gets a port that is held for it, as ydl's agents do."""

    def __init__(self, directory, workers, servers, *times):
        self.directory, self.workers, self.servers = directory, workers, servers
        self.scheduler = Scheduler(workers, servers, *times)
        self.processes, self.held, self.output = {}, [], {}
        self.environment = {}

    def start(self, task, *command, attempt=1):
        role = task.split(":")[0]
        holder = socket.socket()
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        self.held.append(holder)
        port = holder.getsockname()[1]
        self.scheduler.tell(f"expect {task} 127.0.0.1 {port}")
        env = dict(os.environ, DMLC_ROLE=role, DMLC_PS_ROOT_URI="127.0.0.1", DMLC_PS_ROOT_PORT=str(self.scheduler.port),
                   DMLC_NUM_WORKER=str(self.workers), DMLC_NUM_SERVER=str(self.servers), DMLC_NODE_HOST="127.0.0.1",
                   PORT=str(port), ATTEMPT=str(attempt), OMP_NUM_THREADS="1", **self.environment)
        output = open(self.directory / f"{task.replace(':', '-')}.{attempt}.log", "w+")
        self.output[task] = output
        self.processes[task] = subprocess.Popen([PYTHON, *command], env=env, stdout=output, stderr=subprocess.STDOUT)

    def start_servers(self):
        for i in range(self.servers):
            self.start(f"server:{i}", "-c", "import mxnet")

    def start_worker(self, index, mode, kvstore, attempt=1):
        self.start(f"worker:{index}", WORKER, mode, kvstore, str(self.directory), attempt=attempt)

    def start_all(self, mode, kvstore):
        self.start_servers()
        for i in range(self.workers):
            self.start_worker(i, mode, kvstore)

    def text(self, task):
        self.output[task].seek(0)
        return self.output[task].read()

    def assert_all_succeed(self):
        for task, process in self.processes.items():
            assert process.wait(LIMIT) == 0, f"{task}: {self.text(task)}"
        assert self.scheduler.end() == 0, self.scheduler.lines
        assert self.scheduler.lines[-1] == "finished"
        for i in range(self.workers):
            assert f"rank {i} of {self.workers}" in self.text(f"worker:{i}")

    def restart_after_death(self, index, mode, kvstore):
        assert self.processes[f"worker:{index}"].wait(LIMIT) == -signal.SIGKILL, self.text(f"worker:{index}")
        self.scheduler.tell(f"exited worker:{index} restarts was killed by signal 9")
        self.scheduler.wait_for(f"dead worker:{index}")
        self.start_worker(index, mode, kvstore, attempt=2)

    def close(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        if self.scheduler.process.poll() is None:
            self.scheduler.process.kill()
            self.scheduler.process.wait()
        for thing in [*self.held, *self.output.values(), self.scheduler.process.stdin, self.scheduler.process.stdout]:
            thing.close()


@pytest.fixture
def job(tmp_path):
    jobs = []

    def make(workers, servers, *times):
        jobs.append(Job(tmp_path, workers, servers, *times))
        return jobs[-1]

    yield make
    for one in jobs:
        one.close()


@pytest.mark.parametrize("servers", [1, 2])
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_dist_sync(job, workers, servers):
    running = job(workers, servers)
    running.start_all("push_pull", "dist_sync")
    running.assert_all_succeed()


@pytest.mark.parametrize("kvstore", ["dist_async", "dist_device_sync", "dist_sync_device", "dist_async_device"])
def test_other_kinds_of_kvstore(job, kvstore):
    running = job(2, 2)
    running.start_all("push_pull", kvstore)
    running.assert_all_succeed()


def test_barriers_hold_until_every_worker_is_there(job):
    running = job(3, 1)
    running.start_all("barriers", "dist_sync")
    running.assert_all_succeed()
    assert running.scheduler.lines.count("barrier 4") == 21  # and one before they end
    assert running.scheduler.lines.count("barrier 7") == 2


def test_two_bit_gradient_compression(job):
    running = job(2, 2)
    running.start_all("compression", "dist_sync")
    running.assert_all_succeed()


def test_heartbeats_are_answered(job):
    running = job(1, 1)
    running.environment = {"PS_HEARTBEAT_INTERVAL": "1", "PS_HEARTBEAT_TIMEOUT": "10"}
    running.start_all("heartbeats", "dist_sync")
    running.assert_all_succeed()


def test_two_kvstores_in_one_process(job):
    running = job(2, 1)
    running.start_all("two_kvstores", "dist_sync")
    running.assert_all_succeed()


def test_two_jobs_on_one_host_do_not_disturb_each_other(job):
    first, second = job(2, 1), job(1, 2)
    second.directory = first.directory / "second"
    second.directory.mkdir()
    first.start_all("push_pull", "dist_sync")
    second.start_all("push_pull", "dist_sync")
    first.assert_all_succeed()
    second.assert_all_succeed()


@pytest.mark.parametrize("mode, kvstore", [("async_recovery", "dist_async"), ("sync_recovery", "dist_sync")])
def test_a_killed_worker_comes_back_by_mxnets_own_recovery(job, mode, kvstore):
    running = job(2, 2)
    running.start_all(mode, kvstore)
    running.restart_after_death(1, mode, kvstore)
    running.scheduler.wait_for("recovered worker:1")
    running.assert_all_succeed()


def test_a_worker_killed_before_the_model_is_set_up_starts_like_all_others(job):
    running = job(2, 1)
    running.start_all("early_death", "dist_sync")
    running.restart_after_death(1, "early_death", "dist_sync")
    running.scheduler.wait_for("recovered worker:1")
    running.assert_all_succeed()


def test_a_worker_killed_while_others_register_makes_room_again(job):
    running = job(2, 1)
    running.start_worker(1, "push_pull", "dist_sync")
    running.scheduler.wait_for("registered worker:1")
    running.processes["worker:1"].kill()
    running.restart_after_death(1, "push_pull", "dist_sync")
    running.scheduler.wait_for("registered worker:1")
    running.start_servers()
    running.start_worker(0, "push_pull", "dist_sync")
    running.assert_all_succeed()


def test_a_missing_server_is_named(job):
    running = job(1, 1, "10s")
    running.scheduler.tell("expect server:0 127.0.0.1 1")
    running.start_worker(0, "push_pull", "dist_sync")
    running.scheduler.wait_for("registered worker:0")
    running.scheduler.tell("begin")
    assert running.scheduler.wait_for("failed") == (
        "failed not every node registered with the scheduler within 10 s: 0 of 1 server and 1 of 1 worker have registered; "
        "missing: server:0")
    assert running.scheduler.end() == 1


def test_a_worker_too_many_is_refused_with_a_sentence(job):
    running = job(1, 1, "60s", "1s")
    running.start_worker(0, "push_pull", "dist_sync")
    running.scheduler.wait_for("registered worker:0")
    running.start_worker(1, "push_pull", "dist_sync")
    assert "all 1 worker of the job are already registered" in running.scheduler.wait_for("refused worker:1")
    running.processes.pop("worker:1").kill()
    running.start_servers()
    running.assert_all_succeed()


def test_a_worker_that_never_registers_is_reported(job):
    running = job(1, 1)
    running.start_servers()
    running.start("worker:0", "-c", "import mxnet; mxnet.kv.create('local')")
    assert running.processes["worker:0"].wait(LIMIT) == 0
    running.scheduler.tell("exited worker:0 left ended with code 0")
    assert "it created no kvstore or a local one" in running.scheduler.wait_for("never_registered")


def test_a_port_in_use_is_an_error(job):
    running = job(1, 1)
    second = subprocess.run([TOOL, f"127.0.0.1:{running.scheduler.port}", "1", "1"], capture_output=True, text=True)
    assert second.returncode == 2
    assert "the address is in use" in second.stderr
