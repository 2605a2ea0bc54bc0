"""What a job's tasks reach HDFS with: tokens of every file system that the job names, as Hadoop's own client and others look for them."""

import os
import shlex
import shutil
import subprocess

import pytest

from hdfs_files import eventually
from installed import python_of
from shared import SECURE_YARN, YARN
from yarn_shell import SMALL, YDL, Jobs, job_id, jobs_on, let_users_in, user_of_test

from cluster_lib import jvm, state

pytestmark = pytest.mark.timeout(300)
HA_YARN = ("--nodes", "1", "--yarn", "--secure", "--ha", "--second-namenode")
ROUTER_YARN = ("--nodes", "1", "--yarn", "--secure", "--router")
of_secure = pytest.mark.on_cluster(*SECURE_YARN)

# Writes and reads a file, then reads what the other client wrote before.
HDFS_NATIVE = """
import sys
from hdfs_native import Client, WriteOptions
url, path, other = sys.argv[1:]
client = Client(url)
with client.create(path, WriteOptions(overwrite=True, replication=1)) as file:
    file.write(b'by hdfs-native')
print(bytes(client.read(path).read()).decode(), 'and', bytes(client.read(other).read()).decode())
"""


@pytest.fixture
def secure(clusters, tmp_path):
    return ready(clusters(*SECURE_YARN), tmp_path)


def ready(cluster, home):
    jobs = jobs_on(cluster, home)
    eventually(lambda: "1 of 1 node run" in jobs.start("doctor").communicate()[0], "a node", 120)
    return jobs


def second(jobs):
    """The other HDFS, as its users write it."""
    return f"hdfs://localhost:{state.load(jobs.cluster.folder).port('second-namenode.rpc')}"


def java(jobs, *words):
    """A line of a shell that runs Hadoop's own client as a program in a task would."""
    cluster = state.load(jobs.cluster.folder)
    command = jvm.command([*jvm.QUICK_CLIENT, *cluster.jvm_options()], "org.apache.hadoop.fs.FsShell", words)
    classpath = jvm.environment(cluster.options.version, [jobs.environment["HADOOP_CONF_DIR"]])["CLASSPATH"]
    return f"CLASSPATH={shlex.quote(classpath)} {shutil.which('java')} {shlex.join(command[1:])}"


def script_of_both_clients(jobs, url):
    """Each client writes a file in that HDFS; both are read by both."""
    folder = f"/tmp/both-{os.urandom(4).hex()}"
    (jobs.work / "native.py").write_text(HDFS_NATIVE)
    native = f"HADOOP_CONF_DIR={jobs.environment['HADOOP_CONF_DIR']} {python_of('hdfs-native')} native.py {url} {folder}/native {folder}/java"
    return (f"set -e; echo by java > from-java; {java(jobs, '-mkdir', '-p', url + folder)}; "
            f"{java(jobs, '-put', 'from-java', f'{url}{folder}/java')}; {native}; {java(jobs, '-cat', f'{url}{folder}/native')}; echo")


def run_both(jobs, url, *options):
    out, err = jobs.run("run", *SMALL, *options, "--", "sh", "-c", script_of_both_clients(jobs, url))
    assert "[worker:0] by hdfs-native and by java" in out and "[worker:0] by hdfs-native\n" in out, out + err
    return out, err


def default_of(jobs):
    words = [jobs.cluster.conf / "core-site.xml"]
    return subprocess.run(["sed", "-n", "s|.*<name>fs.defaultFS</name><value>\\(.*\\)</value>.*|\\1|p", *words], capture_output=True, text=True, check=True).stdout.strip()


@of_secure
def test_javas_client_and_hdfs_native_use_hdfs_in_a_task(secure):
    run_both(secure, default_of(secure))


@of_secure
def test_both_use_a_second_name_node_that_the_job_names(secure):
    run_both(secure, second(secure), "--name-node", second(secure))


def pair(name, server):
    """What makes a client take a NameNode for one of a pair, whose token has the name of the pair and no address."""
    return {
        "dfs.nameservices": name,
        f"dfs.ha.namenodes.{name}": "nn1",
        f"dfs.namenode.rpc-address.{name}.nn1": server,
        f"dfs.client.failover.proxy.provider.{name}": "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider",
    }


@of_secure
def test_both_use_a_name_service_that_only_the_client_knows(secure):
    """The ResourceManager has to renew its token, and finds its NameNodes in no file of its own."""
    other = secure.cluster.view(pair("other", second(secure).removeprefix("hdfs://")))
    assert "other" not in (secure.cluster.folder / "resourcemanager1/conf/hdfs-site.xml").read_text()
    secure.environment.update(other.variables)
    run_both(secure, "hdfs://other", "--name-node", "hdfs://other")
    run_both(secure, default_of(secure), "--name-node", "hdfs://other")


@pytest.mark.on_cluster(*HA_YARN)
def test_both_use_a_pair_of_name_nodes(clusters, tmp_path):
    jobs = ready(clusters(*HA_YARN), tmp_path)
    run_both(jobs, default_of(jobs))


@pytest.mark.on_cluster(*HA_YARN)
def test_both_use_two_pairs_of_which_the_resource_manager_knows_one(clusters, tmp_path):
    """What the client sends replaces the ResourceManager's own configuration, so it has to name both pairs."""
    jobs = ready(clusters(*HA_YARN), tmp_path)
    other = pair("other", second(jobs).removeprefix("hdfs://"))
    jobs.environment.update(jobs.cluster.view({**other, "dfs.nameservices": "ydl,other"}).variables)
    run_both(jobs, "hdfs://other", "--name-node", "hdfs://other")
    run_both(jobs, default_of(jobs), "--name-node", "hdfs://other")


def use_for_inputs_and_results(jobs, url):
    (jobs.work / "words").write_text("from elsewhere\n")
    jobs.run("fs", "mkdir", "-p", f"{url}/in")
    jobs.run("fs", "put", "-f", "words", f"{url}/in/words")
    out, err = jobs.run("run", *SMALL, "--input", f"{url}/in/words", "--results", f"{url}/out/{jobs.work.parent.name}",
                        "--", "sh", "-c", "cat words; echo 42 > answer")  # fmt: skip
    assert "[worker:0] from elsewhere" in out
    assert "worker-0/answer" in jobs.run("results", "ls", job_id(err))[0]
    jobs.run("results", "get", job_id(err), "--to", "here")
    assert (jobs.work / "here/worker-0/answer").read_text() == "42\n"


@of_secure
def test_inputs_and_results_may_lie_on_another_hdfs(secure):
    use_for_inputs_and_results(secure, second(secure))


@pytest.mark.on_cluster(*ROUTER_YARN)
def test_a_router_is_a_name_node_with_tokens_of_its_own(clusters, tmp_path):
    jobs = ready(clusters(*ROUTER_YARN), tmp_path)
    router = f"hdfs://localhost:{state.load(jobs.cluster.folder).port('router.rpc')}"
    eventually(lambda: jobs.start("fs", "ls", f"{router}/").wait() == 0, "the router serves", 60)
    use_for_inputs_and_results(jobs, router)
    assert jobs.run("fs", "cat", "hdfs:///in/words")[0] == "from elsewhere\n", "what it writes is on the HDFS behind it"
    run_both(jobs, router, "--name-node", router)
    log = (jobs.cluster.folder / "router/log").read_text()
    assert "Token renewal for identifier: (token for root: HDFS_DELEGATION_TOKEN" in log, "the ResourceManager renewed the router's own token"


@of_secure
@pytest.mark.parametrize("words, code, sentence", [
    (("--name-node", "hdfs://localhost:1"), 1, "the name node hdfs://localhost:1: "),
    (("--input", "hdfs://localhost:1/data"), 1, "the input hdfs://localhost:1/data: "),
    (("--results", "hdfs://localhost:1/out"), 1, "the results' folder hdfs://localhost:1/out: "),
    (("--input", "hdfs:///nothing/there"), 1, "the input hdfs:///nothing/there: no such file or directory"),
    (("--name-node", "viewfs://nowhere"), 2, "the name node viewfs://nowhere: viewfs://nowhere has no mount table"),
])  # fmt: skip
def test_a_file_system_that_cannot_be_used_is_named_before_anything_is_submitted(secure, words, code, sentence):
    impatient = Jobs.__new__(Jobs)
    impatient.__dict__.update(secure.__dict__)
    view = secure.cluster.view({"ipc.client.connect.max.retries": 1, "ipc.client.connect.retry.interval": 100})
    impatient.environment = {**secure.environment, **view.variables}
    _, err = impatient.run("run", *SMALL, *words, "--", "true", code=code)
    assert sentence in err.splitlines()[-1], err
    assert "is application_" not in err


@of_secure
def test_a_view_stands_for_every_hdfs_behind_it(secure):
    """As the default file system, with home directories on one HDFS and data on the other."""
    here, there = default_of(secure), second(secure)
    view = secure.cluster.view({"fs.defaultFS": "viewfs://all/", "fs.viewfs.mounttable.all.link./user": f"{here}/user",
                                "fs.viewfs.mounttable.all.link./data": f"{there}/data"})  # fmt: skip
    (secure.work / "words").write_text("through a view\n")
    secure.run("fs", "mkdir", "-p", f"{there}/data")
    secure.run("fs", "put", "-f", "words", f"{there}/data/words")
    secure.environment.update(view.variables)
    script = f"cat words; {java(secure, '-cat', f'{there}/data/words')}"
    out, _ = secure.run("run", *SMALL, "--input", "hdfs:///data/words", "--name-node", "viewfs://all", "--", "sh", "-c", script)
    assert out.count("[worker:0] through a view") == 2, out


def tokens_without_ticket(jobs, path):
    """A client in a container: a file of tokens, and no ticket."""
    jobs.cluster.client("fetch-tokens", local=path, renewer="root", format="WRITABLE", yarn=True)
    jobs.environment.update(HADOOP_TOKEN_FILE_LOCATION=str(path), KRB5CCNAME=f"FILE:{path}.no-ticket")


@of_secure
def test_a_client_with_tokens_and_no_ticket_submits_and_its_tokens_stay_valid(secure, tmp_path):
    tokens_without_ticket(secure, tmp_path / "tokens")
    script = "echo done > model; " + java(secure, "-ls", "/")
    for _ in range(2):  # the second job needs the tokens that the first one was submitted with
        out, err = secure.run("run", *SMALL, "--", "sh", "-c", script)
        assert "[worker:0] Found" in out
        assert "note: there is no Kerberos ticket, so the job uses the tokens in HADOOP_TOKEN_FILE_LOCATION; they are valid until 20" in err
    assert "worker-0/model" in secure.run("results", "ls", job_id(err))[0]
    assert secure.run("fs", "ls", "/")[0]
    _, err = secure.run("run", *SMALL, "--name-node", second(secure), "--", "true", code=1)
    assert f"the name node {second(secure)}: HADOOP_TOKEN_FILE_LOCATION has no token for {second(secure)}" in err


@of_secure
def test_the_end_of_its_tokens_is_said_at_submission_and_an_hour_before(secure):
    _, err = secure.run("run", *SMALL, "--timeout", "1h", "--", "true")
    assert "note: with its time limit of 1 h the job may run longer than 20" in err, err
    out, err = secure.run("run", *SMALL, "--timeout", "10m", "--", "true")
    assert "time limit" not in err
    assert "the job's tokens for HDFS expire at 20" in secure.run("events", job_id(err))[0]


@pytest.mark.on_cluster(*YARN)
def test_without_kerberos_javas_client_in_a_task_is_the_jobs_user(clusters, tmp_path, request):
    let_users_in(clusters(*YARN))
    jobs = Jobs(clusters(*YARN), tmp_path, user_of_test(request))
    file = f"/user/{jobs.user}/file"
    script = f"echo x > x; {java(jobs, '-put', 'x', file)}; {java(jobs, '-stat', '%u', file)}; echo $HADOOP_USER_NAME"
    out, _ = jobs.run("run", *SMALL, "--", "sh", "-c", script)
    assert out.count(f"[worker:0] {jobs.user}\n") == 2, out
    assert "[worker:0] other\n" in jobs.run("run", *SMALL, "--env", "HADOOP_USER_NAME=other", "--", "sh", "-c", "echo $HADOOP_USER_NAME")[0]
