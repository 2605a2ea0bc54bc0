"""Tasks in an image that the agent starts with podman, and agents that are not in the image they should be in."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from programs import REPOSITORY
from hdfs_files import eventually
from images import IMAGE, ULIMITS, Podman, make_root
from scripted_master import ContainedAgent, ScriptedMaster

YDL = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / "ydl"
OPTIONS = [word for limit in ULIMITS for word in ("--ulimit", limit)]


@pytest.fixture(scope="module")
def podman(tmp_path_factory):
    """Variables under which podman has the image and nothing else."""
    folder = tmp_path_factory.mktemp("podman")
    podman = Podman(folder)
    make_root(folder / "root")
    podman.make_image(IMAGE, folder / "root")
    yield podman.variables
    podman.close()


@pytest.fixture
def stage(podman, monkeypatch, tmp_path):
    for name, value in podman.items():
        monkeypatch.setenv(name, value)
    stage = Stage(tmp_path)
    yield stage
    stage.close()


class Stage:
    def __init__(self, path):
        self.master = ScriptedMaster()
        self.path = path / f"container_{path.name}"
        self.agent = None

    def start(self, *options, above=()):
        self.agent = ContainedAgent(YDL, self.path, self.master, {}, *options, above=above)

    def prepare(self, image=IMAGE, pull="missing", **fields):
        self.master.send("prepare", working_directory="work", results_directory="results", log_directory="worker-0",
                         image={"runtime": "podman", "image": image, "options": OPTIONS, "network": "host", "pull": pull}, **fields)

    def launch(self, script, **env):
        self.master.wait_for("prepared")
        self.master.send("launch", argv=["sh", "-c", script, "sh", "{results}"], env=env)
        self.master.wait_for("started")

    def output(self, stream="stdout"):
        return (self.path / "logs/worker-0" / stream).read_text()

    def close(self):
        if self.agent:
            self.agent.end()
        self.master.close()


def processes_with(variable):
    """By their environment: the command lines of a container's processes are the image's own affair."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if variable.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                found.append(Path(f"/proc/{pid}/comm").read_text().strip())
        except OSError:
            continue
    return found


def test_a_task_runs_in_its_image_with_its_files_and_variables(stage):
    stage.start()
    given = stage.path / "given"
    given.mkdir(parents=True, exist_ok=True)
    (given / "data").write_text("shipped\n")
    stage.prepare(linked_directory="given")
    stage.launch('cat /etc/which-system data; echo "$SAID"; touch here "$1/there"; exit 7', SAID="a b'c\"d")
    exited = stage.master.wait_for("exited")
    assert (exited["status"]["code"], stage.output()) == (7, "the image\nshipped\na b'c\"d\n"), stage.output("stderr")
    assert sorted(path.name for path in (stage.path / "results").iterdir()) == ["here", "there"]
    assert subprocess.run(["podman", "ps", "-aq"], capture_output=True, text=True, check=True).stdout == "", "its record is gone"


def test_a_task_in_an_image_finds_the_token_file_and_cannot_change_it(stage):
    stage.start()
    stage.prepare()
    stage.launch('cat "$HADOOP_TOKEN_FILE_LOCATION"; echo more >> "$HADOOP_TOKEN_FILE_LOCATION"')
    stage.master.wait_for("exited")
    assert stage.output().startswith("HDTS"), stage.output("stderr")
    assert "Read-only file system" in stage.output("stderr")


def test_a_task_in_an_image_is_stopped_with_grace(stage):
    stage.start()
    stage.prepare()
    stage.launch("trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.1; done")
    eventually(lambda: "up" in stage.output(), "the task runs")
    stage.master.send("stop", grace=60000)
    assert stage.master.wait_for("exited")["status"]["code"] == 3
    assert stage.output().endswith("bye\n")


def test_nothing_in_an_image_outlives_a_killed_agent(stage, tmp_path):
    stage.start()
    stage.prepare()
    stage.launch("sleep 1000 & echo up; wait", YDL_TEST_MARK=str(tmp_path))
    eventually(lambda: "up" in stage.output(), "the task runs")
    mark = f"YDL_TEST_MARK={tmp_path}"
    assert "sleep" in processes_with(mark)
    stage.agent.process.send_signal(signal.SIGKILL)
    eventually(lambda: not processes_with(mark), "the end of all in the container")


@pytest.mark.parametrize("pull, sentence", [
    ("never", "podman has no image localhost/no-such:1 on "),
    ("missing", " could not fetch the image localhost/no-such:1: Error: "),
])
def test_an_image_that_does_not_exist_is_one_sentence(stage, pull, sentence):
    stage.start()
    stage.prepare(image="localhost/no-such:1", pull=pull)
    reason = stage.master.wait_for("prepare_failed")["reason"]
    assert sentence in reason and "\n" not in reason


def test_a_nodemanager_that_ignored_the_image_is_found_out(stage, tmp_path):
    java = tmp_path / "java"  # the name is what counts
    java.symlink_to(shutil.which("sh"))
    stage.start("--expect-image", "python:3", above=(java, "-c", '"$0" "$@"; exit $?'))
    stage.prepare()
    assert "ignored the image python:3: this container runs outside of it" in stage.master.wait_for("prepare_failed")["reason"]
