"""What the benchmarks share: tables, medians, goals."""

import statistics
import sys
from dataclasses import dataclass

median = statistics.median


def fail(sentence):
    """A benchmark that cannot run, which is not the same as a goal that is missed."""
    sys.exit(f"{sys.argv[0]}: {sentence}")


def table(title, header, rows):
    """Prints rows of strings; the first column is left-aligned, the others are numbers."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        print("  " + "  ".join(cells).rstrip())
    sys.stdout.flush()


@dataclass
class Goal:
    """Something measured must stay below a limit."""

    what: str
    value: float
    limit: float
    unit: str

    def print(self):
        verdict = "met   " if self.value <= self.limit else "missed"
        print(f"  {verdict}  {self.what}: {self.value:.2f} {self.unit} (goal: at most {self.limit:g} {self.unit})")


@dataclass
class Floor:
    """Something measured must reach a limit."""

    what: str
    value: float
    limit: float
    unit: str

    def print(self):
        verdict = "met   " if self.value >= self.limit else "missed"
        print(f"  {verdict}  {self.what}: {self.value:.2f} {self.unit} (goal: at least {self.limit:g} {self.unit})")


def print_goals(goals):
    print("\nGoals")
    for goal in goals:
        goal.print()
    sys.stdout.flush()
