"""What a person sees of a command: the screen of its terminal, and the rows that have scrolled off it."""

import re
import socket
import time

import pexpect
import pyte

from harness import EVENT_LIMIT


class Window:
    def __init__(self, terminal, columns=100, rows=24):
        self.terminal = terminal
        self.screen = pyte.HistoryScreen(columns, rows, history=10000, ratio=1)
        self.stream = pyte.Stream(self.screen)
        self.ended = False

    def _read(self, seconds):
        try:
            self.stream.feed(self.terminal.read_nonblocking(65536, timeout=max(seconds, 0)))
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            self.ended = True

    def rows(self):
        """All rows, the oldest first, without the blanks at their ends and without empty rows below the last."""
        width = self.screen.columns
        history = ["".join(row[x].data for x in range(width)) for row in self.screen.history.top]
        rows = [row.rstrip() for row in history + list(self.screen.display)]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    def wait_for(self, pattern):
        """The rows, as soon as the pattern is found in them."""
        return self._wait(lambda: re.search(pattern, self.text()), f"'{pattern}'")

    def wait_until_gone(self, pattern):
        return self._wait(lambda: not re.search(pattern, self.text()), f"the end of '{pattern}'")

    def wait_for_end(self):
        return self._wait(lambda: self.ended, "the end of the command")

    def _wait(self, condition, what):
        deadline = time.monotonic() + EVENT_LIMIT
        while not condition():
            assert not self.ended or condition(), f"the command ended without {what}:\n{self.text()}"
            assert time.monotonic() < deadline, f"no {what} within {EVENT_LIMIT} s in:\n{self.text()}"
            self._read(deadline - time.monotonic())
        return self.rows()

    def text(self):
        return "\n".join(self.rows())

    def without_times(self, job):
        """The rows with JOB, HOST, TIME and CLOCK for what differs from run to run."""
        text = self.text().replace(job, "JOB")
        text = re.sub(rf"\b{re.escape(socket.gethostname())}\b", "HOST", text)
        text = re.sub(r"\b\d\d:\d\d:\d\d\b", "CLOCK", text)
        text = re.sub(r" +\b\d+(\.\d+)? (ms|s)\b", " TIME", text)
        return text.splitlines()
