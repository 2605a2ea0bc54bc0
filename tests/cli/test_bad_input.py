"""What cannot work gets one sentence with cause and remedy, the right exit code, and leaves nothing behind."""

import contextlib
import os
import re
import socket
import subprocess

import pytest

from harness import Job, eventually, finish

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to mount a small file system")


def refused(done, code, *parts):
    """One sentence on standard error with these parts, nothing on standard output."""
    assert done.code == code, done.everything()
    assert done.out == ""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("ydl: ")
    for part in parts:
        assert part in lines[0]


# ---- the command line ------------------------------------------------------------------------------------------


# Each row: the words after `ydl`, the exit code, and what the one sentence on standard error has to contain. In the
# words {work} is the directory of the test, which has train.py, notexec.sh, folder/ and data.bin.
WRONG = [
    # The command is missing or unknown.
    ("run", 2, "the command to run is missing", "ydl run --n 2 -- python train.py"),
    ("run --n 2 --", 2, "the command to run is missing"),
    ("stats", 2, "unknown command 'stats'; did you mean 'status'?", "ydl --help"),
    ("lgos", 2, "unknown command 'lgos'; did you mean 'logs'?"),
    ("stop x", 2, "unknown command 'stop'; did you mean 'kill'?"),
    ("cancel x", 2, "unknown command 'cancel'; did you mean 'kill'?"),
    ("ps", 2, "unknown command 'ps'; did you mean 'ls'?"),
    ("list", 2, "unknown command 'list'; did you mean 'ls'?"),
    ("jobs", 2, "unknown command 'jobs'; did you mean 'ls'?"),
    ("top", 2, "unknown command 'top'; did you mean 'status'?"),
    ("xyzzy", 2, "unknown command 'xyzzy' (`ydl --help` lists them)"),
    ("train.py", 2, "unknown command 'train.py'; to run it as a job, write `ydl run -- train.py`"),
    ("./train.sh --n 2", 2, "unknown command './train.sh'; to run it as a job, write `ydl run -- ./train.sh`"),
    ("python3 train.py", 2, "unknown command 'python3'; to run it as a job, write `ydl run -- python3`"),
    ("--n 2 train.py", 2, "the command is missing before --n", "`ydl run --n …`"),
    ("--bogus", 2, "unknown command '--bogus'"),
    ("help nope", 2, "unknown command 'nope'"),
    ("fs lss /", 2, "fs lss", "did you mean 'ls'?"),
    ("fs ls -q /", 2, "`ydl fs ls` has no option -q", "usage: ydl fs ls"),
    ("fs cat", 2, "usage: ydl fs cat"),
    ("env", 2, "COMMAND is missing; write `ydl env ls|gc|why"),
    ("env clean", 2, "unknown command 'ydl env clean' (available: ls, gc, why)"),
    ("env ls --dry-run", 2, "--dry-run", "`ydl env gc`"),
    ("env gc --older-than soon", 2, "--older-than 'soon' is not a whole number"),
    ("env gc --keep-jobs -1", 2, "--keep-jobs -1 is too small; the smallest number is 0"),
    ("results", 2, "WHAT is missing; write `ydl results"),
    ("results show", 2, "unknown command 'ydl results show' (available: ls, get)"),
    ("completion", 2, "SHELL is missing; write `ydl completion bash|zsh|fish`"),
    ("completion tcsh", 2, "unknown shell 'tcsh' (available: bash, zsh, fish)"),
    # An option is unknown, has no value, or has one too many.
    ("run --framwork pytorch -- true", 2, "no option --framwork; did you mean --framework? (options for your program go after it)"),
    ("run --framwork=pytorch -- true", 2, "no option --framwork; did you mean --framework?"),
    ("run --retris 3 -- true", 2, "no option --retris; did you mean --retries?"),
    ("run --nope -- true", 2, "no option --nope (options for your program go after it)"),
    ("run -q -- true", 2, "no option -q (options for your program go after it)"),
    ("run --worker-memory 1k -- true", 2, "role worker: 1 KiB of memory is too little to start a process; the smallest size is 1 MiB"),
    ("run --n", 2, "--n has no value; write --n N"),
    ("run --num-workers", 2, "--num-workers has no value; write --num-workers N"),
    ("run --n 1 --n 2 -- true", 2, "--n is given more than once; write it once"),
    ("ls --limt 3", 2, "`ydl ls` has no option --limt; did you mean --limit? (`ydl ls --help` lists them)"),
    ("ls --limit 0", 2, "--limit 0 is too small; the smallest number is 1"),
    ("ls --limit many", 2, "--limit 'many' is not a whole number"),
    ("ls extra", 2, "`ydl ls` takes no argument 'extra'; write `ydl ls [options]`"),
    ("status --nope", 2, "`ydl status` has no option --nope"),
    ("doctor now", 2, "`ydl doctor` takes no argument 'now'"),
    # Numbers of tasks.
    ("run --n 0 -- true", 2, "--n 0 is too small; a job needs at least one worker"),
    ("run --n -1 -- true", 2, "--n -1 is too small"),
    ("run --n two -- true", 2, "--n 'two' is not a whole number; write for example 2"),
    ("run --n 1.5 -- true", 2, "--n '1.5' is not a whole number"),
    ("run --num-workers two -- true", 2, "--num-workers 'two' is not a whole number"),
    ("run -n 0 -- true", 2, "-n 0 is too small"),
    ("run --n 99999999999 -- true", 2, "--n 99999999999 is too large; the largest number is 100000"),
    ("run --n 99999999999999999999 -- true", 2, "is too large; the largest number is 100000"),
    ("run --n 8:2 -- true", 2, "--n: '8:2': the first number is larger than the second; write 2:8"),
    ("run --n 0:2 -- true", 2, "--n: '0:2': a role needs at least one task; write 1:2"),
    ("run --n a:b -- true", 2, "--n: 'a:b' is not a range of tasks; write LEAST:MOST"),
    ("run --role worker=0 -- true", 2, "--role: role 'worker' cannot have '0' tasks"),
    ("run --role worker -- true", 2, "--role: 'worker' has no count; write NAME=N, for example worker=2"),
    ("run --role 1a=2 -- true", 2, "--role: ", "'1a' cannot be the name of a role"),
    ("run --role worker=1 --role worker=2 -- true", 2, "--role: role worker is given twice"),
    ("run --framework tensorflow --role chef=1 -- true", 2, "no role 'chef'; did you mean 'chief'?"),
    ("run --framework tensorflow --role chief=2 -- true", 2, "at most one chief"),
    ("run --framework torch -- true", 2, "unknown framework 'torch'", "available: ", "pytorch"),
    ("run --framework pytoch -- true", 2, "unknown framework 'pytoch'; did you mean 'pytorch'?"),
    ("run --s 2 -- true", 2, "--s: framework none has no servers", "--framework mxnet", "--role NAME=N"),
    ("run --num-servers 2 -- true", 2, "--num-servers: framework none has no servers"),
    ("run --framework mxnet --s 0 -- true", 2, "--s 0 is too small; a job needs at least one server"),
    # Resources.
    ("run --worker-memory 12q -- true", 2, "--worker-memory: '12q' is not a size", "k, m, g or t"),
    ("run --worker-memory 0 -- true", 2, "--worker-memory: the memory must be more than 0; write for example 512m or 2g"),
    ("run --worker-cores 0 -- true", 2, "--worker-cores: '0' is not a whole number from 1 to 4096"),
    ("run --server-memory 1g -- true", 2, "--server-memory: the job has no role 'server' (available: worker)"),
    ("run --resource worker:memory=12q -- true", 2, "--resource: ", "'12q' is not a size", "512m"),
    ("run --resource worker:memroy=1g -- true", 2, "--resource: ", "unknown resource 'memroy'; did you mean 'memory'?"),
    ("run --resource worker:memory -- true", 2, "--resource: ", "memory has no value; write memory=VALUE"),
    ("run --resource memory=1g -- true", 2, "--resource: 'memory=1g' does not name a role; write ROLE:KEY=VALUE"),
    ("run --resource boss:memory=1g -- true", 2, "--resource boss:memory=1g: the job has no role 'boss' (available: worker)"),
    ("run --resource worker:gpus=1,gpus=2 -- true", 2, "--resource: ", "the value is given twice"),
    ("run --resource am:gpus=1 -- true", 2, "--resource am:gpus=1: the ApplicationMaster (am) takes memory, vcores and label only"),
    ("run --files-limit much -- true", 2, "--files-limit: 'much' is not a size"),
    # Where it runs and how it is shown.
    ("run --cluster yran -- true", 2, "--cluster: unknown cluster 'yran'; did you mean 'yarn'?"),
    ("run --cluster ssh -- true", 2, "--cluster: unknown cluster 'ssh' (available: auto, local, yarn)"),
    ("run --cluster yarn -- true", 2, "--cluster yarn: ", "set HADOOP_CONF_DIR"),
    ("run --queue ml -- true", 2, "--queue only makes sense on a cluster", "remove it"),
    ("run --queue a,b -- true", 2, "--queue: 'a,b' cannot be the name of a queue"),
    ("run --priority high -- true", 2, "--priority high: this must be a whole number from 0 to 1000000"),
    ("run --am mine -- true", 2, "--am: unknown kind of ApplicationMaster 'mine' (available: managed, unmanaged)"),
    ("run --name-node other -- true", 2, "--name-node: 'other' is not a file system; write hdfs://CLUSTER"),
    ("run --acl-view a,,b -- true", 2, "--acl-view: 'a,,b' is not an access list"),
    ("run --image-runtime podman -- true", 2, "--image-runtime: the job has no image; add --image NAME"),
    ("run --image x --image-runtime podmann -- true", 2, "--image-runtime: unknown image runtime 'podmann'; did you mean 'podman'?"),
    ("run --image x --image-mount data:/d -- true", 2, "--image-mount: 'data:/d' is not a mount; write /ON/THE/HOST:/IN/THE/IMAGE"),
    ("run --output jsn -- true", 2, "--output: unknown mode 'jsn'; did you mean 'json'?"),
    ("ls --output xml", 2, "--output: unknown mode 'xml' (available: auto, tty, plain, json, quiet)"),
    ("run --port-range 9-1 -- true", 2, "--port-range 9-1: ", "write FIRST-LAST"),
    # Times and failures.
    ("run --timeout soon -- true", 2, "--timeout: 'soon' is not a duration", "90s"),
    ("run --stop-grace -1s -- true", 2, "--stop-grace: '-1s' is not a duration"),
    ("run --stall-timeout 0 -- true", 2, "--stall-timeout: the time must be more than 0"),
    ("run --retries -1 -- true", 2, "--retries -1 is too small; the smallest number is 0"),
    ("run --retries 2000 -- true", 2, "--retries 2000 is too large; the largest number is 1000"),
    ("run --job-retries some -- true", 2, "--job-retries 'some' is not a whole number"),
    ("run --blacklist strikt -- true", 2, "--blacklist: unknown blacklist mode 'strikt'; did you mean 'strict'?"),
    ("run --blacklist= -- true", 2, "--blacklist has no value; write --blacklist MODE"),
    ("run --restore-from a/b -- true", 2, "--restore-from: 'a/b' cannot be the id of a job; `ydl ls` shows the ids"),
    # Names, variables and files.
    ("run --env NOVALUE -- true", 2, "--env NOVALUE: NOVALUE is not set in this shell", "--env NOVALUE=VALUE"),
    ("run --env 1A=b -- true", 2, "--env: '1A' cannot be the name of an environment variable"),
    ("run --file /nope -- true", 2, "--file /nope does not exist"),
    ("run --file nope.txt -- true", 2, "--file nope.txt does not exist in {work}"),
    ("run --file data.bin= -- true", 2, "--file: 'data.bin=' ends without a name; write PATH=NAME"),
    ("run --file data.bin=../x -- true", 2, "--file: '../x' cannot be the name of a file in a task"),
    ("run --archive nope.zip -- true", 2, "--archive nope.zip does not exist in {work}"),
    ("run --archives data.bin# -- true", 2, "--archives: 'data.bin#' ends without a name; write PATH#NAME"),
    ("run --input /data -- true", 2, "--input: '/data' is not a path in HDFS; write hdfs:///PATH"),
    ("run --python-env nope -- train.py", 2, "--python-env", "nope does not exist"),
    ("run --python a --python-env b -- train.py", 2, "--python and --python-env", "remove one of them"),
    ("submit", 2, "FILE is missing; write `ydl submit [options] FILE.yaml`"),
    ("submit no/such.yaml", 2, "no/such.yaml", "No such file or directory"),
    ("submit folder", 2, "folder", "Is a directory"),
    # Commands that cannot be started.
    ("run -- ./nothere.sh", 127, "./nothere.sh does not exist in {work}"),
    ("run -- /no/such/program", 127, "/no/such/program does not exist"),
    ("run -- pyhton3-config-x", 127, "there is no program `pyhton3-config-x` on your PATH"),
    ("run -- ./notexec.sh", 126, "./notexec.sh is not executable; run `chmod +x ./notexec.sh`"),
    ("run -- ./folder", 126, "./folder is a directory"),
    ("run -- trian.py", 2, "trian.py does not exist in {work}; did you mean 'train.py'?"),
    ("run python jobs/train.py", 2, "jobs/train.py does not exist in {work}"),
    ("run --python /no/such/python -- train.py", 127, "--python /no/such/python does not exist"),
    ("run --no-auto-files -- train.py", 2, "--no-auto-files", "add --file train.py"),
    # Which job?
    ("kill", 2, "which job? `ydl kill ID` (no job is running on this machine)"),
    ("kill x --grace soon", 2, "--grace: 'soon' is not a duration"),
    ("logs x --stream sterr", 2, "--stream: unknown stream 'sterr' (available: stdout, stderr"),
    ("logs x --attempt 0", 2, "--attempt 0 is too small; the smallest number is 1"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "code", "parts"), [pytest.param(line, code, parts, id=line) for line, code, *parts in WRONG])
def test_a_wrong_command_line_is_refused_in_one_sentence(ydl, line, code, parts):
    ydl.write("train.py", "")
    ydl.write("notexec.sh", "")
    ydl.write("data.bin", "")
    (ydl.work / "folder").mkdir()
    env = {"HADOOP_CONF_DIR": "", "HADOOP_HOME": "", "PATH": "/usr/bin:/bin"}
    refused(ydl(*line.split(), env=env), code, *(part.replace("{work}", str(ydl.work)) for part in parts))
    assert ydl.jobs() == []


def test_a_program_that_is_nearly_on_the_path_is_guessed(ydl):
    tools = ydl.scratch / "tools"
    tools.mkdir()
    (tools / "train-model").write_text("#!/bin/sh\n")
    (tools / "train-model").chmod(0o755)
    refused(ydl("run", "--", "trian-model", env={"PATH": f"{tools}:/usr/bin:/bin"}), 127, "there is no program `trian-model` on your PATH (did you mean `train-model`?)")
    ydl.write("mine", "#!/bin/sh\n").chmod(0o755)
    refused(ydl("run", "--", "mine"), 127, "there is no program `mine` on your PATH (did you mean `./mine`?)")
    refused(ydl("run", "--", "echo hello"), 127, "there is no program `echo hello` on your PATH (write the words of a command without quotes")
    assert ydl.jobs() == []


def test_a_missing_id_is_answered_with_the_running_jobs(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    refused(ydl("kill"), 2, f"which job? `ydl kill ID` (running: {job.id})")
    job.kill()


def test_an_option_after_the_command_belongs_to_the_task(ydl):
    assert "[worker:0] --retris 3 -- x" in ydl.ok("run", "echo", "--retris", "3", "--", "x").out


# ---- job files -------------------------------------------------------------------------------------------------


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(12)
)


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        pytest.param("version: 1\ncommand: x\nroles:\n\tworker: {}\n", [":4: ", "tab"], id="a tab"),
        pytest.param(f"version: 1\n{BOMB}", ["alias"], id="an alias bomb"),
        pytest.param("version: 1\ncommand: x\nrolse: {worker: {}}\n", [":3: ", "'rolse'", "did you mean 'roles'?"], id="an unknown key"),
        pytest.param("version: 2\ncommand: x\nroles: {worker: {}}\n", [":1: ", "newer ydl"], id="a newer version"),
        pytest.param("command: x\nroles: {worker: {}}\n", ["version"], id="no version"),
        pytest.param("version: 1\ncommand: x\nroles: {worker: {count: 0}}\n", [":3: ", "count"], id="zero workers"),
        pytest.param("version: 1\ncommand: x\nroles: {worker: {resources: {memory: 12q}}}\n", [":3: ", "12q"], id="a memory of 12q"),
        pytest.param("version: 1\ncommand: a | b\nroles: {worker: {}}\n", [":2: ", "|"], id="a pipe in a command"),
        pytest.param("version: 1\nroles: {worker: {}}\n", ["command"], id="no command"),
        pytest.param("version: 1\nframework: tensorflow\ncommand: x\nroles: {chef: {}}\n", ["chef", "did you mean 'chief'?"], id="an unknown role"),
        pytest.param("version: 1\ncommand: x\nroles: {ps: {}}\n", ["must succeed", "decider"], id="no role decides"),
        pytest.param('{"version": 1, "command": "x", ', [":1"], id="half a JSON file"),
        pytest.param("", ["empty"], id="an empty file"),
    ],
)  # fmt: skip
def test_a_wrong_job_file_is_refused_with_the_line(ydl, content, parts):
    done = ydl("submit", ydl.write("job.yaml", content), timeout=20)
    assert done.code == 2, done.everything()
    assert done.out == ""
    for part in parts:
        assert part in done.err
    assert ydl.jobs() == []


@pytest.mark.parametrize("seed", range(8))
def test_random_bytes_as_a_job_file_are_refused(ydl, seed):
    path = ydl.work / "job.yaml"
    path.write_bytes(b"".join(bytes([(seed * 131 + i * i * 7 + (i << seed)) % 256]) for i in range(4096)))
    done = ydl("submit", path, timeout=20)
    assert done.code == 2, done.everything()
    assert done.err.startswith("ydl: ")
    assert "job.yaml" in done.err
    # Nothing of the bytes reaches the terminal as it is.
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.err)
    assert ydl.jobs() == []


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("blacklist: {mode: never}", ["mode in blacklist: unknown blacklist mode 'never' (available: decay, strict, off)"]),
        ("blacklist: never", ["blacklist: unknown blacklist mode 'never' (available: decay, strict, off)"]),
        ("blacklist: {failures: 0}", ["failures in blacklist", "from 1 to 1000, not 0"]),
        ("blacklist: {forget: 0}", ["forget in blacklist: the time must be more than 0"]),
        ("timeouts: {orphan: 0}", ["orphan in timeouts: the time must be more than 0"]),
        ("timeouts: {blind: 0}", ["blind in timeouts: the time must be more than 0"]),
        ("blacklist: {forget: soon}", ["forget in blacklist: 'soon' is not a duration"]),
        ("fail_fast: maybe", ["fail_fast: this must be true or false, not 'maybe'"]),
    ],
)
def test_a_wrong_answer_to_failures_is_refused_with_its_line(ydl, line, parts):
    job = ydl.write("job.yaml", f"version: 1\ncommand: 'true'\nroles: {{worker: {{}}}}\n{line}\n")
    refused(ydl("submit", job), 2, "job.yaml:4: ", *parts)
    assert ydl.jobs() == []


def test_a_job_file_that_is_not_there_is_named(ydl):
    refused(ydl("submit", "no/such.yaml"), 2, "no/such.yaml", "No such file or directory")


def test_a_job_file_that_is_a_folder_is_refused(ydl):
    done = ydl("submit", ydl.work)
    refused(done, 2, str(ydl.work), "Is a directory")


def test_all_problems_of_a_job_file_are_told_together(ydl):
    done = ydl("submit", ydl.write("job.yaml", "version: 1\nname: [a]\nretries: many\nroles: {worker: {count: -4}}\n"))
    assert done.code == 2
    assert {line for line in (2, 3, 4) if f"job.yaml:{line}: " in done.err} == {2, 3, 4}


def test_a_role_without_a_command_hides_no_other_mistake_of_it(ydl):
    done = ydl("submit", ydl.write("job.yaml", "version: 1\nroles:\n  worker:\n    count: -4\n    retries: many\n"))
    assert done.code == 2
    for problem in ("job.yaml:3: role 'worker' has no command", "job.yaml:4: ", "job.yaml:5: "):
        assert problem in done.err, done.err


# ---- commands that cannot run ----------------------------------------------------------------------------------


def test_a_script_whose_interpreter_is_missing_is_explained(ydl):
    path = ydl.write("script", "#!/usr/bin/no-such-python\n")
    path.chmod(0o755)
    done = ydl("run", "--", "./script")
    assert done.code == 127, done.everything()
    assert "no-such-python" in done.out


def test_a_script_that_is_added_is_found_without_the_files_of_the_directory(ydl):
    ydl.write("train.py", "print('trained')")
    assert "[worker:0] trained" in ydl.ok("run", "--no-auto-files", "--file", "train.py", "train.py").out


# ---- more than the machine has ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        pytest.param("absent.zip", None, ["--archive absent.zip does not exist"], id="absent"),
        pytest.param("data.rar", b"Rar!", ["data.rar", "the suffix is not that of an archive", ".zip"], id="of an unknown kind"),
        pytest.param("data.tar.gz", b"no gzip at all", ["data.tar.gz cannot be unpacked:"], id="broken"),
    ],
)
def test_an_archive_that_cannot_be_unpacked_is_named_and_leaves_no_job(ydl, name, content, parts):
    if content is not None:
        (ydl.work / name).write_bytes(content)
    done = ydl("run", "--archive", name, "--", "true")
    assert done.code in (1, 2)
    assert all(part in done.err.splitlines()[-1] for part in parts), done.err
    assert ydl.jobs() == []


def test_10000_tasks_on_one_machine_are_refused(ydl):
    refused(ydl("run", "--n", "10000", "--", "true"), 1, "10000 tasks are too many for this machine", "request fewer, or use a cluster")
    assert ydl.jobs() == []


def test_more_memory_than_the_machine_has_is_refused(ydl):
    refused(ydl("run", "--worker-memory", "900t", "--", "true"), 1, "900 TiB of memory", "request less")
    assert ydl.jobs() == []


def test_a_port_range_too_small_for_the_tasks_is_refused(ydl):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = ydl("run", "--port-range", f"{port}-{port}", "--", "true")
    assert done.code == 1, done.everything()
    assert f"{port}" in done.out + done.err


# ---- jobs that are not there -----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["status", "logs", "events", "kill"])
@pytest.mark.parametrize("job_id", ["nope", "../../etc", ".", "a/b", "x" * 5000])
def test_an_unknown_job_is_refused(ydl, command, job_id):
    refused(ydl(command, job_id), 1, "ydl ls")


def test_a_nearly_right_job_id_is_guessed(ydl):
    ydl.ok("run", "--name", "mnist", "--", "true")
    job = ydl.the_job()
    refused(ydl("status", "mmist" + job.id[5:]), 1, f"did you mean '{job.id}'?")


def test_an_ambiguous_job_id_names_the_candidates(ydl):
    ydl.ok("run", "--name", "twin", "--", "true")
    ydl.ok("run", "--name", "twin", "--", "true")
    first, second = ydl.jobs()
    done = ydl("status", "twin-")
    refused(done, 1, "'twin-' matches several jobs:", first.id, second.id)


def test_a_task_that_the_job_does_not_have_is_refused(ydl):
    ydl.ok("run", "--n", "3", "--", "true")
    refused(ydl("logs", ydl.the_job().id, "worker:7"), 1, "has no task worker:7; it has worker:0 to worker:2")
    refused(ydl("logs", ydl.the_job().id, "boss"), 1, "has no role 'boss'; it has worker")


def test_no_jobs_at_all_is_said(ydl):
    refused(ydl("status"), 1, "there are no jobs yet", "ydl run --help")


def test_a_state_directory_that_cannot_be_made_is_named(ydl):
    ydl.write("file", "")
    refused_env = {"XDG_STATE_HOME": str(ydl.work / "file")}
    done = ydl("run", "--", "true", env=refused_env)
    assert done.code == 1
    assert f"{ydl.work}/file" in done.err.splitlines()[-1]


# ---- a full disk -----------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(ydl):
    """The state directory on a disk of one MiB."""
    ydl.state.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", ydl.state], check=True)
    yield ydl.state
    subprocess.run(["umount", "-l", ydl.state], check=True)


def fill(folder):
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


@root_only
def test_a_job_on_a_full_disk_is_refused(ydl, small_disk):
    (small_disk / "ydl/jobs").mkdir(parents=True)
    fill(small_disk)
    done = ydl("run", "--", "true")
    assert done.code == 1, done.everything()
    assert re.match(rf"ydl: .*{small_disk}.*: No space left on device", done.err.splitlines()[-1])
    assert ydl.jobs() == []


@root_only
def test_a_disk_that_fills_up_while_the_job_runs_does_not_hide_its_end(ydl, small_disk):
    os.mkfifo(ydl.scratch / "go_on")
    process = ydl.start("run", "--", "sh", "-c", f"cat {ydl.scratch}/go_on; exit 3")
    ydl.the_job().running()
    fill(small_disk)
    (ydl.scratch / "go_on").write_text("")
    done = finish(process)
    assert done.code == 3, done.everything()
    assert "No space left on device" in done.out + done.err


@root_only
def test_other_commands_work_on_a_full_disk(ydl, small_disk):
    ydl.ok("run", "--name", "before", "--", "echo", "old")
    fill(small_disk)
    assert [job["state"] for job in ydl.listed().values()] == ["succeeded"]
    assert ydl.ok("logs", "before").out == "[worker:0] old\n"


# ---- a port taken by another process ---------------------------------------------------------------------------


def test_a_port_taken_by_another_process_restarts_the_gang_on_new_ports_uncharged(ydl):
    program = ydl.program(
        "import os, signal, socket, sys\n"
        "port = int(os.environ['YDL_PORTS'])\n"
        "print(f'port {port}', flush=True)  # in one piece: a line is read while it is written\n"
        "if os.environ['YDL_ATTEMPT'] == '1':\n"
        "    signal.pause()\n"
        "server = socket.create_server(('127.0.0.1', port))\n"
        "print('listens', flush=True)\n"
    )
    process = ydl.start("run", "--n", "2", "--", *program)
    job = ydl.the_job()
    port = int(job.wait_for_line("port").split()[1])
    with socket.socket() as stranger:
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        stranger.bind(("127.0.0.1", port))
        stranger.listen()
        done = finish(process)
    assert done.code == 0, done.everything()
    retry = job.wait_for("task_retry")
    assert retry["task"] == "worker:0"
    assert f"port {port}, held for it, was taken by " in retry["text"]
    assert f"(pid {os.getpid()})" in retry["text"]
    assert "restarting all tasks on new ports; this uses no retry" in retry["text"]
    assert {event["attempt"] for event in job.events() if event["kind"] == "task_succeeded"} == {2}
    assert f"port {port}\n" not in (job.folder / "logs/worker-0/2/stdout").read_text()


def test_a_held_port_is_free_for_its_task_and_for_no_process_by_chance(ydl):
    program = ydl.program(
        "import os, socket\n"
        "port = int(os.environ['YDL_PORTS'])\n"
        "server = socket.create_server(('127.0.0.1', port))\n"
        "others = [socket.create_server(('127.0.0.1', 0)) for _ in range(200)]\n"
        "print('all mine', port not in [s.getsockname()[1] for s in others])\n"
    )
    done = ydl("run", "--n", "2", "--", *program)
    assert done.code == 0, done.everything()
    assert done.out.count("all mine True") == 2


@pytest.mark.parametrize("words", [["run"], ["run", "--dry-run"]])
def test_what_cannot_run_is_refused_before_anything_starts_also_by_a_dry_run(ydl, words):
    refused(ydl(*words, "--", "train.py"), 2, "train.py does not exist in")
    refused(ydl(*words, "--file", "nope.txt", "--", "ls"), 2, "--file nope.txt does not exist in")
    refused(ydl(*words, "--archive", "nope.tar", "--", "ls"), 2, "--archive nope.tar does not exist in")
    refused(ydl(*words, "--n", "50000", "--", "true"), 1, "50000 tasks")
    assert ydl.jobs() == []


def test_a_file_that_a_job_file_names_and_that_is_not_there_is_told_with_its_line(ydl):
    job = ydl.write("job.yaml", "version: 1\nroles: {worker: {count: 1}}\ncommand: ls\nfiles:\n  - job.yaml\n  - nothere\n")
    refused(ydl("submit", job), 2, "job.yaml:6: the file or folder 'nothere' does not exist in")
    assert ydl.jobs() == []


def test_bytes_that_are_not_text_are_refused_where_they_stand(ydl):
    refused(ydl("run", "--results", "/tmp/r\udcff", "--", "true"), 2, "--results", "is not UTF-8 text")
    refused(ydl("run", "--", "./bad\udcff.sh"), 2, "command", "is not UTF-8 text")
    assert ydl.jobs() == []
    script = ydl.work / "nl\nx.sh"
    script.write_text("echo hi\n")
    assert "[worker:0] hi" in ydl.ok("run", "--", "sh", script).out


@pytest.mark.parametrize("words", [["kill"], ["status"], ["logs"], ["events"], ["results", "ls"]])
def test_an_empty_id_is_not_the_newest_job(ydl, words):
    job = ydl.detach("--", "sleep", "600").running()
    refused(ydl(*words, ""), 2, "is empty")
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()
