"""The agent of a container against a real HDFS: inputs, logs while the task runs, results that are whole or not there."""

import base64
import getpass
import hashlib
import json
import os
import signal
import subprocess
import sys

import pytest

from programs import REPOSITORY
from hdfs_files import eventually
from scripted_master import LIMIT, ContainedAgent, Identity, ScriptedMaster, settings

YDL = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / "ydl"
DFS_ADMIN = ("java", "org.apache.hadoop.hdfs.tools.DFSAdmin", "-safemode")


class Hdfs:
    """What a user sees."""

    def __init__(self, cluster, user="ann"):
        self._environment = {**os.environ, **cluster.variables, "HADOOP_USER_NAME": user}

    def run(self, *words, stdin=b""):
        return subprocess.run([YDL, "fs", *words], env=self._environment, input=stdin, capture_output=True, timeout=LIMIT)

    def __call__(self, *words, stdin=b""):
        done = self.run(*words, stdin=stdin)
        assert done.returncode == 0, done
        return done.stdout

    def read(self, path):
        """Nothing while it is not there."""
        done = self.run("cat", path)
        return done.stdout if done.returncode == 0 else None

    def tree(self, path):
        done = self.run("ls", "-R", "--output", "json", path)
        return sorted(json.loads(line)["path"].removeprefix(path + "/") for line in done.stdout.splitlines())


class Stage:
    """A master, an agent in its container, and one task after the other."""

    def __init__(self, cluster, folder, tmp_path):
        self.hdfs = Hdfs(cluster)
        self.master = ScriptedMaster()
        self.folder = folder
        self.hadoop = settings(cluster.conf)
        self._path = tmp_path
        self._agents = []

    def agent(self, *options, name="container_1", **hadoop):
        agent = ContainedAgent(YDL, self._path / name, self.master, {**self.hadoop, **hadoop}, *options)
        self._agents.append(agent)
        return agent

    def prepare(self, attempt=1, **fields):
        self.master.send("prepare", attempt=attempt, **{
            "working_directory": "work", "results_directory": "results",
            "log_directory": f"worker-0/{attempt}", "remote_logs": f"{self.folder}/logs/{attempt}", "remote_results": f"{self.folder}/results/worker-0",
            **fields})

    def launch(self, script, attempt=1):
        """A Python program, once its task is prepared."""
        self.master.wait_for("prepared", attempt)
        self.master.send("launch", attempt=attempt, argv=[sys.executable, "-c", script, "{results}"])
        self.master.wait_for("started", attempt)

    def run(self, script, attempt=1, **fields):
        self.prepare(attempt, **fields)
        self.launch(script, attempt)
        return self.master.wait_for("exited", attempt)

    def manifest(self):
        return json.loads(self.hdfs.read(f"{self.folder}/results/worker-0/manifest.json"))

    def close(self):
        for agent in self._agents:
            agent.end()
        self.master.close()


def make_stage(cluster, folder, tmp_path):
    root = Hdfs(cluster, cluster.variables.get("HADOOP_USER_NAME", getpass.getuser()))
    root("mkdir", "-p", folder)
    root("chmod", "777", folder)
    return Stage(cluster, folder, tmp_path)


@pytest.fixture
def stage(cluster, folder, tmp_path):
    stage = make_stage(cluster, folder, tmp_path)
    yield stage
    stage.close()


def processes_that_mention(word):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if word.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            continue
    return found


WAIT = "import signal; signal.pause()"


def test_logs_are_on_hdfs_while_the_task_runs_and_complete_when_it_has_ended(stage):
    stage.agent()
    stage.prepare()
    stage.launch("""
import signal, sys
print('first', flush=True)
signal.signal(signal.SIGTERM, lambda *_: (print('last', flush=True), sys.exit(3)))
signal.pause()""")
    eventually(lambda: stage.hdfs.read(f"{stage.folder}/logs/1/stdout") == b"first\n", "the line in HDFS")
    assert stage.hdfs.read(f"{stage.folder}/logs/1/stderr") is None, "made with its first byte"
    stage.master.send("stop", grace=20000)
    assert stage.master.wait_for("exited")["status"]["code"] == 3
    assert stage.hdfs.read(f"{stage.folder}/logs/1/stdout") == b"first\nlast\n"
    assert json.loads(stage.hdfs("stat", "--output", "json", f"{stage.folder}/logs/1/stdout"))["block_size"] == 4 << 20


def test_a_cluster_that_forbids_small_blocks_gets_its_own_size(strict, folder, tmp_path):
    stage = make_stage(strict, folder, tmp_path)
    try:
        stage.agent()
        stage.run("print('hello')")
        assert stage.hdfs.read(f"{folder}/logs/1/stdout") == b"hello\n"
        assert json.loads(stage.hdfs("stat", "--output", "json", f"{folder}/logs/1/stdout"))["block_size"] == 32 << 20
    finally:
        stage.close()


def test_the_master_reads_a_log_without_hdfs(stage):
    stage.agent()
    stage.prepare()
    stage.launch("print('abcdef', flush=True)\n" + WAIT)
    stage.master.wait_for("output")
    stage.master.send("read_log", stream="stdout", offset=2, limit=3, token=7)
    piece = stage.master.wait_for("log_piece")
    assert (piece["token"], piece["offset"], piece["size"], base64.b64decode(piece["bytes"])) == (7, 2, 7, b"cde")


def test_300_mb_of_output_arrive_and_cost_no_memory(stage):
    agent = stage.agent()
    exited = stage.run("""
import sys
line = b'x' * 1023 + b'\\n'
for _ in range(300): sys.stdout.buffer.write(line * 1024)
""")
    assert exited["status"]["code"] == 0 and not exited["problem"]
    assert json.loads(stage.hdfs("stat", "--output", "json", f"{stage.folder}/logs/1/stdout"))["length"] == 300 << 20
    with open(f"/proc/{agent.process.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    assert peak < 200 << 10, f"{peak} kB"


def test_a_log_that_its_task_cuts_is_copied_on(stage):
    stage.agent()
    stage.run("""
import os, sys
print('before', flush=True)
os.ftruncate(1, 0)
print('after the cut', flush=True)
""")
    assert stage.hdfs.read(f"{stage.folder}/logs/1/stdout").endswith(b"after the cut\n")


def test_results_are_saved_with_a_manifest_whatever_their_names(stage):
    stage.agent()
    exited = stage.run("""
import os, sys
assert sys.argv[1] == os.environ['YDL_RESULTS_DIR']
os.makedirs('run/deep/er'); os.makedirs('nothing')
open('run/deep/er/a b', 'wb').write(b'1' * 3_000_000)
open(os.path.join(sys.argv[1], 'model'), 'w').write('weights')
open('empty', 'w'); open('12:30', 'w').write('colon'); open('100%', 'w').write('percent')
open('größe ☃', 'w').write('snow'); open(b'\\xff', 'w').write('bytes'); open('manifest.json', 'w').write('mine')
os.symlink('model', os.path.join(sys.argv[1], 'latest')); os.symlink('/etc/hostname', 'run/outside')
""")
    assert (exited["status"]["code"], exited["problem"]) == (0, "")
    where = f"{stage.folder}/results/worker-0"
    manifest = stage.manifest()
    assert (manifest["version"], manifest["task"], manifest["attempt"], manifest["exit_code"]) == (1, "worker:0", 1, 0)
    files = {file["path"]: file for file in manifest["files"]}
    assert set(files) == {"run/deep/er/a b", "model", "latest", "empty", "12%3A30", "100%25", "größe ☃", "%FF", "%6Danifest.json"}
    assert manifest["left_out"] == ["run/outside"]
    for path, file in files.items():
        content = stage.hdfs.read(f"{where}/{path}")
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file["size"], file["sha256"]), path
    assert stage.hdfs.read(f"{where}/latest") == b"weights"
    assert "nothing" in stage.hdfs.tree(where)
    assert stage.hdfs.tree(f"{stage.folder}/results")[0] == "worker-0", "nothing is left beside it"


def test_a_task_that_leaves_nothing_has_no_folder(stage):
    stage.agent()
    stage.run("pass")
    assert stage.hdfs.run("ls", f"{stage.folder}/results/worker-0").returncode == 1


def test_a_retry_finds_earlier_results_and_replaces_them_as_a_whole(stage):
    first = stage.agent()
    stage.run("open('checkpoint', 'w').write('one'); open('12:30', 'w').write('kept'); import sys; sys.exit(9)")
    assert stage.manifest()["exit_code"] == 9
    first.end()
    stage.agent(name="container_2")
    exited = stage.run("""
import os
assert open('checkpoint').read() == 'one' and open('12:30').read() == 'kept'
os.remove('checkpoint'); open('checkpoint', 'w').write('two')
""", attempt=2)
    assert exited["status"]["code"] == 0, stage.hdfs.read(f"{stage.folder}/logs/2/stderr")
    where = f"{stage.folder}/results/worker-0"
    assert (stage.manifest()["attempt"], stage.manifest()["exit_code"]) == (2, 0)
    assert stage.hdfs.read(f"{where}/checkpoint") == b"two"
    assert stage.hdfs.read(f"{where}/12%3A30") == b"kept"


def test_a_retry_in_the_same_container_has_the_results_that_are_there_and_logs_of_its_own(stage, tmp_path):
    stage.agent()
    stage.run("print('first'); open('checkpoint', 'w').write('one'); import sys; sys.exit(9)", log_directory=".")
    checkpoint = tmp_path / "container_1/results/checkpoint"
    inode = checkpoint.stat().st_ino
    stage.master.send("release", attempt=1)
    exited = stage.run("""
print('second')
assert open('checkpoint').read() == 'one'
open('more', 'w').write('two')
""", attempt=2, log_directory=".")
    logs = tmp_path / "container_1/logs"
    assert exited["status"]["code"] == 0, (logs / "stderr").read_text()
    assert checkpoint.stat().st_ino == inode, "it was downloaded once more"
    assert [(logs / name).read_text() for name in ("stdout.1", "stdout")] == ["first\n", "second\n"]
    assert [stage.hdfs.read(f"{stage.folder}/logs/{n}/stdout") for n in (1, 2)] == [b"first\n", b"second\n"]
    assert sorted(file["path"] for file in stage.manifest()["files"]) == ["checkpoint", "more"]
    assert stage.manifest()["attempt"] == 2


def test_results_set_aside_by_an_attempt_that_died_are_found_again(stage):
    stage.hdfs("mkdir", "-p", f"{stage.folder}/results/.worker-0.old")
    stage.hdfs("put", "-", f"{stage.folder}/results/.worker-0.old/checkpoint", stdin=b"one")
    stage.agent()
    exited = stage.run("assert open('checkpoint').read() == 'one'", attempt=2)
    assert exited["status"]["code"] == 0
    assert stage.hdfs.read(f"{stage.folder}/results/worker-0/checkpoint") == b"one"
    assert stage.hdfs.tree(f"{stage.folder}/results") == ["worker-0", "worker-0/checkpoint", "worker-0/manifest.json"]


def test_inputs_are_there_and_are_not_results(stage):
    stage.hdfs("put", "-", f"{stage.folder}/one", stdin=b"1")
    stage.hdfs("mkdir", "-p", f"{stage.folder}/many/deep")
    stage.hdfs("put", "-", f"{stage.folder}/many/deep/two", stdin=b"22")
    stage.agent()
    exited = stage.run("assert open('a').read() == '1' and open('data/many/deep/two').read() == '22'; open('mine', 'w')",
                       inputs=[{"path": f"{stage.folder}/one", "name": "a"}, {"path": f"{stage.folder}/many", "name": "data/many"}])
    assert exited["status"]["code"] == 0, stage.hdfs.read(f"{stage.folder}/logs/1/stderr")
    assert [file["path"] for file in stage.manifest()["files"]] == ["mine"]


def test_an_input_that_is_not_there_is_named(stage):
    stage.agent()
    stage.prepare(inputs=[{"path": f"{stage.folder}/no-such", "name": "x"}])
    assert stage.master.wait_for("prepare_failed")["reason"] == f"the input {stage.folder}/no-such: {stage.folder}/no-such: no such file or directory"


def test_safe_mode_at_the_end_is_waited_for(stage, cluster):
    stage.agent()
    stage.prepare()
    stage.launch("""
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print('before', flush=True)
signal.sigwait([signal.SIGTERM])
print('after', flush=True); open('model', 'w').write('weights')
""")
    eventually(lambda: stage.hdfs.read(f"{stage.folder}/logs/1/stdout"), "the first line")
    cluster.run(*DFS_ADMIN, "enter")
    try:
        stage.master.send("stop", grace=60000)
        # By then the results were tried and refused.
        eventually(lambda: "safe mode" in (stage._path / "container_1/agent.log").read_text(), "a refusal")
        stage.master.wait_for("saving")
        assert not [report for report in stage.master.reports if report["type"] == "exited"]
    finally:
        cluster.run(*DFS_ADMIN, "leave")
    assert stage.master.wait_for("exited")["problem"] == ""
    assert stage.hdfs.read(f"{stage.folder}/logs/1/stdout") == b"before\nafter\n"
    assert stage.hdfs.read(f"{stage.folder}/results/worker-0/model") == b"weights"


def test_results_that_cannot_be_saved_are_a_problem_of_the_task(stage):
    stage.agent("--hdfs-patience", "0")
    exited = stage.run("open('model', 'w')", remote_results="/not-anns/results")
    assert exited["status"]["code"] == 0
    assert exited["problem"].startswith("its results could not be saved as /not-anns/results: making directory /not-anns/.results.new-1: ")
    assert "ermission denied" in exited["problem"]


def test_a_log_that_cannot_be_written_does_not_stop_the_task(stage):
    stage.agent("--hdfs-patience", "3000")
    exited = stage.run("print('x')", remote_logs="/not-anns/logs")
    assert exited["status"]["code"] == 0 and not exited["problem"]
    first, *rest = stage.master.notes()
    assert first.startswith("its log cannot be copied to HDFS right now (creating /not-anns/logs/stdout: ")
    assert all("the end of its log is missing" in note for note in rest)


@pytest.mark.on_cluster("--nodes", "4", "--set", "dfs.client.socket-timeout=8000", "--set", "dfs.heartbeat.interval=1")
def test_a_datanode_dies_while_a_log_is_copied(clusters, folder, tmp_path):
    cluster = clusters("--nodes", "4", "--set", "dfs.client.socket-timeout=8000", "--set", "dfs.heartbeat.interval=1")
    stage = make_stage(cluster, folder, tmp_path)
    try:
        stage.agent()
        stage.prepare()
        stage.launch("""
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print('x' * 100000, flush=True)
signal.sigwait([signal.SIGTERM])
print('y' * 100000, flush=True)
""")
        eventually(lambda: stage.hdfs.read(f"{folder}/logs/1/stdout"), "the log in HDFS")
        report = cluster.run("java", "org.apache.hadoop.hdfs.tools.DFSck", f"{folder}/logs/1/stdout", "-files", "-blocks", "-openforwrite")
        block = report.split(":blk_")[1].split("_")[0]
        victim = sorted(path.relative_to(cluster.folder).parts[0] for path in cluster.folder.glob(f"datanode*/**/blk_{block}"))[0]
        cluster.run("kill", victim)
        try:
            stage.master.send("stop", grace=60000)
            stage.master.wait_for("exited")
            assert stage.hdfs.read(f"{folder}/logs/1/stdout") == b"x" * 100000 + b"\n" + b"y" * 100000 + b"\n"
        finally:
            cluster.run("start", victim)
    finally:
        stage.close()


def test_a_log_goes_on_where_it_ended_when_all_its_datanodes_were_gone(strict, folder, tmp_path):
    cluster = strict.view({"dfs.client.socket-timeout": 8000})
    stage = make_stage(cluster, folder, tmp_path)
    try:
        stage.agent()
        stage.prepare()
        stage.launch("""
import os, select
number = 0
while not os.path.exists('enough'):
    number += 1
    print(number, flush=True)
    select.select([], [], [], 0.05)
""")
        eventually(lambda: stage.hdfs.read(f"{folder}/logs/1/stdout"), "the log in HDFS")
        cluster.run("kill", "datanode1")
        try:
            assert "the task continues, and ydl tries again" in stage.master.wait_for("note")["text"]
        finally:
            cluster.run("start", "datanode1")
        written_so_far = (tmp_path / "container_1/logs/worker-0/1/stdout").stat().st_size
        eventually(lambda: len(stage.hdfs.read(f"{folder}/logs/1/stdout") or b"") > written_so_far, "the copy goes on")
        (tmp_path / "container_1/work/enough").touch()
        assert stage.master.wait_for("exited")["status"]["code"] == 0
        assert stage.hdfs.read(f"{folder}/logs/1/stdout") == (tmp_path / "container_1/logs/worker-0/1/stdout").read_bytes()
    finally:
        stage.close()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_of_a_task_outlives_its_agent(stage, number, tmp_path):
    agent = stage.agent()
    stage.prepare()
    mark = f"mark-{tmp_path.name}"
    stage.launch(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', '{WAIT}', '{mark}'], start_new_session=True); print('up', flush=True)\n{WAIT}")
    stage.master.wait_for("output")
    assert len(processes_that_mention(mark)) == 2
    agent.process.send_signal(number)
    agent.process.wait(30)
    eventually(lambda: not processes_that_mention(mark), "the end of the task's processes")


def test_an_agent_whose_container_was_given_up_ends_its_task_and_itself(stage, tmp_path):
    agent = stage.agent("--outlives-master", "600000")
    stage.prepare()
    mark = f"mark-{tmp_path.name}"
    stage.launch(f"print('up', flush=True); {WAIT}  # {mark}")
    stage.master.wait_for("output")
    assert processes_that_mention(mark)
    stage.master.forget("container_1")
    agent.process.wait(30)
    assert "has given up this container" in agent.log
    assert not processes_that_mention(mark)


def test_a_master_that_refuses_is_named_in_the_agents_log(stage):
    stage.master.refusal = "another version"
    agent = stage.agent()
    assert agent.process.wait(30) == 1
    assert f"the master at 127.0.0.1:{stage.master.port} refuses this agent" in agent.log


def test_a_master_with_another_certificate_is_told_nothing_and_ends_the_agent(stage):
    expected = stage.master.identity
    stage.master.identity = Identity()  # what the agent was told to look for
    agent = stage.agent()
    stage.master.identity = expected
    assert agent.process.wait(30) == 1
    assert "the server at this address is not the job's master: it has a different certificate; nothing was sent to it" in agent.log


def test_a_task_finds_nothing_of_ydl_in_its_token_file(stage):
    stage.agent()
    exited = stage.run("import os; data = open(os.environ['HADOOP_TOKEN_FILE_LOCATION'], 'rb').read(); assert data.startswith(b'HDTS'), data\n"
                       "assert b'ydl' not in data and b'secret' not in data, data")  # fmt: skip
    assert exited["status"]["code"] == 0
