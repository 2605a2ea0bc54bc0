"""Our .proto files against the messages in Hadoop's own jars. No cluster is needed."""

import os
import re
import subprocess

import pytest

from cluster_lib import jvm
from programs import REPOSITORY

SRC = REPOSITORY / "src"


def descriptors_of(proto_path, files, to):
    subprocess.run(["protoc", f"--proto_path={proto_path}", "--include_imports", f"--descriptor_set_out={to}", *files], check=True)
    return to


def compare(version, age, descriptors):
    return subprocess.run(jvm.command(jvm.CLIENT, "ydl.testing.CompareProtos", [descriptors, age]), stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **jvm.environment(version, [])})


@pytest.mark.parametrize("version, age", [("3.4.1", "newest"), ("3.3.6", "older")])
def test_every_field_of_ours_is_hadoops(version, age, tmp_path):
    files = sorted(SRC.glob("*/proto/*.proto"))
    done = compare(version, age, descriptors_of(SRC, files, tmp_path / "ours.desc"))
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"checked (\d+) fields", done.stdout).group(1)) >= 4


def test_what_differs_is_told(tmp_path):
    (tmp_path / "wrong.proto").write_text("""
        syntax = "proto2";
        package hadoop.common;
        message TokenProto { required string identifier = 1; optional bytes password = 2; required string service = 99; }
        enum RpcKindProto { RPC_WRITABLE = 2; RPC_NEW = 7; }
        message NotOfHadoop {}
        """)
    done = compare("3.4.1", "newest", descriptors_of(tmp_path, ["wrong.proto"], tmp_path / "wrong.desc"))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        ".hadoop.common.NotOfHadoop: Hadoop has no such message",
        ".hadoop.common.RpcKindProto.RPC_NEW: Hadoop has no value 7",
        ".hadoop.common.RpcKindProto.RPC_WRITABLE: ours is 2, which Hadoop calls RPC_PROTOCOL_BUFFER",
        ".hadoop.common.TokenProto.identifier: ours is `required string identifier = 1`, Hadoop's is `required bytes identifier = 1`",
        ".hadoop.common.TokenProto.password: ours is `optional bytes password = 2`, Hadoop's is `required bytes password = 2`",
        ".hadoop.common.TokenProto.service: Hadoop has no field 99",
        ".hadoop.common.TokenProto: lacks the required field required string kind = 3",
        ".hadoop.common.TokenProto: lacks the required field required string service = 4",
        "checked 3 fields",
    ]
