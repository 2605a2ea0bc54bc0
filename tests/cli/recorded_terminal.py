"""A program on a terminal, and what a person sees on its screen at each moment (pyte emulates the terminal)."""

import os
import re
import select
import time
from dataclasses import dataclass

import pyte
from ptyprocess import PtyProcess

# pyte has no faint characters; they are shown as bright black, which terminals do too.
FAINT = (re.compile(rb"\x1b\[2m"), b"\x1b[90m")


@dataclass(frozen=True)
class Cell:
    """Characters of one look, side by side."""

    text: str
    color: str
    is_bold: bool


class RecordedTerminal:
    def __init__(self, command, columns, rows, cwd, env):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.process = PtyProcess.spawn([str(word) for word in command], cwd=str(cwd), env=env, dimensions=(rows, columns))
        self.is_open = True

    def read(self, seconds):
        """What the program writes within this time goes to the screen. False: there was nothing."""
        if not self.is_open or not select.select([self.process.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.process.fd, 65536)
        except OSError:  # Linux: the program has closed the terminal
            data = b""
        self.is_open = bool(data)
        self.stream.feed(FAINT[0].sub(FAINT[1], data))
        return True

    def type(self, keys):
        self.process.write(keys.encode())

    def wait_for(self, pattern, seconds):
        """Reads until the screen shows the pattern."""
        deadline = time.monotonic() + seconds
        while not re.search(pattern, self.text()):
            assert self.is_open and time.monotonic() < deadline, f"no '{pattern}' on the screen:\n{self.text()}"
            self.read(0.05)

    def wait_for_end(self, seconds):
        """The exit code."""
        deadline = time.monotonic() + seconds
        while self.is_open:
            assert time.monotonic() < deadline, f"not ended, but shows\n{self.text()}"
            self.read(0.05)
        self.process.wait()
        return self.process.exitstatus

    def close(self):
        self.process.close(force=True)

    def rows(self):
        """The rows as text, without what is empty at the ends."""
        return [row.rstrip() for row in "\n".join(row.rstrip() for row in self.screen.display).rstrip().split("\n")]

    def text(self):
        return "\n".join(self.rows())

    def cells(self):
        """The rows with their looks."""
        count = len(self.rows())
        return tuple(tuple(self._cells_of(row)) for row in range(count))

    def _cells_of(self, row):
        line = self.screen.buffer[row]
        text, look = "", None
        for column in range(len(self.screen.display[row].rstrip())):
            char = line[column]
            if look not in (None, (char.fg, char.bold)):
                yield Cell(text, *look)
                text = ""
            look = (char.fg, char.bold)
            text += char.data
        if text:
            yield Cell(text, *look)
