"""Where an attempt continues from on one machine: YDL_RESTORE_DIR and --restore-from."""

# Prints the folder's name and what is in it.
LOOK = 'echo "${YDL_RESTORE_DIR##*/}:" $(ls "${YDL_RESTORE_DIR:-/nowhere}" 2>/dev/null)'


def test_the_second_attempt_continues_from_its_own_results_or_those_of_the_first_task(ydl):
    script = f"{LOOK}; [ $YDL_ATTEMPT = 2 ] && exit 0; [ $YDL_INDEX = 0 ] && echo 5 > $YDL_RESULTS_DIR/model; exit $((3 + YDL_INDEX))"
    done = ydl.ok("run", "--n", "2", "--job-retries", "1", "--framework", "none", "--", "sh", "-c", script)
    job = ydl.the_job()

    def line(index, attempt):
        return (job.folder / f"logs/worker-{index}/{attempt}/stdout").read_text()

    assert line(0, 1) == line(1, 1) == ":\n", done.everything()
    assert line(0, 2) == line(1, 2) == "worker-0: model\n", done.everything()


def test_a_second_attempt_without_anything_to_continue_from_has_no_variable(ydl):
    script = "[ $YDL_ATTEMPT = 2 ] || exit 1; echo ${YDL_RESTORE_DIR-unset}"
    ydl.ok("run", "--retries", "1", "--", "sh", "-c", script, env={"YDL_RESTORE_DIR": "/of/another/job"})
    assert ydl.the_job().log() == "unset\n"


def test_a_job_continues_from_one_that_has_ended(ydl):
    first = ydl.detach("--name", "first", "--", "sh", "-c", "echo 5 > made")
    first.wait_for("job_succeeded")
    second = ydl.detach("--name", "second", "--n", "2", "--restore-from", first.id, "--", "sh", "-c", LOOK)
    second.wait_for("job_succeeded")
    assert (second.folder / "logs/worker-0/1/stdout").read_text() == "worker-0: made\n"
    assert (second.folder / "logs/worker-1/1/stdout").read_text() == "worker-0: made\n"
    assert not (second.folder / "results/worker-0/made").exists(), "what another job made is not this one's result"


def test_a_job_that_is_not_there_is_an_error_before_anything_is_started(ydl):
    done = ydl("run", "--restore-from", "gone-0000", "--", "true")
    assert done.code == 2
    assert "--restore-from: there is no job 'gone-0000'" in done.err and "`ydl ls` shows all" in done.err
    assert ydl.jobs() == []
