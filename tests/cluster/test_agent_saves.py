"""Saves of an agent against a real HDFS: what they leave when something goes wrong."""

import pytest
from hdfs_files import eventually
from test_agent_hdfs import WAIT, make_stage

WRITES = """
import pathlib, sys
results = pathlib.Path(sys.argv[1])
(results / "model").write_text("step 1")
print("::checkpoint", flush=True)
"""
LOOKS = """
import os, pathlib
restore = os.environ.get("YDL_RESTORE_DIR")
print({path.name: path.read_text() for path in pathlib.Path(restore).iterdir()} if restore else None)
"""


@pytest.fixture
def stage(cluster, folder, tmp_path):
    stage = make_stage(cluster, folder, tmp_path)
    yield stage
    stage.close()


@pytest.fixture
def saves(stage):
    return f"{stage.folder}/saves/worker-0"


def fields(stage, saves):
    own = {"saves": saves, "results": f"{stage.folder}/results/worker-0"}
    return {"remote_saves": saves, "save_every": 600_000, "restore": [own]}


def save_and_lose(stage, saves, agent):
    """A task whose agent is killed once the save is on HDFS."""
    stage.prepare(**fields(stage, saves))
    stage.launch(WRITES + WAIT)
    stage.master.wait_for("saved")
    agent.end()


def printed(stage, saves, attempt):
    stage.run(LOOKS, attempt, **fields(stage, saves))
    return stage.hdfs.read(f"{stage.folder}/logs/{attempt}/stdout").decode().strip()


def test_a_save_that_was_interrupted_is_not_used_and_the_one_before_it_is(stage, saves):
    save_and_lose(stage, saves, stage.agent())
    stage.hdfs("put", "-", f"{saves}/1-2-model", stdin=b"half of st")
    stage.agent(name="container_2")
    assert printed(stage, saves, 2) == "{'model': 'step 1'}"
    assert "its last save was interrupted" in stage.master.wait_for("note", 2)["text"]
    assert stage.hdfs.read(f"{saves}/manifest.json") is None


def test_a_damaged_manifest_is_told_and_what_else_there_is_counts(stage, saves):
    save_and_lose(stage, saves, stage.agent())
    stage.hdfs("rm", f"{saves}/manifest.json")
    stage.hdfs("put", "-", f"{saves}/manifest.json", stdin=b'{"version":1,"task":"wor')
    stage.agent(name="container_2")
    assert printed(stage, saves, 2) == "None"
    assert "cannot be used" in stage.master.wait_for("note", 2)["text"]


def test_an_hdfs_that_takes_nothing_is_told_once_and_the_task_goes_on(stage):
    agent = stage.agent()
    forbidden = "/not-for-ann/worker-0"
    stage.prepare(**{**fields(stage, forbidden), "save_every": 1000, "restore": []})
    stage.launch(WRITES + WAIT)
    assert "its files cannot be saved to HDFS right now" in stage.master.wait_for("note")["text"]
    eventually(lambda: agent.log.count("/not-for-ann") >= 3, "two more tries")
    assert len(stage.master.notes()) == 1
    stage.master.send("stop", grace=20000)
    assert stage.master.wait_for("exited")["problem"] == "", "the results are saved elsewhere"


@pytest.mark.parametrize("waits_for", ["save", "input"])
def test_a_task_that_is_prepared_while_the_namenode_is_away_waits_for_it(cluster, stage, saves, waits_for):
    save_and_lose(stage, saves, stage.agent())
    stage.hdfs("put", "-", f"{stage.folder}/input", stdin=b"what it needs")
    inputs = {"inputs": [{"path": f"{stage.folder}/input", "name": "input"}]} if waits_for == "input" else {}
    stage.agent(name="container_2", **{"ipc.client.connect.max.retries": "1"})
    cluster.run("kill", "namenode1")
    try:
        stage.prepare(2, **fields(stage, saves), **inputs)
        note = stage.master.wait_for("note", 2)["text"]
    finally:
        cluster.run("start", "namenode1")
    assert "cannot be downloaded from HDFS right now" in note
    stage.launch(LOOKS, 2)
    stage.master.wait_for("exited", 2)
    assert stage.hdfs.read(f"{stage.folder}/logs/2/stdout").decode().strip() == "{'model': 'step 1'}"
    assert not [report for report in stage.master.reports if report["type"] == "prepare_failed"]
    assert len([text for text in stage.master.notes() if "cannot be downloaded" in text]) == 1
