"""Functions in tasks: results, metrics, logs, and jobs that outlive the process that submitted them."""

import json
import signal

from projects import REPOSITORY


def test_every_task_calls_the_function_and_returns_its_value(project):
    out = project.ok("""
        import os, ydl

        def where(word, *, end):
            return f"{os.environ['YDL_TASK_NAME']} {word}{end}"

        roles = {"worker": ydl.Role(2, env={"YDL_TASK_NAME": "w"}), "monitor": ydl.Role(command="true", kind="side")}
        job = ydl.run(where, ("hello",), {"end": "!"}, roles=roles, name="greeting")
        assert job.id.startswith("greeting-")
        print(dict(job.results), job.status)
    """)
    assert "{'worker:0': 'w hello!', 'worker:1': 'w hello!'} succeeded" in out


def test_metrics_progress_logs_and_events_come_back(project):
    out = project.ok("""
        import ydl

        def train():
            for step in range(3):
                ydl.report(step=step, steps=3, loss=1 / (step + 1), lost=float("nan"))
            print("last words")

        job = ydl.submit(train)
        assert job.wait(show=False) is job
        print(job.metrics)
        (task,) = job.status.tasks
        print(task.task, task.state, task.step, task.metrics["lost"], round(task.metrics["loss"], 2))
        print([line.text for line in job.logs("worker:0") if not line.text.startswith("::")])
        print(next(str(line) for line in job.logs() if "words" in line.text))
        kinds = [event.kind for event in job.events()]
        print(kinds[0], kinds[-1])
    """)
    assert out.splitlines() == [
        "{'worker:0': [{'step': 0, 'loss': 1.0, 'lost': None}, {'step': 1, 'loss': 0.5, 'lost': None}, "
        "{'step': 2, 'loss': 0.3333333333333333, 'lost': None}]}",
        "worker:0 succeeded 2 None 0.33",
        "['last words']",
        "[worker:0] last words",
        "job_placing job_succeeded",
    ]


def test_reporting_outside_of_a_job_does_nothing(project):
    assert project.ok("import ydl\nydl.report(step=1, loss=0.5)\n") == ""
    assert "report(loss=…): a metric is a number, not list; pass float(…)" in project.run("import ydl\nydl.report(loss=[1])\n").err


def test_modules_of_the_project_are_sent_and_installed_ones_are_not(project):
    project.write("helper.py", "FACTOR = 2\n")
    project.write("package/__init__.py", "")
    project.write("package/part/__init__.py", "from importlib.resources import files\nTEXT = files(__name__).joinpath('data.txt').read_text()\n")
    project.write("package/part/data.txt", "data of the package")
    project.write("notes.txt", "from files")
    out = project.ok("""
        import os, helper, ydl
        from package import part

        def work(number):
            import subprocess, sys
            child = subprocess.run([sys.executable, "-c", "import helper; print(helper.FACTOR)"], capture_output=True, text=True)
            return helper.FACTOR * number, part.TEXT, open("conf/notes.txt").read(), child.stdout.strip(), sorted(os.listdir())

        job = ydl.run(work, (21,), files={"conf/notes.txt": "notes.txt"})
        print(*job.results["worker:0"], sep="|")
    """)
    values = out.splitlines()[-1].split("|")
    assert values[:3] == ["42", "data of the package", "from files"]
    assert values[3] == "2" and "pytest" not in values[4] and "script.py" not in values[4]


def test_a_project_that_is_installed_editable_is_sent(project):
    project.write("lib/src/wine_lib/__init__.py", "NAME = 'editable'\n")
    site = project.scratch / "site"
    info = site / "wine_lib-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wine-lib\nVersion: 1.0\n")
    (info / "direct_url.json").write_text(json.dumps({"url": f"file://{project.folder}/lib", "dir_info": {"editable": True}}))
    out = project.ok(f"""
        import sys
        sys.path += ["{site}", "{project.folder}/lib/src"]  # as the .pth file of an editable installation does
        import wine_lib, ydl

        def name():
            return wine_lib.NAME

        print(ydl.run(name).results["worker:0"])
    """)
    assert out.endswith("editable\n")


def test_a_function_may_be_named_instead_of_sent(project):
    project.write("job_lib.py", "def double(number):\n    return 2 * number\n")
    out = project.ok("""
        import job_lib, ydl
        print(ydl.run("job_lib:double", (4,)).results["worker:0"])
    """)
    assert out.endswith("8\n")


def test_a_job_file_runs_from_a_path_and_from_a_dict(project):
    project.write("data.txt", "content")
    project.write("job.yaml", "version: 1\ncommand: cat data.txt\nroles: {worker: {}}\n")
    out = project.ok("""
        import ydl
        job = {"version": 1, "command": "cat data.txt", "roles": {"worker": {}}, "files": ["data.txt"]}
        for started in (ydl.submit_file("job.yaml"), ydl.submit_file(job)):
            started.wait(show=False)
            print([line.text for line in started.logs()], dict(started.results))
    """)
    assert out == "['content'] {}\n" * 2


def test_a_killed_client_leaves_the_job_running_and_attach_finds_it(project):
    process = project.start("""
        import time, ydl

        def work():
            while not __import__("os").path.exists(GO): time.sleep(0.05)
            return "done"

        GO = %r
        job = ydl.submit(work)
        print(job.id, flush=True)
        job.wait()
    """ % str(project.scratch / "go"))
    job = process.stdout.readline().strip()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    out = project.ok(f"""
        import pathlib, ydl
        job = ydl.attach({job!r})
        print(len(job.results), job.status.has_ended)
        try:
            job.wait(0.1)
        except TimeoutError as error:
            print(error)
        pathlib.Path({str(project.scratch / "go")!r}).touch()
        print(job.wait(show=False).results["worker:0"])
    """)
    lines = out.splitlines()
    assert lines[0] == "0 False" and lines[-1] == "done"
    assert f"{job} has not ended after 0.1 s; it runs on" in lines


def test_ctrl_c_stops_the_job_of_run_and_leaves_that_of_wait(project):
    for call, state in (("ydl.run(work)", "stopped"), ("ydl.submit(work).wait()", "running")):
        process = project.start(f"""
            import time, ydl

            def work():
                time.sleep(600)

            {call}
        """, start_new_session=True)
        project.wait_for_task()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert "KeyboardInterrupt" in err
        (job,) = [json.loads(line) for line in project.jobs() if json.loads(line)["state"] in (state,)]
        if state == "running":
            project.ydl("kill", job["job"], "--now")


def test_kill_stops_a_job_once(project):
    out = project.ok("""
        import time, ydl

        def work():
            time.sleep(600)

        job = ydl.submit(work)
        print(job.kill(now=True), job.kill())
        try:
            job.wait()
        except ydl.JobFailed as error:
            print(error.state, error.task)
    """)
    assert "stopped stopped" in out and out.endswith("stopped None\n")


def test_the_example_runs(project):
    assert "{'worker:0': 0.97, 'worker:1': 0.97}" in project.ok((REPOSITORY / "examples/python/train.py").read_text())
