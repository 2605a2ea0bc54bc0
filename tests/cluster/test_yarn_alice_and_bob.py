"""Alice's running job on a cluster with Kerberos, and bob, who is another user of the cluster and of the same node.

What he tries is in bob.py, which runs as him: outside of the cluster, and in a container of his own beside hers.
"""

import json
import os
import re
import signal
import ssl
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
from cluster_lib import processes, state
from hdfs_files import eventually
from people import IDS, PYTHON, needs_root, people_on
from shared import USERS_YARN
from yarn_shell import SMALL, job_id

pytestmark = [needs_root, pytest.mark.on_cluster(*USERS_YARN)]
BOB = Path(__file__).with_name("bob.py")
VARIABLE = "correct-horse-battery-staple"
LINE = "what only alice may read"


@pytest.fixture(scope="module")
def people(clusters):
    with people_on(clusters(*USERS_YARN), "alice", "bob") as people:
        yield SimpleNamespace(**people)


class Job:
    """A job that waits until it is let go on."""

    def __init__(self, owner, name, tasks=1):
        self.owner = owner
        self._gate = owner.fifo(f"gate-{name}")
        owner.environment["HF_TOKEN"] = VARIABLE
        script = f'echo "{LINE}"; echo model > "$YDL_RESULTS_DIR/model"; read line < {self._gate}; echo went on'
        self.id = owner.run("run", "--detach", "--n", tasks, *SMALL, "--name", name, "--env", "HF_TOKEN", "--", "sh", "-c", script)[0].strip()
        owner.wait_for(self.id, "job_running")
        self.folder = f"{owner.root}/{self.id}"
        self.application = json.loads(owner.run("fs", "cat", f"{self.folder}/yarn.json")[0])["application"]
        self.master = json.loads(owner.run("fs", "cat", f"{self.folder}/master.json")[0])

    @property
    def node(self):
        return self.owner.cluster.folder / "nodemanager1"

    def processes(self):
        """{process id: command line} of its containers."""
        return {pid: processes.command_line(pid) for pid in processes.containers_of(self.node / "local") if self.application in environment_of(pid)}

    def master_process(self):
        (pid,) = [pid for pid, line in self.processes().items() if "\0__master\0" in line]
        return pid

    def agents(self):
        return [pid for pid, line in self.processes().items() if "\0__agent\0" in line]

    def container_keys(self):
        """{container: what its key is} and all other secrets, as only the NodeManager has them."""
        found = {}
        for path in self.node.glob(f"local/nmPrivate/{self.application}/container_*/*.tokens"):
            found[path.parent.name] = re.findall(rb'"(?:secret|key|job_key|private_key|identity)":"([^"]{16,})"', path.read_bytes())
        return {container: [key.decode() for key in keys] for container, keys in found.items()}

    def go_on(self):
        os.write(os.open(self._gate, os.O_WRONLY | os.O_NONBLOCK), b"\n")  # an error where no task waits

    def events(self):
        return self.owner.run("events", self.id)[0]


def environment_of(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""  # it has ended


@pytest.fixture(scope="module")
def hers(people):
    job = Job(people.alice, "hers")
    yield job
    people.alice.start("kill", job.id).communicate(timeout=60)


@pytest.fixture(scope="module")
def his(people):
    job = Job(people.bob, "his")
    yield job
    people.bob.start("kill", job.id).communicate(timeout=60)


def tries(person, attack, **target):
    """What came of it, by what was tried."""
    process = start_trying(person, attack, **target)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def start_trying(person, attack, **target):
    program = person.file("bob.py", BOB.read_text())
    return person.start_program([PYTHON, str(program), attack, json.dumps(target)])


def keys_of(job):
    """Everything that opens a call of its master."""
    keys = [job.master["secret"], *(key for keys in job.container_keys().values() for key in keys)]
    assert len(keys) >= 3, "the owner's, the master's and a container's"
    return keys


def test_call_her_master_with_keys_that_are_not_hers(people, hers, his):
    """No key, a wrong one, those of bob's own job, and something that looks like YARN's token."""
    of_his_container = max(his.container_keys().items())[1][0]
    keys = {"no key": "", "a wrong key": "0" * 64, "his own job's key": his.master["secret"], "a key of his container": of_his_container,
            "her fingerprint": hers.master["fingerprint"], "a token of his own": "yarn.Ym9i.Ym9i"}  # fmt: skip
    agent = max(hers.container_keys())
    results = tries(people.bob, "master", **hers.master, agent=agent, keys=keys)
    assert len(results) == 36
    for what, (status, text) in results.items():
        assert status == 401 and LINE not in text, (what, status, text)
    # The key is one: it opens the calls of his own master.
    assert tries(people.bob, "master", **his.master, agent="unknown", keys={"his": his.master["secret"]})["GET /v1/job with his"][0] == 200


def record_a_call(master):
    """The bytes of a call of the owner's, as an eavesdropper sees them."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    incoming, outgoing, recorded = ssl.MemoryBIO(), ssl.MemoryBIO(), b""
    tls = context.wrap_bio(incoming, outgoing)
    with socket.create_connection((master["address"], master["port"]), timeout=30) as connection:

        def drive(action):
            nonlocal recorded
            while True:
                try:
                    result = action()
                except ssl.SSLWantReadError:
                    result = None
                recorded += (data := outgoing.read())
                connection.sendall(data)
                if result is not None:
                    return result
                incoming.write(connection.recv(65536))

        drive(lambda: tls.do_handshake() or True)
        request = f"GET /v1/job HTTP/1.1\r\nHost: master\r\nAuthorization: Bearer {master['secret']}\r\nConnection: close\r\n\r\n"
        drive(lambda: tls.write(request.encode()))
        assert b" 200 " in drive(lambda: tls.read(65536))
    return recorded


def test_replay_a_call_of_hers(people, hers):
    recorded = record_a_call(hers.master)
    assert hers.master["secret"].encode() not in recorded
    answer = tries(people.bob, "replay", **hers.master, bytes=recorded.hex())
    handshake, application, alert, change = 22, 23, 21, 20
    assert answer["kinds"][0] == handshake, answer
    # The handshake and an alert are one or two records each; the answer to the recorded call was longer than they are.
    assert set(answer["kinds"]) <= {handshake, application, alert, change} and answer["bytes"] < 1500, answer


def test_see_her_page(people, hers):
    pages = tries(people.bob, "page", **hers.master)
    assert pages["bob from a proxy's address"][0] == 403
    assert {pages[f"{user} from another address"][0] for user in ("bob", "alice")} == {302}
    for what, (status, text) in pages.items():
        assert "worker" not in text or what == "alice from a proxy's address", (what, status, text)


def fetch(url, method="GET", body=None):
    """As a user without a ticket: the pages of this cluster ask for none."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")


def test_see_or_stop_it_on_pages_of_the_cluster(hers):
    cluster = state.load(hers.owner.cluster.folder)
    manager = f"http://127.0.0.1:{cluster.port('resourcemanager1.http')}"
    node = f"http://127.0.0.2:{cluster.port('nodemanager1.http')}"
    container = max(hers.container_keys())
    shown = [fetch(f"{manager}/proxy/{hers.application}/"), fetch(f"{manager}/ws/v1/cluster/apps/{hers.application}"),
             fetch(f"{manager}/ws/v1/cluster/apps/{hers.application}/state", "PUT", b'{"state":"KILLED"}'),
             fetch(f"{node}/node/containerlogs/{container}/alice/stdout/?start=0"),
             fetch(f"{node}/ws/v1/node/containers/{container}/logs/stdout")]  # fmt: skip
    assert [status for status, _ in shown][0] == 403, shown[0]
    for status, text in shown:
        assert LINE not in text and not any(key in text for key in keys_of(hers)), (status, text)
    assert "running" in hers.owner.run("status", hers.id)[0]


def test_ask_the_cluster(people, hers):
    out, _ = people.bob.run("status", hers.application)
    assert "worker:0" not in out and "of alice" in out, out
    for words in (("logs",), ("events",)):
        assert "gives bob no token for its master" in people.bob.run(*words, hers.application, code=1)[1]
    assert "only the owner of the application" in people.bob.run("kill", hers.application, code=1)[1]


def test_reach_her_files_on_hdfs(people, hers):
    bob = people.bob
    bob.file("planted", "x")
    for words in (("ls", "/user/alice/.ydl"), ("ls", hers.folder), ("cat", f"{hers.folder}/master.json"), ("cat", f"{hers.folder}/yarn.json"),
                  ("ls", f"{hers.folder}/logs"), ("ls", f"{hers.folder}/results"), ("ls", "/user/alice/.ydl/cache"),
                  ("put", "planted", f"{hers.folder}/planted"), ("put", "planted", "/user/alice/.ydl/planted"),
                  ("rm", "-r", hers.folder), ("mv", "/user/alice/.ydl", "/user/bob/taken"), ("chmod", "777", "/user/alice/.ydl")):  # fmt: skip
        error = bob.run("fs", *words, code=1)[1]
        assert "ermission denied" in error, (words, error)


def test_look_around_from_a_container_on_the_same_node(people, hers):
    bob, local, logs = people.bob, hers.node / "local", hers.node / "logs"
    pids = hers.processes()
    containers = [str(local / "usercache/alice/appcache" / hers.application / container) for container in hers.container_keys()]
    paths = [str(local / "usercache/alice"), *containers, *(f"{path}/container_tokens" for path in containers), str(local / "nmPrivate"),
             str(logs / hers.application), *(str(logs / hers.application / Path(path).name / "stdout") for path in containers)]  # fmt: skip
    assert len(pids) >= 4 and len(paths) >= 8
    target = json.dumps({"paths": paths, "pids": list(pids)})
    bob.file("bob.py", BOB.read_text())
    _, err = bob.run("run", *SMALL, "--file", "bob.py", "--", "sh", "-c", f"{PYTHON} bob.py container '{target}' > $YDL_RESULTS_DIR/found")
    bob.run("results", "get", job_id(err), "--to", "found")
    results = json.loads((bob.work / "found/worker-0/found").read_text())
    assert results.pop("user") == IDS["bob"]
    lines = results.pop("command lines")
    assert "__master" in lines and "__agent" in lines
    assert not [key for key in [*keys_of(hers), VARIABLE] if key in lines]
    assert len(results) == 3 * len(paths) + 11 * len(pids)
    assert {what: result for what, result in results.items() if result != "denied"} == {}
    assert hers.processes().keys() >= pids.keys()


def test_find_a_key_in_the_folder_of_her_master(people):
    """A task of her own on the node of the master, which runs as the same user: all containers have left only Hadoop's tokens there."""
    script = ('cd "$(dirname "$HADOOP_TOKEN_FILE_LOCATION")/.."; echo */container_tokens | wc -w; '
              'grep -alE "ydl[.](master|agent)|YARN_AM_RM_TOKEN|PRIVATE KEY" */container_tokens; echo looked')  # fmt: skip
    out, _ = people.alice.run("run", *SMALL, "--", "sh", "-c", script)
    assert [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("[worker:0]")] == ["2", "looked"], out


def test_answer_at_the_port_of_her_master(people, clusters):
    """The master is killed, and the ResourceManager does not see it: her agents look for the master, and find bob."""
    job = Job(people.alice, "orphan", tasks=2)
    trace = people.alice.home / "obeyed"
    assert job.agents()
    certificate = people.bob.file("certificate.pem", make_certificate())
    cluster = clusters(*USERS_YARN)
    cluster.run("pause", "resourcemanager1")
    try:
        keys = keys_of(job)  # now: her agents leave, and their folders with them
        process = job.master_process()
        bob = start_trying(people.bob, "port", process=process, port=job.master["port"], certificate=str(certificate), trace=str(trace), seconds=30)
        os.kill(process, signal.SIGKILL)
        out, err = bob.communicate(timeout=60)
        assert bob.returncode == 0, err
        listening, got = out.splitlines()
        assert listening == "listening"
        calls = json.loads(got)
        assert calls["with TLS"] == [""], "nothing is said to a server with another certificate"
        assert calls["without TLS"]
        for hello in calls["without TLS"]:
            assert hello.startswith("\x16\x03") and not [word for word in [*keys, "HTTP", "hello"] if word in hello], hello
        # They have obeyed nothing of what they were told, and go on: the next master will find them.
        assert job.agents() and not trace.exists()
    finally:
        cluster.run("resume", "resourcemanager1")
    people.alice.run("kill", job.id)
    eventually(lambda: not job.processes(), "the agents have ended with their tasks")
    assert not trace.exists()


def make_certificate():
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=ydl master",
                           "-keyout", "-", "-out", "-"], check=True, capture_output=True, text=True)  # fmt: skip
    return made.stdout


def test_her_job_goes_on_and_names_the_refused_callers(people, hers):
    tries(people.bob, "master", **hers.master, agent="container", keys={"no key": "", "a wrong key": "0" * 64})
    refused = eventually(lambda: re.search(r"the master refused \d+ calls?: .*from 127.0.0.1 .*", hers.events()), "an event about refused calls", 90)
    assert "key" in refused.group(0)
    hers.go_on()
    eventually(lambda: "succeeded" in people.alice.run("status", hers.id)[0], "the end of her job")
    assert "went on" in people.alice.run("logs", hers.id)[0]
    assert "worker-0/model" in people.alice.run("results", "ls", hers.id)[0]
