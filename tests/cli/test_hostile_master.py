"""Whatever answers instead of a job's master, or a master of another user's job that lies: each command ends with a sentence."""

import json
import select
import shutil

import pytest
from attacks import Attack, by_name
from harness import Job, moved_to_cluster
from hostile_servers import MIB, Failure, https, response, rpc, send_for_ever, wait_for_the_end
from scripted_namenode import data, number

APPLICATION = "application_1700000000000_0001"
ESCAPES = "\x1b]0;owned\x07\u009b31m\r\nowned"
RUNNING = 5
TOKEN = data(1, b"id") + data(2, b"password") + data(3, "YARN_CLIENT_TOKEN") + data(4, "")


def of_bob(serve_with, *words):
    """A job of bob that the ResourceManager reports, whose master is served by `serve_with(certificates)`."""

    def script(stage):
        port = stage.server(serve_with(stage.shared))
        tags = ("ydl", "far-1a2b", "ydl:sha256:" + stage.shared.own.fingerprint)
        report = data(1, number(1, 1) + number(2, 1_700_000_000_000)) + data(2, "bob") + data(5, "127.0.0.1") + number(6, port) + data(7, TOKEN)
        report += number(8, RUNNING) + b"".join(data(20, tag) for tag in tags)
        manager = stage.server(rpc({"getApplicationReport": data(1, report), "forceKillApplication": Failure("java.io.IOException", "not allowed")}))
        stage.configure({"fs.defaultFS": "hdfs://127.0.0.1:1", "yarn.resourcemanager.address": f"127.0.0.1:{manager}"})
        return (words[0], APPLICATION, *words[1:])

    return script


def of_ann(serve_with, command):
    """An own job that runs, as far as its folder knows, with its master at this address."""

    def script(stage):
        shutil.copytree(stage.shared.job.ydl.state, stage.ydl.state)
        job = moved_to_cluster(Job(stage.ydl, stage.shared.job.id), "hdfs://127.0.0.1:1", "/far", "/results", unmanaged=True)
        job.folder.joinpath("view.json").unlink()
        job.folder.joinpath("state.json").write_text(json.dumps(job.state_file() | {"state": "running"}))
        port = stage.server(serve_with(stage.shared))
        endpoint = {"version": 3, "address": "127.0.0.1", "port": port, "fingerprint": stage.shared.own.fingerprint, "epoch": 1, "secret": "of an earlier attempt"}
        job.folder.joinpath("master.json").write_text(json.dumps(endpoint))
        stage.hold_lock(job.folder / "master.lock")
        return command, job.id

    return script


def master(answer):
    """With the right certificate; `answer` is bytes, or a function (connection, target)."""
    speak = answer if callable(answer) else lambda connection, target: connection.sendall(answer)
    return lambda certificates: https(certificates.own, speak)


def raw(serve):
    return lambda certificates: serve


def then(first, follow):
    """First these bytes, then what `follow` does with the connection."""

    def answer(connection, target):
        connection.sendall(first)
        follow(connection)

    return answer


def events_once(*events):
    """The list for a client that has seen no event, an empty one for the others."""
    return master(lambda connection, target: connection.sendall(response(json.dumps({"events": events if "after=0" in target else []}))))


def slowly(connection):
    """A byte in a second, far longer than a client waits."""
    for _ in range(100):
        connection.sendall(b"x")
        if select.select([connection], [], [], 1)[0]:
            return  # the client has left


def view(**more):
    job = {"id": "far-1a2b", "name": "far", "framework": "none", "cluster": "yarn", "user": "bob", "state": "running", "attempt": 1,
           "submitted": "2026-01-01T00:00:00.000Z", "logs": "l", "results": "r", "tasks": [task()]}  # fmt: skip
    return json.dumps(job | more)


def task(**more):
    return {"id": "worker:0", "attempt": 1, "state": "running", "reason": ""} | more


def event(seq, text="x", **more):
    return {"seq": seq, "time": "2026-01-01T00:00:00.000Z", "kind": "note", "text": text} | more


def many_events(size):
    one = json.dumps(event(1)).encode()
    return b'{"events":[' + b",".join([one] * (size // len(one))) + b"]}"


def logs_of(name):
    """A job with a task of this name, which has written one line."""

    def answer(connection, target):
        text = view(tasks=[task(id=name)]) if target == "/v1/job" else "a line\n" if "stdout" in target and "offset=0" in target else ""
        connection.sendall(response(text))

    return answer


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n"
HTML = "<html><h1>\x1b]0;owned\x07</h1></html>"

# What the master does, and the reason that the client gives.
NO_MASTER = [
    ("has another certificate", lambda certificates: https(certificates.other, lambda *_: None), "it has a different certificate; nothing was sent"),
    ("does not speak TLS", raw(lambda connection: connection.sendall(response("{}"))), "the TLS handshake failed"),
    ("closes at once", raw(lambda connection: None), "End of file|reset by peer"),
    ("stops in the handshake", raw(wait_for_the_end), "no answer in time"),
    ("refuses the key", master(response('{"error":"no"}', 401)), "the master answered 401: no"),
    ("forbids it", master(response('{"error":"\\u001b]0;owned"}', 403)), "the master answered 403: .*owned"),
    ("refuses with a page of HTML", master(response(HTML, 500)), "the master answered 500"),
    ("refuses with 10 MB of text", master(response(b"lies " * 2 * MIB, 500)), "the master answered 500: lies"),
    ("sends the client elsewhere", master(response("", 302, ["Location: http://127.0.0.1:1/"])), "the master answered 302"),
    ("announces 10 GB", master(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n"), "larger than the limit"),
    ("answers without an end", master(then(CHUNKED, lambda connection: send_for_ever(connection, b"10000\r\n" + b" " * 65536 + b"\r\n"))), "larger than the limit"),
    ("sends headers without an end", master(then(b"HTTP/1.1 200 OK\r\n", lambda connection: send_for_ever(connection, b"X-Y: " + b"z" * 1000 + b"\r\n"))),
     "does not speak HTTP"),
    ("sends garbage for chunks", master(CHUNKED + b"zz\r\n\x1b]0;owned\r\n" * 10), "does not speak HTTP"),
    ("closes within the answer", master(then(ENDLESS + b"{", lambda connection: connection.shutdown(2))), "before the answer was complete|reset by peer"),
    ("answers a byte in a second", master(then(ENDLESS, slowly)), "no answer in time"),
    ("sends what is not JSON", master(response("{\x1b]0;owned")), "JSON|corrupt|not"),
    ("sends JSON that is not an object", master(response("[1,2,3]")), "object"),
    ("sends JSON 200,000 deep", master(response(b'{"a":' * 200_000)), "\\w"),
    ("sends 8 MB of empty lists", master(response(b'{"a":[' + b"[]," * 2_700_000 + b"[]]}")), "\\w"),
    ("sends 8 MB of keys", master(response(b"{" + b'"":0,' * 1_600_000 + b'"a":0}')), "\\w"),
    ("sends an empty answer", master(response("")), "\\w"),
    ("sends an object without fields", master(response("{}")), "'\\w+'"),
    ("sends numbers that are too large", master(response(view(attempt=10**30).replace('"submitted"', '"x":1e999,"submitted"'))), "\\w"),
]  # fmt: skip

VIEWS = [
    ("a state with escapes", view(state=ESCAPES)),
    ("a name, a framework and paths with escapes", view(id=ESCAPES, name=ESCAPES, framework=ESCAPES, logs=ESCAPES, results=ESCAPES, cluster=ESCAPES)),
    ("a reason with escapes", view(reason=ESCAPES)),
    ("tasks with escapes", view(tasks=[task(state=ESCAPES, reason=ESCAPES, node=ESCAPES, last_line=ESCAPES)])),
    ("a reason of 10 MB", view(reason="lies " * 2_000_000)),
]


def attacks_of_masters():
    for name, serve, says in NO_MASTER:
        # Without a master to ask, the ResourceManager's report is shown with the reason.
        yield Attack(f"status: {name}", of_bob(serve, "status"), "^$", code=0, prints=says)
        yield Attack(f"events: {name}", of_bob(serve, "events"), says)
        yield Attack(f"logs: {name}", of_bob(serve, "logs"), says)
    for name, serve, _ in NO_MASTER[:6]:
        yield Attack(f"kill: {name}", of_bob(serve, "kill"), "stopping far-1a2b of bob: .*not allowed")
    for name, serve, says in NO_MASTER[:2] + NO_MASTER[4:6]:
        yield Attack(f"own status: {name}", of_ann(serve, "status"), says)
    for name, serve, says in NO_MASTER[:15]:  # the others are answers to a question, and a stop asks none
        yield Attack(f"own kill: {name}", of_ann(serve, "kill"), says)
    for name, text in VIEWS:
        yield Attack(f"status: shows {name}", of_bob(master(response(text)), "status"), "^$", code=0, prints="\\w")
    hostile_event = event(1, ESCAPES, kind=ESCAPES)
    yield Attack("events: shows escapes", of_bob(events_once(hostile_event), "events"), "^$", code=0, prints="owned")
    yield Attack("events: shows escapes in a timeline", of_bob(events_once(hostile_event), "events", "--timeline"), "^$", code=0, prints="")
    yield Attack("events: the same ones for ever", of_bob(master(response(json.dumps({"events": [hostile_event]}))), "events"), "repeats its events",
                 prints="owned")  # fmt: skip
    yield Attack("events: 100 MB of events", of_bob(master(lambda connection, target: connection.sendall(response(many_events(100_000_000)))), "events"),
                 "larger than the limit")  # fmt: skip
    yield Attack("events: 10 MB of events", of_bob(master(then(response(many_events(10_000_000)), wait_for_the_end)), "events"),
                 "repeats its events", prints="x")  # fmt: skip
    yield Attack("events: entries that are not events", of_bob(master(response('{"events":[1]}')), "events"), "not an event")
    yield Attack("logs: a task whose name leads elsewhere", of_bob(master(logs_of("../../x:0")), "logs"), "is not a task: the name of a role consists of letters")
    yield Attack("logs: a task whose name has escapes", of_bob(master(logs_of(ESCAPES + ":0")), "logs"), "owned.*is not a task: the name of a role consists of letters")


ATTACKS = list(attacks_of_masters())


@pytest.mark.parametrize("attack", **by_name(ATTACKS))
def test_a_master_that_lies_is_an_error(attacks, attack):
    attacks.check(attack)
