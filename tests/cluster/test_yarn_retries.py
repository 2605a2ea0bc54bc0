"""Tasks that fail on a real YARN cluster: which container their next attempt gets, which hosts are avoided, and when a retry would not help."""

import json
import os

import pytest
from shared import YARN
from yarn_shell import SMALL, job_id, jobs_on

pytestmark = pytest.mark.on_cluster(*YARN)
HOSTS = {"127.0.0.2", "127.0.0.3", "127.0.0.4"}


@pytest.fixture
def jobs(clusters, tmp_path):
    return jobs_on(clusters(*YARN), tmp_path)


def events(jobs, out):
    return [json.loads(line) for line in jobs.run("events", "--output", "json", job_id(out))[0].splitlines()]


def of_kind(events, kind, task="worker:0"):
    return [event for event in events if event["kind"] == kind and event.get("task") == task]


def hosts_of(events):
    """Of the attempts of worker:0."""
    return [event["text"].removeprefix("placed on ") for event in of_kind(events, "task_placed")]


def lines_of(jobs, out, task, attempt):
    return jobs.run("logs", "--attempt", attempt, job_id(out), task)[0].split()


def test_a_typing_error_ends_the_job_in_its_first_attempt(jobs):
    (jobs.work / "train.py").write_text("import no_such_module\n")
    out, err = jobs.run("run", "--n", 2, *SMALL, "--", "train.py", code=1)
    told = out + err
    assert "No module named 'no_such_module'; the same on every host: trying again cannot help; 2 retries unused (fail_fast: false tries them)" in told
    assert {event["attempt"] for event in events(jobs, told) if event["kind"] == "task_running"} == {1}


def test_a_host_is_not_used_again_in_strict_mode(jobs):
    """Each attempt fails until three hosts are used up: the job ends and names them, where other launchers wait for ever."""
    out, err = jobs.run("run", *SMALL, "--retries", 9, "--blacklist", "strict", "--", "sh", "-c", "exit 3", code=1)
    told = out + err
    hosts = hosts_of(events(jobs, told))
    assert sorted(hosts) == sorted(HOSTS)
    (end,) = [line for line in out.splitlines() if "failed after" in line]
    assert "too few hosts are left for role worker: --blacklist strict avoids every host on which a task failed" in end
    assert all(f"{host} (worker:0 failed with exit code 3)" in end for host in HOSTS)


def test_a_job_in_strict_mode_succeeds_on_another_host(jobs):
    out, err = jobs.run("run", *SMALL, "--blacklist", "strict", "--", "sh", "-c", "[ $YDL_ATTEMPT = 2 ]")
    first, second = hosts_of(events(jobs, out + err))
    assert first != second
    assert f"{first} is avoided until the job ends: worker:0 failed with exit code 1" in out


def test_a_host_that_loses_a_container_is_avoided_for_a_while(jobs):
    """The task ends the agent of its own container, once."""
    kills = "if [ $YDL_ATTEMPT = 1 ]; then kill -9 $(cut -d' ' -f4 /proc/$(cut -d' ' -f4 /proc/$$/stat)/stat); fi; echo runs"
    (jobs.work / "job.yaml").write_text(f"""\
version: 1
name: loses
blacklist: {{failures: 1, forget: 10m}}
retries: 0
roles: {{worker: {{count: 1, resources: {{memory: 256m}}, command: [sh, -c, "{kills}"]}}}}
""")
    out, err = jobs.run("submit", "job.yaml")
    first, second = hosts_of(events(jobs, out + err))
    assert first != second
    assert f"{first} is avoided for 10 min: 1 container lost" in out
    status, _ = jobs.run("status", job_id(out + err))
    assert f"\navoided  {first} (1 container lost)\n" in status, status


@pytest.mark.parametrize("blacklist", ["{mode: decay, failures: 1}", "strict"])
def test_a_lost_container_does_not_make_the_others_wait_for_ever(jobs, blacklist):
    """dmlc-submit hangs here: the host is avoided after one loss, the next container comes from it all the same, and none is requested instead of it.
    Two of three hosts are full, so that one grant in two would be there."""
    kills = "if [ $YDL_INDEX$YDL_ATTEMPT = 11 ]; then kill -9 $(cut -d' ' -f4 /proc/$(cut -d' ' -f4 /proc/$$/stat)/stat); fi"
    (jobs.work / "job.yaml").write_text(f"""\
version: 1
name: loses
blacklist: {blacklist}
roles: {{worker: {{count: 2, resources: {{memory: 5g}}, command: [sh, -c, "{kills}"]}}}}
""")
    out, err = jobs.run("submit", "job.yaml")
    placed = [event["text"] for event in of_kind(events(jobs, out + err), "task_placed", "worker:1")]
    assert len(set(placed)) == len(placed) == 2, placed
    assert of_kind(events(jobs, out + err), "host_avoided", None)


def test_a_restart_of_all_keeps_the_containers(jobs):
    task = 'echo $CONTAINER_ID; [ $YDL_ATTEMPT = 2 ] && exit 0; [ $YDL_INDEX = 1 ] && { sleep 1; kill -9 $$; }; exec sleep 600'
    out, err = jobs.run("run", "--framework", "pytorch", "--n", 3, *SMALL, "--stop-grace", "5s", "--", "sh", "-c", task)
    for index in range(3):
        first, second = (lines_of(jobs, out + err, f"worker:{index}", attempt) for attempt in (1, 2))
        assert first == second and len(first) == 1


def test_a_worker_of_tensorflow_beside_ps_has_its_address_again(jobs):
    gate = jobs.work / "gate"
    os.mkfifo(gate)  # the chief ends when the worker's second attempt writes to it
    (jobs.work / "job.yaml").write_text(f"""\
version: 1
name: at-its-address
framework: tensorflow
auto_files: false
roles:
  chief: {{count: 1, resources: {{memory: 256m}}, command: [sh, -c, "read line < {gate}"]}}
  ps: {{count: 1, resources: {{memory: 256m}}, command: [sleep, "600"]}}
  worker: {{count: 2, resources: {{memory: 256m}}, command: [sh, -c, 'echo $CONTAINER_ID $YDL_PORTS; if [ $YDL_INDEX$YDL_ATTEMPT = 11 ]; then kill -9 $$; elif [ $YDL_INDEX = 1 ]; then echo > {gate}; fi; exec sleep 600']}}
""")
    out, err = jobs.run("submit", "job.yaml")
    first, second = (lines_of(jobs, out + err, "worker:1", attempt) for attempt in (1, 2))
    assert first == second and len(first) == 2
    assert {event["attempt"] for event in of_kind(events(jobs, out + err), "task_running", "worker:0")} == {1}
