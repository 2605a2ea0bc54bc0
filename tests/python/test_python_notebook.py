"""The table of a job in a notebook, in a real kernel."""

import json
import subprocess
import textwrap

from projects import environment

NOTEBOOK = """
    import nbformat, nbclient, json, sys
    cells = json.load(open("cells.json"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=100, allow_errors=True).execute()
    json.dump([cell.outputs for cell in notebook.cells], open("outputs.json", "w"))
"""


def outputs_of(project, *cells):
    project.write("cells.json", json.dumps([textwrap.dedent(cell) for cell in cells]))
    runner = project.write("runner.py", NOTEBOOK)
    project.env["JUPYTER_PLATFORM_DIRS"] = "1"
    subprocess.run([environment("notebook") / "bin/python", runner], cwd=project.folder, env=project.env, check=True, timeout=110)
    return json.loads((project.folder / "outputs.json").read_text())


def test_one_table_is_updated_in_place(project):
    project.write("lib.py", "SCALE = 1\n")
    (_, ran, failed, refused) = outputs_of(
        project,
        """
        import threading, time, ydl, lib
        lock = threading.Lock()

        def train(steps):
            for step in range(steps):
                ydl.report(step=step, steps=steps, loss=lib.SCALE / (step + 1))
                time.sleep(0.7)
            return "accuracy"
        """,
        "ydl.run(train, (4,), roles={'worker': ydl.Role(2)}).results['worker:1']",
        """
        def broken():
            raise KeyError("<alcohool>")

        ydl.run(broken)
        """,
        """
        def locked():
            return lock

        ydl.submit(locked)
        """,
    )
    (table,) = [output for output in ran if output["output_type"] == "display_data"]
    text, page = table["data"]["text/plain"], table["data"]["text/html"]
    assert "succeeded" in text.splitlines()[0] and "worker:1" in text
    assert "step 3, loss 0.25 █" in text, text
    assert page.startswith("<b>") and page.count("<tr>") == 3
    assert ran[-1]["data"]["text/plain"] == "'accuracy'"
    assert failed[-1]["ename"] == "JobFailed" and "failed first: KeyError: '<alcohool>'" in failed[-1]["evalue"]
    assert "<alcohool>" not in failed[0]["data"]["text/html"]
    assert "locked uses the global 'lock', a threading.Lock, set in a cell of the notebook" in refused[-1]["evalue"]
