"""The YARN client alone against a real ResourceManager and real NodeManagers."""

import os
import re
import signal
import subprocess
import time

import pytest

from programs import REPOSITORY
from shared import SECURE_YARN, SMALL_YARN, YARN_WITH_LABEL

pytestmark = pytest.mark.on_cluster(*YARN_WITH_LABEL)

TOOL = REPOSITORY / os.environ.get("YDL_BUILD", "build/dev") / "bin" / "yarn_tool"
PATIENCE = 120


def ask(cluster, *words):
    """What the tool prints, line by line, and its exit code."""
    environment = {**os.environ, **cluster.variables}
    done = subprocess.run([TOOL, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    return done.stdout.splitlines(), done.returncode


def lines_of(cluster, *words):
    lines, code = ask(cluster, *words)
    assert code == 0, lines
    return lines


def error_of(cluster, *words):
    lines, code = ask(cluster, *words)
    assert code == 1, lines
    assert lines[-1].startswith("error: ")
    return lines[-1][len("error: "):]


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN_WITH_LABEL)


def setting(cluster, key, file="yarn-site.xml"):
    return re.search(f"<name>{re.escape(key)}</name><value>([^<]*)", (cluster.conf / file).read_text()).group(1)


def test_nodes_and_labels(yarn):
    lines = lines_of(yarn, "nodes")
    nodes = [line.split() for line in lines if line.startswith("node ")]
    assert len(nodes) == 3
    assert {node[2] for node in nodes} == {"running"}
    assert sorted(node[3] for node in nodes) == ["[]", "[]", "[gpu]"]
    assert "label gpu" in lines
    assert "active 3" in lines


def test_a_job_is_checked_before_it_is_submitted(yarn):
    assert lines_of(yarn, "check", "1024") == ["fits"]
    assert lines_of(yarn, "--label", "gpu", "check", "1024") == ["fits"]
    assert "worker asks for 97.7 GiB of memory in one container, but the cluster allows 8 GiB" in error_of(yarn, "check", "100000")
    assert "worker asks for nodes labelled tpu, but the cluster has no such label" in error_of(yarn, "--label", "tpu", "check", "1024")
    assert "the cluster has no queue defualt" in error_of(yarn, "--queue", "defualt", "check", "1024")


def test_a_master_that_does_not_register_fails_with_its_exit_code(yarn):
    lines = lines_of(yarn, "run", "/bin/sh", "-c", "exit 7")
    assert lines[0].startswith("submitted application_")
    assert lines[1].startswith("ended FAILED FAILED ")
    assert "exitCode: 7" in lines[1]


def test_an_application_is_found_by_its_tag_and_killed(yarn):
    submitted = lines_of(yarn, "--tag", "to-be-killed", "start", "/bin/sleep", "1000")[0].split()[1]
    (found,) = lines_of(yarn, "list", "to-be-killed")
    assert found.split()[0] == submitted
    (ended,) = lines_of(yarn, "kill", submitted)
    assert ended.startswith("ended KILLED KILLED ")
    assert "killed by a test" in ended
    assert lines_of(yarn, "kill", submitted) == [ended]


def test_an_unknown_application_and_an_unknown_queue_say_what_helps(yarn):
    assert "it never existed, or it ended so long ago that the ResourceManager has deleted it" in error_of(yarn, "kill", "application_1_0001")
    lines, _ = ask(yarn, "--queue", "nowhere", "run", "/bin/true")
    assert "nowhere" in lines[-1] and "queue" in lines[-1], lines


def test_a_gang_of_an_unmanaged_master(yarn, tmp_path):
    lines = lines_of(yarn, "gang", "3", "/bin/sh", "-c", f"echo $CONTAINER_ID > {tmp_path}/$CONTAINER_ID")
    started = [line.split() for line in lines if line.startswith("started ")]
    assert len(started) == 3
    without_label = {line.split()[1] for line in lines_of(yarn, "nodes") if "[]" in line}
    assert {words[3] for words in started} <= without_label
    assert sorted(path.read_text().strip() for path in tmp_path.iterdir()) == sorted(words[1] for words in started)
    assert sum(line.endswith(": it succeeded") for line in lines) == 3
    assert lines[-1] == "ended FINISHED SUCCEEDED all done"


def test_sixteen_containers_by_host_take_two_heartbeats_of_the_nodes(yarn):
    begin = time.monotonic()
    lines = lines_of(yarn, "gang", "16", "/bin/true")
    assert sum(line.startswith("started ") for line in lines) == 16
    # Sixteen heartbeats of a node would be sixteen seconds by themselves.
    assert time.monotonic() - begin < 16


def test_a_labelled_gang_runs_on_its_own_node(yarn):
    lines = lines_of(yarn, "--label", "gpu", "gang", "2", "/bin/true")
    gpu_host = next(line.split()[1] for line in lines_of(yarn, "nodes") if "[gpu]" in line)
    assert {line.split()[3] for line in lines if line.startswith("started ")} == {gpu_host}


def test_exit_codes_and_signals_of_containers_are_told(yarn):
    assert any(": it failed with exit code 3" in line for line in lines_of(yarn, "gang", "1", "/bin/sh", "-c", "exit 3"))
    assert any(": it was killed by signal 9" in line for line in lines_of(yarn, "gang", "1", "/bin/sh", "-c", "kill -9 $$"))


NASTY = ["", "two  words", "it's", 'say "hi"', "$HOME $(id) `id`", "back\\slash \\$", "line\nbreak", "{{HOME}} }} {{", "<LOG_DIR><CPS>", "é€🐘"]


def test_words_and_values_reach_a_container_byte_for_byte(yarn, tmp_path):
    variables = [word for number, value in enumerate(NASTY) for word in ("--env", f"NASTY_{number}={value}")]
    script = f'env -0 > {tmp_path}/env; printf "%s\\0" "$@" > {tmp_path}/words'
    lines = lines_of(yarn, *variables, "gang", "1", "/bin/sh", "-c", script, "sh", *NASTY)
    assert any(line.endswith(": it succeeded") for line in lines)
    environment = dict(entry.split("=", 1) for entry in (tmp_path / "env").read_text().split("\0") if entry)
    assert [environment[f"NASTY_{number}"] for number in range(len(NASTY))] == NASTY
    assert (tmp_path / "words").read_text().split("\0")[:-1] == NASTY


def test_ports_that_require_a_token_refuse_without_one(yarn):
    _, port = setting(yarn, "yarn.resourcemanager.scheduler.address").split(":")
    assert "TOKEN" in error_of(yarn, "intrude", "rm", "localhost", port)
    node = lines_of(yarn, "nodes")[0].split()
    assert "TOKEN" in error_of(yarn, "intrude", "nm", node[1], node[4])


@pytest.mark.on_cluster("--nodes", "1", "--yarn", "rolling keys")
def test_a_master_goes_on_with_a_new_token_when_the_old_one_is_rolled_over(clusters):
    # A new key every 16 s, the least that goes with masters that may be silent for 5 s; the old one ends 7.5 s later.
    short = clusters("--nodes", "1", "--yarn", "--set", "yarn.am.liveness-monitor.expiry-interval-ms=5000",
                     "--set", "yarn.resourcemanager.am-rm-tokens.master-key-rolling-interval-secs=16")
    lines = lines_of(short, "--linger-ms", "28000", "gang", "1", "/bin/true")
    assert 1 <= lines.count("new token") <= 2, lines
    assert lines[-1] == "ended FINISHED SUCCEEDED all done"


@pytest.mark.on_cluster(*SMALL_YARN)
def test_a_restarted_resource_manager_gets_its_asks_again(clusters, tmp_path):
    yarn = clusters(*SMALL_YARN).view({"yarn.resourcemanager.connect.retry-interval.ms": 500})
    # More than the node can hold: some asks are open while the ResourceManager is away.
    process = subprocess.Popen([TOOL, "--memory", "1024", "gang", "10", "/bin/sh", "-c", f"while [ ! -e {tmp_path}/go ]; do sleep 0.1; done"],
                               env={**os.environ, **yarn.variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(8):
            wait_for_line(process, "started ")
        yarn.run("restart", "resourcemanager1")
        wait_for_line(process, "registered in queue")
        (tmp_path / "go").touch()
        rest, _ = process.communicate(timeout=PATIENCE)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
    ended = rest.splitlines()[-1]
    assert ended.startswith("ended FINISHED SUCCEEDED ") and ended.endswith("all done")


def wait_for_line(process, beginning):
    for line in process.stdout:
        if line.startswith(beginning):
            return line
        assert not line.startswith("error"), line
    pytest.fail(f"no line begins with {beginning}")


of_secure = pytest.mark.on_cluster(*SECURE_YARN)


@pytest.fixture
def secure(clusters):
    return clusters(*SECURE_YARN)


@of_secure
def test_on_a_secure_cluster_a_ticket_gives_a_token_that_opens_the_resource_manager(secure):
    lines = lines_of(secure, "token", "root")
    assert lines[0].endswith(" renewed by root")
    assert lines[1:] == ["the token opens the ResourceManager", "renewed"]


@of_secure
def test_a_token_for_another_renewer_cannot_be_renewed_by_us(secure):
    assert "with non-matching renewer bob" in error_of(secure, "token", "bob")


@of_secure
def test_a_secure_cluster_starts_a_master(secure):
    lines = lines_of(secure, "run", "/bin/sh", "-c", "exit 7")
    assert "exitCode: 7" in lines[-1]


@of_secure
def test_a_secure_cluster_has_no_unmanaged_masters(secure):
    assert "only a managed master can run" in error_of(secure, "gang", "1", "/bin/true")
