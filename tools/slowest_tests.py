#!/usr/bin/env python3
"""Prints the slowest tests of a run: tools/slowest_tests.py COUNT FILE.xml...

The files are JUnit reports of ctest (--output-junit) and pytest (--junitxml). A test's time has that of what it was the
first to start: a cluster of Hadoop is in the time of the first test that uses it.
"""
import sys
import xml.etree.ElementTree as xml


def cases(path):
    for case in xml.parse(path).getroot().iter("testcase"):
        owner = case.get("classname", "").replace(".", "/")
        name = case.get("name")
        yield float(case.get("time", 0)), name if owner in ("", name) else f"{owner}::{name}"


def main():
    count, paths = int(sys.argv[1]), sys.argv[2:]
    found = sorted((case for path in paths for case in cases(path)), reverse=True)
    print(f"the slowest {min(count, len(found))} of {len(found)} tests, which took {sum(time for time, _ in found):.0f} s in all:")
    for time, name in found[:count]:
        print(f"{time:8.1f} s  {name}")


if __name__ == "__main__":
    main()
