"""One static binary that needs nothing of the machine it runs on."""

import os
import re
import shutil
import subprocess

import pytest

# In a mount namespace of its own, and as root of a user namespace where the user is not root: nothing to clean up.
NAMESPACE = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


@pytest.fixture
def empty_root(ydl):
    root = ydl.scratch / "root"
    root.mkdir()
    shutil.copy(ydl.binary, root / "ydl")
    return root


def run_in(root, *command, mounts=""):
    script = f'{mounts} exec chroot {root} "$@"'
    environment = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": "/state", "YDL_TEST_SCRATCH": str(root)}
    return subprocess.run(
        [*NAMESPACE, "sh", "-ec", script, "sh", *command], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def readelf(binary, what):
    return subprocess.run(["readelf", "--wide", what, binary], capture_output=True, text=True, check=True).stdout


def test_it_is_not_a_dynamic_executable(binary):
    done = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False)
    assert "statically linked" in done.stdout + done.stderr


def test_it_names_no_loader_and_no_library(binary):
    headers = subprocess.run(["readelf", "--program-headers", "--dynamic", binary], capture_output=True, text=True, check=True).stdout
    assert "INTERP" not in headers
    assert "NEEDED" not in headers


def test_it_holds_nothing_that_loads_modules_of_the_host(binary):
    """A static glibc that looks up names or users loads the host's modules, which may be of another glibc."""
    table = subprocess.run(["nm", "--defined-only", binary], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in table.splitlines()}
    assert "main" in names, "the binary has no symbols to look at"
    lookup = r"getaddrinfo|getnameinfo|gethostby(name2?|addr)(_r)?|getpw(nam|uid|ent)(_r)?|getgr(nam|gid|ent)(_r)?|getservby(name|port)(_r)?|initgroups"
    ours = {"getaddrinfo", "getnameinfo", "gethostbyname", "getservbyname", "getservbyport_r", "getpwnam_r", "getpwuid_r"}  # they only fail
    assert {name for name in names if re.fullmatch(lookup, name)} - ours == set()
    # Of glibc's own functions these are the inner names. glob refers to two of them, for `~user`, which ydl does not use.
    inner = {name for name in names if re.fullmatch(rf"gaih_inet.*|__({lookup})|nrl_domainname", name)}
    assert inner - {"__getpwnam_r", "__getpwuid_r"} == set()


def test_an_exception_finds_its_way_by_the_table_that_the_linker_sorted(binary):
    """Tables that start files register, as those of a static program without PIE do, would be sorted in each process that throws: milliseconds."""
    headers = subprocess.run(["readelf", "--program-headers", "--wide", binary], capture_output=True, text=True, check=True).stdout
    assert "GNU_EH_FRAME" in headers
    start = subprocess.run(["objdump", "--disassemble=frame_dummy", binary], capture_output=True, text=True, check=True).stdout
    assert "<frame_dummy>:" in start and "register_frame_info" not in start


def test_it_is_hardened(binary):
    """At an address that an attacker cannot guess, with read-only tables, checked stacks, lengths and jumps."""
    header = readelf(binary, "--file-header")
    assert "DYN (Position-Independent Executable file)" in header or "DYN (Shared object file)" in header
    segments = readelf(binary, "--program-headers")
    assert "GNU_RELRO" in segments
    assert re.search(r"GNU_STACK.*\bRW\b", segments) and not re.search(r"\bRWE\b", segments)
    dynamic = readelf(binary, "--dynamic")
    assert "NOW" in dynamic and "PIE" in dynamic and "TEXTREL" not in dynamic
    symbols = subprocess.run(["nm", "--defined-only", binary], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1] for line in symbols.splitlines()}
    assert "__stack_chk_fail" in names
    assert {"__read_chk", "__memcpy_chk"} & names, "FORTIFY checked nothing"


def test_its_functions_begin_where_a_jump_may_end(binary):
    """CET: endbr64 at the beginning of what is called through a pointer."""
    text = subprocess.run(["objdump", "--disassemble=main", binary], capture_output=True, text=True, check=True).stdout
    first = next(line for line in text.splitlines() if re.match(r"\s+[0-9a-f]+:\t", line))
    assert "endbr64" in first


def test_it_names_what_is_linked(ydl):
    lines = ydl.ok("--version", "--verbose").out.splitlines()
    assert re.fullmatch(r"ydl \d+\.\d+\.\d+", lines[0]) and lines[1].startswith("compiled with clang ")
    libraries = [re.fullmatch(r"(\S.*?) +(\d[\d.]*) +(\S.*)", line).groups() for line in lines[3:]]
    assert {"Boost", "OpenSSL", "MIT krb5", "c-ares", "Protocol Buffers", "glibc"} <= {name for name, _, _ in libraries}
    assert ("OpenSSL", "Apache-2.0") in [(name, licence) for name, _, licence in libraries]


def test_it_starts_in_an_empty_root(empty_root):
    done = run_in(empty_root, "/ydl", "--version")
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"ydl \d+\.\d+\.\d+\n", done.stdout)


def test_doctor_explains_an_empty_root(empty_root):
    done = run_in(empty_root, "/ydl", "doctor")
    assert done.returncode in (0, 1), done.stderr
    subjects = {line[9:20].strip(): line for line in done.stdout.splitlines()}
    assert {"ydl", "kernel", "job folder", "limits", "GPUs", "Python", "cluster"} <= set(subjects), done.stdout
    assert "none on PATH; .py commands need --python PATH" in subjects["Python"]


def test_a_whole_job_runs_in_an_empty_root(empty_root):
    for folder in ("proc", "dev"):
        (empty_root / folder).mkdir()
    (empty_root / "dev/null").touch()
    mounts = f"mount --rbind /proc {empty_root}/proc; mount --bind /dev/null {empty_root}/dev/null;"
    done = run_in(empty_root, "/ydl", "run", "--n", "2", "--no-auto-files", "--output", "plain", "--", "/ydl", "--version", mounts=mounts)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(re.findall(r"^\[worker:\d\] ydl \d+\.\d+\.\d+$", done.stdout, re.MULTILINE)) == 2
    listed = run_in(empty_root, "/ydl", "ls", mounts=mounts)
    assert "succeeded" in listed.stdout
