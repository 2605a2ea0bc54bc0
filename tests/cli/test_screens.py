"""docs/screens.md shows screens of ydl as text. They are made here, by the real binary on an emulated terminal.

The document must be what the binary shows. `make screens` (WRITE_SCREENS=1) writes it again.
Host name, home folder, ids, times and durations are those of an example.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass

import pytest

from harness import EVENT_LIMIT, REPOSITORY, assert_nothing_left
from recorded_terminal import RecordedTerminal

DOCUMENT = REPOSITORY / "docs/screens.md"
ROWS = 28
WIDTHS = (80, 40)
ATTEMPTS = 8  # a duration of full seconds (`3 s`), or of ten on a busy machine, moves its column: it is tried again
CTRL_C = "\x03"

TRAINING = """\
case $YDL_ROLE:$YDL_INDEX in
  worker:0) echo 'Epoch[0] Train-accuracy=0.912'; echo '::progress 0.4 epoch 2/5' ;;
  worker:1) echo 'reading shard 2 of 2'; echo '::progress 0.35 epoch 2/5' ;;
  *) echo 'listening' ;;
esac
"""
ENDLESS = TRAINING + "exec sleep 600\n"
FINISHES = TRAINING + """\
[ $YDL_ROLE = server ] && exec sleep 600
sleep 2.3
echo "Epoch[4] Validation-accuracy=0.975$YDL_INDEX"
"""
FAILS = TRAINING + """\
[ $YDL_ROLE:$YDL_INDEX = worker:1 ] || exec sleep 600
sleep 2.3
echo 'Traceback (most recent call last):' >&2
echo '  File "train.py", line 42, in load' >&2
echo 'FileNotFoundError: shard-2.rec' >&2
exit 3
"""


@dataclass
class Screen:
    title: str
    text: str
    script: str
    shown: str = ""  # a pattern; the screen is taken when it is there. Empty: at the end
    keys: tuple = ()  # (pattern to wait for, keys to type)
    exit_code: int = 0


RUNNING = r"worker:0 .*40%(.|\n)*worker:1 .* [2-9] s .*35%"

SCREENS = [
    Screen("A running job", "Two workers report their progress; a server serves them.", ENDLESS, shown=RUNNING, exit_code=130),
    Screen("A finished job", "All workers have succeeded, and the server was stopped.", FINISHES),
    Screen("A failed job", "The task that failed first is shown with its last lines. Its exit code is the exit code of ydl.", FAILS,
           exit_code=3),
    Screen("The question after Ctrl-C", "The job keeps running while the question is there.", ENDLESS, shown=r"\[s\]",
           keys=((RUNNING, CTRL_C),), exit_code=130),
    Screen("A stopped job", "The user pressed Ctrl-C and then s.", ENDLESS, keys=((RUNNING, CTRL_C), (r"\[s\]", "s")), exit_code=130),
]  # fmt: skip


def example_machine(scratch):
    """The beginning of a command that runs on the host `edge1` with /home/ann, and nowhere else."""
    setup = (f"hostname edge1 && mount -t tmpfs none /home && mkdir /home/ann && mount --bind {scratch} /home/ann"
             ' && cd /home/ann && exec "$@"')  # fmt: skip
    return ["unshare", "--mount", "--uts", "sh", "-c", setup, "sh"]


def normalised(rows, job):
    """Everything keeps its width, so that columns and the ends of rows stay where they are."""
    text = "\n".join(rows).replace(job[-4:], "7f3a")  # the id itself may be broken by the end of a row
    text = re.sub(r"\b\d\d:\d\d:\d\d\b", "14:02:11", text)
    text = re.sub(r"\b\d s\b", "2 s", text)
    return re.sub(r"\b\d\.\d s\b", "2.4 s", text)


def job_of(home):
    return next((home / ".local/state/ydl/jobs").iterdir()).name


def screen_at(ydl, screen, columns, attempt):
    home = ydl.scratch / f"home-{columns}-{attempt}-{SCREENS.index(screen)}"
    home.mkdir()
    try:
        os.link(ydl.binary, home / "ydl")
    except OSError:  # on another file system
        shutil.copy(ydl.binary, home / "ydl")
    (home / "train.sh").write_text(screen.script)
    env = ydl.env | {"HOME": "/home/ann", "USER": "ann", "NO_COLOR": "1"}
    env.pop("XDG_STATE_HOME")
    command = [*example_machine(home), "/home/ann/ydl", "run", "--cluster", "local", "--name", "mnist",
               "--role", "worker=2", "--role", "server=1", "--", "sh", "train.sh"]  # fmt: skip
    terminal = RecordedTerminal(command, columns, ROWS, "/", env)
    try:
        for pattern, keys in screen.keys:
            terminal.wait_for(pattern, EVENT_LIMIT)
            terminal.type(keys)
        if screen.shown:
            terminal.wait_for(screen.shown, EVENT_LIMIT)
            rows = terminal.rows()
            job = job_of(home)
            subprocess.run([*example_machine(home), "/home/ann/ydl", "kill", "--now", job], env=env, check=True, capture_output=True)
            assert terminal.wait_for_end(EVENT_LIMIT) == screen.exit_code, terminal.text()
        else:
            assert terminal.wait_for_end(EVENT_LIMIT) == screen.exit_code, terminal.text()
            rows = terminal.rows()
    finally:
        terminal.close()
    return normalised(rows, job_of(home))


def section(screen, columns, text):
    return f"### {columns} columns\n\n" + "\n".join(("    " + row).rstrip() for row in text.split("\n")) + "\n\n"


HEAD = """\
# Screens

This page shows what `ydl run` shows on a terminal, for people who have not run it yet.
`tests/cli/test_screens.py` makes the page with the real binary, and fails when the page is not true any more.
`make screens` writes it again.

The command of all screens is

    ydl run --cluster local --name mnist --role worker=2 --role server=1 -- sh train.sh

Host name, folder, ids and times are those of an example.
[output.md](output.md) explains the output.

"""


def can_be_another_machine():
    return subprocess.run([*example_machine("/"), "true"], capture_output=True).returncode == 0


@pytest.mark.timeout(600)
def test_the_document_shows_the_screens_of_the_binary(ydl):
    if not can_be_another_machine():
        pytest.skip("needs root, to have a host name and a home folder of its own")
    is_written = bool(os.environ.get("WRITE_SCREENS"))
    document = DOCUMENT.read_text() if DOCUMENT.exists() else ""
    pages = HEAD
    for screen in SCREENS:
        pages += f"## {screen.title}\n\n{screen.text}\n\n"
        for columns in WIDTHS:
            for attempt in range(ATTEMPTS):
                shown = section(screen, columns, screen_at(ydl, screen, columns, attempt))
                has_usual_widths = bool(screen.shown) or not re.search(r"\b2 s\b", shown)
                if has_usual_widths and (is_written or document.startswith(pages + shown)):
                    break
            pages += shown
    assert_nothing_left(ydl.scratch)
    pages = pages.rstrip() + "\n"
    if is_written:
        DOCUMENT.write_text(pages)
    assert document == pages or is_written, "docs/screens.md differs from what the binary shows: look at it and run `make screens`"
