"""Images that NodeManagers run: Hadoop's own Docker runtime, with testing/container_executor below it."""

import pytest
from images import ENTERED, IMAGE, OF_LAUNCH_SCRIPTS, PROGRAMS, Podman, add_entry_point, add_python, make_root
from installed import EXAMPLES, accuracy, mnist, python_of
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, job_id, jobs_on

pytestmark = [pytest.mark.timeout(900), pytest.mark.on_cluster(*YARN, "docker")]
TELLS = "cat /etc/which-system data.txt; echo by $ENTERED_BY, in $(pwd); echo done > $YDL_RESULTS_DIR/done"


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    folder = tmp_path_factory.mktemp("podman")
    podman = Podman(folder)
    make_root(folder / "root", PROGRAMS + OF_LAUNCH_SCRIPTS)
    add_python(folder / "root", python_of("mxnet").parents[1])
    podman.make_image(IMAGE, folder / "root")
    make_root(folder / "entered")  # without bash
    podman.make_image(ENTERED, folder / "entered", add_entry_point(folder / "entered"))
    podman.options = podman.of_node_managers(folder)
    yield podman
    podman.close()


@pytest.fixture
def jobs(clusters, kind, podman, tmp_path):
    return jobs_on(clusters(*YARN, *kind, *podman.options), tmp_path)


@pytest.fixture
def submit(jobs):
    """A job whose file says this of its image."""

    def submit(command, image, count=2, code=0, wait=True):
        (jobs.work / "data.txt").write_text("shipped\n")
        path = jobs.work / "job.yaml"
        path.write_text(f"version: 1\ncommand: [sh, -c, '{command}']\n{image}\nroles: {{worker: {{count: {count}, resources: {{memory: 128m}}}}}}\n")
        return jobs.run("submit", path, *([] if wait else ["--detach"]), code=code)

    return submit


def nothing_is_left(podman):
    eventually(lambda: podman.run("ps", "-aq") == b"", "the NodeManagers have removed their containers")


def test_an_example_trains_in_an_image(jobs, podman):
    environment = python_of("mxnet").parents[1]
    for script in (EXAMPLES / "mxnet").glob("*.py"):
        (jobs.work / script.name).write_bytes(script.read_bytes())
    out, _ = jobs.mx("--n", "2", *SMALL, "--image", IMAGE, "--image-mount", f"{environment}:{environment}", "--file", f"{mnist()}=data",
                     "train_mnist.py", "--kv-store", "dist_sync", "--data-dir", "data", "--num-epochs", "2", timeout=400)  # fmt: skip
    assert "the Python of the image" in out
    assert accuracy(out) > 0.93, out
    nothing_is_left(podman)


def test_bash_runs_the_job_unless_the_entry_point_is_wished(jobs, submit, podman):
    out, _ = submit(TELLS, f"image: {IMAGE}")
    assert out.count("] the image\n") == 2 and out.count("] shipped\n") == 2
    assert "by , in /" in out
    nothing_is_left(podman)


def test_an_entry_point_needs_no_bash_and_finds_all_files(jobs, submit, podman):
    out, _ = submit(TELLS, f"image: {ENTERED}\nimage_entry_point: true")
    assert out.count("] the image\n") == 2 and out.count("] shipped\n") == 2
    assert "by the entry point, in /" in out and "in /elsewhere" not in out
    listed, _ = jobs.run("results", "ls", out.split(":")[-1].split("/")[-2])
    assert listed.count("done") == 2, listed
    nothing_is_left(podman)


def test_an_image_without_bash_is_told_what_to_do(submit):
    out, _ = submit("true", f"image: {ENTERED}\nretries: 0", count=1, code=1)
    assert f"starts an image with bash, which {ENTERED} may not contain; set image_entry_point: true" in out
    assert "Exception from container-launch" not in out


def test_an_image_that_is_nowhere_fails_with_dockers_words(submit, podman):
    out, _ = submit("true", "image: localhost/no-such:1\nretries: 0", count=1, code=1)
    assert "localhost/no-such:1" in out.rsplit("failed after", 1)[1]
    nothing_is_left(podman)


@pytest.mark.parametrize("image", [f"image: {IMAGE}", f"image: {ENTERED}\nimage_entry_point: true"], ids=["bash", "entry-point"])
def test_a_job_that_is_killed_leaves_no_container(jobs, submit, podman, image):
    out, err = submit("echo up; sleep 1000", image, wait=False)
    job = job_id(out + err)
    jobs.wait_for(job, "job_running")
    assert podman.run("ps", "-q") != b""
    jobs.run("kill", job)
    nothing_is_left(podman)
