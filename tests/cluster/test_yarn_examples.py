"""The examples on a real YARN cluster: the same scripts, the same options, and what they learn. On other clusters: make test-kinds."""

import os
import re
from pathlib import Path

import pytest

from installed import EXAMPLES, accuracy, mnist, output_of, python_of
from shared import YARN
from yarn_shell import job_id, jobs_on

# A first run may install the frameworks.
pytestmark = [pytest.mark.timeout(900), pytest.mark.on_cluster(*YARN)]


@pytest.fixture
def jobs(clusters, kind, tmp_path):
    return jobs_on(clusters(*YARN, *kind), tmp_path)


def roles(**counts):
    return [f"--role={name}={count}" for name, count in counts.items()]


@pytest.fixture
def uv(jobs, tmp_path):
    """Where jobs are submitted from there are uv and the Python that MXNet is for, and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "uv").symlink_to(python_of("uv").with_name("uv"))
    (folder / "python3.11").symlink_to("/usr/bin/python3.11")
    jobs.environment["PATH"] = str(folder)
    # Not the test's own: packages are downloaded once.
    jobs.environment["UV_CACHE_DIR"] = str(Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "ydl/uv")


def test_the_seeds_command_trains_mnist(jobs, uv):
    """--kv-store sync, --jar and all, and no word about a Python; the model is on HDFS afterwards."""
    out, err = jobs.mx("--n", 2, "--jobname", "MXNetOnYarn", "--jar", "ydl-mx.jar", "--file", f"{mnist()}=data",
                       "train_mnist.py", "--kv-store", "sync", "--data-dir", "data", "--num-epochs", 2, "--model-prefix", "mnist",
                       folder=EXAMPLES / "mxnet", timeout=400)  # fmt: skip
    assert "--jar ydl-mx.jar is not needed" in err and "--kv-store dist_sync" in err
    assert accuracy(out) > 0.93, out
    listed, _ = jobs.run("results", "ls", job_id(err), "--task", "worker:0")
    assert "worker-0/mnist-0002.params" in listed
    assert "building the Python environment of MXNet 1.9.1" in err
    (jobs.work / "version.py").write_text("import mxnet\nprint('it is', mxnet.__version__)\n")
    out, err = jobs.mx("--n", 1, "version.py")
    assert "[worker:0] it is 1.9.1" in out
    assert "building" not in err, "it is built once"
    uploaded = re.findall(r"uploaded ([\d.]+ \w+)", err)
    assert all(size.endswith(("B", "KiB")) and not size.endswith("MiB") for size in uploaded), "it is uploaded once"


def test_without_uv_mxnet_jobs_say_what_to_name_instead(jobs):
    _, err = jobs.mx("--n", 1, "train_mnist.py", folder=EXAMPLES / "mxnet", code=1)
    line = err.splitlines()[-1]
    assert "there is no uv on PATH" in line and "--python python3" in line and "--python-env" in line
    out, _ = jobs.mx("--n", 1, "--dry-run", "train_mnist.py", folder=EXAMPLES / "mxnet")
    assert "python environment: MXNet 1.9.1 (ydl's default)" in out


def test_the_other_seeds_options_name_the_resource_manager(jobs):
    """-hip where a configuration names the ResourceManager already changes nothing."""
    out, _ = jobs.mx("-hip", "127.0.0.1", "-n", 1, "-s", 1, "--yarn-scripts", "xxx/yarn/", "--python", python_of("mxnet"), "--file", f"{mnist()}=data",
                     "python", "train_mnist.py", "--kv-store", "dist_sync", "--data-dir", "data", "--samples", 8000, "--num-epochs", 1,
                     folder=EXAMPLES / "mxnet", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.75, out


def test_pytorch_workers_train_together(jobs):
    out, _ = jobs.run("run", "--framework", "pytorch", "--n", 2, "--python", python_of("torch"), "--file", f"{mnist()}=data", "--",
                      "train_mnist.py", "--data-dir", "data", "--epochs", 1, folder=EXAMPLES / "pytorch", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.9, out


def test_a_tensorflow_chief_ends_a_parameter_server_job(jobs):
    """Checkpoints lie on a disk that all hosts share: here one of this machine's."""
    checkpoints = jobs.work / "checkpoints"
    out, err = jobs.run("run", "--framework", "tensorflow", *roles(chief=1, worker=1, ps=1, evaluator=1), "--python", python_of("tensorflow"),
                        "--file", f"{mnist()}=data", "--", "train_mnist_ps.py", "--data-dir", "data", "--model-dir", checkpoints,
                        "--samples", 12_800, "--epochs", 2, "--model", "mnist.keras", folder=EXAMPLES / "tensorflow", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.88, out
    assert re.search(r"evaluated epoch 2/2: accuracy 0\.\d+", out), out
    assert "mnist.keras" in jobs.run("results", "ls", job_id(err), "--task", "chief:0")[0]


def test_tensorflow_mirrored_workers_train_together(jobs):
    out, _ = jobs.run("run", "--framework", "tensorflow", "--n", 2, "--python", python_of("tensorflow"), "--file", f"{mnist()}=data", "--",
                      "train_mnist_mirrored.py", "--data-dir", "data", "--samples", 20_000, "--epochs", 1, folder=EXAMPLES / "tensorflow", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.88, out


def test_jax_processes_train_together(jobs):
    out, _ = jobs.run("run", "--framework", "jax", "--n", 2, "--python", python_of("jax"), "--file", f"{mnist()}=data", "--",
                      "train_digits.py", "--data-dir", "data", "--epochs", 1, folder=EXAMPLES / "jax", timeout=400)  # fmt: skip
    assert accuracy(out) > 0.93, out


def test_native_workers_and_servers_train_together(jobs):
    """No Python anywhere: the program and its libraries are uploaded."""
    native = Path(output_of("make", "--silent", "-C", str(EXAMPLES / "mxnet-native")))
    out, _ = jobs.mx("--n", 2, "--s", 1, "--file", f"{mnist()}=data", "--env", "PATH=/nowhere", "./train_mnist_native", "--kv-store", "dist_sync",
                     "--data-dir", "data", "--samples", 12800, "--num-epochs", 1, folder=native, timeout=400)  # fmt: skip
    assert float(re.findall(r"[Vv]alidation-accuracy=([\d.]+)", out)[-1]) > 0.85, out
