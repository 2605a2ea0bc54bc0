"""Schedules are drawn from their seed alone, and all kinds of faults are among them."""

from schedule import DAEMONS, LATEST, LONG, LONG_CUT, PROCESSES, TRAININGS, WEIGHTS, draw

SEEDS = range(1, 401)


def test_a_seed_always_gives_the_same_schedule():
    assert [draw(seed) for seed in SEEDS] == [draw(seed) for seed in SEEDS]
    assert len({str(draw(seed)).partition(": ")[2] for seed in SEEDS}) > 0.95 * len(SEEDS)


def test_every_fault_and_every_training_is_drawn():
    schedules = [draw(seed) for seed in SEEDS]
    assert {(fault.action, fault.target) for schedule in schedules for fault in schedule.faults} == set(WEIGHTS)
    assert {schedule.training for schedule in schedules} == set(TRAININGS)
    assert {target for action, target in WEIGHTS if action == "kill"} >= {*PROCESSES, *DAEMONS, "host"}
    assert {target for action, target in WEIGHTS if action == "stop"} >= {*PROCESSES, *DAEMONS, "host"}


def test_schedules_keep_their_bounds():
    for seed in SEEDS:
        schedule = draw(seed)
        assert 1 <= len(schedule.faults) <= 3
        assert [fault for fault in schedule.faults if fault.since == "submitted"] == list(schedule.faults)[: sum(f.since == "submitted" for f in schedule.faults)]
        for fault in schedule.faults:
            assert 0 <= fault.after <= LATEST
            assert fault.since == "running" or fault.target not in ("namenode", "masters")
            assert 0 <= fault.seconds <= (LONG_CUT if fault.action == "cut" else LONG)[1]
            assert bool(fault.way) == (fault.action == "cut")
            # A process that is killed and not restarted by its own cluster is repaired by the test.
            assert bool(fault.seconds) == (fault.action in ("stop", "cut", "fill") or fault.action == "kill" and fault.target not in PROCESSES)


def test_a_schedule_says_what_it_does():
    text = str(draw(3))
    assert text.startswith("seed 3: ") and len(text.splitlines()) == 1 + len(draw(3).faults)
