"""Help, completion and the manual."""

import resource
import shutil
import subprocess

import pytest

COMMANDS = ["run", "submit", "ls", "status", "logs", "events", "kill", "env", "doctor", "completion"]


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def test_the_top_help_fits_a_screen_and_names_every_command(ydl):
    text = ydl.ok("--help").out
    assert len(text.splitlines()) <= 40
    for command in COMMANDS:
        assert f"\n  {command} " in text
    assert ydl.ok("-h").out == ydl.ok("help").out == ydl.ok().out == text


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(ydl, command):
    lines = ydl.ok(command, "--help").out.splitlines()
    assert len(lines) <= 45
    assert max(map(len, lines)) <= 120
    assert any(line.startswith(f"usage: ydl {command}") for line in lines)
    assert ydl.ok(command, "-h").out.splitlines() == lines


def test_help_shows_defaults(ydl):
    text = ydl.ok("run", "--help").out
    assert "(default none)" in text
    assert "(default 10s)" in text


def test_hidden_commands_stay_hidden(ydl):
    for text in (ydl.ok("--help").out, ydl.ok("completion", "bash").out):
        assert "__master" not in text
        assert "__agent" not in text


def test_the_version_is_a_number(ydl):
    assert ydl.ok("--version").out.startswith("ydl 0.")


@pytest.mark.parametrize("shell", [pytest.param(shell, marks=needs(shell)) for shell in ("bash", "zsh", "fish")])
def test_the_completion_script_is_valid(ydl, shell):
    script = ydl.ok("completion", shell).out
    assert "ydl" in script
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")


def completions(ydl, *words):
    """What bash offers for the last of these words."""
    script = ydl.ok("completion", "bash").out
    line = " ".join(f"'{word}'" for word in words)
    program = f'{script}\nCOMP_WORDS=({line})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_ydl\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    (ydl.scratch / "bin").mkdir(exist_ok=True)
    link = ydl.scratch / "bin/ydl"
    if not link.exists():
        link.symlink_to(ydl.binary)
    env = ydl.env | {"PATH": f"{link.parent}:{ydl.env['PATH']}"}
    done = subprocess.run(["bash", "-c", program], env=env, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.split()


def test_bash_completes_commands_options_and_jobs(ydl):
    ydl.ok("run", "--name", "mine", "--", "true")
    assert completions(ydl, "ydl", "st") == ["status"]
    assert completions(ydl, "ydl", "run", "--ret") == ["--retries"]
    assert completions(ydl, "ydl", "logs", "mi") == [ydl.the_job().id]


@needs("groff")
def test_the_manual_renders_without_warnings(ydl):
    page = ydl.ok("__man").out
    done = subprocess.run(["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-ww", "-K", "utf8"], input=page, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert f"ydl {command}" in done.stdout


def test_looking_at_jobs_costs_less_than_20_ms_of_cpu(ydl):
    for _ in range(3):
        ydl.ok("run", "--", "true")

    def cpu(*arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ydl.ok(*arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # The least of several: what the machine does beside us is not ours.
    assert min(cpu("--version") for _ in range(5)) < 0.020
    assert min(cpu("ls") for _ in range(5)) < 0.020
