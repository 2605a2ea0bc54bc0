"""tools/check_words.py reads prose and not code."""

import importlib.util
from pathlib import Path

import pytest

from harness import REPOSITORY

SPEC = importlib.util.spec_from_file_location("check_words", REPOSITORY / "tools/check_words.py")
check_words = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_words)


def found(name, text):
    return [words for _, words, _ in check_words.word_hits(Path(name), text)]


@pytest.mark.parametrize("name, text", [
    ("a.cpp", 'fail("the files travel to HDFS");\n'),
    ("a.cpp", "// The file does not\n// travel.\n"),
    ("a.cpp", 'fail("the files "\n     "travel far");\n'),
    ("a.cpp", "TEST(Staging, files_travel_to_hdfs) {}\n"),
    ("a.py", '"""Files travel."""\n'),
    ("a.py", "def test_files_travel():\n    pass\n"),
    ("a.sh", "# Files travel.\n"),
    ("a.md", "Files travel.\n"),
    ("a.md", "    $ ydl run\n    files travel\n"),
])  # fmt: skip
def test_a_word_is_found_in_prose(name, text):
    assert found(name, text) == ["travel"]


@pytest.mark.parametrize("name, text", [
    ("a.cpp", "travel(files);\n"),
    ("a.cpp", "// `travel` is a name.\n"),
    ("a.cpp", 'get("travel");\n'),
    ("a.py", "travel = 1\n"),
    ("a.sh", "travel\n"),
    ("a.md", "The function `travel`, [see](travel.md).\n"),
])  # fmt: skip
def test_code_is_not_prose(name, text):
    assert found(name, text) == []


def test_a_phrase_goes_over_the_end_of_a_line_but_not_over_code():
    assert found("a.cpp", "// It ended\n// well.\n") == ["ended well"]
    assert found("a.cpp", "int a;  // it ended\nint b;  // well\n") == []


def test_who_is_for_people():
    assert found("a.md", "A user who may stop the job.\n") == []
    assert found("a.md", "A worker who comes late.\n") == ["who"]


def test_there_is_no_is_fine_and_a_thing_that_is_no_other_is_not():
    assert found("a.md", "There is no framework 'torch'. It is no longer there.\n") == []
    assert found("a.md", "'torch' is no framework.\n") == ["is no"]


def test_only_prose_of_markdown_has_a_longest_line():
    long = "x" * 121
    assert [words for _, words, _ in check_words.long_lines(f"{long}\n    {long}\n| {long}\n```\n{long}\n```\n")] == ["121 characters"]
