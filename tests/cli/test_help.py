"""Help, completion and the manual."""

import os
import pty
import resource
import select
import shutil
import subprocess
import time

import pytest

COMMANDS = ["run", "submit", "follow", "ls", "status", "logs", "events", "kill", "rm", "env", "doctor", "completion"]


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
    text = ydl.ok("run", "--help-all").out
    assert "(default none)" in text
    assert "(default 10s)" in text


def test_the_help_of_run_has_examples_everyday_options_and_groups(ydl):
    text = ydl.ok("run", "--help").out
    assert ydl.ok("help", "run").out == text
    lines = text.splitlines()
    assert lines[2].startswith("  ydl run ") and lines[3].startswith("  ydl run ")
    for group in ("What to run", "Where", "Files", "When it fails", "How it is shown"):
        assert any(line.startswith(f"  {group} ") for line in lines), group
        assert f"\n{group}\n" in ydl.ok("run", "--help-all").out
    assert "coming" not in ydl.ok("--help").out


def test_hidden_commands_stay_hidden(ydl):
    for text in (ydl.ok("--help").out, ydl.ok("completion", "bash").out):
        assert "__master" not in text
        assert "__agent" not in text


def test_the_version_is_a_number(ydl):
    assert ydl.ok("--version").out.startswith("ydl 0.")
    assert ydl.ok("version").out == ydl.ok("-V").out == ydl.ok("--version").out


@pytest.mark.parametrize("shell", [pytest.param(shell, marks=needs(shell)) for shell in ("bash", "zsh", "fish")])
def test_the_completion_script_is_valid(ydl, shell):
    script = ydl.ok("completion", shell).out
    assert "ydl" in script
    done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")


def offered(ydl, *words):
    """What the program offers for the last of these words, as the shells ask for it."""
    lines = ydl.ok("__complete", *words).out.splitlines()
    return [line.split("\t")[0] for line in lines]


@pytest.fixture
def shell_env(ydl):
    """An environment whose PATH has ydl and ydl-mx, in a directory with one file."""
    folder = ydl.scratch / "bin"
    folder.mkdir()
    for name in ("ydl", "ydl-mx"):
        (folder / name).symlink_to(ydl.binary)
    ydl.write("data.txt", "")
    for shell in ("bash", "zsh", "fish"):
        (ydl.scratch / f"completion.{shell}").write_text(ydl.ok("completion", shell).out)
    return ydl.env | {"PATH": f"{folder}:{ydl.env['PATH']}", "HOME": str(ydl.scratch), "TERM": "xterm"}


def in_bash(ydl, env, line):
    """What bash offers at the end of this line."""
    program = (
        f"source {ydl.scratch}/completion.bash\nCOMP_LINE='{line}' COMP_POINT={len(line)}\n"
        'COMP_WORDS=(x) COMP_CWORD=0\n_ydl\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", program], env=env, cwd=ydl.work, capture_output=True, text=True, check=True, timeout=30)
    return done.stdout.split()


def in_fish(ydl, env, line):
    program = f"source {ydl.scratch}/completion.fish; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", program], env=env, cwd=ydl.work, capture_output=True, text=True, check=True, timeout=30)
    return [row.split("\t")[0] for row in done.stdout.splitlines()]


def in_zsh(ydl, env, line):
    """What zsh makes of the line when Tab is pressed, where there is one thing to offer."""
    main, side = pty.openpty()
    setup = f"autoload -Uz compinit; compinit -u -D; source {ydl.scratch}/completion.zsh; PS1='ready> '; unsetopt beep; echo set''up\n"
    process = subprocess.Popen(["zsh", "-f", "-i"], stdin=side, stdout=side, stderr=side, env=env | {"COLUMNS": "200"}, cwd=ydl.work, start_new_session=True)
    os.close(side)
    try:
        seen = exchange(main, setup, "setup\r\n")
        seen = exchange(main, f"{line}\t", None)
        return exchange(main, "\x01echo '<\x05>'\r", ">\r\n").rpartition("\n<")[2].partition(">")[0].split() or [seen]
    finally:
        process.kill()
        process.wait()
        os.close(main)


def exchange(main, text, until):
    """Sends the text and reads until the answer is there."""
    os.write(main, text.encode())
    seen = ""
    deadline = time.monotonic() + 30
    while until is not None and until not in seen and time.monotonic() < deadline:
        ready, _, _ = select.select([main], [], [], 1)
        seen += os.read(main, 4096).decode(errors="replace") if ready else ""
    return seen


def test_the_program_completes_values_jobs_and_tasks(ydl):
    ydl.ok("run", "--name", "ended", "--n", "2", "--", "true")
    (ended,) = [job.id for job in ydl.jobs()]
    running = ydl.detach("--name", "mine", "--", "sleep", "600").running()
    assert "pytorch" in offered(ydl, "run", "--framework", "")
    assert offered(ydl, "run", "--cluster", "") == ["auto", "local", "yarn"]
    assert offered(ydl, "ls", "--output", "j") == ["json"]
    assert offered(ydl, "kill", "") == [running.id]
    assert sorted(offered(ydl, "status", "")) == sorted([ended, running.id])
    assert offered(ydl, "logs", ended, "") == ["worker:0", "worker:1"]
    running.kill()


@pytest.mark.parametrize("shell", [pytest.param(shell, marks=needs(shell)) for shell in ("bash", "fish")])
def test_a_shell_offers_what_the_program_says(ydl, shell_env, shell):
    ask = {"bash": in_bash, "fish": in_fish}[shell]
    ydl.ok("run", "--name", "mine", "--n", "2", "--", "true")
    job = ydl.the_job().id
    assert ask(ydl, shell_env, "ydl st") == ["status"]
    assert ask(ydl, shell_env, "ydl run --ret") == ["--retries"]
    assert ask(ydl, shell_env, "ydl run --framework py") == ["pytorch"]
    assert ask(ydl, shell_env, "ydl logs mi") == [job]
    assert ask(ydl, shell_env, f"ydl logs {job} worker:") == (["0", "1"] if shell == "bash" else ["worker:0", "worker:1"])
    assert ask(ydl, shell_env, "ydl-mx --cluster ya") == ["yarn"]
    assert ask(ydl, shell_env, "ydl kill ") == []


@needs("zsh")
@pytest.mark.parametrize(("line", "whole"), [("ydl stat", "ydl status"), ("ydl run --framework pyt", "ydl run --framework pytorch"), ("ydl-mx --cluster ya", "ydl-mx --cluster yarn"), ("ydl submit da", "ydl submit data.txt")])
def test_zsh_completes_a_word(ydl, shell_env, line, whole):
    assert in_zsh(ydl, shell_env, line) == whole.split()


@needs("groff")
@pytest.mark.parametrize("device", ["ascii", "utf8"])
def test_the_manual_renders_without_warnings(ydl, device):
    page = ydl.ok("__man").out
    assert page.isascii()
    done = subprocess.run(["groff", "-man", f"-T{device}", "-P-c", "-P-b", "-P-u", "-ww"], input=page, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    for section in ("EXAMPLES", "ENVIRONMENT", "EXIT STATUS"):
        assert f"\n{section}\n" in done.stdout
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
