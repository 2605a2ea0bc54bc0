"""YARN as the fixture starts it: hosts with labels, and containers that end with their host."""

import json
import os
import select
import urllib.request

import pytest
from cluster_lib import processes, state
from shared import YARN_WITH_LABEL

pytestmark = pytest.mark.on_cluster(*YARN_WITH_LABEL)


def ask(cluster, path, body=None):
    """The ResourceManager's web service."""
    port = state.load(cluster.folder).port("resourcemanager1.http")
    request = urllib.request.Request(f"http://127.0.0.1:{port}/ws/v1/cluster/{path}", json.dumps(body).encode() if body else None,
                                     {"Content-Type": "application/json", "Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def wait_for_line(fifo):
    """What the task has written into a pipe: that it runs, and with which process id."""
    opened = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ready, _, _ = select.select([opened], [], [], 60)
        assert ready, "the container has not started within 60 s"
        return os.read(opened, 100).decode().strip()
    finally:
        os.close(opened)


def test_containers_end_with_their_host(clusters, tmp_path):
    cluster = clusters(*YARN_WITH_LABEL)
    (node,) = [node for node in ask(cluster, "nodes")["nodes"]["node"] if node.get("nodeLabels") == ["gpu"]]
    assert (node["state"], node["nodeHostName"]) == ("RUNNING", "127.0.0.4")

    os.mkfifo(tmp_path / "pid")
    # In a session of its own and with nothing in its environment, as a daemon would be.
    (tmp_path / "task").write_text(f"setsid env -i sh -c 'echo $$ > {tmp_path}/pid; exec sleep 600' & wait\n")
    application = ask(cluster, "apps/new-application", {"unused": ""})["application-id"]
    ask(cluster, "apps", {
        "application-id": application, "application-name": "a task", "max-app-attempts": 1, "am-container-node-label-expression": "gpu",
        "resource": {"memory": 128, "vCores": 1},
        "am-container-spec": {"commands": {"command": f"sh {tmp_path}/task"}}})
    task = int(wait_for_line(tmp_path / "pid"))
    assert processes.start_time(task) is not None

    cluster.run("kill-host", "3")
    assert processes.start_time(task) is None
    cluster.run("start-host", "3")
    assert len(ask(cluster, "nodes?states=RUNNING")["nodes"]["node"]) == 3
