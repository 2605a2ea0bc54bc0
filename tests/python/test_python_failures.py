"""What goes wrong with functions, before anything is uploaded and in the task: each one sentence with its remedy."""

import json
import os
import subprocess

import pytest

FAILING = """
    import ydl

    def train():
        {body}

    try:
        ydl.run(train, {options})
    except ydl.JobFailed as error:
        print("FAILED", error)
        print("CAUSE", type(error.__cause__).__name__, error.__cause__)
        print("ATTRIBUTES", error.task, error.attempt, error.exit_code, error.state)
"""


def failed(project, body, options=""):
    return project.ok(FAILING.format(body=body.replace("\n", "\n        "), options=options))


def test_a_global_that_cannot_be_pickled_is_named_with_its_line(project):
    assert project.refused("""
        import threading, ydl
        lock = threading.Lock()

        def helper():
            with lock: pass

        def train():
            helper()

        ydl.submit(train)
    """) == "ydl._errors.YdlError: helper uses the global 'lock', a threading.Lock, set in script.py line 3: make it inside the function"


@pytest.mark.parametrize(("script", "words"), [
    ("""
        import threading, ydl

        def make():
            lock = threading.Lock()
            def train():
                return lock
            return train

        ydl.submit(make())
     """, "train uses 'lock' of the function around it, a threading.Lock: make it inside the function"),
    ("""
        import threading, ydl

        def train(lock): pass

        ydl.submit(train, (threading.Lock(),))
     """, "argument 1 of train, a threading.Lock: make it inside the function"),
    ("""
        import ydl
        out = open("/dev/null", "w")

        def train():
            print("x", file=out)

        ydl.submit(train)
     """, "train uses the global 'out', a file that is open, set in script.py line 3: make it inside the function"),
    ("""
        import ydl
        table = bytearray(70 << 20)

        def train():
            return len(table)

        ydl.submit(train)
     """, "train uses the global 'table', a bytearray of 70 MiB, set in script.py line 3: at most 64 MiB are sent with a function; "
          "write it to a file and name that in files=, or read it inside the function"),
    ("import ydl\nydl.submit(len, files={'data.csv': 'nothing.csv'})\n", "nothing.csv does not exist (for 'data.csv')"),
    ("import ydl\nydl.submit(len, files={'../data.csv': 'script.py'})\n",
     "files: '../data.csv' leaves the task's folder: write a relative name without '..'"),
    ("import ydl\nydl.submit(len, roles={'worker': ydl.Role(memory='1x')})\n", "memory"),
    ("import ydl\nydl.submit(len, retriez=1)\n", "unknown key 'retriez'; did you mean 'retries'?"),
    ("import ydl\nydl.submit(len, framework='torch')\n", "unknown framework 'torch'"),
    ("import ydl\nydl.submit_file('nothing.yaml')\n", "there is no job file nothing.yaml"),
    ("import ydl\nydl.attach('wine-0000')\n", "there is no job 'wine-0000'"),
])
def test_what_cannot_run_is_refused_before_there_is_a_job(project, script, words):
    message = project.refused(script)
    assert words in message
    assert message.startswith("ydl._errors.YdlError: ")


def test_an_exception_comes_back_with_its_traceback_and_its_line(project):
    out = failed(project, "return {}['alcohool']")
    assert "worker:0 on" in out and "failed first: KeyError: 'alcohool'" in out
    assert "in worker:0, attempt 1:\n    File \"script.py\", line" in out and ", in train\n" in out
    assert "more: ydl logs train-" in out
    assert "CAUSE KeyError 'alcohool'" in out
    assert "ATTRIBUTES worker:0 1 1 failed" in out


def test_an_exception_that_cannot_be_pickled_comes_back_as_text(project):
    out = failed(project, "import threading\nerror = ValueError('too red')\nerror.lock = threading.Lock()\nraise error")
    assert "failed first: ValueError: too red" in out
    assert "CAUSE RemoteError ValueError: too red" in out


def test_a_value_that_cannot_be_pickled_fails_only_where_it_is_read(project):
    out = project.ok("""
        import threading, ydl

        def train():
            return threading.Lock()

        job = ydl.run(train)
        try:
            job.results["worker:0"]
        except ydl.RemoteError as error:
            print("ERROR", error)
    """)
    assert "ERROR the function returned a _thread.lock, which cannot be pickled (" in out
    assert "return numbers, texts or lists, and write the rest into files" in out


def test_sys_exit_has_its_exit_code(project):
    out = failed(project, "import sys\nsys.exit(3)")
    assert "failed first: the function called sys.exit(3)" in out
    assert "ATTRIBUTES worker:0 1 3 failed" in out
    assert "FAILED" not in failed(project, "import sys\nsys.exit()")


def test_a_module_that_was_not_sent_is_named_with_the_remedy(project):
    project.write("late.py", "")
    out = failed(project, "import late")
    assert "ModuleNotFoundError: No module named 'late'; ydl did not ship 'late': import it at the top of the script" in out
    assert "name it in files=, or add its package to pip_packages=" in out


def test_a_process_that_is_killed_leaves_the_words_of_ydl(project):
    out = failed(project, "import os, signal\nprint('loading', flush=True)\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert "SIGSEGV" in out and "CAUSE NoneType None" in out
    assert "\n    loading\n" in out


def test_the_outcome_of_an_earlier_attempt_does_not_count(project):
    out = failed(project, "import os, signal\nif os.environ['YDL_ATTEMPT'] == '1': raise ValueError('first')\nos.kill(os.getpid(), signal.SIGKILL)",
                 "retries=1")
    assert "attempt 2" in out and "ValueError" not in out.split("FAILED")[1]


def task(project, header, body=b""):
    """What the task prints when it is given a function file with this header."""
    folder = project.scratch / "task"
    (folder / "results").mkdir(parents=True)
    (folder / "ydl-function").write_bytes(json.dumps(header).encode() + b"\n" + body)
    env = {**project.env, "YDL_RESULTS_DIR": str(folder / "results"), "YDL_JOB_ID": "x"}
    return subprocess.run([project.python, "-m", "ydl._task"], cwd=folder, env=env, capture_output=True, text=True)


def test_another_python_is_found_before_the_pickle_is_loaded(project):
    poison = b"cos\nsystem\n(S'touch loaded'\ntR."
    done = task(project, {"version": 1, "python": "CPython 3.12"}, poison)
    assert done.returncode == 1
    assert "ydl: the function was pickled by CPython 3.12, and this is CPython 3.11" in done.stderr
    assert "send the environment you submit from with the job, or name the same Python with python=" in done.stderr
    assert not os.path.exists(project.scratch / "task/loaded")
