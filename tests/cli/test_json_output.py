"""--output json: every line of every command is an object that fits docs/schema/output-v1.schema.json.

A new command or option gets a row in COMMANDS; one that is missing there fails the test of the help.
"""

import json
import re

import jsonschema
import pytest

from harness import REPOSITORY
from output_schema import SCHEMA, TYPES, check_line, check_lines

FOREVER = ["tail", "-f", "/dev/null"]
WORK = ["sh", "-c", "printf '::metric \\173\"step\":1,\"loss\":0.4\\175\\n'; echo ::progress 0.5 half; echo out; echo err >&2; echo m > $YDL_RESULTS_DIR/model"]

# What a command is given: {ended}, {failed} and {running} are IDs of jobs, {old} and {older} those of jobs to delete.
# Then the exit code, and the types of lines that must be among its output.
COMMANDS = [
    (["run", "--", *WORK], 0, {"job", "event", "metric", "log", "result"}),
    (["run", "--n", "2", "--retries", "1", "--", "false"], 1, {"job", "event", "failure", "result"}),
    (["run", "--detach", "--", "true"], 0, {"submitted"}),
    (["run", "--dry-run", "--n", "2", "--framework", "pytorch", "--", "true"], 0, {"plan"}),
    (["run", "--retries", "x", "--", "true"], 2, {"error"}),
    (["run", "--", "./nothere.sh"], 127, {"error"}),
    (["run", "--file", "nope.txt", "--", "true"], 2, {"error"}),
    (["submit", "job.yaml"], 0, {"job", "event", "result"}),
    (["submit", "--dry-run", "job.yaml"], 0, {"plan"}),
    (["submit", "nope.yaml"], 2, {"error"}),
    (["ls"], 0, {"summary"}),
    (["ls", "--state", "running"], 0, {"summary"}),
    (["ls", "--state", "nope"], 2, {"error"}),
    (["status", "{ended}"], 0, {"job"}),
    (["status", "{running}"], 0, {"job"}),
    (["status", "nope-0000"], 1, {"error"}),
    (["follow", "{ended}"], 0, {"job", "result"}),
    (["follow", "nope-0000"], 1, {"error"}),
    (["logs", "{ended}"], 0, {"log"}),
    (["logs", "{ended}", "worker:0"], 0, {"log"}),
    (["logs", "-f", "{ended}"], 0, {"log"}),
    (["logs", "{ended}", "worker:9"], 1, {"error"}),
    (["logs", "--tail", "1", "{ended}", "worker"], 0, {"log"}),
    (["logs", "--since", "1h", "--timestamps", "--grep", "out", "{ended}"], 0, {"log"}),
    (["logs", "--to", "logs", "{ended}"], 0, set()),
    (["events", "{ended}"], 0, {"event"}),
    (["events", "-f", "{ended}"], 0, {"event"}),
    (["events", "--timeline", "{ended}"], 0, {"attempt"}),
    (["events", "nope-0000"], 1, {"error"}),
    (["kill", "--now", "{running}"], 0, {"stopped"}),
    (["kill", "{ended}"], 1, {"error"}),
    (["rm", "--dry-run", "{old}"], 0, {"disposable_job"}),
    (["rm", "--yes", "{old}", "{older}"], 0, {"deleted_job"}),
    (["rm", "{ended}"], 2, {"error"}),
    (["results", "ls", "{ended}"], 0, {"file"}),
    (["results", "get", "{ended}", "--to", "here"], 0, {"copied"}),
    (["results", "get", "{ended}", "worker-0/model", "--to", "one"], 0, {"copied"}),
    (["results", "get", "{old}", "--to", "nowhere"], 0, {"copied"}),
    (["results", "put"], 2, {"error"}),
    (["env", "ls"], 2, {"error"}),
    (["env", "gc"], 2, {"error"}),
    (["doctor"], 0, {"check"}),
    (["doctor", "--probe"], 0, {"check"}),
    (["fs", "ls", "/"], 2, {"error"}),
    (["fs", "cat", "/file"], 2, {"error"}),
    (["nope"], 2, {"error"}),
    (["--version"], 0, {"version"}),
    (["version"], 0, {"version"}),
]
# What prints a program or help for people takes no --output.
WITHOUT_JSON = {"completion", "help"}


def command_id(row):
    return " ".join(row[0]) if isinstance(row, tuple) else None


def with_json(words):
    """The words with --output json, before the command of a task."""
    at = words.index("--") if "--" in words else len(words)
    return [*words[:at], "--output", "json", *words[at:]]


@pytest.fixture
def jobs(ydl):
    """One job of each kind, by the name that COMMANDS uses."""

    def ended(name, *command):
        before = {job.id for job in ydl.jobs()}
        ydl("run", "--name", name, "--", *command)
        return next(job.id for job in ydl.jobs() if job.id not in before)

    ydl.write("job.yaml", "version: 1\ncommand: [\"true\"]\nroles: {worker: {count: 1}}\n")
    made = {"ended": ended("ended", *WORK), "failed": ended("failed", "false"), "old": ended("old", "true"), "older": ended("older", "true")}
    running = ydl.detach("--name", "running", "--", *FOREVER).running()
    yield made | {"running": running.id}
    for job in ydl.jobs():
        ydl("kill", "--now", job.id)


@pytest.mark.parametrize("row", COMMANDS, ids=command_id)
def test_every_line_fits_the_schema(ydl, jobs, row):
    words, code, types = row
    done = ydl(*with_json([word.format(**jobs) if "{" in word else word for word in words]))
    lines = check_lines(done.out)
    assert done.code == code and types <= {line["type"] for line in lines}, done.everything()
    errors = [line for line in lines if line["type"] == "error"]
    assert [f"ydl: {line['text']}" for line in errors] == [line for line in done.err.splitlines() if line.startswith("ydl: ")]
    if errors:
        assert max(line["exit_code"] for line in errors) == code


def test_every_command_of_the_help_is_tested(ydl):
    commands = re.findall(r"^  (\w+)  +\w", ydl.ok("--help").out.partition("Commands")[2].partition("Frameworks")[0], re.MULTILINE)
    assert len(commands) > 8
    assert set(commands) - WITHOUT_JSON <= {words[0] for words, _, _ in COMMANDS}


def test_the_schema_is_itself_valid_and_explains_every_field():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def fields(node, path=""):
        if isinstance(node, dict):
            for name, value in node.get("properties", {}).items():
                yield f"{path}/{name}", value
            for name, value in node.items():
                yield from fields(value, f"{path}/{name}")
        elif isinstance(node, list):
            for value in node:
                yield from fields(value, path)

    described = list(fields(SCHEMA))
    assert len(described) > 100
    assert [path for path, value in described if not value.get("description")] == []


def test_the_examples_in_the_documentation_fit_the_schema():
    page = (REPOSITORY / "docs/output.md").read_text()
    examples = [check_line(line) for line in page.splitlines() if line.startswith('    {"v"') for line in [line.strip()]]
    assert {line["type"] for line in examples} == TYPES - {"deleted", "disposable", "disposable_job"}, "one example of each type"


def test_a_line_that_does_not_fit_fails_this_test():
    good = {"v": 1, "type": "stopped", "job": "mnist-7f3k", "state": "stopped"}
    check_line(json.dumps(good))
    for wrong in (good | {"type": "nope"}, good | {"v": 2}, good | {"state": 3}, good | {"surprise": 1}, {"v": 1, "type": "stopped", "job": "x"}):
        with pytest.raises(AssertionError):
            check_line(json.dumps(wrong))
