"""Where the output of commands goes wrong: a full disk, a slow or closed reader, a user who does not wait for the rest."""

import fcntl
import os
import resource
import signal

import pytest
from harness import COMMAND_LIMIT, eventually, finish, is_alive, read_line

LINES = 200_000  # more than any pipe or terminal holds


@pytest.fixture
def talker(ydl):
    """A job that has ended and left much output."""
    ydl("run", "--name", "talker", "--output", "quiet", "--", "seq", str(LINES))
    return ydl.the_job()


@pytest.mark.parametrize(
    "words",
    [["ls"], ["status"], ["logs"], ["events"], ["results", "ls"], ["--help"], ["follow"], ["logs", "--output", "json"], ["ls", "--output", "json"]],
    ids=" ".join,
)
def test_output_that_a_full_disk_does_not_take_is_an_error(ydl, talker, words):
    words = [*words, talker.id] if words == ["follow"] else words
    with open("/dev/full", "w") as full:
        done = finish(ydl.start(*words, stdout=full))
    assert (done.code, done.err) == (1, "ydl: cannot write the output: No space left on device\n")


def test_an_error_keeps_its_exit_code_on_a_full_disk(ydl):
    with open("/dev/full", "w") as full:
        done = finish(ydl.start("ls", "--nope", "--output", "json", stdout=full))
    assert done.code == 2
    assert done.err.splitlines()[-1] == "ydl: cannot write the output: No space left on device"


@pytest.mark.parametrize("words", [["logs"], ["follow"]], ids=" ".join)
def test_a_pipe_that_does_not_block_gets_all_of_the_output(ydl, talker, words):
    ours, theirs = os.pipe()
    fcntl.fcntl(theirs, fcntl.F_SETFL, os.O_NONBLOCK)
    process = ydl.start(*words, talker.id, stdout=theirs)
    os.close(theirs)
    with os.fdopen(ours) as output:
        lines = output.read().splitlines()
    assert finish(process).code == 0
    assert [int(line.rpartition(" ")[2]) for line in lines if line.startswith("[worker:0]") or line.isdigit()] == list(range(1, LINES + 1))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("words", [["follow"], ["run", "--", "seq", str(LINES)]], ids=["follow", "run"])
def test_a_signal_ends_what_shows_the_rest_of_an_ended_job(ydl, talker, words, number):
    words = [*words, talker.id] if words == ["follow"] else words
    process = ydl.start(*words)
    read_line(process, "[worker:0]")  # from now on nothing takes what it writes
    job = max(ydl.jobs(), key=lambda job: (job.folder / "job.json").stat().st_mtime)
    job.wait_for("job_succeeded")
    eventually(lambda: has_ended_after(process, number), "its end")
    assert process.returncode == 128 + number
    told = process.stderr.read().decode().splitlines()
    assert told[-1] == f"ydl: {job.id} has ended; `ydl logs {job.id}` shows the rest of its output"


def has_ended_after(process, number):
    """Again and again: the command may learn of the job's end a moment after us."""
    process.send_signal(number)
    return process.poll() is not None


def test_a_follower_whose_reader_has_gone_leaves_a_job_that_writes_nothing(ydl):
    job = ydl.detach("--", "sleep", "600").running()
    follower = ydl.start("follow", job.id)
    read_line(follower, "started after")
    follower.stdout.close()
    assert follower.wait(timeout=COMMAND_LIMIT) == 128 + signal.SIGPIPE
    assert is_alive(job.task_pid())
    job.kill()


def test_ls_explains_why_it_waits_for_a_cluster(ydl, tmp_path):
    address = "<property><name>yarn.resourcemanager.address</name><value>127.0.0.1:1</value></property>"
    (tmp_path / "yarn-site.xml").write_text(f"<configuration>{address}</configuration>")
    name_node = "<property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:1</value></property>"
    (tmp_path / "core-site.xml").write_text(f"<configuration>{name_node}</configuration>")
    process = ydl.start("ls", env={"HADOOP_CONF_DIR": str(tmp_path)})
    line = process.stderr.readline().decode()
    process.kill()
    process.communicate()
    assert line == "ydl: the ResourceManager has not answered yet; `ydl ls --cluster local` lists the jobs of this machine without it\n"


def test_a_job_that_its_master_refuses_leaves_nothing(ydl):
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (150, 150))  # noqa: E731
    done = finish(ydl.start("run", "--n", "64", "--", "true", preexec_fn=few))
    assert done.code == 1
    assert "a job of 64 tasks needs about 448 open files" in done.err, done.everything()
    assert ydl.jobs() == [] and not [path for path in ydl.jobs_folder().iterdir()]
