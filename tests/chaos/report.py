"""Faults and how long it took until all was well again, by kind."""

import re
import statistics
from datetime import datetime

TAKEN_OVER = "has taken over"
SIGNS = ("task_failed", "task_lost", "job_restarting", "task_retry")


def seconds_of(event):
    return datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()


def recoveries(seen, events):
    """[(kind, seconds or None)] of each fault. None: nothing had to start again, nor did another master take over."""
    found = []
    for number, hit in enumerate(seen.hits):
        until = seen.hits[number + 1].at if number + 1 < len(seen.hits) else float("inf")
        after = [event for event in events if hit.at <= seconds_of(event) < until]
        signs = [event for event in after if event["kind"] in SIGNS or TAKEN_OVER in event["text"]]
        ends = [event for event in after if event["kind"] == "task_running" or TAKEN_OVER in event["text"]]
        found.append((hit.fault.kind, seconds_of(ends[-1]) - hit.at if signs and ends else None))
    return found


class Report:
    def __init__(self):
        self._faults = []
        self.failed = []
        self.schedules = 0

    def add(self, seen, events):
        self._faults += recoveries(seen, events or [])

    def lines(self):
        yield f"{self.schedules} schedules, {len(self.failed)} failed" + "".join(f" {seed}" for seed in self.failed)
        yield f"{'FAULT':22}{'TIMES':>6}{'UNNOTICED':>11}{'RECOVERED AFTER, MEDIAN':>25}{'MOST':>9}"
        for kind in sorted({kind for kind, _ in self._faults}):
            times = [seconds for each, seconds in self._faults if each == kind]
            noticed = [seconds for seconds in times if seconds is not None]
            median, most = (f"{statistics.median(noticed):.1f} s", f"{max(noticed):.1f} s") if noticed else ("", "")
            yield f"{kind:22}{len(times):6}{len(times) - len(noticed):11}{median:>25}{most:>9}"


def describe(schedule, seen, events, problems, kept):
    """What is printed of a schedule: a line or two if all was well, else everything that helps to repeat it."""
    hits = "; ".join(f"{hit.fault.kind}: {hit.what}" + (f" for {hit.mended - hit.at:.0f} s" if hit.fault.seconds and hit.mended else "") for hit in seen.hits)
    late = f" (over before: {', '.join(fault.kind for fault in seen.too_late)})" if seen.too_late else ""
    line = f"seed {schedule.seed} {schedule.training}: {'failed' if problems else 'passed'} in {seen.seconds:.0f} s. {hits or 'no fault'}{late}"
    line += f" ({sum(map(len, seen.logs.values()))} bytes of logs before it)"
    if not problems:
        return line
    told = "\n".join(re.sub(r"^", "    ", problem, flags=re.M) for problem in problems)
    return f"{line}\n{schedule}\n{told}\n    kept in {kept}; again: make chaos SCHEDULES=1 SEED={schedule.seed}"
