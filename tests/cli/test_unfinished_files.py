"""A file that is being written while its writer changes: for some seconds no DataNode tells how long it is."""

from hostile_servers import located_block, server_defaults
from scripted_namenode import EMPTY_FILE, data, number, scripted_namenode, status


class NameNode:
    """The file's last block is at a DataNode that does not answer, until it was asked for `unfinished` times."""

    def __init__(self, unfinished):
        block = located_block(1, 0)
        self._unfinished = data(1, number(1, 0) + number(3, 1) + data(4, block) + number(5, 0))
        self.left = unfinished

    def __call__(self, method, _path, _start_after):
        if method == "getBlockLocations":
            self.left -= 1
            return self._unfinished if self.left >= 0 else EMPTY_FILE
        return {"getFileInfo": data(1, status("")), "getServerDefaults": server_defaults()}[method]


def cat(ydl, namenode):
    with scripted_namenode(namenode) as node:
        conf = ydl.scratch / "conf"
        conf.mkdir()
        (conf / "core-site.xml").write_text(
            f"<configuration><property><name>fs.defaultFS</name><value>{node.address}</value></property></configuration>")
        return ydl("fs", "cat", "/job/events.jsonl", env={"HADOOP_CONF_DIR": str(conf)})


def test_a_file_whose_last_block_is_recovered_is_read_when_that_is_done(ydl):
    done = cat(ydl, NameNode(unfinished=2))
    assert (done.code, done.out, done.err) == (0, "", ""), done.everything()


def test_a_file_whose_last_block_is_nowhere_is_an_error(ydl):
    done = cat(ydl, NameNode(unfinished=1000))
    assert done.code == 1 and "cannot find the length of the block that is being written" in done.err, done.everything()
