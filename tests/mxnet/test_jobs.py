"""MXNet jobs through ydl-mx, from the command line to the model, and what users get wrong."""
import contextlib
import os
import re
import signal
import socket
import subprocess
import textwrap
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
YDL_MX = Path(os.environ.get("YDL", ROOT / "build/bin/ydl")).absolute().with_name("ydl-mx")
PYTHON = os.environ["YDL_MXNET_PYTHON"]
LIMIT = 120  # seconds for anything; only a hang takes that long

# A worker that needs no data: pushes ones, pulls the sum of all workers.
SUM = """
    import mxnet as mx
    kv = mx.kv.create("dist_sync")
    kv.init(3, mx.nd.zeros((2, 2)))
    kv.push(3, mx.nd.ones((2, 2)))
    out = mx.nd.zeros((2, 2))
    kv.pull(3, out=out)
    out.wait_to_read()
    print("rank", kv.rank, "of", kv.num_workers, "sum", out.asnumpy().sum(), flush=True)
    kv._barrier()
"""


class Jobs:
    """Runs jobs in a folder of the test's own; the folder's name is in the environment of every process of theirs."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "YDL_TEST_SCRATCH": str(folder), "NO_COLOR": "1"}

    def script(self, text, more="", name="job.py"):
        (self.folder / name).write_text(textwrap.dedent(text) + more)
        return name

    def start(self, *words):
        return subprocess.Popen([str(w) for w in (YDL_MX, "--python", PYTHON, "--output", "plain", *words)], cwd=self.folder, env=self.env,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, *words):
        process = self.start(*words)
        try:
            output, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert not self.survivors(), "left running"
        return process.returncode, output

    def survivors(self):
        mark = f"YDL_TEST_SCRATCH={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append((entry / "cmdline").read_bytes().replace(b"\0", b" "))
        return [words for words in found if words]  # without words: dead, and its parent has not looked yet


@pytest.fixture
def jobs(tmp_path):
    return Jobs(tmp_path)


@pytest.mark.parametrize(("workers", "servers"), [(1, 2), (4, 2)])
def test_a_workers_rank_is_its_index_and_all_are_summed_up(jobs, workers, servers):
    code, output = jobs.run("--n", workers, "--s", servers, jobs.script(SUM))
    assert code == 0, output
    for rank in range(workers):
        assert re.search(rf"\[worker:{rank}\] rank {rank} of {workers} sum {4.0 * workers}", output), output


def test_n_alone_means_as_many_servers_as_workers(jobs):
    code, output = jobs.run("--n", 2, jobs.script(SUM))
    assert code == 0, output
    assert ": MXNet, 2 workers and 2 servers on this machine" in output


def test_sync_reaches_the_task_as_dist_sync_and_other_words_reach_it_untouched(jobs):
    script = jobs.script("""
        import sys
        print("argv", sys.argv[1:], flush=True)
        import mxnet as mx
        kv = mx.kv.create(sys.argv[2])
        print("type", kv.type, "workers", kv.num_workers, flush=True)
    """)
    code, output = jobs.run("--n", 2, "--jobname", "MXNetOnYarn", "--jar", "ydl-mx.jar", script, "--kv-store", "sync", "--data-dir", ".", "--n", "7", "a b")
    assert code == 0, output
    assert "--kv-store sync was changed to --kv-store dist_sync" in output
    assert "--jar ydl-mx.jar is not needed" in output
    assert "argv ['--kv-store', 'dist_sync', '--data-dir', '.', '--n', '7', 'a b']" in output
    assert "type dist_sync workers 2" in output


def test_a_leading_python_may_be_there_and_modules_beside_the_script_are_found(jobs):
    jobs.script("value = 42", name="beside.py")
    script = jobs.script("import beside\nprint('beside', beside.value, flush=True)\n" + textwrap.dedent(SUM))
    code, output = jobs.run("--n", 1, "python", script)
    assert code == 0, output
    assert "beside 42" in output


def test_what_a_task_writes_into_its_directory_is_kept(jobs):
    script = jobs.script(textwrap.dedent(SUM) + "open('mnist-0001.params', 'w').write(str(kv.rank))\n")
    code, output = jobs.run("--n", 2, "--s", 1, "--results", jobs.folder / "results", script)
    assert code == 0, output
    for rank in (0, 1):
        assert (jobs.folder / f"results/worker-{rank}/mnist-0001.params").read_text() == str(rank)


def test_a_worker_without_a_distributed_kvstore_is_reported(jobs):
    script = jobs.script("""
        import os
        if os.environ["DMLC_ROLE"] == "server":
            import mxnet
        print("trains alone", flush=True)
    """)
    code, output = jobs.run("--n", 1, "--s", 1, script)
    assert "it created no kvstore or a local one" in output, output
    assert code == 0  # it did what it was told; the user is told what that was


def test_a_worker_that_raises_fails_the_job_with_its_code(jobs):
    script = jobs.script("import os\nif os.environ['DMLC_ROLE'] == 'server':\n    import mxnet\nraise SystemExit(5)\n")
    code, output = jobs.run("--n", 2, "--s", 1, script)
    assert code == 5, output
    assert "failed first" in output


def test_a_server_that_never_comes_is_named(jobs):
    (jobs.folder / "job.yaml").write_text(textwrap.dedent(f"""
        version: 1
        framework: mxnet
        roles:
          worker: {{count: 1, command: [{PYTHON}, job.py]}}
          server: {{count: 1, command: [sleep, "1000"]}}
        timeouts: {{rendezvous: 8s, stop_grace: 1s}}
    """))
    jobs.script(SUM)
    done = subprocess.run([str(YDL_MX.with_name("ydl")), "submit", "--output", "plain", "job.yaml"], cwd=jobs.folder, env=jobs.env, timeout=LIMIT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 1, done.stdout
    assert re.search(r"not every node registered with the scheduler within 8 s: .*missing: .*server:0", done.stdout), done.stdout
    assert not jobs.survivors()


def test_a_worker_that_dies_before_it_registers_fails_the_job_at_once(jobs):
    script = jobs.script("""
        import os
        if os.environ["DMLC_ROLE"] == "worker" and os.environ["YDL_INDEX"] == "1":
            raise SystemExit("no data here")
    """, textwrap.dedent(SUM))
    code, output = jobs.run("--n", 2, "--s", 1, script)
    assert code == 1, output
    assert "worker:1 failed first" in output
    assert "no data here" in output


def test_a_script_that_does_not_exist_is_told(jobs):
    code, output = jobs.run("--n", 1, "nosuch.py")
    assert code == 2, output
    assert "nosuch.py does not exist" in output


def test_an_interpreter_without_mxnet_is_told(jobs):
    script = jobs.script("import mxnet")
    process = subprocess.run([str(YDL_MX), "--n", "1", "--python", "/usr/bin/python3", "--output", "plain", script], cwd=jobs.folder, env=jobs.env,
                             timeout=LIMIT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.returncode == 1
    assert "No module named 'mxnet'" in process.stdout
    assert not jobs.survivors()


def test_the_scheduler_takes_a_port_of_the_range_that_is_free(jobs):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        first = taken.getsockname()[1]
        script = jobs.script("import os\nprint('root', os.environ['DMLC_PS_ROOT_PORT'], flush=True)\n" + textwrap.dedent(SUM))
        code, output = jobs.run("--n", 1, "--s", 1, "--port-range", f"{first}-{first + 50}", script)
    assert code == 0, output
    assert first < int(re.search(r"\[worker:0\] root (\d+)", output).group(1)) <= first + 50


def are_free(*ports):
    with contextlib.ExitStack() as sockets:
        try:
            for port in ports:
                sockets.enter_context(socket.create_server(("", port)))
        except OSError:
            return False
    return True


def test_a_range_without_a_free_port_for_the_scheduler_is_refused(jobs):
    # Two ports for the two tasks, and none for the scheduler beside the server.
    first = next(port for port in range(30_000, 60_000) if are_free(port, port + 1))
    code, output = jobs.run("--n", 1, "--s", 1, "--port-range", f"{first}-{first + 1}", jobs.script(SUM))
    assert code == 1, output
    assert f"server:0 cannot be placed: the scheduler finds no free port from {first} to {first + 1} on 127.0.0.1" in output
    assert "--port-range" in output


def test_two_jobs_at_once_do_not_disturb_each_other(jobs):
    script = jobs.script(SUM)
    running = [jobs.start("--n", 2, "--s", 1, script) for _ in range(2)]
    for process in running:
        output, _ = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, output
        assert "sum 8.0" in output


def test_a_worker_killed_in_the_middle_is_taken_back_by_mxnet_itself(jobs):
    # Asynchronous: a worker that comes again counts its own steps. It dies after its first push, once.
    script = jobs.script("""
        import os, signal
        import mxnet as mx
        kv = mx.kv.create("dist_async")
        kv.set_optimizer(mx.optimizer.SGD(learning_rate=0.1))  # in asynchronous mode the servers need one
        kv.init(3, mx.nd.zeros((2, 2)))
        for step in range(3):
            kv.push(3, mx.nd.ones((2, 2)))
            out = mx.nd.zeros((2, 2))
            kv.pull(3, out=out)
            out.wait_to_read()
            if step == 1 and kv.rank == 1 and os.environ["YDL_ATTEMPT"] == "1":
                os.kill(os.getpid(), signal.SIGKILL)
        print("rank", kv.rank, "done in attempt", os.environ["YDL_ATTEMPT"], flush=True)
        kv._barrier()
    """)
    code, output = jobs.run("--n", 2, "--s", 1, "--retries", 1, script, "--kv-store", "dist_async")
    assert code == 0, output
    assert "rank 1 done in attempt 2" in output
    assert "worker:1 joined the parameter servers again" in output


def test_garbage_on_the_schedulers_port_does_no_harm(jobs):
    # Worker 0 writes garbage, and a frame of 2 GB, to the scheduler before it joins like all others.
    script = jobs.script("""
        import os, socket
        if os.environ["DMLC_ROLE"] == "worker" and os.environ["YDL_INDEX"] == "0":
            address = (os.environ["DMLC_PS_ROOT_URI"], int(os.environ["DMLC_PS_ROOT_PORT"]))
            greeting = b"\\xff" + bytes(8) + b"\\x7f\\x03\\x00NULL" + bytes(16) + b"\\x00" + bytes(31)
            for bytes_ in (b"GET / HTTP/1.1\\r\\n\\r\\n" * 10, os.urandom(4096), greeting + b"\\x02" + (2 << 30).to_bytes(8, "big")):
                with socket.create_connection(address) as peer:
                    peer.sendall(bytes_)
                    peer.settimeout(20)
                    try:
                        while peer.recv(4096):
                            pass
                    except ConnectionResetError:
                        pass
    """, textwrap.dedent(SUM))
    code, output = jobs.run("--n", 2, "--s", 1, script)
    assert code == 0, output
    assert "sum 8.0" in output


def test_the_end_of_the_client_ends_the_job(jobs):
    process = jobs.start("--n", 1, "--s", 1, jobs.script(textwrap.dedent(SUM) + "import signal\nprint('waits', flush=True)\nsignal.pause()\n"))
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "waits" in line:
            break
    else:
        pytest.fail("".join(lines))
    process.send_signal(signal.SIGINT)
    drain = threading.Thread(target=process.stdout.read, daemon=True)
    drain.start()
    assert process.wait(timeout=LIMIT) == 130
    assert not jobs.survivors()


