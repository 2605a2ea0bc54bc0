"""Checkpoints on a real YARN cluster: what is saved while a task runs, and where the next attempt continues from."""

import json
import os

import pytest
from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)

# Each task waits at a pipe of its own until the test has seen what it must see.
TRAIN = """\
import os, pathlib, sys

def parent(pid):
    return int(open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[1])

results, restore = pathlib.Path(os.environ["YDL_RESULTS_DIR"]), os.environ.get("YDL_RESTORE_DIR")
index, attempt = os.environ["YDL_INDEX"], os.environ["YDL_ATTEMPT"]
found = {path.name: path.read_text() for path in sorted(pathlib.Path(restore).iterdir())} if restore else None
print("restored", found, restore == str(results), sorted(os.listdir(".")), flush=True)
if attempt == "1":
    WRITE
    order = open(sys.argv[1] + index).read()
    if order == "die":
        os.kill(parent(os.getppid()), 9)
    assert order == "end", order
"""
WRITES_ONE = """if index == "0":
        (results / "model.tmp").write_text("step 5")
        os.replace(results / "model.tmp", results / "model.pt")
        pathlib.Path("made").write_text("in the working directory")
        half = open(results / "half", "w")
        half.write("not all")
        half.flush()
        print("::checkpoint of step 5", flush=True)"""


class Training:
    """A job whose tasks do as they are told."""

    def __init__(self, jobs, writes, count, save_every, more=""):
        self.jobs = jobs
        (jobs.work / "train.py").write_text(TRAIN.replace("WRITE", writes))
        for index in range(count):
            if not (jobs.work / f"gate{index}").exists():
                os.mkfifo(jobs.work / f"gate{index}")
        (jobs.work / ".ydlignore").write_text("gate*\n")
        (jobs.work / "job.yaml").write_text(f"""\
version: 1
name: train
save_every: {save_every}
{more}
blacklist: {{failures: 1, forget: 10m}}
roles: {{worker: {{count: {count}, resources: {{memory: 256m}}, command: [train.py, {jobs.work}/gate]}}}}
""")
        self.id = jobs.run("submit", "--detach", "job.yaml")[0].split()[-1]

    def tell(self, index, order):
        (self.jobs.work / f"gate{index}").write_text(order)

    def read(self, path):
        """A file of the job's folder; nothing while it is not there."""
        process = self.jobs.start("fs", "cat", f"{self.jobs.root}/{self.id}/{path}")
        out, _ = process.communicate(timeout=60)
        return out if process.returncode == 0 else None

    def saved(self, task, *names):
        """The manifest of the task's last save, once it has these files."""

        def look():
            text = self.read(f"saves/{task}/manifest.json")
            manifest = text and json.loads(text)
            return manifest and {file["path"] for file in manifest["files"]} == set(names) and manifest

        return eventually(look, f"a save of {task} with {names}")

    def events(self, kind, task):
        out, _ = self.jobs.run("events", "--output", "json", self.id)
        return [event for event in map(json.loads, out.splitlines()) if event["kind"] == kind and event.get("task") == task]

    def restored(self, task, attempt):
        """What the attempt has printed."""

        def look():
            process = self.jobs.start("logs", "--attempt", attempt, self.id, task)
            lines = [line for line in process.communicate(timeout=60)[0].splitlines() if "restored" in line]
            return lines and lines[0].partition("restored ")[2]

        return eventually(look, f"what attempt {attempt} of {task} prints")

    def wait(self):
        self.jobs.wait_for(self.id, "job_succeeded")


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*YARN), tmp_path)


def test_the_next_attempt_of_a_lost_task_continues_from_its_checkpoint(jobs):
    job = Training(jobs, WRITES_ONE, 2, "10m")
    manifest = job.saved("worker-0", "model.pt", "made")
    assert manifest["attempt"] == 1
    job.tell(1, "die")
    saved = "{'made': 'in the working directory', 'model.pt': 'step 5'}"
    assert job.restored("worker:1", 2) == f"{saved} False ['.ydlignore', 'job.yaml', 'train.py']", "of worker:0, in a folder of its own"
    job.tell(0, "die")
    assert job.restored("worker:0", 2) == f"{saved} True ['.ydlignore', 'job.yaml', 'made', 'model.pt', 'train.py']", "linked as results are"
    job.wait()
    first, second = (event["text"] for event in job.events("task_placed", "worker:0"))
    assert first != second
    assert job.read("results/worker-0/model.pt") == "step 5"
    assert job.read("saves/worker-0/manifest.json") is None, "the results are saved"
    assert "worker-0" not in jobs.run("fs", "ls", f"{jobs.root}/{job.id}/saves")[0]


def test_a_file_is_saved_when_it_is_closed_and_has_not_changed_for_a_while(jobs):
    writes = '(results / "a").write_text("1"); half = open(results / "b", "w"); half.write("2"); half.flush()'
    job = Training(jobs, writes, 1, "1s")
    job.saved("worker-0", "a")
    eventually(lambda: " SAVED " in jobs.run("status", job.id)[0], "the age of the save")
    job.tell(0, "end")
    job.wait()
    assert job.read("results/worker-0/b") == "2"


def test_a_job_continues_from_another_one(jobs):
    first = Training(jobs, WRITES_ONE, 1, "10m")
    first.tell(0, "end")
    first.wait()
    second = Training(jobs, "pass", 2, "10m", f"restore_from: {first.id}")
    for index in (0, 1):
        assert "'model.pt': 'step 5'" in second.restored(f"worker:{index}", 1)
        second.tell(index, "end")
    second.wait()
    err = jobs.run("run", "--restore-from", "train-0000", *SMALL, "--", "train.py", code=2)[1]
    assert "train-0000" in err and "ydl ls" in err
