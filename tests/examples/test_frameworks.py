"""Each example trains on real data through ydl and learns what it should."""

import json
import re
from pathlib import Path

import pytest
from jobs import accuracy_in

pytestmark = pytest.mark.timeout(180)
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def assert_succeeded(job, runner):
    assert job.exit_code == 0, job.output
    runner.assert_nothing_left_running()


def assert_progress_reaches_the_end(log):
    fractions = [float(text) for text in re.findall(r"^::progress (\S+)", log, re.MULTILINE)]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_pytorch_workers_train_one_model_together(run_job, python_of, mnist, tmp_path):
    model = tmp_path / "mnist.pt"
    job = run_job(
        "pytorch", {"worker": 2},
        python_of("torch"), "examples/pytorch/train_mnist.py", "--data-dir", mnist, "--epochs", 1, "--samples", 30_000, "--model", model,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    assert accuracy_in(job.log("worker:0")) > 0.95
    assert_progress_reaches_the_end(job.log("worker:1"))
    assert model.stat().st_size > 100_000


def test_tensorflow_chief_ends_a_parameter_server_job(run_job, python_of, mnist, tmp_path):
    """Workers and parameter servers never end by themselves: that the job ends, and cleanly, is the point."""
    model = tmp_path / "mnist.keras"
    job = run_job(
        "tensorflow", {"chief": 1, "worker": 1, "ps": 1, "evaluator": 1},
        python_of("tensorflow"), "examples/tensorflow/train_mnist_ps.py", "--data-dir", mnist, "--model-dir", tmp_path / "checkpoints",
        "--samples", 12_800, "--epochs", 2, "--model", model,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    assert accuracy_in(job.log("chief:0")) > 0.88
    assert_progress_reaches_the_end(job.log("chief:0"))
    assert re.search(r"evaluated epoch 2/2: accuracy 0\.\d+", job.log("evaluator:0"))
    assert model.exists()


# What a worker does whose host kills it once, in the middle of the training.
KILLED_ONCE = """
"$@" & task=$!
if [ $YDL_ROLE = worker ] && [ $YDL_ATTEMPT = 1 ]; then
  until [ -e {checkpoints}/ckpt-1.index ]; do sleep 0.1; done
  kill -9 $task
fi
wait $task
"""


def test_a_tensorflow_worker_that_is_killed_comes_back_at_its_address(run_job, python_of, mnist, tmp_path):
    """The chief calls it nowhere else: a worker with another port would leave it waiting for ever."""
    checkpoints = tmp_path / "checkpoints"
    (tmp_path / "killed.sh").write_text(KILLED_ONCE.format(checkpoints=checkpoints))
    command = ["sh", tmp_path / "killed.sh", python_of("tensorflow"), EXAMPLES / "tensorflow/train_mnist_ps.py", "--data-dir", mnist,
               "--model-dir", checkpoints, "--samples", 6_400, "--epochs", 6]  # fmt: skip
    spec = {"version": 1, "framework": "tensorflow", "retries": 1, "command": [str(word) for word in command],
            "roles": {"chief": {}, "worker": {}, "ps": {}}}  # fmt: skip
    (tmp_path / "job.json").write_text(json.dumps(spec))
    job = run_job.submit(tmp_path / "job.json")
    assert_succeeded(job, run_job)
    assert "worker:0 was killed by signal 9" in job.output or "worker:0 failed with exit code 137" in job.output
    assert "restarting all tasks" not in job.output
    assert accuracy_in(job.log("chief:0")) > 0.88


def test_tensorflow_mirrored_workers_train_one_model_together(run_job, python_of, mnist, tmp_path):
    model = tmp_path / "mnist.keras"
    job = run_job(
        "tensorflow", {"worker": 2},
        python_of("tensorflow"), "examples/tensorflow/train_mnist_mirrored.py", "--data-dir", mnist,
        "--samples", 20_000, "--epochs", 1, "--model", model,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    assert accuracy_in(job.log("worker:0")) > 0.88
    assert_progress_reaches_the_end(job.log("worker:1"))
    assert model.exists()


def test_jax_processes_train_one_model_together(run_job, python_of, mnist, tmp_path):
    model = tmp_path / "digits.npz"
    job = run_job(
        "jax", {"worker": 2},
        python_of("jax"), "examples/jax/train_digits.py", "--data-dir", mnist, "--epochs", 1, "--model", model,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    assert accuracy_in(job.log("worker:0")) > 0.93
    assert_progress_reaches_the_end(job.log("worker:1"))
    assert model.exists()


def test_any_command_finds_its_role_and_its_peers(run_job):
    job = run_job("none", {"worker": 3}, "examples/any-command/share_work.sh", 3000)
    assert_succeeded(job, run_job)
    sums = []
    for index in range(3):
        log = job.log(f"worker:{index}")
        assert re.search(rf"^worker:{index} on \S+, ports .* <- me$", log, re.MULTILINE)
        sums.append(int(re.search(rf"^worker:{index} of 3 has the sum (\d+)$", log, re.MULTILINE).group(1)))
    assert sum(sums) == 3000 * 3001 * 6001 // 6


def test_a_job_whose_data_is_missing_fails_with_the_remedy(run_job, python_of, tmp_path):
    job = run_job("pytorch", {"worker": 2}, python_of("torch"), "examples/pytorch/train_mnist.py", "--data-dir", tmp_path / "nowhere")
    assert job.exit_code != 0
    run_job.assert_nothing_left_running()
    assert "train-images-idx3-ubyte is missing: download the data with tools/fetch_data.py mnist" in job.log("worker:0") + job.log("worker:1")


MXNET_SCRIPTS = {
    "train_mnist.py": (["--samples", 20_000, "--num-epochs", 2], 0.90),
    "train_feedforward.py": (["--samples", 20_000, "--num-epochs", 2], 0.90),
}


@pytest.mark.parametrize("script", MXNET_SCRIPTS)
def test_mxnet_workers_share_parameters_through_servers(run_job, python_of, mnist, tmp_path, script):
    options, bound = MXNET_SCRIPTS[script]
    job = run_job(
        "mxnet", {"worker": 2, "server": 2},
        python_of("mxnet"), f"examples/mxnet/{script}", "--kv-store", "dist_sync", "--data-dir", mnist,
        "--model-prefix", tmp_path / "mnist", "--disp-batches", 20, *options,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    logs = {log_rank(log): log for log in (job.log("worker:0"), job.log("worker:1"))}
    assert sorted(logs) == [0, 1], "each worker has a rank of its own"
    assert accuracy_in(logs[0]) > bound
    assert "samples/sec" in logs[1], "MXNet's own reports are in the log"
    assert_progress_reaches_the_end(logs[1])
    assert (tmp_path / "mnist-0002.params").exists()


@pytest.mark.parametrize(("workers", "servers"), [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)])
def test_mxnet_trains_with_every_number_of_workers_and_servers(run_job, python_of, mnist, workers, servers):
    job = run_job.mx(
        "--n", workers, "--s", servers, "--python", python_of("mxnet"),
        "examples/mxnet/train_mnist.py", "--kv-store", "sync", "--data-dir", mnist, "--samples", 8000, "--batch-size", 128 // workers,
        "--num-epochs", 1,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    ranks = sorted(log_rank(job.log(f"worker:{index}")) for index in range(workers))
    assert ranks == list(range(workers))
    assert accuracy_in(job.log("worker:0")) > 0.75


def test_mxnet_trains_a_residual_network_on_cifar10(run_job, python_of, cifar10, tmp_path):
    job = run_job(
        "mxnet", {"worker": 2, "server": 1},
        python_of("mxnet"), "examples/mxnet/train_cifar10.py", "--data-dir", cifar10, "--samples", 4000, "--num-epochs", 1,
        "--batch-size", 32, "--model-prefix", tmp_path / "cifar10", timeout=150,
    )  # fmt: skip
    assert_succeeded(job, run_job)
    logs = {log_rank(log): log for log in (job.log("worker:0"), job.log("worker:1"))}
    assert accuracy_in(logs[0]) > 0.15  # one in ten is chance
    assert (tmp_path / "cifar10-0001.params").exists()


def log_rank(log):
    """The rank the key-value store gave a worker: the order in which workers register decides, not their index."""
    return int(re.search(r"Node\[(\d+)\]", log).group(1))
