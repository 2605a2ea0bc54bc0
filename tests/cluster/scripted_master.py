"""A master that does what a test says, for real agents, and what a container gives an agent. docs/architecture.md has the words."""

import contextlib
import hashlib
import json
import os
import select
import ssl
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

LIMIT = 120  # seconds; what takes longer hangs
EPOCH = 1  # the first master of a job


# What a command has unless a test says otherwise.
DEFAULTS = {
    "prepare": {"ports": 0, "same_ports": [], "gpus": 0, "host_gpus": "hidden", "memory_limit": 0, "vcores_limit": 0, "linked_directory": "", "links": [],
                "path_first": [], "remote_logs": "", "remote_results": "", "inputs": [],
                "remote_saves": "", "save_every": 0, "restore": [], "stall_timeout": 0},
    "launch": {"env": {}, "continued": []},
    "stop": {"writes_stacks": False},
}  # fmt: skip


class Identity:
    """A certificate that only its own key has signed, as a master has it."""

    def __init__(self):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_3
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=a test",
                            "-keyout", key, "-out", certificate], check=True, capture_output=True)  # fmt: skip
            self.context.load_cert_chain(certificate, key)
            with open(certificate) as text:
                self.fingerprint = hashlib.sha256(ssl.PEM_cert_to_DER_cert(text.read())).hexdigest()


class Session:
    """What one agent was told and how much of its reports is known."""

    def __init__(self):
        self.commands = []
        self.seen = 0
        self.is_forgotten = False


class ScriptedMaster:
    """Numbered commands out, reports in. Any agent may come; commands go to the one that was expected last."""

    def __init__(self):
        self._changed = threading.Condition()
        self._sessions = {}
        self._current = None
        self.reports = []
        self.refusal = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.identity = Identity()
        # The handshake belongs to the thread of the connection, not to the one that accepts.
        self._server.socket = self.identity.context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self._server.server_address[1]

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def expect(self, agent):
        self._current = self._sessions[agent] = Session()

    def forget(self, agent):
        """Its container is gone, as far as the master knows."""
        with self._changed:
            self._sessions.pop(agent).is_forgotten = True
            self._changed.notify_all()

    def send(self, kind, task="worker:0", attempt=1, **fields):
        with self._changed:
            commands = self._current.commands
            whose = {"task": task, "number": attempt}
            commands.append({"seq": len(commands) + 1, "type": kind, "attempt": whose, **DEFAULTS.get(kind, {}), **fields})
            self._changed.notify_all()

    def wait_for(self, kind, attempt=1, limit=LIMIT):
        """The first report of this kind, as soon as it is there."""
        deadline = time.monotonic() + limit
        with self._changed:
            while True:
                found = [report for report in self.reports if report["type"] == kind and report["attempt"]["number"] == attempt]
                if found:
                    return found[0]
                left = deadline - time.monotonic()
                assert left > 0, f"no '{kind}' in {limit} s; there is {[r for r in self.reports if r['type'] != 'output']}"
                self._changed.wait(left)

    def notes(self):
        return [report["text"] for report in self.reports if report["type"] == "note"]

    def _commands_after(self, session, after, wait, connection):
        """When there is one, when the agent's next call is there, or after `wait` seconds."""
        deadline = time.monotonic() + wait
        with self._changed:
            while len(session.commands) <= after and not session.is_forgotten and time.monotonic() < deadline:
                if connection.pending() or select.select([connection], [], [], 0)[0]:
                    break
                self._changed.wait(0.02)
            return {"epoch": EPOCH, "commands": session.commands[after:], "common_env": {}}

    def _take_reports(self, session, body):
        with self._changed:
            assert body["epoch"] == EPOCH, body
            for number, report in enumerate(body["reports"], body["first"]):
                if number > session.seen:
                    session.seen = number
                    self.reports.append(report)
            self._changed.notify_all()

    def _handler(master):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            rbufsize = 0  # so that a call which has come shows on the socket

            def do_POST(self):
                body = json.loads(self._read(int(self.headers["Content-Length"])))
                if self.path.endswith("/hello"):
                    self._answer(409 if master.refusal else 200, {"error": master.refusal} if master.refusal else {"epoch": EPOCH})
                elif session := self._session():
                    query = parse_qs(urlsplit(self.path).query)
                    master._take_reports(session, body)
                    self._answer(200, master._commands_after(session, int(query["after"][0]), int(query["wait"][0]) / 1000, self.connection))

            def _read(self, size):
                pieces = b""
                while len(pieces) < size and (piece := self.rfile.read(size - len(pieces))):
                    pieces += piece
                return pieces

            def _session(self):
                agent = self.path.split("/")[3]
                if agent not in master._sessions:
                    self._answer(404, {"error": f"agent '{agent}' is not of this job"})
                return master._sessions.get(agent)

            def _answer(self, status, body):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # an agent that was ended waits for no answer
                    self.wfile.write(text)

            def handle(self):
                with contextlib.suppress(ConnectionError, ssl.SSLError):
                    super().handle()

            def log_message(self, *_):
                pass

        return Handler


def _vint(number):
    """As Hadoop's WritableUtils writes it; up to two bytes are enough here."""
    if number < 128:
        return bytes([number])
    size = (number.bit_length() + 7) // 8
    return bytes([0x90 - size]) + number.to_bytes(size, "big")


def credentials(secrets):
    """A container's credentials as the NodeManager writes them: no tokens, and these secrets."""
    entries = [_vint(len(part)) + part for pair in secrets.items() for part in pair]
    return b"HDTS\0" + _vint(0) + _vint(len(secrets)) + b"".join(entries)


def settings(conf):
    """What the client's site files set, as the job carries it to its containers."""
    found = {}
    for name in ("core-site.xml", "hdfs-site.xml"):
        for one in xml.parse(conf / name).getroot().iter("property"):
            if one.findtext("name").split(".")[0] in ("fs", "dfs", "hadoop", "ipc", "io", "net"):
                found[one.findtext("name")] = one.findtext("value")
    return found


class ContainedAgent:
    """`ydl __agent` as a NodeManager starts it: in the container's folder, a process group of its own, nothing on standard input.

    `above` are words before the command, for another process that stays above the agent.
    """

    def __init__(self, binary, folder, master, hadoop, *options, user="ann", above=()):
        folder.mkdir(parents=True, exist_ok=True)
        secret = {"version": 3, "address": "127.0.0.1", "port": master.port, "secret": "s", "fingerprint": master.identity.fingerprint,
                  "user": user, "hadoop": hadoop, "folder": ""}  # fmt: skip
        tokens = folder / "container_tokens"
        tokens.write_bytes(credentials({b"ydl.agent": json.dumps(secret).encode()}))
        master.expect(folder.name)
        self._log = folder / "agent.log"
        environment = {**os.environ, "HADOOP_TOKEN_FILE_LOCATION": str(tokens),
                       "ASAN_OPTIONS": "quarantine_size_mb=16"}  # or freed memory looks like used
        with self._log.open("ab") as log:
            self.process = subprocess.Popen([*above, binary, "__agent", "--id", folder.name, "--logs", "logs", *options], cwd=folder, env=environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    @property
    def log(self):
        return self._log.read_text()

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait(30)
