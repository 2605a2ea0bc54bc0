"""What an eavesdropper learns about a job from everything that passes between the hosts of a cluster, its masters and its clients."""

import base64
import http.client
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from cluster_lib import network, state
from people import PYTHON, needs_network
from shared import PRIVATE_YARN
from yarn_shell import jobs_on

pytestmark = [needs_network, pytest.mark.on_cluster(*PRIVATE_YARN)]
VARIABLE, LINE, RESULT, FILE = "marker-of-a-variable", "marker-of-a-log-line", "marker-of-a-result", "marker-of-a-file"
SPOKEN = b"marker-of-a-call-in-clear"
# Halves of the words, so that the words themselves are nowhere but in what is tested.
TASK = 'cat data; echo marker-of-"a-log-line"; echo marker-of-"a-result" > "$YDL_RESULTS_DIR/model"; read line < %s'


class Capture:
    """Everything that passes over the bridge while it is open."""

    def __init__(self, cluster, file):
        self._file = file
        words = [*network.entering(cluster, network.SWITCH), PYTHON, str(Path(__file__).with_name("capture.py")), str(file)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout.readline() == "listening\n"

    def close(self):
        """The streams, one after the other, and how many there were."""
        self._process.stdin.close()
        counted = json.loads(self._process.stdout.readline())
        assert self._process.wait(60) == 0
        assert counted["dropped"] == 0, counted
        return self._file.read_bytes(), counted


def spellings(secret):
    """A secret as it is, as the bytes that it spells, and both in base64, wherever in a text they begin."""
    raw = secret.encode()
    forms = [raw, raw.upper()]
    if re.fullmatch("[0-9a-f]+", secret) and len(secret) % 2 == 0:
        forms.append(bytes.fromhex(secret))
    encoded = [base64.b64encode(b"x" * shift + form)[4:-4] for form in forms for shift in range(3)]
    return [*forms, *(form for form in encoded if len(form) > 8)]


def secrets_of(cluster, application):
    """What the NodeManagers' own files have of the job's keys: the job's, the master's private one, those of its containers."""
    found = []
    for path in cluster.folder.glob(f"nodemanager*/local/nmPrivate/{application}/container_*/*.tokens"):
        text = path.read_bytes().replace(b"\\n", b"\n")
        found += [key.decode() for key in re.findall(rb'"(?:secret|job_key)":"([0-9a-f]{64})"', text)]
        found += [line.decode() for line in re.findall(rb"PRIVATE KEY-----\n([^\n]{40,})\n", text)]
    return found


def say_something_in_clear(master):
    """The control: a call without TLS to the job's master, from where the client is."""
    connection = http.client.HTTPConnection(master["address"], master["port"], timeout=30)
    connection.request("GET", "/", headers={"X-Words": SPOKEN.decode()})
    connection.getresponse().read()


def test_read_keys_variables_and_logs_on_the_wire(clusters, tmp_path):
    running = clusters(*PRIVATE_YARN)
    cluster, jobs = state.load(running.folder), jobs_on(running, tmp_path)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    opened = os.open(gate, os.O_RDWR)  # and kept open: the reader must not see its end
    (jobs.work / "data").write_text(FILE + "\n")
    jobs.environment["HF_TOKEN"] = VARIABLE
    capture = Capture(cluster, tmp_path / "captured")
    # Two containers do not fit one host: the master starts one of them on the other.
    words = ["run", "--detach", "--n", "2", "--resource", "worker:memory=5g", "--env", "HF_TOKEN", "--file", "data", "--", "sh", "-c", TASK % gate]
    job = jobs.run(*words)[0].strip()
    jobs.wait_for(job, "job_running")
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0])["application"]
    master = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/master.json")[0])
    keys = [master["secret"], *secrets_of(running, application)]
    say_something_in_clear(master)
    following = jobs.start_and_see(LINE, "logs", "-f", job)
    os.write(opened, b"\n\n")
    following.communicate(timeout=60)
    assert "succeeded" in jobs.run("status", job)[0]
    assert LINE in jobs.run("logs", job)[0]
    jobs.run("results", "get", job, "--to", "here")
    assert (jobs.work / "here/worker-1/model").read_text() == RESULT + "\n"
    captured, counted = capture.close()

    # An agent's key and one of the other, the job's and the master's private one.
    assert len(keys) >= 5, keys
    for word in (SPOKEN, b"hrpc", b"GSSAPI", b"YDL.TEST", b"\x16\x03\x03"):
        assert word in captured, (word, counted)
    assert len(captured) > 20 << 20, "the program itself has passed too"
    for secret in (VARIABLE, LINE, RESULT, FILE, *keys):
        found = [form for form in spellings(secret) if form in captured]
        assert not found, (secret, found)
