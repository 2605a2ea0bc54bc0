"""Ctrl-C before a job has begun."""

import os
import signal

import pytest

from harness import assert_nothing_left, eventually, finish


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_while_an_archive_is_unpacked_leaves_no_job(ydl, number):
    tools = ydl.work / "bin"
    tools.mkdir()
    begun = ydl.work / "begun"
    (tools / "tar").write_text(f"#!/bin/sh\n: > {begun}\nexec sleep 600\n")
    (tools / "tar").chmod(0o755)
    ydl.write("data.tar", "")
    process = ydl.start("run", "--archive", "data.tar", "--", "true", env={"PATH": f"{tools}:{os.environ['PATH']}"})
    eventually(begun.exists, "tar runs")
    process.send_signal(number)
    done = finish(process)
    assert done.code == 130, done.everything()
    assert done.err.splitlines()[-1] == "ydl: true was not submitted: interrupted"
    assert ydl.jobs() == []
    assert_nothing_left(ydl.scratch)
