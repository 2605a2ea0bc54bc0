"""A cache that all users of a cluster share, and what others try to put into it."""

import hashlib

import pytest
from shared import YARN_WITH_LABEL
from staging_shell import Submitter, field, files

pytestmark = pytest.mark.on_cluster(*YARN_WITH_LABEL)


@pytest.fixture
def yarn(clusters):
    return clusters(*YARN_WITH_LABEL)


@pytest.fixture
def users(yarn, tmp_path, request):
    """Users of this test, each with a machine of their own."""

    def user(name):
        home = tmp_path / name
        home.mkdir()
        return Submitter(yarn, home, f"{name}{hashlib.sha1(request.node.name.encode()).hexdigest()[:6]}")

    return user


@pytest.fixture
def job(tmp_path):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "train.py").write_text("print('hi')\n")
    return tmp_path / "job"


@pytest.fixture
def site(yarn, request):
    """The folder of a cache, which the superuser of HDFS has made."""
    root = f"/site-{hashlib.sha1(request.node.name.encode()).hexdigest()[:8]}"
    yarn.client.mkdirs(remote=f"{root}/cache/sha256")
    return root


def name_of(submitter):
    return submitter.home.split("/")[-1]


def give(cluster, site, owner):
    for folder in (site, f"{site}/cache", f"{site}/cache/sha256"):
        cluster.client.chown(remote=folder, owner=owner)


def visibilities(lines):
    return {visibility for _, visibility, _ in files(lines).values()}


def poison(cluster, tmp_path, owner, path, length):
    """Another content of the same length under the name of a trusted one."""
    (tmp_path / "poison").write_bytes(b"#!/bin/sh\ntouch /tmp/owned\n".ljust(length, b"\n")[:length])
    folder = path.rsplit("/", 1)[0]
    cluster.client.mkdirs(remote=folder)
    cluster.client.put(local=str(tmp_path / "poison"), remote=path)
    for entry in (folder, path):
        cluster.client.chown(remote=entry, owner=owner)
    cluster.client.chmod(remote=path, mode="644")


def test_a_sites_cache_is_shared_with_all_users_where_only_its_owner_writes(users, job, yarn, site):
    owner, guest = users("owner"), users("guest")
    words = ("--site-root", site, "--site-owner", name_of(owner))
    unknown = owner.stage("--site-root", f"{site}/nowhere", "stage", job)
    assert "does not exist" in field(unknown, "note")[0]
    assert visibilities(unknown) == {"user"}
    give(yarn, site, name_of(owner))
    filled = owner.stage(*words, "run", job, "/bin/sh", "-c", "test -s code/train.py && exit 4")
    assert visibilities(filled) == {"everybody"} and field(filled, "note") == []
    assert "exitCode: 4" in filled[-1], filled
    found = guest.stage(*words, "run", job, "/bin/sh", "-c", "test -s code/train.py && exit 5")
    assert field(found, "uploaded")[0].startswith("0 reused")
    assert "exitCode: 5" in found[-1], found
    yarn.client.chmod(remote=f"{site}/cache", mode="777")
    distrusted = guest.stage(*words, "stage", job)
    assert f"`hdfs dfs -chmod go-w {site}/cache`" in field(distrusted, "note")[0]
    assert visibilities(distrusted) == {"user"}


def test_run_code_as_alice_poisoned_cache(users, job, yarn, site, tmp_path):
    """A folder with mode 1777, into which mallory puts a program of the right length under the right hash."""
    alice, mallory = users("alice"), users("mallory")
    own, _, length = files(alice.stage("stage", job))["ydl"]
    poisoned = own.replace(f"{alice.home}/.ydl", site)
    yarn.client.chmod(remote=f"{site}/cache/sha256", mode="1777")
    poison(yarn, tmp_path, name_of(mallory), poisoned, length)
    lines = alice.stage("--site-root", site, "stage", job)
    assert f"`hdfs dfs -chmod go-w {site}/cache/sha256`" in field(lines, "note")[0]
    assert files(lines)["ydl"][:2] == (own, "user")
    # The administrator corrects the folder; what mallory left in it stays unused.
    yarn.client.chmod(remote=f"{site}/cache/sha256", mode="755")
    lines = alice.stage("--site-root", site, "stage", job)
    assert f"belongs to {name_of(mallory)} and not to" in field(lines, "note")[0]
    assert files(lines)["ydl"][:2] == (own, "user")


def test_run_code_as_alice_squatted_cache_folder(users, job, yarn, site, tmp_path):
    """A folder that mallory made where the settings expect the site's: tidy, and hers."""
    alice, mallory = users("alice"), users("mallory")
    own, _, length = files(alice.stage("stage", job))["ydl"]
    poison(yarn, tmp_path, name_of(mallory), own.replace(f"{alice.home}/.ydl", site), length)
    give(yarn, site, name_of(mallory))
    lines = alice.stage("--site-root", site, "stage", job)
    assert f"{site} belongs to {name_of(mallory)} and not to" in field(lines, "note")[0]
    assert files(lines)["ydl"][:2] == (own, "user")


def test_run_code_as_alice_parent_of_the_cache(users, job, yarn, site):
    """The owner of a folder above the cache can put another cache there at any time."""
    alice, mallory, owner = users("alice"), users("mallory"), users("owner")
    give(yarn, site, name_of(mallory))
    yarn.client.mkdirs(remote=f"{site}/ydl/cache/sha256")
    give(yarn, f"{site}/ydl", name_of(owner))
    lines = alice.stage("--site-root", f"{site}/ydl", "--site-owner", name_of(owner), "stage", job)
    assert f"{site} belongs to {name_of(mallory)}" in field(lines, "note")[0]
    assert visibilities(lines) == {"user"}


def test_a_file_whose_content_is_not_what_its_name_says_is_not_used_and_its_owner_replaces_it(users, job, yarn, site, tmp_path):
    owner, guest = users("owner"), users("guest")
    give(yarn, site, name_of(owner))
    words = ("--site-root", site, "--site-owner", name_of(owner), "stage", job)
    path, _, length = files(owner.stage(*words))["ydl"]
    assert visibilities(guest.stage(*words)) == {"everybody"}
    yarn.client.delete(remote=path)
    poison(yarn, tmp_path, name_of(owner), path, length)
    lines = guest.stage(*words)
    assert f"the content of {path} does not match the hash in its path" in field(lines, "note")[0]
    assert files(lines)["ydl"][1] == "user" and files(lines)["code"][1] == "everybody"
    assert files(owner.stage(*words))["ydl"][:2] == (path, "everybody")
    again = users("third").stage(*words)
    assert visibilities(again) == {"everybody"} and field(again, "note") == []
