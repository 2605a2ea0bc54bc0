"""A worker that is killed in the middle of an epoch: with --retries 1 the job succeeds, and its model is a good one."""
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
YDL_MX = Path(os.environ.get("YDL", ROOT / "build/bin/ydl")).absolute().with_name("ydl-mx")
PYTHON = os.environ["YDL_MXNET_PYTHON"]
LIMIT = 120  # seconds for a job; only a hang takes that long
EPOCHS = 3


@pytest.fixture(scope="session")
def mnist():
    return subprocess.run([ROOT / "tools/fetch_data.py", "mnist"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


PYTHON_EXAMPLE = ROOT / "examples/mxnet/train_mnist.py"
# The example, but the victim goes no further than the sign: what it had done when it was killed does not depend on how fast its log is read.
WAITS_AT_SIGN = """\
import logging, os, runpy, signal, sys
def call_handlers(logger, record, call=logging.Logger.callHandlers):
    call(logger, record)
    if {sign!r} in record.getMessage() and os.environ["YDL_ROLE"] + ":" + os.environ["YDL_INDEX"] == {victim!r} and os.environ["YDL_ATTEMPT"] == "1":
        signal.pause()
logging.Logger.callHandlers = call_handlers
sys.path.insert(0, {folder!r})
runpy.run_path({example!r}, run_name="__main__")
"""


def run_and_kill(folder, victim, sign, *options, example=None):
    """Runs an example, kills a worker's first attempt with SIGKILL when its log shows the sign, and returns (exit code, output)."""
    if example is None:
        example = folder / "train_mnist.py"
        example.write_text(WAITS_AT_SIGN.format(sign=sign, victim=victim, folder=str(PYTHON_EXAMPLE.parent), example=str(PYTHON_EXAMPLE)))
    command = [YDL_MX, "--python", PYTHON, "--output", "plain", "--verbose", "--n", 2, "--retries", 1, "--results", folder / "results", example, *options]
    process = subprocess.Popen([str(word) for word in command], cwd=folder, env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
    watchdog = threading.Timer(LIMIT, process.kill)
    watchdog.start()
    lines, pid = [], None
    for line in process.stdout:
        lines.append(line)
        if started := re.search(rf"{victim} running on .* \(pid (\d+)\)", line):
            pid = pid or int(started.group(1))
        if pid and line.startswith(f"[{victim}]") and sign in line:
            os.kill(pid, signal.SIGKILL)
            sign = "nothing any more\n\n"
    process.wait()
    watchdog.cancel()
    return process.returncode, "".join(lines)


def accuracy_in(output):
    found = re.findall(r"^\[worker:0\] accuracy: (\S+)$", output, re.MULTILINE)
    assert len(found) == 1, output
    return float(found[0])


# The first worker saves the models and tells the others where to go on; the others have only their share. The signs lie in the middle of
# the first epoch (no model yet), after one and after two, where a worker is pushing, and where the first one has just saved (MXNet says that it saves before the file has its name).
@pytest.mark.parametrize(
    ("victim", "sign", "goes_on_from"),
    [
        ("worker:1", "Epoch[0] Batch [0-20]", 0),
        ("worker:0", "Epoch[1] Batch [0-20]", 1),
        ("worker:1", "Epoch[1] Batch [40-60]", 1),
        ("worker:0", "Epoch[1] Validation-accuracy", 2),
        ("worker:1", "Epoch[2] Batch [20-40]", 2),
    ],
)
def test_a_synchronous_job_goes_on_from_the_last_saved_model(tmp_path, mnist, victim, sign, goes_on_from):
    code, output = run_and_kill(tmp_path, victim, sign, "--kv-store", "sync", "--data-dir", mnist, "--samples", 20_000, "--disp-batches", 20,
                                "--num-epochs", EPOCHS)  # fmt: skip
    assert code == 0, output
    assert f"{victim} was killed by signal 9 (SIGKILL)" in output
    assert "restarting all tasks" in output
    assert "synchronous kvstore cannot tell what a lost worker had pushed" in output
    assert ("goes on from" in output) == (goes_on_from > 0)
    for rank in (0, 1):  # all workers go on at the same epoch
        (log,) = tmp_path.glob(f"state/ydl/jobs/*/logs/worker-{rank}/2/stderr")  # the terminal may show a line of the first attempt late
        assert re.search(r"Epoch\[(\d)\]", log.read_text()).group(1) == str(goes_on_from)
    assert accuracy_in(output) > 0.94
    assert (tmp_path / f"results/worker-0/mnist-000{EPOCHS}.params").exists()


def test_the_native_example_goes_on_from_the_last_saved_model(tmp_path, mnist):
    folder = subprocess.run(["make", "--silent", "-C", ROOT / "examples/mxnet-native"], check=True, stdout=subprocess.PIPE, text=True).stdout
    code, output = run_and_kill(tmp_path, "worker:1", "Epoch[1] Batch [0-20]", "--kv-store", "sync", "--data-dir", mnist, "--samples", 20_000,
                                "--network", "mlp", "--disp-batches", 20, "--num-epochs", EPOCHS,
                                example=Path(folder.splitlines()[-1]) / "train_mnist_native")  # fmt: skip
    assert code == 0, output
    assert re.search(r"goes on from .*mnist-000[12].params", output)  # it does not wait for us: the next one may be there too
    assert accuracy_in(output) > 0.94


def test_an_asynchronous_job_takes_its_worker_back(tmp_path, mnist):
    code, output = run_and_kill(tmp_path, "worker:1", "Epoch[1] Batch [0-20]", "--kv-store", "async", "--data-dir", mnist, "--samples", 20_000,
                                "--disp-batches", 20, "--num-epochs", EPOCHS, "--lr", 0.01)  # fmt: skip
    assert code == 0, output
    assert "worker:1 restarting" in output
    assert "worker:1 joined the parameter servers again" in output
    assert "restarting all tasks" not in output
    assert accuracy_in(output) > 0.9
