"""ydl run: from the command to its exit code, and what is shown on the way."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from harness import REPOSITORY, Job, assert_nothing_left, finish, read_line

# A task that runs until it is stopped.
FOREVER = ["sleep", "600"]


def documented_fields():
    """{type: fields} of the JSON output, from the examples in its documentation."""
    page = (REPOSITORY / "docs/output.md").read_text()
    examples = [json.loads(line) for line in re.findall(r'^ +(\{"v":1.*\})$', page, re.MULTILINE)]
    return {example["type"]: set(example) for example in examples}


def without_times(text):
    return re.sub(r"(?m)^\d\d:\d\d:\d\d ", "", text)


# ---- exit codes ------------------------------------------------------------------------------------------------


def test_the_exit_code_is_0_when_every_worker_succeeds(ydl):
    assert ydl("run", "--n", "2", "--", "true").code == 0


@pytest.mark.parametrize("code", [1, 3, 42, 255])
def test_the_exit_code_is_that_of_the_worker_that_failed(ydl, code):
    assert ydl("run", "--n", "2", "--", "sh", "-c", f"[ $YDL_INDEX = 0 ] && exec sleep 600; exit {code}").code == code


def test_a_worker_that_dies_of_a_signal_gives_the_shells_code(ydl):
    done = ydl("run", "--", "sh", "-c", "kill -SEGV $$")
    assert done.code == 128 + signal.SIGSEGV
    assert "was killed by signal 11 (SIGSEGV)" in done.out


# ---- what tasks find -------------------------------------------------------------------------------------------


def test_each_worker_finds_itself_and_its_peers_in_its_environment(ydl):
    program = ydl.program("import json, os; print(json.dumps({k: v for k, v in os.environ.items() if k.startswith('YDL_')}))")
    ydl.ok("run", "--n", "2", "--name", "pair", "--", *program)
    job = ydl.the_job()
    first, second = (json.loads(job.log(f"worker:{i}")) for i in (0, 1))
    assert (first["YDL_INDEX"], second["YDL_INDEX"]) == ("0", "1")
    assert first["YDL_ROLE"] == second["YDL_ROLE"] == "worker"
    assert first["YDL_JOB_ID"] == second["YDL_JOB_ID"] == job.id
    assert first["YDL_ATTEMPT"] == "1"
    peers = json.loads(first["YDL_TASKS_JSON"])
    assert peers == json.loads(second["YDL_TASKS_JSON"])
    assert peers == json.loads(Path(first["YDL_TASKS_FILE"]).read_text())
    assert Path(first["YDL_TASKS_FILE"]).parent == job.folder / "tasks", "it would be taken for a result"
    assert [peer["host"] for peer in peers["worker"]] == ["127.0.0.1", "127.0.0.1"]
    assert [[int(port) for port in env["YDL_PORTS"].split(",")] for env in (first, second)] == [p["ports"] for p in peers["worker"]]
    assert first["YDL_PORTS"] != second["YDL_PORTS"]


def test_variables_given_with_env_reach_every_task(ydl):
    done = ydl.ok("run", "--n", "2", "--env", "COLOUR=deep blue", "--env", "EMPTY=", "--", "sh", "-c", 'echo "[$COLOUR][${EMPTY-unset}]"')
    assert done.out.count("[deep blue][]") == 2


def test_what_lies_in_the_directory_is_found_by_its_relative_path(ydl):
    ydl.write("data.txt", "forty-two")
    done = ydl.ok("run", "--", "cat", "data.txt")
    assert "[worker:0] forty-two" in done.out


def test_a_file_named_with_file_is_found_under_its_new_name(ydl):
    (ydl.scratch / "elsewhere").write_text("from elsewhere")
    done = ydl.ok("run", "--no-auto-files", "--file", f"{ydl.scratch}/elsewhere=here/it.txt", "--", "cat", "here/it.txt")
    assert "[worker:0] from elsewhere" in done.out


def test_an_archive_is_found_unpacked_under_its_name(ydl):
    words = ydl.write("words.txt", "from an archive")
    subprocess.run(["tar", "-czf", ydl.scratch / "packed.tar.gz", "-C", words.parent, words.name], check=True)
    done = ydl.ok("run", "--no-auto-files", "--archives", f"{ydl.scratch}/packed.tar.gz#data", "--", "cat", "data/words.txt")
    assert "[worker:0] from an archive" in done.out
    done = ydl.ok("run", "--no-auto-files", "--archive", f"{ydl.scratch}/packed.tar.gz", "--", "cat", "packed.tar.gz/words.txt")
    assert "[worker:0] from an archive" in done.out


def test_a_script_outside_the_directory_finds_the_modules_beside_it(ydl):
    (ydl.scratch / "jobs").mkdir()
    (ydl.scratch / "jobs/beside.py").write_text("value = 42")
    (ydl.scratch / "jobs/train.py").write_text("import beside\nprint('beside', beside.value)")
    done = ydl.ok("run", "--", "../jobs/train.py")
    assert "[worker:0] beside 42" in done.out
    assert "note:" not in done.err


def test_a_script_finds_what_lies_above_it(ydl):
    (ydl.scratch / "shared").mkdir()
    (ydl.scratch / "shared/common.py").write_text("value = 42")
    ydl.write("train.py", "import os, sys\nhere = os.path.dirname(os.path.abspath(__file__))\nsys.path.append(os.path.join(here, '../shared'))\n"
              "import common\nprint('common', common.value, os.getcwd() == here)")  # fmt: skip
    assert "[worker:0] common 42 False" in ydl.ok("run", "--", "python", "train.py").out


def test_files_beyond_the_limit_are_refused_and_counted(ydl):
    ydl.write("data.bin", "x" * 5000)
    ydl.write("train.sh", "true")
    assert "2 files, 4.9 KiB in all; a cluster would accept at most 1 GiB" in ydl.ok("run", "--dry-run", "--", "sh", "train.sh").out
    done = ydl("run", "--files-limit", "4k", "--", "sh", "train.sh")
    assert done.code == 2
    assert "--files-limit: the files of the job have more than 4 KiB" in done.err
    assert ydl.jobs() == []
    ydl.write(".ydlignore", "*.bin")
    ydl.ok("run", "--files-limit", "4k", "--", "sh", "train.sh")


def test_what_tasks_write_is_kept_as_results_and_not_in_our_directory(ydl):
    ydl.ok("run", "--n", "2", "--", "sh", "-c", "echo $YDL_INDEX > made")
    assert not (ydl.work / "made").exists()
    results = ydl.the_job().folder / "results"
    assert [(results / f"worker-{i}/made").read_text() for i in (0, 1)] == ["0\n", "1\n"]


def test_results_go_where_results_says(ydl):
    ydl.ok("run", "--n", "2", "--results", "out", "--", "sh", "-c", "echo model > $YDL_RESULTS_DIR/model")
    assert sorted(path.relative_to(ydl.work).as_posix() for path in ydl.work.glob("out/*/*")) == ["out/worker-0/model", "out/worker-1/model"]


def test_a_task_reads_an_empty_standard_input(ydl):
    assert "[worker:0] end of input" in ydl.ok("run", "--", "sh", "-c", "cat && echo end of input").out


# ---- what is shown ---------------------------------------------------------------------------------------------


def test_plain_output_tells_the_story_of_the_job(ydl):
    done = ydl.ok("run", "--n", "2", "--name", "story", "--output", "plain", "--", "sh", "-c", "echo hello from $YDL_INDEX")
    job = ydl.the_job()
    lines = without_times(done.out).splitlines()
    assert lines[0] == f"{job.id}: 2 workers on this machine"
    assert re.fullmatch(r"all 2 tasks placed \(1 host\) after \d.* m?s, started after \d.* m?s", lines[1])
    assert "[worker:0] hello from 0" in lines
    assert "[worker:1] hello from 1" in lines
    assert lines[-3] == "2 of 2 workers succeeded"
    assert re.fullmatch(rf"{job.id} succeeded in \d.* m?s", lines[-2])
    assert lines[-1] == f"logs: {job.folder}/logs"  # and no results, as there are none


def test_plain_output_of_many_tasks_is_short_unless_every_step_is_wanted(ydl):
    assert len(ydl.ok("run", "--n", "64", "--", "true").out.splitlines()) < 10
    done = ydl.ok("run", "--verbose", "--n", "4", "--", "true")
    assert [f"worker:{i} succeeded" in done.out for i in range(4)] == [True] * 4


def test_results_are_named_where_there_are_any(ydl):
    done = ydl.ok("run", "--", "sh", "-c", "echo > $YDL_RESULTS_DIR/model")
    assert f"results: {ydl.the_job().folder}/results" in done.out.splitlines()


def test_show_logs_is_checked_before_there_is_a_job(ydl):
    done = ydl("run", "--show-logs", "wroker", "--", "true")
    assert (done.code, done.err) == (2, "ydl: --show-logs wroker: choose one of none, first, all, worker; did you mean 'worker'?\n")
    assert ydl.jobs() == []


def test_output_in_a_pipe_is_plain_without_colours(ydl):
    done = ydl.ok("run", "--", "printf", r"\033[31mred\033[0m\n")
    assert "\x1b" not in done.out + done.err
    assert "[worker:0] red" in done.out


def test_the_first_line_says_where_the_job_runs_and_why(ydl):
    done = ydl.ok("run", "--", "true")
    assert done.err.splitlines()[0].startswith("runs on this machine: no Hadoop configuration in HADOOP_CONF_DIR (not set)")
    assert ydl.ok("run", "--cluster", "local", "--", "true").err.splitlines()[0] == "runs on this machine: --cluster local"


def test_a_hadoop_configuration_that_names_a_cluster_is_followed(ydl):
    conf = ydl.work / "conf"
    conf.mkdir()
    (conf / "yarn-site.xml").write_text(
        "<configuration><property><name>yarn.resourcemanager.hostname</name><value>rm</value></property></configuration>"
    )
    done = ydl.ok("run", "--dry-run", "--", "true", env={"HADOOP_CONF_DIR": str(conf)})
    assert f"runs on YARN, ResourceManager rm:8032 (from {conf})" in done.out.splitlines()[0]
    ours = ydl.ok("run", "--cluster", "local", "--", "true", env={"HADOOP_CONF_DIR": str(conf)})
    assert ours.err.splitlines()[0] == "runs on this machine: --cluster local"


def test_json_output_is_one_documented_object_per_line(ydl):
    done = ydl("run", "--n", "2", "--output", "json", "--", "sh", "-c", "echo oops >&2; exit $((YDL_INDEX * 5))")
    fields = documented_fields()
    lines = done.lines()
    assert done.err == ""
    job = ydl.the_job()
    for line in lines:
        assert fields[line["type"]] <= set(line), line
        assert (line["v"], line["job"]) == (1, job.id)
    assert lines[0]["type"] == "job"
    events = [line for line in lines if line["type"] == "event"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert [event["cause"] for event in events if event["kind"] in ("task_failed", "job_failed")] == ["exit_code", "exit_code"]
    (failure,) = [line for line in lines if line["type"] == "failure"]
    assert (failure["task"], failure["text"], failure["last_lines"]) == ("worker:1", "failed with exit code 5", ["oops"])
    assert failure["log_path"] == f"{job.folder}/logs/worker-1/1/stderr"
    result = lines[-1]
    assert (result["type"], result["state"], result["exit_code"]) == ("result", "failed", 5)
    assert done.code == 5


def test_a_tasks_progress_is_told_in_json(ydl):
    os.mkfifo(ydl.scratch / "go_on")
    process = ydl.start("run", "--output", "json", "--", "sh", "-c", f"echo ::progress 0.6 epoch 3 of 5; cat {ydl.scratch}/go_on")
    line = json.loads(read_line(process, '"type":"progress"'))
    (ydl.scratch / "go_on").write_text("")
    assert documented_fields()["progress"] <= set(line)
    assert (line["task"], line["percent"], line["text"]) == ("worker:0", 60, "epoch 3 of 5")
    assert finish(process).code == 0


def test_quiet_prints_nothing_about_a_job_that_succeeds(ydl):
    done = ydl.ok("run", "--n", "2", "--output", "quiet", "--", "echo", "noise")
    assert (done.out, done.err) == ("", "")


def test_quiet_tells_a_failure_on_standard_error(ydl):
    done = ydl("run", "--output", "quiet", "--", "sh", "-c", "echo no such data >&2; exit 4")
    assert (done.code, done.out) == (4, "")
    assert done.err.splitlines()[:2] == ["worker:0 failed first, with exit code 4", "    no such data"]


def test_output_of_an_unfinished_line_is_shown_at_the_end(ydl):
    assert "[worker:0] no newline\n" in ydl.ok("run", "--", "printf", "no newline").out


def test_bytes_that_are_not_text_do_not_hurt_the_output(ydl):
    done = ydl.ok("run", "--output", "json", "--", "sh", "-c", r"printf 'bad \377\376 bytes 50%%\n'")
    assert done.lines()[-1]["exit_code"] == 0
    assert "bad �� bytes" in ydl.ok("run", "--", "sh", "-c", r"printf 'bad \377\376 bytes\n'").out


def test_a_reader_that_goes_away_does_not_leave_the_job_running(ydl):
    process = ydl.start("run", "--n", "2", "--", "sh", "-c", "while :; do echo line; sleep 0.05; done")
    job = ydl.the_job().running()
    process.stdout.close()
    process.send_signal(signal.SIGINT)
    process.wait(30)
    process.stderr.close()
    assert_nothing_left(job.folder)


# ---- dry run ---------------------------------------------------------------------------------------------------


def test_dry_run_shows_roles_commands_and_environments_and_runs_nothing(ydl):
    ydl.write("train.py", "")
    done = ydl.ok("run", "--framework", "tensorflow", "--role", "chief=1", "--role", "worker=3", "--retries", "2",
                  "--resource", "worker:memory=1g,vcores=2", "--dry-run", "--", "train.py", "--steps", "3 4")  # fmt: skip
    table = [line.split() for line in done.out.splitlines() if line.startswith(("ROLE", "chief ", "worker "))]
    assert table[0] == ["ROLE", "TASKS", "WHEN", "IT", "ENDS", "MEMORY", "VCORES", "GPUS", "RETRIES", "RESTART"]
    assert table[2] == ["worker", "3", "must", "succeed", "1", "GiB", "2", "0", "2", "all"]
    assert re.search(r"^worker: \S*python\S* \S*/train\.py --steps '3 4'$", done.out, re.MULTILINE)
    assert re.search(r"^  interpreter: \S+python3?, the python3? on PATH$", done.out, re.MULTILINE)
    assert "worker:1 has in its environment" in done.out
    assert "TF_CONFIG='" in done.out
    assert "… and 1 more like these" in done.out
    assert ydl.jobs() == []


TF_WITH_PS = ["--framework", "tensorflow", "--role", "chief=1", "--role", "worker=2", "--role", "ps=1", "--role", "evaluator=1"]


@pytest.mark.parametrize(
    ("options", "restart"),
    [
        (["--n", "2"], {"worker": "alone"}),
        (["--framework", "pytorch", "--n", "2"], {"worker": "all"}),
        (["--framework", "jax", "--n", "2"], {"worker": "all"}),
        (TF_WITH_PS, {"chief": "all", "worker": "alone, at its address", "ps": "all", "evaluator": "alone"}),
    ],
)
def test_dry_run_shows_what_starts_again_when_a_task_fails(ydl, options, restart):
    ydl.write("train", "#!/bin/sh\n").chmod(0o755)
    text = ydl.ok("run", *options, "--dry-run", "--", "./train").out
    table = text[text.index("ROLE ") :].split("\n\n")[0].splitlines()
    column = table[0].index("RESTART")
    assert {row.split()[0]: row[column:].strip() for row in table[1:]} == restart
    (plan,) = ydl.ok("run", *options, "--output", "json", "--dry-run", "--", "./train").lines()
    assert {role["name"]: role["restart"] for role in plan["roles"]} == restart


def test_dry_run_shows_that_the_job_file_decides_what_restarts(ydl):
    ydl.write("train", "#!/bin/sh\n").chmod(0o755)
    job = ydl.write("job.yaml", "version: 1\nframework: pytorch\ncommand: ./train\nroles: {worker: {count: 2, restart: alone}}\n")
    (plan,) = ydl.ok("submit", "--dry-run", "--output", "json", job).lines()
    assert plan["roles"][0]["restart"] == "alone"


def test_dry_run_shows_the_retries_that_are_usual_where_the_job_runs(ydl):
    def retries(*options):
        (plan,) = ydl.ok("run", *options, "--output", "json", "--dry-run", "--", "true").lines()
        return plan["roles"][0]["retries"]

    on_yarn = ["--cluster", "yarn", "--host-ip", "127.0.0.1"]
    assert (retries(), retries("--retries", "1")) == (0, 1)
    assert (retries(*on_yarn), retries(*on_yarn, "--retries", "0")) == (2, 0)


def test_dry_run_of_many_tasks_shows_two_of_them(ydl):
    text = ydl.ok("run", "--framework", "tensorflow", "--n", "100", "--dry-run", "--", "true").out
    (tasks,) = {line.strip() for line in text.splitlines() if "YDL_TASKS_JSON=" in line}
    assert tasks.endswith(", … 98 more]}'") and tasks.count('"host"') == 2
    assert max(map(len, text.splitlines())) < 1200
    assert "… and 98 more like these" in text


def test_dry_run_for_a_cluster_shows_what_only_a_cluster_has(ydl):
    on_yarn = ["--cluster", "yarn", "-hip", "rm1", "--dry-run"]
    text = ydl.ok("run", *on_yarn, "--queue", "ml", "--resource", "am:memory=1g,vcores=2", "--", "true").out
    assert "queue: ml\n" in text
    assert "master: a container with 1024 MiB and 2 vcores\n" in text
    assert re.search(r"^upload: 0 files, 0 B, less what is cached on the cluster; the limit is 1 GiB$", text, re.MULTILINE)
    assert "results: in the folder of the job on HDFS; fetch them with `ydl results get`\n" in text
    assert "this machine" not in text
    assert "results: hdfs://nn/r\n" in ydl.ok("run", *on_yarn, "--results", "hdfs://nn/r", "--", "true").out


def test_a_file_system_that_is_guessed_is_said_to_be_a_guess(ydl):
    guessed = ydl.ok("run", "-hip", "rm1", "--dry-run", "--", "true").out.splitlines()[0]
    assert guessed.endswith("HDFS hdfs://rm1:8020 (a guess; name it with --default-fs hdfs://HOST:PORT)")
    named = ydl.ok("run", "-hip", "rm1", "--default-fs", "hdfs://nn1:9000", "--dry-run", "--", "true").out.splitlines()[0]
    assert named.endswith("runs on YARN, ResourceManager rm1:8032 (from -hip)")


def test_dry_run_as_json_is_one_object(ydl):
    ydl.write("train", "#!/bin/sh\n").chmod(0o755)
    done = ydl.ok("run", "--framework", "pytorch", "--n", "2", "--output", "json", "--dry-run", "--", "./train", "--x")
    (plan,) = done.lines()
    assert (plan["v"], plan["type"], plan["framework"], plan["cluster"]) == (1, "plan", "pytorch", "local")
    (role,) = plan["roles"]
    assert (role["name"], role["count"], role["command"]) == ("worker", 2, ["./train", "--x"])
    assert role["environment_of_first"]["WORLD_SIZE"] == "2"
    assert ydl.jobs() == []


# ---- what only a cluster understands ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "named"),
    [(["--queue", "gpu"], "--queue"), (["-hip", "rm1"], "-hip"), (["--host-ip", "rm1"], "--host-ip"), (["--am", "managed"], "--am"),
     (["--resource", "worker:label=gpu"], "label=gpu of role worker")],
)  # fmt: skip
def test_an_option_that_only_a_cluster_understands_is_refused(ydl, options, named):
    done = ydl("run", "--cluster", "local", *options, "--", "true")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"ydl: {named} only makes sense on a cluster, and the job would run on this machine (--cluster local); remove it\n"
    )
    assert ydl.jobs() == []


@pytest.mark.parametrize(("cluster", "sentence"), [("yarn", "set HADOOP_CONF_DIR to the folder"), ("ssh", "--cluster: unknown cluster 'ssh' (available: auto, local, yarn)")])
def test_a_cluster_that_cannot_be_had_is_refused(ydl, cluster, sentence):
    done = ydl("run", "--cluster", cluster, "--", "true")
    assert done.code == 2
    assert sentence in done.err


# ---- detached --------------------------------------------------------------------------------------------------


def test_detach_prints_the_id_alone_and_returns_while_the_job_runs(ydl):
    done = ydl.ok("run", "--detach", "--", *FOREVER)
    assert re.fullmatch(r"[a-z0-9-]+\n", done.out)
    job = Job(ydl, done.out.strip()).running()
    assert f"`ydl kill {job.id}` stops it" in done.err
    job.kill()


def test_detach_in_json_prints_the_id_as_an_object(ydl):
    done = ydl.ok("run", "--detach", "--output", "json", "--", "true")
    (line,) = done.lines()
    assert (line["v"], line["type"], done.err) == (1, "submitted", "")
    Job(ydl, line["job"]).wait_for("job_succeeded")


def test_a_detached_job_survives_its_terminal_and_its_session(ydl):
    # The session leader's end sends SIGHUP to all that the terminal had.
    leader, follower = os.openpty()
    process = ydl.start("run", "--detach", "--", *FOREVER, stdin=follower, stdout=subprocess.PIPE, stderr=follower, start_new_session=True)
    job = Job(ydl, finish(process).out.strip()).running()
    os.close(follower)
    os.close(leader)
    assert ydl.listed()[job.id]["state"] == "running"
    job.kill()


def test_status_shows_a_running_job_from_another_process(ydl):
    job = ydl.detach("--n", "2", "--name", "far", "--", *FOREVER).running()
    text = ydl.ok("status", job.id).out.splitlines()
    assert re.fullmatch(rf"{job.id}  running \d+ s  on this machine", text[0])
    assert [line.split()[:2] for line in text if line.startswith("worker:")] == [["worker:0", "running"], ["worker:1", "running"]]
    (view,) = ydl.ok("status", "--output", "json", job.id).lines()
    assert [task["state"] for task in view["tasks"]] == ["running", "running"]
    job.kill()


def test_logs_follow_a_detached_job_until_it_ends(ydl):
    for name in ("go_on0", "go_on1"):
        os.mkfifo(ydl.scratch / name)
    job = ydl.detach("--n", "2", "--", "sh", "-c", f"echo first; cat {ydl.scratch}/go_on$YDL_INDEX; echo last").running()
    follower = ydl.start("logs", "-f", job.id)
    read_line(follower, "] first")
    for name in ("go_on0", "go_on1"):
        (ydl.scratch / name).write_text("")
    done = finish(follower)
    assert done.code == 0
    assert {"[worker:0] last", "[worker:1] last"} <= set(done.out.splitlines())


def test_events_follow_a_detached_job_until_it_ends(ydl):
    job = ydl.detach("--", *FOREVER)
    follower = ydl.start("events", "-f", "--output", "json", job.id)
    read_line(follower, "job_running")
    job.kill()
    done = finish(follower)
    assert done.code == 0
    assert done.lines()[-1]["kind"] == "job_stopped"


def test_kill_stops_a_detached_job_and_waits_for_its_end(ydl):
    job = ydl.detach("--n", "2", "--", *FOREVER).running()
    assert job.kill().out == f"{job.id} stopped\n"
    assert job.processes() == {}
    assert (job.state_file()["state"], job.state_file()["exit_code"]) == ("stopped", 130)


def test_killing_a_job_that_ended_says_how_it_ended(ydl):
    ydl.ok("run", "--", "true")
    job = ydl.the_job()
    done = ydl("kill", job.id)
    assert (done.code, done.err) == (1, f"ydl: job {job.id} is not running: it succeeded\n")


def test_a_job_is_found_by_the_beginning_of_its_id(ydl):
    ydl.ok("run", "--name", "alpha", "--", "echo", "one")
    ydl.ok("run", "--name", "beta", "--", "echo", "two")
    assert ydl.ok("logs", "alph").out == "[worker:0] one\n"


def test_without_an_id_the_newest_job_is_meant(ydl):
    ydl.ok("run", "--name", "older", "--", "echo", "one")
    ydl.ok("run", "--name", "newer", "--", "echo", "two")
    assert ydl.ok("logs").out == "[worker:0] two\n"


def test_logs_of_one_task_come_as_they_were_written(ydl):
    ydl.ok("run", "--n", "2", "--", "sh", "-c", "echo out $YDL_INDEX; echo err $YDL_INDEX >&2")
    done = ydl.ok("logs", ydl.the_job().id, "worker:1")
    assert (done.out, done.err) == ("out 1\n", "err 1\n")
    assert sorted(ydl.ok("logs", "--stream", "stderr").out.splitlines()) == ["[worker:0] err 0", "[worker:1] err 1"]


def test_ls_shows_jobs_newest_first(ydl):
    assert ydl.ok("ls").out == f"no jobs in {ydl.jobs_folder()}\n"
    ydl.ok("run", "--name", "first", "--", "true")
    ydl("run", "--name", "second", "--", "false")
    table = ydl.ok("ls").out.splitlines()
    assert table[0].split()[:3] == ["ID", "STATE", "WHERE"]
    assert table[1].split()[2] == "local" and "none" not in " ".join(table)
    assert [line.split()[1] for line in table[1:]] == ["failed", "succeeded"]
    assert table[1].rstrip().endswith("worker:0 failed with exit code 1")
    assert len(ydl.ok("ls", "--limit", "1").out.splitlines()) == 2


def test_the_timeline_shows_where_the_time_went(ydl):
    ydl.ok("run", "--n", "2", "--", "true")
    done = ydl.ok("events", "--timeline")
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith("worker")] == ["worker:0", "worker:1"]


def test_the_lines_of_tasks_are_objects_in_json(ydl):
    lines = ydl.ok("run", "--output", "json", "--", "sh", "-c", "echo out; echo err >&2").lines()
    wanted = {("worker:0", "stdout", "out"), ("worker:0", "stderr", "err")}
    assert {(line["task"], line["stream"], line["text"]) for line in lines if line["type"] == "log"} == wanted
    job = ydl.the_job()
    for words in ([job.id], [job.id, "worker:0"], ["-f", job.id]):
        shown = ydl.ok("logs", "--output", "json", *words)
        assert {(line["task"], line["stream"], line["text"]) for line in shown.lines()} == wanted
        assert {(line["v"], line["type"], line["job"]) for line in shown.lines()} == {(1, "log", job.id)}
        assert shown.err == "" or "-f" in words


def test_logs_of_an_attempt_that_there_was_not_are_an_error(ydl):
    ydl("run", "--retries", "1", "--", "false")
    job = ydl.the_job()
    refused = ydl("logs", job.id, "worker:0", "--attempt", "9")
    assert (refused.code, refused.err) == (1, "ydl: worker:0 has no logs of attempt 9; there are 1, 2\n")


def test_kill_means_the_job_that_runs_among_those_whose_ids_begin_alike(ydl):
    ydl.ok("run", "--name", "twin", "--", "true")
    job = ydl.detach("--name", "twin", "--", *FOREVER).running()
    assert ydl.ok("kill", "twin").out == f"{job.id} stopped\n"
