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


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        pytest.param(["run"], ["there is no command to run", "ydl run --n 2 -- python train.py"], id="a missing command"),
        pytest.param(["run", "--n", "2", "--"], ["there is no command to run"], id="dashes and no command"),
        pytest.param(["run", "--retris", "3", "--", "true"], ["no option --retris", "did you mean '--retries'?"], id="an unknown option"),
        pytest.param(["ls", "--limt", "3"], ["does not take '--limt'", "did you mean '--limit'?"], id="an unknown option of ls"),
        pytest.param(["stats"], ["unknown command 'stats'", "did you mean 'status'?", "ydl --help"], id="an unknown command"),
        pytest.param(["run", "--worker-memory", "12q", "--", "true"], ["'12q' is not a size", "k, m, g or t"], id="a memory of 12q"),
        pytest.param(["run", "--resource", "worker:memory=12q", "--", "true"], ["'12q' is not a size", "512m"], id="a memory of 12q in a resource"),
        pytest.param(["run", "--resource", "worker:memroy=1g", "--", "true"], ["memroy", "did you mean 'memory'?"], id="an unknown resource"),
        pytest.param(["run", "--resource", "boss:memory=1g", "--", "true"], ["no role 'boss'", "it has worker"], id="resources of an unknown role"),
        pytest.param(["run", "--n", "0", "--", "true"], ["--n 0", "at least one worker"], id="zero workers"),
        pytest.param(["run", "--n", "-1", "--", "true"], ["--n -1", "at least one worker"], id="minus one workers"),
        pytest.param(["run", "--n", "two", "--", "true"], ["--n: 'two' is not a whole number", "for example 2"], id="a number in words"),
        pytest.param(["run", "--n", "99999999999999999999", "--", "true"], ["--n"], id="a number out of range"),
        pytest.param(["run", "--role", "worker=0", "--", "true"], ["worker", "0"], id="a role of zero tasks"),
        pytest.param(["run", "--role", "worker", "--", "true"], ["--role", "worker"], id="a role without a count"),
        pytest.param(["run", "--role", "worker=1", "--role", "worker=2", "--", "true"], ["worker", "twice"], id="a role twice"),
        pytest.param(["run", "--framework", "tensorflow", "--role", "chef=1", "--", "true"], ["no role 'chef'", "did you mean 'chief'?"], id="a role the framework does not know"),
        pytest.param(["run", "--framework", "pytoch", "--", "true"], ["'pytoch'", "did you mean 'pytorch'?"], id="an unknown framework"),
        pytest.param(["run", "--framework", "tensorflow", "--role", "chief=2", "--", "true"], ["chief"], id="two chiefs"),
        pytest.param(["run", "--s", "2", "--", "true"], ["--s", "mxnet", "--role"], id="servers without mxnet"),
        pytest.param(["run", "--cluster", "yran", "--", "true"], ["--cluster yran", "did you mean 'yarn'?"], id="an unknown cluster"),
        pytest.param(["run", "--output", "jsn", "--", "true"], ["jsn", "did you mean 'json'?"], id="an unknown output"),
        pytest.param(["run", "--env", "NOVALUE", "--", "true"], ["--env NOVALUE", "is not set here"], id="a variable without a value"),
        pytest.param(["run", "--timeout", "soon", "--", "true"], ["--timeout", "'soon' is not a duration", "90s"], id="a time that is none"),
        pytest.param(["run", "--retries", "-1", "--", "true"], ["--retries"], id="negative retries"),
        pytest.param(["run", "--blacklist", "strikt", "--", "true"], ["--blacklist: 'strikt' does not say which hosts are avoided (decay, strict, off)", "did you mean 'strict'?"], id="an unknown blacklist"),
        pytest.param(["run", "--blacklist", "", "--", "true"], ["--blacklist", "the value is empty"], id="a blacklist without a mode"),
        pytest.param(["run", "--port-range", "9-1", "--", "true"], ["--port-range 9-1", "FIRST-LAST"], id="a port range the wrong way round"),
        pytest.param(["run", "--n"], ["--n"], id="an option without its value"),
        pytest.param(["submit"], ["FILE"], id="submit without a file"),
        pytest.param(["kill"], ["ID"], id="kill without a job"),
        pytest.param(["logs", "--stream", "sterr"], ["--stream sterr", "stdout or stderr"], id="an unknown stream"),
        pytest.param(["completion", "tcsh"], ["'tcsh'", "bash, zsh or fish"], id="a shell without completion"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_refused_in_one_sentence(ydl, arguments, parts):
    refused(ydl(*arguments), 2, *parts)
    assert ydl.jobs() == []


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
        pytest.param("version: 1\ncommand: x\nroles: {ps: {}}\n", ["no role", "decider"], id="nobody decides"),
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
        ("blacklist: {mode: never}", ["mode in blacklist: 'never' does not say which hosts are avoided (decay, strict, off)"]),
        ("blacklist: never", ["blacklist: 'never' does not say which hosts are avoided (decay, strict, off)"]),
        ("blacklist: {failures: 0}", ["failures in blacklist", "from 1 to 1000, not 0"]),
        ("blacklist: {forget: 0}", ["forget in blacklist: 0 leaves no time at all"]),
        ("timeouts: {orphan: 0}", ["orphan in timeouts: 0 leaves no time at all"]),
        ("timeouts: {blind: 0}", ["blind in timeouts: 0 leaves no time at all"]),
        ("blacklist: {forget: soon}", ["forget in blacklist: 'soon' is not a duration"]),
        ("fail_fast: maybe", ["fail_fast: this must be true or false, not 'maybe'"]),
    ],
)
def test_a_wrong_answer_to_failures_is_refused_with_its_line(ydl, line, parts):
    job = ydl.write("job.yaml", f"version: 1\ncommand: 'true'\nroles: {{worker: {{}}}}\n{line}\n")
    refused(ydl("submit", job), 2, "job.yaml:4: ", *parts)
    assert ydl.jobs() == []


def test_a_job_file_that_is_not_there_is_named(ydl):
    refused(ydl("submit", "no/such.yaml"), 1, "no/such.yaml", "No such file or directory")


def test_a_job_file_that_is_a_folder_is_refused(ydl):
    done = ydl("submit", ydl.work)
    refused(done, 1, str(ydl.work), "Is a directory")


def test_all_problems_of_a_job_file_are_told_together(ydl):
    done = ydl("submit", ydl.write("job.yaml", "version: 1\nname: [a]\nretries: many\nroles: {worker: {count: -4}}\n"))
    assert done.code == 2
    assert {line for line in (2, 3, 4) if f"job.yaml:{line}: " in done.err} == {2, 3, 4}


# ---- commands that cannot run ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["trian.sh", "./trian.sh", "/no/such/train.sh"])
def test_a_command_that_does_not_exist_is_named_with_a_remedy(ydl, command):
    done = ydl("run", "--", command)
    assert done.code == 127, done.everything()
    assert f"worker:0 on this machine failed first: could not start: the command '{command}' " in done.out
    assert "check its spelling" in done.out
    job = ydl.the_job()
    assert job.processes() == {}
    assert job.state_file()["state"] == "failed"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may search every folder")
def test_a_folder_of_path_that_may_not_be_searched_is_not_blamed_for_a_wrong_command(ydl):
    (ydl.scratch / "closed").mkdir(mode=0)
    done = ydl("run", "--", "trian.sh", env={"PATH": f"{ydl.scratch}/closed:/usr/bin:/bin"})
    assert "the command 'trian.sh' was not found in PATH=" in done.out


def test_a_command_that_may_not_be_executed_is_named(ydl):
    ydl.write("script.sh", "echo no")
    done = ydl("run", "--", "./script.sh")
    assert done.code == 127, done.everything()
    assert "script.sh is not executable: allow it with 'chmod +x " in done.out


def test_a_script_whose_interpreter_is_missing_is_explained(ydl):
    path = ydl.write("script", "#!/usr/bin/no-such-python\n")
    path.chmod(0o755)
    done = ydl("run", "--", "./script")
    assert done.code == 127, done.everything()
    assert "no-such-python" in done.out


def test_a_script_that_does_not_exist_is_named_with_the_nearest(ydl):
    ydl.write("train.py", "print('trained')")
    refused(ydl("run", "trian.py"), 2, "there is no script trian.py in", "did you mean 'train.py'?")
    refused(ydl("run", "python", "jobs/train.py"), 2, "there is no script jobs/train.py in")
    refused(ydl("run", "--no-auto-files", "train.py"), 2, "--no-auto-files", "add --file train.py")
    assert ydl.jobs() == []
    assert "[worker:0] trained" in ydl.ok("run", "--no-auto-files", "--file", "train.py", "train.py").out


def test_a_python_that_does_not_exist_is_named(ydl):
    ydl.write("train.py", "")
    done = ydl("run", "--python", "/no/such/python", "--", "train.py")
    assert done.code == 127, done.everything()
    assert "/no/such/python" in done.out


# ---- more than the machine has ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        pytest.param("absent.zip", None, ["'absent.zip'", "--archive"], id="absent"),
        pytest.param("data.rar", b"Rar!", ["data.rar", "tells no kind of archive", ".zip"], id="of an unknown kind"),
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
    refused(ydl("run", "--n", "10000", "--", "true"), 1, "10000 tasks are more than this machine takes", "ask for fewer, or use a cluster")
    assert ydl.jobs() == []


def test_more_memory_than_the_machine_has_is_refused(ydl):
    refused(ydl("run", "--worker-memory", "900t", "--", "true"), 1, "900 TiB of memory", "ask for less")
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
    refused(done, 1, "'twin-' could be any of", first.id, second.id)


def test_a_task_that_the_job_does_not_have_is_refused(ydl):
    ydl.ok("run", "--n", "3", "--", "true")
    refused(ydl("logs", ydl.the_job().id, "worker:7"), 1, "has no task worker:7; it has worker:0 to worker:2")


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


# ---- a port taken by a stranger --------------------------------------------------------------------------------


def test_a_port_taken_by_a_stranger_restarts_the_gang_on_new_ports_uncharged(ydl):
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


def test_a_held_port_is_free_for_its_task_and_for_nobody_by_chance(ydl):
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
    refused(ydl(*words, "--", "train.py"), 2, "there is no script train.py")
    refused(ydl(*words, "--file", "nope.txt", "--", "ls"), 2, "the file or folder 'nope.txt' does not exist in")
    refused(ydl(*words, "--archive", "nope.tar", "--", "ls"), 2, "the file or folder 'nope.tar' does not exist in")
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
