"""A NameNode that tries to write into other folders, to the terminal, or to keep a client busy for ever."""

import subprocess

import pytest
from harness import moved_to_cluster

from scripted_namenode import EMPTY_FILE, data, listing, scripted_namenode, status

TREE = "/user/ann/tree"


def one_directory(*pages):
    """Answers of a NameNode with one directory, whose listing has these pages for ever."""
    turn = iter(pages)
    last = pages[-1]

    def answer(method, path, start_after):
        if method == "getFileInfo":
            return data(1, status("", directory="." not in path.rpartition("/")[2]))
        if method == "getListing":
            page = next(turn, last)
            return page(start_after) if callable(page) else page
        return EMPTY_FILE

    return answer


def configured(ydl, node):
    folder = ydl.scratch / "conf"
    folder.mkdir(exist_ok=True)
    text = f"<configuration><property><name>fs.defaultFS</name><value>{node.address}</value></property></configuration>"
    (folder / "core-site.xml").write_text(text)
    return {"HADOOP_CONF_DIR": str(folder), "HADOOP_USER_NAME": "ann"}


def remote_job(ydl, node):
    job = ydl.detach("--name", "far", "--", "true")
    job.wait_for("job_succeeded")
    return moved_to_cluster(job, node.address, TREE, TREE, unmanaged=True)


def files_of(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


NAMES = {
    "up": "../evil.txt",
    "far_up": "../../../../../../../../evil.txt",
    "down": "a/evil.txt",
    "dot_dot": "..",
    "dot": ".",
    "nul": "evil.txt\0.png",
    "nothing": "",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
@pytest.mark.parametrize("directory", [False, True], ids=["file", "directory"])
def test_fs_get_writes_nothing_outside_its_folder(ydl, name, directory):
    entries = [status("good.txt"), status(name, directory=directory)]
    with scripted_namenode(one_directory(listing(entries), listing([]))) as node:
        before = files_of(ydl.scratch)
        done = ydl("fs", "get", TREE, "here", env=configured(ydl, node))
        assert done.code == 1, done.everything()
        assert "not a valid file name" in done.err and TREE in done.err
        assert "\0" not in done.err
        assert files_of(ydl.scratch) - before <= {"conf/core-site.xml"}


def test_an_absolute_name_is_written_nowhere(ydl):
    target = ydl.scratch / "absolute.txt"
    with scripted_namenode(one_directory(listing([status(str(target))]))) as node:
        done = ydl("fs", "get", TREE, "here", env=configured(ydl, node))
        assert done.code == 1 and f"'{target}', which is not a valid file name" in done.err, done.everything()
        assert not target.exists()


@pytest.mark.parametrize("verb", [["ls"], ["get", "--to", "here"]], ids=["ls", "get"])
def test_results_of_a_hostile_cluster_are_written_nowhere_else(ydl, verb):
    with scripted_namenode(one_directory(listing([status("../evil.txt")]))) as node:
        job = remote_job(ydl, node)
        done = ydl("results", verb[0], job.id, *verb[1:])
        assert done.code == 1 and "'../evil.txt', which is not a valid file name" in done.err, done.everything()
        assert not list(ydl.scratch.rglob("evil.txt"))


def test_logs_of_a_hostile_cluster_are_written_nowhere_else(ydl):
    with scripted_namenode(one_directory(listing([status("../../evil", directory=True)]))) as node:
        job = remote_job(ydl, node)
        done = ydl("logs", job.id)
        assert done.code == 1 and "'../../evil', which is not a valid file name" in done.err, done.everything()
        assert not list(ydl.scratch.rglob("evil"))


@pytest.mark.parametrize("words", [["ls"], ["ls", "--output", "json"], ["stat"], ["du"], ["get", "-f"]], ids=" ".join)
def test_names_and_owners_do_not_reach_the_terminal_as_commands(ydl, words):
    evil = "\x1b]0;owned\x07\x9b31m"

    def answer(method, path, start_after):
        if method == "getFileInfo":
            return data(1, status("", directory="owned" not in path, owner=evil, group=evil))
        if method == "getListing":
            return listing([status(evil, owner=evil, group=evil)])
        if method == "getContentSummary":
            return data(1, b"".join(bytes([field << 3, 0]) for field in range(1, 7)))
        return data(1, number_of_a_lost_block())

    with scripted_namenode(answer) as node:
        paths = [f"{TREE}/*"] if words[0] == "stat" else [TREE]
        done = ydl("fs", *words, *paths, env=configured(ydl, node))
        everything = done.out + done.err
        assert "owned" in everything, done.everything()
        assert not {"\x1b", "\x07", "\x9b"} & set(everything), done.everything()


def number_of_a_lost_block():
    """A file of 9 bytes without a block: it cannot be read, and the error names it."""
    return bytes([1 << 3, 9, 3 << 3, 0, 5 << 3, 1])


# ---- listings that do not go forward

ENDLESS = {
    "repeats": listing([status("a"), status("b")], remaining=5),
    "goes_back": [listing([status("m"), status("n")], remaining=5), listing([status("a")], remaining=5), listing([status("n")], remaining=5)],
    "nothing_and_more": listing([], remaining=7),
    "twice_in_a_page": listing([status("a"), status("a")], remaining=0),
    "starts_again": lambda after: listing([status(after.decode() or "a")], remaining=3),
}


@pytest.mark.parametrize("pages", ENDLESS.values(), ids=ENDLESS.keys())
@pytest.mark.parametrize("words", [["ls"], ["get"], ["chmod", "-R", "755"], ["du"]], ids=lambda words: words[0])
def test_a_listing_that_does_not_go_forward_is_an_error(ydl, pages, words):
    with scripted_namenode(one_directory(*(pages if isinstance(pages, list) else [pages]))) as node:
        try:
            done = ydl("fs", *words, TREE, env=configured(ydl, node), timeout=30)
        except subprocess.TimeoutExpired:
            pytest.fail("it lists for ever")
        assert done.code == 1, done.everything()
        assert f"listing {TREE}: the NameNode" in done.err, done.everything()


def test_a_directory_of_millions_is_not_kept_in_memory(ydl):
    """The NameNode goes forward for ever; what it lists is not collected for ever."""
    size = 50_000
    rest = status("x" * 12)[16:]  # an entry after its name, which always has 12 bytes
    first = status("x" * 12)[:4]

    def page(after):
        number = int(after or b"0")
        names = (first + b"%012d" % (number + i + 1) + rest for i in range(size))
        body = b"".join(b"\x0a" + bytes([len(first) + 12 + len(rest)]) + entry for entry in names)
        return data(1, body + b"\x10\x7f")

    with scripted_namenode(one_directory(page)) as node:
        done = ydl("fs", "get", TREE, "here", env=configured(ydl, node), timeout=100)
        assert done.code == 1 and "more than 1048576 entries" in done.err, done.everything()
