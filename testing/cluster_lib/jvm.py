"""Hadoop's jars, our own classes beside them, and how a JVM is started with both."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from functools import lru_cache
from pathlib import Path

from .errors import ClusterError

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "testing/java"
KEPT_SECONDS = 7 * 24 * 3600

# Hadoop reaches into java.lang, which modules have closed since Java 16.
ALWAYS = ["--add-opens=java.base/java.lang=ALL-UNNAMED"]
# A daemon of a test lives for minutes: starting soon and being small counts more than its top speed. That of a benchmark is another matter.
CLIENT = [*ALWAYS, "-Xmx512m", "-XX:+UseSerialGC"]
# Not a word of its own on standard output, where a client's answers are.
QUICK_CLIENT = [*CLIENT, "-XX:TieredStopAtLevel=1", "-Xlog:disable"]
DAEMON = [*ALWAYS, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
OPTIMIZED_DAEMON = [*ALWAYS, "-Xmx1g"]


@lru_cache(None)
def release(version):
    """The folder with the jars of a Hadoop release, fetched if need be."""
    if shutil.which("javac") is None:
        raise ClusterError("there is no JDK on the PATH; `tools/setup/apt.sh hadoop` installs one.")
    script = REPOSITORY / "tools/setup/hadoop.sh"
    done = subprocess.run([script, version], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise ClusterError(f"the jars of Hadoop {version} could not be fetched (the message is above).")
    return Path(done.stdout.strip())


@lru_cache(None)
def classpath(version):
    """Hadoop's jars, and our classes in a jar of their own, in a fixed order."""
    return [*_jars(version), _own_jar(version)]


def command(options, main, arguments):
    return [str(word) for word in ["java", *options, main, *arguments]]


def environment(version, conf):
    """What a JVM needs in its environment. The configuration comes last on the class path: no jar holds a *-site.xml.

    Not -cp: with 170 jars a list of processes would be unreadable.
    """
    return {"CLASSPATH": ":".join(str(entry) for entry in [*classpath(version), *conf])}


def archive(version, main):
    """Where the loaded classes of a daemon are kept for the next one of its kind, which then starts in little more than half the time."""
    jar = _own_jar(version)
    return jar.with_name(f"{jar.stem}-{main.rpartition('.')[2]}.jsa")


def keep_archive(new, kept):
    """For all that come later, if there is one. At once, for another run may be looking; and the two may be on different file systems."""
    if not new.exists():
        return
    partial = kept.with_name(f"{kept.name}.{os.getpid()}")
    shutil.copyfile(new, partial)
    os.replace(partial, kept)
    new.unlink()


def _jars(version):
    # 3.3 depends on two libraries that do the same, and complains about it in every log.
    return [jar for jar in sorted((release(version) / "jars").glob("*.jar")) if not jar.name.startswith("slf4j-log4j12")]


def _own_jar(version):
    """testing/java, compiled against this release and kept beside its jars under a name made of the sources."""
    sources = sorted(SOURCES.glob("*.java"))
    key = hashlib.sha256(b"".join(source.name.encode() + source.read_bytes() for source in sources)).hexdigest()[:12]
    jar = release(version) / f"ydl-testing-{key}.jar"
    if not jar.exists():
        _compile(version, sources, jar)
    return jar


def _remove_old(folder):
    """Removes what older sources were compiled to. Another clone may still use it, and makes it again."""
    for file in folder.glob("ydl-testing-*"):
        if time.time() - file.stat().st_mtime > KEPT_SECONDS:
            file.unlink(missing_ok=True)


def _compile(version, sources, jar):
    _remove_old(jar.parent)
    folder = Path(tempfile.mkdtemp(dir=jar.parent, prefix="compile-"))
    try:
        jars = ":".join(str(path) for path in _jars(version))
        compiled = subprocess.run(["javac", "-nowarn", "-Xlint:-options", "--release", "17", "-cp", jars, "-d", folder / "classes", *sources],
                                  capture_output=True, text=True)
        if compiled.returncode != 0:
            raise ClusterError(f"testing/java does not compile against Hadoop {version}:\n{compiled.stderr}")
        subprocess.run(["jar", "--create", "--file", folder / "own.jar", "-C", folder / "classes", "."], check=True)
        os.replace(folder / "own.jar", jar)  # at once: another run may be looking
    finally:
        shutil.rmtree(folder, ignore_errors=True)
