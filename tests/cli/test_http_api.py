"""The running job's HTTP API, as a program other than ydl sees it."""

import contextlib
import json
import os
import socket
import stat
import time
from pathlib import Path

import pytest

from harness import EVENT_LIMIT, eventually

ROUTES = [
    ("GET", "/v1/job"), ("GET", "/v1/events"), ("GET", "/v1/tasks/worker:0/logs"), ("POST", "/v1/job/stop"),
    ("POST", "/v1/agents/local/hello"), ("POST", "/v1/agents/local/exchange"),
    ("GET", "/"), ("GET", "/v1/no/such/thing"), ("DELETE", "/v1/job"),
]  # fmt: skip


@pytest.fixture
def job(ydl):
    job = ydl.detach("--n", "2", "--", "sh", "-c", "echo from $YDL_INDEX; echo aside >&2; exec sleep 600").running()
    job.wait_for_line("from 0")
    yield job
    if ydl.listed()[job.id]["state"] == "running":
        job.kill()


def assert_unhurt(job):
    status, body = job.call("GET", "/v1/job")
    assert (status, json.loads(body)["state"]) == (200, "running")


# ---- the secret ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "target"), ROUTES)
def test_a_call_without_the_secret_is_refused(job, method, target):
    status, body = job.call(method, target, body="{}" if method == "POST" else None, secret=None)
    assert status == 401
    assert "Authorization: Bearer SECRET" in json.loads(body)["error"]
    assert_unhurt(job)


@pytest.mark.parametrize(("method", "target"), ROUTES)
def test_a_call_with_a_wrong_secret_is_refused(job, method, target):
    right = job.endpoint()["secret"]
    for wrong in ("0" * 32, right[:-1], right + "0", right.upper() + " ", ""):
        status, _ = job.call(method, target, body="{}" if method == "POST" else None, secret=None, headers={"Authorization": f"Bearer {wrong}"})
        assert status == 401, wrong
    for header in (f"Basic {right}", right, f"bearer{right}"):
        status, _ = job.call(method, target, secret=None, headers={"Authorization": header})
        assert status == 401, header
    assert_unhurt(job)


def listening_sockets(pid):
    """The ports on which a process listens: the inodes of its sockets against /proc/net/tcp."""
    if os.geteuid() != 0:
        pytest.skip("only root sees which sockets the master has")
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.add(os.readlink(descriptor).removeprefix("socket:[").rstrip("]"))
    # Lines of /proc/net/tcp: number, local address, remote address, state, ..., inode; 0A is listening.
    lines = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [line[1] for line in lines if line[3] == "0A" and line[9] in inodes]


def test_a_job_on_this_machine_has_no_port(job):
    assert listening_sockets(job.master_pid()) == []
    assert listening_sockets(job.agent_pid()) == []
    assert stat.S_ISSOCK(job.socket_path().lstat().st_mode)
    assert stat.S_IMODE(job.socket_path().lstat().st_mode) == 0o600
    assert stat.S_IMODE(job.folder.stat().st_mode) == 0o700


def test_a_folder_with_a_long_name_has_its_socket_too(ydl):
    ydl.state = ydl.scratch / ("x" * 120)
    ydl.env["XDG_STATE_HOME"] = str(ydl.state)
    job = ydl.detach("--", "sleep", "600").running()
    assert len(str(job.socket_path())) > 107
    assert_unhurt(job)
    job.kill()


# ---- what it answers -------------------------------------------------------------------------------------------


def test_the_job_and_its_tasks_are_one_object(job):
    status, body = job.call("GET", "/v1/job")
    view = json.loads(body)
    assert status == 200
    assert (view["id"], view["state"], view["framework"], view["cluster"]) == (job.id, "running", "none", "local")
    assert [(task["id"], task["state"], task["attempt"]) for task in view["tasks"]] == [("worker:0", "running", 1), ("worker:1", "running", 1)]


def test_events_come_from_where_one_left_off(job):
    _, body = job.call("GET", "/v1/events")
    events = json.loads(body)["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    _, body = job.call("GET", f"/v1/events?after={len(events) - 2}")
    assert json.loads(body)["events"] == events[-2:]
    _, body = job.call("GET", "/v1/events?after=100000")
    assert json.loads(body)["events"] == []


def test_a_call_that_waits_for_events_answers_when_there_is_one(job):
    _, body = job.call("GET", "/v1/events")
    last = json.loads(body)["events"][-1]["seq"]
    endpoint = job.endpoint()
    connection = job.connection()
    connection.request("GET", f"/v1/events?after={last}&wait=30000", headers={"Authorization": f"Bearer {endpoint['secret']}"})
    begin = time.monotonic()
    assert job.call("POST", "/v1/job/stop", '{"by": "a test"}')[0] == 200
    events = json.loads(connection.getresponse().read())["events"]
    connection.close()
    assert events[0]["kind"] == "job_stopping"
    assert time.monotonic() - begin < 20
    job.wait_for("job_stopped")


def test_a_call_that_waits_in_vain_answers_with_nothing(job):
    _, body = job.call("GET", "/v1/events?after=100000&wait=200")
    assert json.loads(body)["events"] == []


def test_events_are_streamed_to_the_end_of_the_job(job):
    endpoint = job.endpoint()
    connection = job.connection()
    connection.request("GET", "/v1/events", headers={"Authorization": f"Bearer {endpoint['secret']}", "Accept": "text/event-stream"})
    response = connection.getresponse()
    assert response.headers["Content-Type"] == "text/event-stream"
    messages = []

    def read_message():
        fields = {}
        while (line := response.readline().decode().rstrip("\n")) != "":
            name, _, value = line.partition(": ")
            fields[name] = value
        return fields

    while not messages or json.loads(messages[-1]["data"])["kind"] != "job_running":
        messages.append(read_message())
    job.call("POST", "/v1/job/stop", '{"by": "a test", "grace_ms": 0}')
    while json.loads(messages[-1]["data"])["kind"] != "job_stopped":
        messages.append(read_message())
    assert [int(message["id"]) for message in messages] == list(range(1, len(messages) + 1))
    assert [json.loads(message["data"])["seq"] for message in messages] == [int(message["id"]) for message in messages]
    assert response.read() == b""  # the stream ends with the job
    connection.close()


def test_a_tasks_log_comes_in_pieces(job):
    assert job.call("GET", "/v1/tasks/worker:0/logs?stream=stdout") == (200, b"from 0\n")
    assert job.call("GET", "/v1/tasks/worker:1/logs?stream=stdout&offset=5&limit=1") == (200, b"1")
    assert job.call("GET", "/v1/tasks/worker:1/logs?stream=stderr") == (200, b"aside\n")
    assert job.call("GET", "/v1/tasks/worker:0/logs?offset=1000") == (200, b"")


def test_stop_ends_the_job_and_names_the_user(job):
    assert job.call("POST", "/v1/job/stop", '{"by": "kim at desk", "grace_ms": 100}') == (200, b"{}")
    assert job.wait_for("job_stopped")["text"] == "stopped by kim at desk"


# ---- what it must bear -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "target", "body", "expected"),
    [
        ("GET", "/v1/nothing", None, 404), ("GET", "/", None, 404), ("DELETE", "/v1/job", None, 405), ("POST", "/v1/events", "", 405),
        ("GET", "/v1/tasks/worker:9/logs", None, 404), ("GET", "/v1/tasks/unknown/logs", None, 400),
        ("GET", "/v1/tasks/..%2F..%2Fmaster.json/logs", None, 404), ("GET", "/v1/tasks/worker:0/logs?stream=../../../master.json", None, 400),
        ("POST", "/v1/job/stop", "not json", 400), ("POST", "/v1/job/stop", "[]", 400),
        ("POST", "/v1/agents/unknown/exchange", '{"epoch":1,"first":1,"reports":[]}', 404),
        ("POST", "/v1/agents/local/exchange", "garbage", 400), ("POST", "/v1/agents/local/exchange", '{"first":1,"reports":[]}', 400),
        ("POST", "/v1/agents/local/hello", '{"protocol": 999}', 400),
        ("GET", "/v1/events?after=-5&wait=abc", None, 200), ("GET", "/v1/events?after=99999999999999999999", None, 200),
        ("GET", "/v1/tasks/worker:0/logs?offset=-1&limit=99999999999", None, 200),
    ],
)  # fmt: skip
def test_a_call_that_makes_no_sense_gets_an_answer(job, method, target, body, expected):
    status, answer = job.call(method, target, body)
    assert status == expected, answer
    if status >= 400:
        assert json.loads(answer)["error"]
    assert_unhurt(job)


@pytest.mark.parametrize(
    "garbage",
    [b"\0" * 100, b"GET\r\n\r\n", bytes(range(256)) * 64, b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
     b"GET /v1/job HTTP/1.1\r\n" + b"X: " + b"a" * 100_000 + b"\r\n\r\n", b"POST /v1/job/stop HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
     b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n", b"POST /v1/job/stop HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n"],
    ids=["zeros", "half a line", "all bytes", "a wrong version", "TLS", "a long header", "a negative length", "a long target", "a huge chunk"],
)  # fmt: skip
def test_garbage_does_not_hurt_the_job(job, garbage):
    with job.dial() as connection:
        try:
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except OSError:
            pass  # the connection was closed before all of it was read
    assert_unhurt(job)


def test_a_body_larger_than_any_call_needs_is_refused(job):
    endpoint = job.endpoint()
    head = f"POST /v1/job/stop HTTP/1.1\r\nAuthorization: Bearer {endpoint['secret']}\r\nContent-Length: {1 << 40}\r\n\r\n"
    with job.dial() as connection:
        connection.sendall(head.encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
    assert_unhurt(job)


def test_silent_connections_do_not_keep_others_out(job):
    idle = [job.dial() for _ in range(600)]
    assert_unhurt(job)
    for connection in idle:
        connection.close()


def test_callers_that_leave_in_the_middle_do_not_hurt_the_job(job):
    endpoint = job.endpoint()
    for accept in ("application/json", "text/event-stream"):
        for _ in range(20):
            with job.dial() as connection:
                connection.sendall(
                    f"GET /v1/events?after=1000&wait=30000 HTTP/1.1\r\nAuthorization: Bearer {endpoint['secret']}\r\nAccept: {accept}\r\n\r\n".encode()
                )
    assert_unhurt(job)
    job.kill()


def test_a_kept_connection_serves_many_calls(job):
    endpoint = job.endpoint()
    connection = job.connection()
    own_socket = connection.sock
    for _ in range(50):
        connection.request("GET", "/v1/job", headers={"Authorization": f"Bearer {endpoint['secret']}"})
        assert json.loads(connection.getresponse().read())["state"] == "running"
    assert connection.sock is own_socket
    connection.close()


def test_the_server_is_gone_when_the_job_is(ydl, job):
    path = job.socket_path()
    job.kill()
    eventually(lambda: not path.exists(), "the end of the server")


def test_refused_calls_are_events(job):
    for _ in range(3):
        assert job.call("GET", "/v1/job", secret="0" * 32)[0] == 401

    def told():
        _, body = job.call("GET", "/v1/events")
        return [event["text"] for event in json.loads(body)["events"] if event["kind"] == "note"]

    (line,) = eventually(told, "a note about the refused calls")
    assert line.startswith("the master refused ") and line.endswith("(with a wrong key)")
