"""Tasks that write nothing any more: --stall-timeout."""

# Longer than Python takes to start on a busy machine: a task that has not begun to wait has other stacks.
STALL = "3s"
WAITS = "import threading; print('ready', flush=True); threading.Event().wait()"


def test_a_task_that_hangs_ends_and_its_stacks_are_kept(ydl):
    done = ydl("run", "--stall-timeout", STALL, "--", "python3", "-c", WAITS)
    job = ydl.the_job()
    assert done.code == 1, done.everything()
    assert f"{job.id} failed after " in done.out
    assert "worker:0 hangs: it wrote nothing for 3 s (timeouts.stall)" in done.out
    (failed,) = [event for event in job.events() if event["kind"] == "task_failed"]
    assert failed["cause"] == "hung"
    logs = job.folder / "logs/worker-0/1"
    assert "in wait" in (logs / "stderr").read_text(), "Python's own stacks"
    assert "thread" in (logs / "stacks").read_text()


def test_a_gang_that_hangs_is_dumped_as_a_whole_and_charged_once(ydl):
    done = ydl("run", "--framework", "pytorch", "--n", 2, "--retries", 1, "--stall-timeout", STALL, "--", "python3", "-c", WAITS)
    job = ydl.the_job()
    assert done.code == 1, done.everything()
    assert [event["cause"] for event in job.events() if event["kind"] == "task_failed"] == ["hung", "hung"]
    for task in ("worker-0", "worker-1"):
        for attempt in (1, 2):
            assert "thread" in (job.folder / f"logs/{task}/{attempt}/stacks").read_text()


def test_a_time_of_nothing_is_refused(ydl):
    done = ydl("run", "--stall-timeout", 0, "--", "true")
    assert done.code == 2
    assert "--stall-timeout: the time must be more than 0; write for example 90s or 10m" in done.err
