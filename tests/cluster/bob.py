"""What another user tries against alice's job; a program of its own, which runs as that user, in a container or outside.

    python3 bob.py ATTACK JSON

It prints one JSON object: for each thing that was tried what came of it.
"""

import ctypes
import glob
import http.client
import json
import os
import select
import socket
import ssl
import sys

PTRACE_ATTACH = 16
CALLS = [("GET", "/v1/job"), ("GET", "/v1/events?after=0"), ("GET", "/v1/tasks/worker:0/logs?stream=stdout"), ("POST", "/v1/job/stop"),
         ("POST", "/v1/agents/{agent}/hello"), ("POST", "/v1/agents/{agent}/exchange?after=0&wait=0")]  # fmt: skip


def trusting():
    """Bob has not seen the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def call(target, method, path, key):
    connection = http.client.HTTPSConnection(target["address"], target["port"], timeout=30, context=trusting())
    body = {"POST": b'{"by":"bob","versions":{},"epoch":1,"first":1,"reports":[]}'}.get(method)
    connection.request(method, path, body, {"Authorization": f"Bearer {key}"} if key else {})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def master(target):
    """Every call of the master's, without a key and with each of these."""
    return {f"{method} {path} with {name}": call(target, method, path.format(agent=target["agent"]), key)
            for name, key in target["keys"].items() for method, path in CALLS}  # fmt: skip


def page(target):
    """The page for the ResourceManager's proxy, requested without the proxy: bob sends any name."""
    results = {}
    for name, source in (("a proxy's address", "127.0.0.1"), ("another address", "127.0.0.9")):
        for user in ("bob", "alice"):
            connection = http.client.HTTPConnection(target["address"], target["port"], timeout=30, source_address=(source, 0))
            connection.request("GET", "/", headers={"Cookie": f"proxy-user={user}"})
            answer = connection.getresponse()
            results[f"{user} from {name}"] = answer.status, answer.read().decode()
    return results


def replay(target):
    """Bytes that went to the master on another connection, to the last one."""
    with socket.create_connection((target["address"], target["port"]), timeout=30) as connection:
        connection.sendall(bytes.fromhex(target["bytes"]))
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass
    # A server hello, encrypted with keys that only the owner of the recorded connection could know, and then an alert.
    return {"bytes": len(answer), "kinds": kinds_of_records(answer)}


def kinds_of_records(stream):
    kinds = []
    while len(stream) >= 5:
        kinds.append(stream[0])
        stream = stream[5 + int.from_bytes(stream[3:5], "big"):]
    return kinds


def attempt(action):
    try:
        return f"got {action()!r}"
    except PermissionError:
        return "denied"
    except FileNotFoundError:
        return "not found"
    except OSError as error:
        return f"error {error}"


def read(path):
    with open(path, "rb") as file:
        return file.read(65536)


def files(target):
    """Alice's files on this node."""
    results = {}
    for path in target["paths"]:
        results[f"list {path}"] = attempt(lambda: os.listdir(path))
        results[f"read {path}"] = attempt(lambda: read(path))
        results[f"write {path}"] = attempt(lambda: open(os.path.join(path, "planted"), "w").close())
    return results


def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def processes(target):
    """Alice's processes on this node. Their command lines are for all to read."""
    results = {}
    for pid in target["pids"]:
        for name in ("environ", "mem", "maps", "stack", "auxv"):
            results[f"read {name} of {pid}"] = attempt(lambda: read(f"/proc/{pid}/{name}"))
        for name in ("cwd", "exe", "root"):
            results[f"follow {name} of {pid}"] = attempt(lambda: os.readlink(f"/proc/{pid}/{name}"))
        results[f"list descriptors of {pid}"] = attempt(lambda: os.listdir(f"/proc/{pid}/fd"))
        results[f"trace {pid}"] = attempt(lambda: trace(pid))
        results[f"signal {pid}"] = attempt(lambda: os.kill(pid, 15))
    lines = b"\n".join(read(path) for path in glob.glob("/proc/[0-9]*/cmdline") if attempt(lambda: read(path)).startswith("got"))
    return {**results, "command lines": lines.replace(b"\0", b" ").decode(errors="replace")}


def container(target):
    return {"user": os.getuid(), **files(target), **processes(target)}


def wait_for_end(process, seconds):
    """Of another user's process; its sockets are closed then."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return
    if not select.select([watched], [], [], seconds)[0]:
        raise TimeoutError(f"process {process} has not ended")


def received(connection, context, trace):
    """What a caller sends to a server with a certificate of its own, or without TLS and in any case."""
    launch = {"seq": 1, "type": "launch", "attempt": {"task": "worker:0", "number": 1}, "argv": ["touch", trace], "env": {}, "continued": []}
    order = json.dumps({"epoch": 9, "commands": [launch], "common_env": {}})
    data = b""
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        data += connection.recv(65536)
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(order)}\r\n\r\n{order}".encode())
        data += connection.recv(65536)
    except OSError:
        pass  # the caller has left
    connection.close()
    return data


def port(target):
    """The port of a master that has ended: every caller there is answered, without TLS and with it, one after the other."""
    wait_for_end(target["process"], target["seconds"])
    listener = socket.create_server(("0.0.0.0", target["port"]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(target["certificate"])
    got = {"without TLS": [], "with TLS": []}
    listener.settimeout(target["seconds"])
    print("listening", flush=True)
    try:
        while not all(calls for calls in got.values()):
            connection = listener.accept()[0]
            connection.settimeout(5)
            kind = min(got, key=lambda name: len(got[name]))
            got[kind].append(received(connection, context if kind == "with TLS" else None, target["trace"]).decode("latin-1"))
    except TimeoutError:
        pass
    return got


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](json.loads(sys.argv[2]))), flush=True)
