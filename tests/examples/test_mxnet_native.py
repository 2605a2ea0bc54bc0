"""MXNet without Python: the native example, and any program, in every role of a job."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import REPOSITORY
from jobs import accuracy_in

# The first run builds the example and may install MXNet.
pytestmark = pytest.mark.timeout(600)

NATIVE = REPOSITORY / "examples/mxnet-native"


@pytest.fixture(scope="session")
def native():
    """The folder with the program and its libraries."""
    done = subprocess.run(["make", "--silent", "-C", NATIVE], stdout=subprocess.PIPE, text=True, check=True)
    return Path(done.stdout.splitlines()[-1])


@pytest.fixture
def moved(native, tmp_path):
    """The same folder elsewhere, under a path that nothing was linked with."""
    return Path(shutil.copytree(native, tmp_path / "moved", copy_function=link_or_copy))


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)


def succeeded(job, runner):
    assert job.exit_code == 0, job.output
    runner.assert_nothing_left_running()
    return job


def worker_logs(job, count):
    """{rank: log}: the order in which workers register decides on their ranks, not their index."""
    logs = [job.log(f"worker:{index}") for index in range(count)]
    return {int(re.search(r"Node\[(\d+)\]", log).group(1)): log for log in logs}


def test_native_workers_and_servers_train_lenet_together(run_job, native, mnist, tmp_path):
    """No Python is on the tasks' PATH, nor anything else."""
    job = run_job.mx(
        "--n", 2, "--s", 1, "--env", "PATH=/nowhere",
        "./train_mnist_native", "--kv-store", "dist_sync", "--data-dir", mnist, "--samples", 12_800, "--num-epochs", 1,
        "--disp-batches", 20, "--model-prefix", tmp_path / "mnist", folder=native,
    )  # fmt: skip
    succeeded(job, run_job)
    logs = worker_logs(job, 2)
    assert sorted(logs) == [0, 1], "each worker has a rank of its own"
    assert accuracy_in(logs[0]) > 0.88
    assert "accuracy: " not in logs[1]
    for log in logs.values():
        assert re.search(r"Epoch\[0\] Batch \[20-40\]\tSpeed: [\d.]+ samples/sec\taccuracy=0\.\d+$", log, re.MULTILINE)
        assert re.search(r"Epoch\[0\] Validation-accuracy=0\.\d+$", log, re.MULTILINE)
        assert re.findall(r"^::progress (\S+)", log, re.MULTILINE)[-1] == "1.000"


def test_each_language_reads_the_others_model(run_job, native, python_of, mnist, tmp_path):
    """Nothing is left to train, so that both must find the same accuracy in the same model."""
    prefix = tmp_path / "model/mnist"
    options = ["--network", "lenet", "--data-dir", mnist, "--samples", 1280, "--num-epochs", 1, "--model-prefix", prefix]
    in_python = [python_of("mxnet"), REPOSITORY / "examples/mxnet/train_mnist.py", *options]
    natively = [native / "train_mnist_native", *options]
    for trainer, other in ((in_python, natively), (natively, in_python)):
        trained = alone(trainer)
        # One image in ten thousand may fall to the other side by rounding.
        assert alone([*other, "--load-epoch", 1]) == pytest.approx(trained, abs=0.00011)


def alone(command):
    """Runs a trainer without a launcher and returns the accuracy it printed."""
    environment = {**{name: value for name, value in os.environ.items() if name != "DMLC_ROLE"}, "OMP_NUM_THREADS": "1"}
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return accuracy_in(done.stdout)


def test_servers_update_the_parameters_as_a_local_store_does(run_job, native, mnist, tmp_path):
    """One worker with its parameters cut to pieces on two servers learns, bit by bit, what it learns alone."""
    task = [native / "train_mnist_native", "--network", "mlp", "--data-dir", mnist, "--samples", 2560, "--num-epochs", 1]
    variables = ["--env", "OMP_NUM_THREADS=1", "--env", "MXNET_KVSTORE_BIGARRAY_BOUND=1000"]
    job = run_job.mx("--n", 1, "--s", 2, *variables, *task, "--model-prefix", tmp_path / "distributed")
    succeeded(job, run_job)
    alone([*task, "--model-prefix", tmp_path / "alone"])
    assert (tmp_path / "distributed-0001.params").read_bytes() == (tmp_path / "alone-0001.params").read_bytes()


def test_the_folder_has_its_libraries(moved):
    listed = subprocess.run(["ldd", moved / "train_mnist_native"], capture_output=True, text=True, check=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE))
    of_the_c_library = re.compile(r"lib(c|m|dl|rt|pthread)\.so\.\d+")
    elsewhere = {name: path for name, path in found.items() if not of_the_c_library.fullmatch(name) and Path(path).parent != moved}
    assert "libmxnet.so" in found
    assert not elsewhere


def test_a_native_job_whose_data_is_missing_fails_with_the_remedy(run_job, native, tmp_path):
    job = run_job.mx("--n", 2, "--s", 1, "./train_mnist_native", "--data-dir", tmp_path / "nowhere", folder=native)
    assert job.exit_code == 1
    run_job.assert_nothing_left_running()
    assert f"{tmp_path}/nowhere/train-images-idx3-ubyte is missing: download the data with tools/fetch_data.py mnist" in job.output


def test_a_shell_command_runs_in_each_role(run_job, tmp_path):
    # The workers end when the server has spoken: when they are done, it is stopped.
    script = """
        echo "$YDL_ROLE:$YDL_INDEX here"
        if [ "$YDL_ROLE" = server ]; then touch "$1"; exec sleep 600; fi
        until [ -e "$1" ]; do sleep 0.05; done
    """
    job = run_job("none", {"worker": 2, "server": 1}, "sh", "-c", script, "sh", tmp_path / "server-is-here")
    succeeded(job, run_job)
    for task in ("worker:0", "worker:1", "server:0"):
        assert job.log(task).splitlines() == [f"{task} here"]


def test_each_role_has_a_program_of_its_own(run_job, native, mnist, tmp_path):
    """The servers are started through a shell, the workers directly; the server needs none of the workers' options."""
    job_file = tmp_path / "job.yaml"
    program = native / "train_mnist_native"
    job_file.write_text(f"""\
version: 1
framework: mxnet
roles:
  worker:
    count: 1
    command: [{program}, --network, mlp, --data-dir, {mnist}, --samples, "2560", --num-epochs, "1", --model-prefix, {tmp_path}/mnist]
  server:
    count: 1
    command: [sh, -c, 'echo "a server"; exec {program}']
""")
    job = succeeded(run_job.submit(job_file), run_job)
    assert accuracy_in(job.log("worker:0")) > 0.7
    assert "a server" in job.log("server:0")
