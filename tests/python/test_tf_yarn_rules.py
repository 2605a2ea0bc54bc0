"""tf-yarn's arguments and rules, as far as they are decided before there is a job."""

import functools

import pytest

from ydl.tf_yarn import KerasExperiment, NodeLabel, TaskFlavor, TaskSpec, ps_strategy_topology, run_on_yarn, single_server_topology
from ydl.tf_yarn import _client
from ydl.tf_yarn._kinds import kind_of
from ydl.tf_yarn.topologies import ESTIMATOR, KERAS, NO_TASKS, PYTORCH, check_topology

CHIEF = {"chief": TaskSpec(memory=2 * 2**10, vcores=4)}


def estimator_fn():
    return None


@pytest.mark.parametrize(("specs", "kind", "words"), [
    ({}, ESTIMATOR, "chief: there must be exactly one, not 0"),
    ({"chief": TaskSpec(1024, 1, instances=2)}, ESTIMATOR, "chief: there must be exactly one, not 2"),
    ({**CHIEF, "evaluator": TaskSpec(1024, 1, 2)}, ESTIMATOR, "evaluator: there can be at most one, not 2"),
    ({**CHIEF, "worker": TaskSpec(1024, 1)}, ESTIMATOR, "worker: estimators with workers need a ps for the variables"),
    ({**CHIEF, "wroker": TaskSpec(1024, 1)}, ESTIMATOR, "wroker: unknown type of task (available: chief, worker, ps, evaluator)"),
    ({**CHIEF, "ps": TaskSpec(1024, 1)}, KERAS, "ps: a KerasExperiment needs no parameter server"),
    ({**CHIEF, "evaluator": TaskSpec(1024, 1)}, PYTORCH, "evaluator: a PytorchExperiment evaluates in its chief and workers"),
    ({"chief": TaskSpec("2 GB of it", 1)}, ESTIMATOR, "chief: memory '2 GB of it' is not a size"),
    ({"chief": TaskSpec(0, 1)}, ESTIMATOR, "chief: memory is 0"),
    ({"chief": TaskSpec(1024, 0)}, ESTIMATOR, "chief: vcores is 0"),
    ({"chief": TaskSpec(1024, 1, nb_proc_per_worker=4)}, ESTIMATOR, "chief: nb_proc_per_worker=4: ydl runs one process per task"),
    ({**CHIEF, "tensorboard": TaskSpec(1024, 1)}, ESTIMATOR, "tensorboard: there is no such task yet"),
])
def test_the_rules_of_the_tasks_name_the_role(specs, kind, words):
    with pytest.raises(ValueError) as refused:
        check_topology(specs, kind)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(("specs", "kind"), [
    (CHIEF, ESTIMATOR), (single_server_topology(), ESTIMATOR), (ps_strategy_topology(8, 2), ESTIMATOR),
    ({**CHIEF, "ps": TaskSpec(1024, 1)}, ESTIMATOR), ({**CHIEF, "worker": TaskSpec(1024, 1, 8)}, KERAS),
])
def test_topologies_that_run(specs, kind):
    check_topology(specs, kind)


def test_a_task_spec_is_a_role():
    role = TaskSpec("2 GiB", 4, 8, TaskFlavor.GPU).as_role()
    assert (role.memory, role.vcores, role.count, role.label) == (2048, 4, 8, "gpu")
    assert TaskSpec(1024, 1).as_role().label is None
    assert TaskSpec(1024, 1, label=NodeLabel.GPU).node_label == TaskSpec(1024, 1, label="gpu").node_label == "gpu"
    assert TaskSpec("512", 1).memory_mib() == 512


def test_the_kind_of_an_experiment_is_found_by_the_names_it_uses():
    def keras_fn():
        return KerasExperiment(None)

    assert kind_of(keras_fn) == KERAS
    assert kind_of(functools.partial(keras_fn)) == KERAS
    assert kind_of(lambda: keras_fn()) == KERAS
    assert kind_of(estimator_fn) == ESTIMATOR


@pytest.mark.parametrize(("arguments", "words"), [
    ({"cuda_runtime_hdfs_path": "hdfs:///cuda"}, "cuda_runtime_hdfs_path: name the files as inputs"),
    ({"custom_task_module": "tf_yarn.tensorflow.tasks.gloo_allred_task"}, "trained with MultiWorkerMirroredStrategy"),
    ({"kind": "horovod"}, "kind 'horovod' is unknown (available: estimator, keras, pytorch)"),
    ({"python": "2.7"}, "python='2.7': a function that Python"),
    ({"pyenv_zip_path": {"cpu": "a.zip", "gpu": "b.zip"}}, "pyenv_zip_path names several environments"),
    ({"task_specs": None}, "task_specs is missing"),
])
def test_arguments_that_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")):
        run_on_yarn(estimator_fn, **{"task_specs": CHIEF, **arguments})


class Submitted(Exception):
    pass


@pytest.fixture
def submission(monkeypatch):
    """What run_on_yarn submits for its arguments."""

    def submit(*args, **options):
        raise Submitted(args, options)

    def arguments(*args, **options):
        monkeypatch.setattr(_client._submit, "submit", submit)
        with pytest.raises(Submitted) as submitted:
            run_on_yarn(*args, **options)
        return submitted.value.args

    return arguments


def test_arguments_of_all_versions_become_keys_of_the_job_file(submission):
    _, options = submission(
        estimator_fn, {**CHIEF, "evaluator": NO_TASKS}, env={"A": "1"}, queue="ml-gpu", name="wine", name_nodes=["hdfs://prod"],
        file_systems=["hdfs://preprod"], max_restarts={"chief": -1}, nb_retries=2, pip_packages=["keras"],
        acls={"view_users": ["ann", "bob"], "view_groups": ["ml"]}, eval_monitor_log_thresholds={"x": 1}, timeouts={"run": "1h"},
    )
    assert options["roles"]["chief"].retries == 100_000 and list(options["roles"]) == ["chief"]
    expected = {"env": {"A": "1"}, "queue": "ml-gpu", "name": "wine", "name_nodes": ["hdfs://prod", "hdfs://preprod"],
                "job_retries": 2, "pip_packages": ["keras"], "acl": {"view": "ann,bob ml"}, "timeouts": {"run": "1h"}}
    assert expected.items() <= options.items()
    assert "queue" not in submission(estimator_fn, CHIEF)[1]


def test_the_environment_may_come_first_and_differ_in_name_only(submission):
    args, options = submission("env.zip", estimator_fn, CHIEF)
    assert args[1] == (estimator_fn, ESTIMATOR, 1) and options["python_env"] == "env.zip"
    assert submission(estimator_fn, CHIEF, pyenv_zip_path={"cpu": "a.zip", "gpu": "a.zip"})[1]["python_env"] == "a.zip"
    with pytest.warns(UserWarning, match="skein_client is not needed"):
        submission(estimator_fn, CHIEF, skein_client=object())


def test_a_hook_runs_in_a_shell_before_the_task(submission):
    _, options = submission(estimator_fn, CHIEF, pre_script_hook="module load cuda", custom_task_module="my.task")
    assert options["roles"]["chief"].command == ["sh", "-c", 'module load cuda\nexec "$0" "$@"', "python", "-m", "my.task"]


def test_estimators_need_a_tensorflow_that_has_them(monkeypatch):
    monkeypatch.setattr(_client.importlib.metadata, "version", lambda package: "2.16.1")
    with pytest.raises(ValueError, match="TensorFlow 2.16.1 has no estimators; install tensorflow 2.15 in .*, or return a KerasExperiment"):
        run_on_yarn(estimator_fn, CHIEF)
