"""docs/python.md: every example runs, and prints what the page shows."""

import json
import re

from projects import REPOSITORY

RUN_BLOCKS = """
import contextlib, io, json, linecache

printed = []
for block in json.load(open("blocks.json")):
    linecache.cache["script.py"] = (len(block), None, block.splitlines(True), "script.py")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "script.py", "exec"))
    printed.append(out.getvalue())
json.dump(printed, open("printed.json", "w"))
"""


def without_names(text):
    """Ids, hosts and paths differ from run to run."""
    text = re.sub(r"\b([a-z]+)-[0-9a-f]{4}\b", r"\1-ID", text)
    return re.sub(r"log: \S+", "log: PATH", re.sub(r" on .+ failed first", " on HOST failed first", text)).splitlines()


def test_the_examples_of_the_page_print_what_it_shows(project):
    page = (REPOSITORY / "docs/python.md").read_text()
    examples = re.findall(r"```python\n(.*?)```\n(?:(?:(?!```|\n#).)*?```text\n(.*?)```)?", page, re.DOTALL)
    assert len(examples) >= 6
    project.write("blocks.json", json.dumps([code for code, _ in examples]))
    project.ok(RUN_BLOCKS)
    for (code, shown), printed in zip(examples, json.loads((project.folder / "printed.json").read_text())):
        lines = without_names(printed)
        # What `ydl run` shows of the job comes before what the example itself prints.
        assert lines and without_names(shown)[-len(lines):] == lines, code
