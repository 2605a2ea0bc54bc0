"""Archives that would write outside the folder they are unpacked in."""

import io
import tarfile
import zipfile

import pytest


def member(name, **fields):
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def up(archive, outside):
    archive.addfile(member("../../../evil.txt", size=4), io.BytesIO(b"evil"))


def absolute(archive, outside):
    archive.addfile(member(str(outside / "evil.txt"), size=4), io.BytesIO(b"evil"))


def through_a_link(archive, outside):
    archive.addfile(member("door", type=tarfile.SYMTYPE, linkname=str(outside)))
    archive.addfile(member("door/evil.txt", size=4), io.BytesIO(b"evil"))


def through_a_relative_link(archive, outside):
    archive.addfile(member("door", type=tarfile.SYMTYPE, linkname="../../../.."))
    archive.addfile(member("door/evil.txt", size=4), io.BytesIO(b"evil"))


def over_a_hard_link(archive, outside):
    archive.addfile(member("door", type=tarfile.LNKTYPE, linkname=str(outside / "kept.txt")))
    archive.addfile(member("door", size=4), io.BytesIO(b"evil"))


@pytest.mark.parametrize("fill", [up, absolute, through_a_link, through_a_relative_link, over_a_hard_link])
def test_a_tar_writes_nothing_outside_its_folder(ydl, fill):
    outside = ydl.scratch / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with tarfile.open(ydl.work / "data.tar", "w") as archive:
        fill(archive, outside)
    ydl("run", "--archive", "data.tar", "--", "true")  # unpacked without it, or refused
    assert (outside / "kept.txt").read_text() == "kept"
    assert [path.name for path in outside.iterdir()] == ["kept.txt"]
    inside = ydl.jobs_folder()
    assert [path for path in ydl.scratch.rglob("evil.txt") if inside not in path.parents] == []
    assert not list(inside.glob("evil.txt")) and not list(inside.glob("*/evil.txt"))


def test_a_zip_writes_nothing_outside_its_folder(ydl):
    with zipfile.ZipFile(ydl.work / "data.zip", "w") as archive:
        archive.writestr("../../../evil.txt", "evil")
        archive.writestr(str(ydl.scratch / "evil.txt"), "evil")
    ydl("run", "--archive", "data.zip", "--", "true")
    inside = ydl.jobs_folder()
    assert [path for path in ydl.scratch.rglob("evil.txt") if inside not in path.parents] == []
    assert not list(inside.glob("evil.txt")) and not list(inside.glob("*/evil.txt"))
