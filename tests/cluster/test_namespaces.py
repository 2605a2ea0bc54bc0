"""The network of a cluster in namespaces: it is there while one process is, and leaves nothing behind."""

import json
import os
import socket
import subprocess
import sys

import pytest
from hdfs_files import eventually
from people import needs_network
from programs import REPOSITORY

from cluster_lib import network

pytestmark = needs_network


@pytest.fixture
def held(tmp_path):
    """The process that holds a network of two hosts, the subnet, and the namespaces by their names."""
    subnet, file = network.choose_subnet(), tmp_path / "namespaces.json"
    process = subprocess.Popen([sys.executable, "-m", "cluster_lib.network", file, subnet, "2"], env={**os.environ, "PYTHONPATH": str(REPOSITORY / "testing")})
    eventually(file.exists, "the network is made")
    yield process, subnet, json.loads(file.read_text())
    process.kill()
    process.wait()


def interfaces():
    return {name for _, name in socket.if_nameindex()}


def test_hosts_reach_each_other_and_clients_reach_them(held):
    process, subnet, made = held
    assert list(made) == ["switch", "masters", "host1", "host2"]
    listen = "import socket, sys; s = socket.create_server((sys.argv[1], 7)); print('up', flush=True); [s.accept()[0].sendall(b'!') for _ in range(2)]"
    host = subprocess.Popen(["nsenter", f"--net=/proc/{process.pid}/fd/{made['host2']}", sys.executable, "-c", listen, f"{subnet}.4"], stdout=subprocess.PIPE)
    assert host.stdout.readline() == b"up\n"
    call = f"import socket; print(socket.create_connection(('{subnet}.4', 7), timeout=10).recv(1))"
    for words in ([], ["nsenter", f"--net=/proc/{process.pid}/fd/{made['host1']}"]):
        assert subprocess.run([*words, sys.executable, "-c", call], capture_output=True, text=True, timeout=30).stdout == "b'!'\n"
    assert host.wait(10) == 0


def test_clusters_that_start_at_the_same_moment_choose_different_networks(monkeypatch):
    monkeypatch.setattr(network.random, "shuffle", lambda subnets: None)
    assert network.choose_subnet() != network.choose_subnet()


def test_nothing_is_left_when_the_process_is_killed(held):
    process, subnet, _ = held
    (cable,) = [name for name in interfaces() if name == f"ydl{process.pid}"]
    process.kill()
    process.wait()
    eventually(lambda: cable not in interfaces(), "the clients' end of the cable is gone")
    routes = subprocess.run(["ip", "-4", "route"], capture_output=True, text=True, check=True).stdout
    assert f"{subnet}." not in routes
