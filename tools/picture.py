#!/usr/bin/env python3
"""Makes docs/picture.svg: a real training with MXNet on a terminal, recorded and played as an animated SVG.

usage: picture.py [--ydl BINARY] [--out FILE]          (needs root: the host's name and the home folder are those of an example)

Run by `make picture` with the Python environments `test` and `mxnet`. Programs that do not play animations show the last frame.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/cli"))

from recorded_terminal import Cell, RecordedTerminal  # noqa: E402

COLUMNS, ROWS = 100, 24
COMMAND = "ydl-mx --n 2 train_mnist.py --kv-store dist_sync --data-dir ."
LONGEST_RUN = 300  # s
LARGEST_FILE = 60 * 1000

# How it is played.
SHORTEST_FRAME, LONGEST_FRAME, LAST_FRAME = 0.2, 0.5, 6.0  # s
MOST_FRAMES, LEAST_FRAMES = 36, 16  # as many as the size of the file allows

CELL_WIDTH, ROW_HEIGHT, FONT_SIZE, MARGIN = 8.45, 19, 14, 14
BACKGROUND, FOREGROUND = "#16191f", "#d5d9e0"
COLORS = {"red": "#f07178", "green": "#8fce6a", "brown": "#e6c35c", "yellow": "#e6c35c", "cyan": "#5cc8d7", "blue": "#7aa2f7",
          "magenta": "#c792ea", "white": "#ffffff", "brightblack": "#7f8794", "black": "#7f8794"}  # fmt: skip


@dataclass
class Frame:
    rows: tuple
    at: float


def record(ydl):
    """The frames of the run. Mounts and the host's name are seen by this run alone."""
    mxnet = output_of("tools/setup/python_env.sh", "mxnet")
    data = output_of("tools/fetch_data.py", "mnist")
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch)
        (home / "bin").mkdir()
        for name in ("ydl", "ydl-mx"):
            (home / "bin" / name).symlink_to(ydl)
        for source in [*Path(data).iterdir(), *(ROOT / "examples/mxnet").glob("*.py")]:
            (home / source.name).symlink_to(source)
        script = (f"hostname edge1 && mount -t tmpfs none /home && mkdir /home/ann && mount --bind {scratch} /home/ann"
                  f" && cd /home/ann && exec env -i HOME=/home/ann TERM=xterm-256color LC_ALL=C.UTF-8"
                  f" PATH=/home/ann/bin:{mxnet}/bin:/usr/bin:/bin {COMMAND}")  # fmt: skip
        terminal = RecordedTerminal(["unshare", "--mount", "--uts", "sh", "-c", script], COLUMNS, ROWS - 1, "/", dict(os.environ))
        try:
            return frames_of(terminal)
        finally:
            terminal.close()


def frames_of(terminal):
    start = time.monotonic()
    frames = []
    while terminal.is_open:
        assert time.monotonic() < start + LONGEST_RUN, f"the training has not ended:\n{terminal.text()}"
        terminal.read(0.2)
        while terminal.read(0.02):  # until it pauses: a screen that is half drawn is not a frame
            pass
        rows = terminal.cells()
        if not frames or frames[-1].rows != rows:
            frames.append(Frame(rows, time.monotonic() - start))
    code = terminal.wait_for_end(10)
    assert code == 0, f"exit code {code}:\n{terminal.text()}"
    return frames


def output_of(*command):
    return subprocess.run([str(ROOT / command[0]), *command[1:]], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def thinned(frames, most):
    """Not more frames than fit, spread over the whole run; the first and the last are always there."""
    if len(frames) <= most:
        return frames
    step = (len(frames) - 1) / (most - 1)
    return [frames[round(index * step)] for index in range(most)]


def durations(frames):
    gaps = [after.at - before.at for before, after in zip(frames, frames[1:])]
    return [min(max(gap, SHORTEST_FRAME), LONGEST_FRAME) for gap in gaps] + [LAST_FRAME]


# A film strip: all frames lie below each other, and steps move the strip. A row that several frames share is written once.

def svg(frames):
    times = durations(frames)
    total = sum(times)
    height = (1 + max(len(frame.rows) for frame in frames)) * ROW_HEIGHT
    shared = {}
    strip = []
    for index, frame in enumerate(frames):
        uses = []
        for row, cells in enumerate([prompt(), *frame.rows]):
            if cells:
                name = shared.setdefault(cells, f"r{len(shared)}")
                uses.append(f'<use href="#{name}" y="{index * height + row * ROW_HEIGHT}"/>')
        strip.append("".join(uses))
    steps = []
    at = 0.0
    for index, seconds in enumerate(times):
        steps.append(f"{at / total * 100:.2f}%{{transform:translateY(-{index * height}px)}}")
        at += seconds
    last = (len(frames) - 1) * height
    width = round(COLUMNS * CELL_WIDTH + 2 * MARGIN)
    colors = "".join(f".{name}{{fill:{color}}}" for name, color in COLORS.items() if any(name in row_looks(cells) for cells in shared))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="{width}" height="{height + 2 * MARGIN}"'
        f' viewBox="0 0 {width} {height + 2 * MARGIN}" role="img">\n'
        f"<title>ydl runs a training with two workers and two servers</title>\n"
        f"<style>text{{font:{FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:{FOREGROUND};"
        f"white-space:pre}}.b{{font-weight:bold}}{colors}\n"
        f"#film{{animation:film {total:.1f}s steps(1,end) infinite}}\n"
        f"@media(prefers-reduced-motion:reduce){{#film{{animation:none}}}}\n"
        f"@keyframes film{{{''.join(steps)}100%{{transform:translateY(-{last}px)}}}}</style>\n"
        f"<defs>\n" + "\n".join(row_text(cells, name) for cells, name in shared.items()) + "\n</defs>\n"
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>\n'
        f'<svg x="{MARGIN}" y="{MARGIN}" width="{width - 2 * MARGIN}" height="{height}" overflow="hidden">\n'
        f'<g id="film" transform="translate(0,-{last})">\n' + "\n".join(strip) + "\n</g>\n</svg>\n</svg>\n"
    )


def prompt():
    return (Cell("$ ", "brightblack", False), Cell(COMMAND, "default", True))


def row_looks(cells):
    return {cell.color for cell in cells}


def row_text(cells, name):
    parts = []
    column = 0
    for cell in cells:
        begin = len(cell.text) - len(cell.text.lstrip(" "))
        words = cell.text.strip(" ")
        if words:
            looks = ([cell.color] if cell.color in COLORS else []) + (["b"] if cell.is_bold else [])
            look = f' class="{" ".join(looks)}"' if looks else ""
            parts.append(f'<tspan x="{(column + begin) * CELL_WIDTH:.0f}"{look}>{escape(words, quote=False)}</tspan>')
        column += len(cell.text)
    return f'<text id="{name}" y="{FONT_SIZE}">{"".join(parts)}</text>'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ydl", type=Path, default=ROOT / "build/bin/ydl")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/picture.svg")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("picture.py: needs root, to give the run a host's name and a home folder of its own")
    recorded = record(options.ydl.absolute())
    for most in range(MOST_FRAMES, LEAST_FRAMES, -1):
        frames = thinned(recorded, most)
        picture = svg(frames)
        size = len(picture.encode())
        if size <= LARGEST_FILE:
            break
    else:
        sys.exit(f"picture.py: the picture has {size} bytes, more than {LARGEST_FILE}, even with few frames")
    options.out.write_text(picture)
    print(f"{options.out}: {len(frames)} frames, {size} bytes, plays {sum(durations(frames)):.0f} s")


if __name__ == "__main__":
    main()
