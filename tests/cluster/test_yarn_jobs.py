"""Jobs on a real YARN cluster, from the command line to what they leave behind."""

import datetime
import json
import re
import signal
import urllib.request
from pathlib import Path

import pytest

from hdfs_files import eventually
from shared import YARN
from yarn_shell import SMALL, Jobs, job_id, let_users_in, user_of_test

from cluster_lib import state
from cluster_lib.running import RunningCluster

pytestmark = pytest.mark.on_cluster(*YARN)


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN)


@pytest.fixture
def jobs(yarn, tmp_path, request):
    """A user of each test's own: what `ydl ls` shows is theirs."""
    let_users_in(yarn)
    return Jobs(yarn, tmp_path, user_of_test(request))


def test_a_job_runs_is_followed_and_leaves_its_logs_and_results_on_hdfs(jobs):
    (jobs.work / "words.txt").write_text("a file beside the job file\n")
    out, err = jobs.run("run", "--n", "2", *SMALL, "--", "sh", "-c",
                        'cat words.txt; echo "task $YDL_INDEX" >&2; echo model-$YDL_INDEX > model; echo kept > "$YDL_RESULTS_DIR/own"')
    job = job_id(err)
    assert "runs on YARN, ResourceManager" in err
    assert "[worker:1] a file beside the job file" in out
    assert f"{job} succeeded" in out
    root = f"{jobs.root}/{job}"
    for index in (0, 1):
        assert jobs.run("fs", "cat", f"{root}/logs/worker-{index}/1/stderr")[0] == f"task {index}\n"
        assert jobs.run("fs", "cat", f"{root}/results/worker-{index}/model")[0] == f"model-{index}\n"
        assert jobs.run("fs", "cat", f"{root}/results/worker-{index}/own")[0] == "kept\n"
    assert jobs.run("logs", job, "worker:1")[0] == "a file beside the job file\n"
    status, _ = jobs.run("status", job)
    assert "succeeded" in status and "hdfs://" in status
    listed, _ = jobs.run("ls", "--output", "json")
    assert [(one["job"], one["state"]) for one in map(json.loads, listed.splitlines())] == [(job, "succeeded")]


def test_the_exit_code_is_that_of_the_task_and_its_last_words_are_shown(jobs):
    out, err = jobs.run("run", "--n", "2", *SMALL, "--", "sh", "-c", 'echo "no such data set" >&2; exit 7', code=7)
    assert "no such data set" in out
    assert "failed with exit code 7" in out


KILL_THE_AGENT = "read -r _ _ _ agent _ < /proc/$PPID/stat; kill -9 $agent"
FEW_ATTEMPTS = ("--retries", 0, "--blacklist", "strict")  # the loss of an agent is not charged, but its host is avoided


def test_the_last_words_of_a_task_that_dies_with_its_agent_at_once_are_kept(jobs):
    out, err = jobs.run("run", *FEW_ATTEMPTS, *SMALL, "--", "sh", "-c", f'echo "last words"; {KILL_THE_AGENT}', code=1)
    assert "last words" in out
    assert jobs.run("fs", "cat", f"{jobs.root}/{job_id(err)}/logs/worker-0/1/stdout")[0] == "last words\n"


def test_the_last_words_of_a_task_that_dies_with_its_agent_follow_what_was_copied(jobs, tmp_path):
    job = jobs.start("run", *FEW_ATTEMPTS, *SMALL, "--", "sh", "-c", f"echo first; until [ -e {tmp_path}/go ]; do sleep 0.1; done; seq 1000; {KILL_THE_AGENT}")
    eventually(lambda: jobs.start("logs").communicate()[0].endswith("first\n"), "the first line on HDFS")
    (tmp_path / "go").touch()
    out, err = job.communicate(timeout=100)
    assert job.returncode == 1, out + err
    written = "first\n" + "".join(f"{number}\n" for number in range(1, 1001))
    assert jobs.run("fs", "cat", f"{jobs.root}/{job_id(err)}/logs/worker-0/1/stdout")[0] == written


def test_nothing_is_uploaded_twice(jobs):
    (jobs.work / "script.sh").write_text("echo same\n")
    first = jobs.run("run", *SMALL, "--", "sh", "script.sh")[1]
    assert "uploaded" in first
    assert "uploaded" not in jobs.run("run", *SMALL, "--", "sh", "script.sh")[1]


def test_words_and_variables_reach_the_task_byte_for_byte(jobs):
    odd = "a b'c\"d $HOME `x` \\n\n{{y}} <LOG_DIR> é 日本"
    out, err = jobs.run("run", *SMALL, "--env", f"ODD={odd}", "--output", "quiet", "--", "sh", "-c", 'printf "%s|%s" "$ODD" "$1"', "sh", odd)
    listed = json.loads(jobs.run("ls", "--output", "json")[0])
    assert jobs.run("fs", "cat", f"{jobs.root}/{listed['job']}/logs/worker-0/1/stdout")[0] == f"{odd}|{odd}"


def page_of_master(jobs, job):
    """What a browser sees that follows the ResourceManager's link."""
    cluster = state.load(jobs.cluster.folder)
    application = json.loads(jobs.run("fs", "cat", f"{jobs.root}/{job}/yarn.json")[0])["application"]
    with urllib.request.urlopen(f"http://localhost:{cluster.port('resourcemanager1.http')}/proxy/{application}/") as page:
        return page.read().decode()


def test_a_job_that_was_left_goes_on_and_is_stopped_from_another_machine(jobs, tmp_path_factory):
    out, _ = jobs.run("run", "--detach", "--n", "2", *SMALL, "--", "sh", "-c", "echo waiting; exec tail -f /dev/null")
    job = out.strip()
    jobs.wait_for(job, "job_running")
    elsewhere = Jobs(jobs.cluster, tmp_path_factory.mktemp("elsewhere"), jobs.user)
    assert "running" in elsewhere.run("status", job)[0]
    following = elsewhere.start("logs", "-f", job, "worker:0")
    assert following.stdout.readline() == "waiting\n"
    following.kill()
    following.communicate()
    listed = [json.loads(line) for line in elsewhere.run("ls", "--output", "json")[0].splitlines()]
    assert ("running" in [one["state"] for one in listed if one["job"] == job])
    page = page_of_master(jobs, job)
    assert f"{job}  running  of {jobs.user}" in page and "worker:1  running" in page
    assert elsewhere.run("kill", job)[0] == f"{job} stopped\n"
    assert "stopped" in jobs.run("status", job)[0]


def test_status_shows_the_progress_of_a_task_and_what_it_uses(jobs):
    words = "echo ::progress 3/8 epoch 3; exec tail -f /dev/null"
    job = jobs.run("run", "--detach", *SMALL, "--", "sh", "-c", words)[0].strip()

    def measured():
        (task,) = json.loads(jobs.run("status", "--output", "json", job)[0])["tasks"]
        return task if task["memory_bytes"] else None

    task = eventually(measured, "the memory of a task")
    assert (task["percent"], task["progress_text"]) == (37, "epoch 3")
    assert task["memory_bytes"] < task["memory_limit_bytes"] == 256 << 20
    text = jobs.run("status", job)[0]
    assert f"\nsh -c '{words}'\n" in text
    assert " of 256 MiB" in text
    jobs.run("kill", job)


def test_lines_have_their_times_on_another_machine(jobs, tmp_path_factory):
    begun = datetime.datetime.now(datetime.timezone.utc)
    _, err = jobs.run("run", "--n", "2", *SMALL, "--", "sh", "-c", "echo out; echo err >&2")
    ended = datetime.datetime.now(datetime.timezone.utc)
    job = job_id(err)
    elsewhere = Jobs(jobs.cluster, tmp_path_factory.mktemp("elsewhere"), jobs.user)
    lines = [json.loads(line) for line in elsewhere.run("logs", "--output", "json", job)[0].splitlines()]
    assert sorted((line["task"], line["text"]) for line in lines) == [(f"worker:{n}", text) for n in (0, 1) for text in ("err", "out")]
    times = [datetime.datetime.fromisoformat(line["time"]) for line in lines]
    assert times == sorted(times) and all(begun <= time <= ended for time in times), lines
    elsewhere.run("logs", "--to", "kept", job, "worker")
    kept = sorted(str(path.relative_to(elsewhere.work)) for path in (elsewhere.work / "kept").rglob("*") if path.is_file())
    assert kept == [f"kept/worker-{n}/1/{stream}" for n in (0, 1) for stream in ("stderr", "stdout")]


def test_a_job_of_another_version_is_killed_through_the_resource_manager(jobs):
    job = jobs.run("run", "--detach", *SMALL, "--", "tail", "-f", "/dev/null")[0].strip()
    record = Path(jobs.environment["XDG_STATE_HOME"]) / "ydl/jobs" / job / "yarn.json"
    original = record.read_text()
    other = json.loads(original) | {"version": 99}
    del other["queue"]
    record.write_text(json.dumps(other))
    assert "version 99" in jobs.run("status", job)[1]
    out, _ = jobs.run("kill", job)
    assert out.startswith(f"{job} was killed by the ResourceManager as {other['application']}: ") and "version 99" in out
    record.write_text(original)
    eventually(lambda: "stopped" in jobs.run("status", job)[0], "the end of the job")


def test_two_jobs_run_side_by_side(jobs):
    """Really: each ends only when it has seen that the other runs."""
    meeting = jobs.work / "meeting"
    meeting.mkdir()
    wait = 'touch "$1/$2"; until [ -e "$1/$3" ]; do sleep 0.1; done'
    running = [jobs.start("run", "--n", "2", *SMALL, "--output", "quiet", "--no-auto-files", "--", "sh", "-c", wait, "sh", meeting, *names)
               for names in (("one", "other"), ("other", "one"))]  # fmt: skip
    for process in running:
        assert process.communicate(timeout=170) and process.returncode == 0


def test_results_have_the_names_that_the_task_gave_them(jobs):
    command = "mkdir run; echo a > run/12:30; echo b > manifest.json"
    job = job_id(jobs.run("run", *SMALL, "--", "sh", "-c", command)[1])
    jobs.run("fs", "mkdir", f"{jobs.root}/{job}/results/.worker-0.new-2")  # an attempt that died while it saved
    listed = [json.loads(line) for line in jobs.run("results", "ls", job, "--output", "json")[0].splitlines()]
    assert [(file["name"], file["bytes"]) for file in listed] == [("worker-0/manifest.json", 2), ("worker-0/run/12:30", 2)]
    assert "worker-0/run/12:30" in jobs.run("results", "ls", job, "--task", "worker:0")[0]
    jobs.run("results", "get", job, "--to", "here")
    assert sorted(str(path.relative_to(jobs.work / "here")) for path in (jobs.work / "here").rglob("*")) == \
        ["worker-0", "worker-0/manifest.json", "worker-0/run", "worker-0/run/12:30"]
    assert (jobs.work / "here/worker-0/manifest.json").read_text() == "b\n"


def test_an_interrupted_client_stops_the_job(jobs):
    process = jobs.start("run", "--n", "1", *SMALL, "--", "sh", "-c", "exec tail -f /dev/null")
    for line in process.stdout:
        if "started after" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped" in out


def test_a_client_whose_cluster_is_gone_can_be_ended(tmp_path):
    cluster = RunningCluster("--nodes", "1", "--yarn")
    try:
        let_users_in(cluster)
        jobs = Jobs(cluster, tmp_path, "ann")
        job = jobs.start("run", *SMALL, "--", "sh", "-c", "echo up; exec sleep 1000")
        assert any("up" in line for line in job.stdout)
    finally:
        cluster.stop()
    job.send_signal(signal.SIGTERM)
    out, err = job.communicate(timeout=100)
    assert job.returncode == 1
    assert "neither the job's master nor the ResourceManager can be reached" in out


def test_an_unmanaged_master_runs_beside_the_client(jobs):
    out, err = jobs.run("run", "--am", "unmanaged", "--n", "2", *SMALL, "--", "sh", "-c", "echo from $YDL_INDEX")
    assert "[worker:0] from 0" in out and "[worker:1] from 1" in out
    assert f"{job_id(err)} succeeded" in out


@pytest.mark.parametrize("words, sentence", [
    (("--queue", "nosuch"), "nosuch"),
    (("--resource", "worker:memory=900g"), "900 GiB"),
    (("--resource", "worker:label=nosuch"), "nosuch"),
    (("--resource", "worker:gpus=1"), "yarn.io/gpu"),
    (("--n", "1000"), "worker"),
])
def test_what_the_cluster_cannot_do_is_refused_before_anything_is_submitted(jobs, words, sentence):
    _, err = jobs.run("run", *words, "--", "true", code=1)
    assert sentence in err.splitlines()[-1], err
    assert jobs.run("ls", "--output", "json")[0] == ""


def test_a_resource_manager_that_is_down_is_named(jobs, tmp_path):
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "core-site.xml").write_text("<configuration><property><name>fs.defaultFS</name><value>hdfs://localhost:1</value></property></configuration>")
    (conf / "yarn-site.xml").write_text("<configuration><property><name>yarn.resourcemanager.address</name><value>localhost:1</value></property>"
                                        "<property><name>yarn.resourcemanager.connect.max-wait.ms</name><value>1000</value></property></configuration>")
    jobs.environment["HADOOP_CONF_DIR"] = str(conf)
    _, err = jobs.run("run", "--", "true", code=1)
    assert "localhost:1" in err


def test_without_a_configuration_it_is_said_where_one_was_looked_for(jobs, tmp_path):
    jobs.environment["HADOOP_CONF_DIR"] = str(tmp_path)
    _, err = jobs.run("run", "--cluster", "yarn", "--", "true", code=2)
    assert f"HADOOP_CONF_DIR={tmp_path}, " in err and "set HADOOP_CONF_DIR to the folder with yarn-site.xml" in err


def test_doctor_looks_at_the_cluster_and_runs_a_job_on_it(jobs):
    out, _ = jobs.run("doctor", "--probe")
    found = {line[9:23].strip(): line[:8].strip() for line in out.splitlines()}
    assert found["security"] == "limited", "without Kerberos anyone can act as any user"
    assert out.splitlines()[-1].startswith("ready to run jobs on YARN"), out
    for what in ("cluster", "HDFS", "clock", "YARN", "containers", "queues", "labels", "losses", "masters", "probe"):
        assert found[what] == "ok", out
    assert "3 of 3 nodes run" in out


def test_a_command_that_a_node_cannot_start_has_the_exit_code_of_a_shell(jobs):
    out, err = jobs.run("run", *SMALL, "--", "no-such-program-anywhere", code=127)
    assert "no-such-program-anywhere" in out
    out, _ = jobs.run("run", *SMALL, "--", "/etc/passwd", code=126)
    assert "/etc/passwd is not executable" in out


def test_ports_are_in_the_range_and_the_timeline_tells_where_the_time_went(jobs):
    first, last = 21100, 21180
    out, err = jobs.run("run", *SMALL, "--port-range", f"{first}-{last}", "--", "sh", "-c", "echo port $YDL_PORTS")
    assert first <= int(re.search(r"^\[worker:0\] port (\d+)$", out, re.M).group(1)) <= last
    timeline, _ = jobs.run("events", "--timeline", job_id(err))
    assert re.match(r"submitted after .*, master up after .*, containers asked for after ", timeline), timeline
    assert re.search(r"^worker:0( +[\d.]+ m?s){6} +succeeded", timeline, re.M), timeline
