"""Jobs inside images: podman started by the agents of a real YARN cluster, and of this machine."""

import os

import pytest
from images import ENTERED, IMAGE, Podman, add_entry_point, add_python, make_root
from installed import EXAMPLES, accuracy, mnist, python_of
from shared import YARN
from yarn_shell import SMALL, jobs_on

pytestmark = [pytest.mark.timeout(900), pytest.mark.on_cluster(*YARN, "images")]


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    folder = tmp_path_factory.mktemp("podman")
    podman = Podman(folder)
    make_root(folder / "root")
    add_python(folder / "root", python_of("mxnet").parents[1])
    podman.make_image(IMAGE, folder / "root")
    make_root(folder / "entered")
    podman.make_image(ENTERED, folder / "entered", add_entry_point(folder / "entered"))
    yield podman
    podman.close()


@pytest.fixture
def jobs(clusters, kind, podman, tmp_path):
    variables = ",".join(f"{name}={value}" for name, value in podman.variables.items())
    return jobs_on(clusters(*YARN, *kind, "--set", f"yarn.nodemanager.admin-env={variables}"), tmp_path)


@pytest.fixture
def job_file(tmp_path):
    """The MXNet example as a file beside its scripts, for any cluster."""
    environment = python_of("mxnet").parents[1]
    folder = tmp_path / "example"
    folder.mkdir()
    for script in (EXAMPLES / "mxnet").glob("*.py"):
        (folder / script.name).write_bytes(script.read_bytes())
    path = folder / "mnist.yaml"
    path.write_text(f"""
version: 1
framework: mxnet
command: python train_mnist.py --kv-store dist_sync --data-dir data --num-epochs 2
image: {IMAGE}
image_runtime: podman
image_pull: never
image_mounts: [{environment}:{environment}]
files: [{{source: {mnist()}, name: data}}]
roles: {{worker: {{count: 2}}, server: {{count: 1}}}}
""")
    return path


def test_an_example_trains_in_an_image_on_the_cluster_as_it_does_here(jobs, job_file, podman):
    out, _ = jobs.run("submit", job_file, timeout=400)
    assert "the Python of the image" in out
    on_the_cluster = accuracy(out)
    jobs.environment.update(podman.variables, PATH=os.environ["PATH"])
    out, _ = jobs.run("submit", "--cluster", "local", job_file, timeout=400)
    assert "the Python of the image" in out
    assert on_the_cluster > 0.93 and accuracy(out) > 0.93, (on_the_cluster, out)
    assert podman.run("ps", "-aq") == b"", "nothing is left of the containers"


def test_an_image_that_is_nowhere_is_one_sentence(jobs, podman):
    words = ("run", "--retries", 0, *SMALL, "--image", "localhost/no-such:1", "--image-runtime", "podman")
    out, _ = jobs.run(*words, "--", "sh", "-c", "true", code=1)
    assert "could not fetch the image localhost/no-such:1: Error: " in out
    jobs.environment.update(podman.variables, PATH=os.environ["PATH"])
    out, _ = jobs.run(*words, "--cluster", "local", "--", "sh", "-c", "true", code=1)
    assert "could not fetch the image localhost/no-such:1: Error: " in out


@pytest.mark.parametrize("wish, seen", [("", "by the entry point"), ("image_entry_point: true", "by the entry point"), ("image_entry_point: false", "by no entry point")])
def test_podman_runs_the_entry_point_unless_the_command_is_to_run_alone(jobs, podman, wish, seen):
    path = jobs.work / "job.yaml"
    path.write_text(f"version: 1\ncommand: [sh, -c, 'echo by ${{ENTERED_BY:-no entry point}}']\nimage: {ENTERED}\nimage_runtime: podman\n{wish}\nroles: {{worker: {{}}}}\n")
    jobs.environment.update(podman.variables, PATH=os.environ["PATH"])
    out, _ = jobs.run("submit", "--cluster", "local", path)
    assert f"[worker:0] {seen}" in out


def test_a_machine_without_podman_is_reported(jobs):
    """The shell of these tests has nothing on its PATH."""
    _, err = jobs.run("run", "--cluster", "local", "--image", IMAGE, "--", "sh", "-c", "true", code=1)
    assert "neither podman nor docker is on PATH to run the image" in err
    _, err = jobs.run("run", "--cluster", "local", "--image", IMAGE, "--image-runtime", "docker", "--", "sh", "-c", "true", code=1)
    assert "docker is not installed on this machine" in err


def test_a_nodemanager_that_ignores_the_image_is_found_out(jobs):
    """This cluster's NodeManagers have no Docker runtime: they would run the task outside of its image."""
    out, _ = jobs.run("run", "--retries", 0, *SMALL, "--image", IMAGE, "--", "sh", "-c", "echo ran", code=1)
    assert f"ignored the image {IMAGE}: this container runs outside of it" in out and "--image-runtime podman" in out
    assert "[worker:0] ran" not in out
