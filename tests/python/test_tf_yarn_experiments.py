"""Experiments of all kinds, on this machine, with the real frameworks."""

import pytest

from projects import environment

pytestmark = pytest.mark.timeout(600)
LONG = 500

ESTIMATOR = """
    import sys
    from tf_yarn import Experiment, TaskSpec, run_on_yarn
    import wine

    def experiment_fn():
        import tensorflow as tf
        columns = [tf.feature_column.numeric_column("x", [11])]
        config = tf.estimator.RunConfig(tf_random_seed=42, model_dir=MODEL_DIR, save_checkpoints_steps=100)
        optimizer = tf.keras.optimizers.legacy.Adam(0.01)
        estimator = tf.estimator.DNNClassifier([16], columns, n_classes=3, config=config, optimizer=optimizer)
        return Experiment(
            estimator,
            tf.estimator.TrainSpec(lambda: wine.dataset(tf).shuffle(1000).repeat().batch(64), max_steps=400),
            tf.estimator.EvalSpec(lambda: wine.dataset(tf).batch(500), steps=None, start_delay_secs=0, throttle_secs=1))

    MODEL_DIR = sys.path[0] + "/model"
    if __name__ == "__main__":
        spec = TaskSpec(memory=2 * 2**10, vcores=1)
        metrics = run_on_yarn(experiment_fn, {"chief": spec, "worker": spec, "ps": spec, "evaluator": spec}, name="wine", cluster="local")
        print("DURATIONS", metrics.total_training_duration.total_seconds() > 0, metrics.total_eval_duration is not None,
              sorted(key.to_kv_str() for key in metrics.container_duration),
              sorted(key.to_kv_str() for key in metrics.train_eval_time_per_node))
"""

WINE = """
    def dataset(tf):
        random = tf.random.Generator.from_seed(7)
        x = random.normal([2000, 11])
        y = tf.clip_by_value(tf.cast(tf.round(x[:, 0] + 0.5 * x[:, 10] + 1), tf.int32), 0, 2)
        return tf.data.Dataset.from_tensor_slices(({"x": x.numpy()}, y.numpy())) if tf.executing_eagerly() else _in_graph(tf)

    def _in_graph(tf):
        import numpy
        random = numpy.random.default_rng(7)
        x = random.normal(size=(2000, 11)).astype("float32")
        y = numpy.clip(numpy.round(x[:, 0] + 0.5 * x[:, 10] + 1), 0, 2).astype("int32")
        return tf.data.Dataset.from_tensor_slices(({"x": x}, y))
"""

KERAS = """
    import sys
    from tf_yarn import KerasExperiment, TaskSpec, run_on_yarn

    def experiment_fn():
        import numpy, tensorflow as tf
        x = numpy.random.default_rng(7).normal(size=(512, 4)).astype("float32")
        y = (x[:, :1] > 0).astype("float32")
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, activation="sigmoid", input_shape=(4,))])
        model.compile(tf.keras.optimizers.Adam(0.05), "binary_crossentropy", metrics=["accuracy"])
        data = lambda: tf.data.Dataset.from_tensor_slices((x, y)).batch(64)
        return KerasExperiment(model, MODEL_DIR, {"epochs": 3, "verbose": 2}, data, None, data)

    MODEL_DIR = sys.path[0] + "/model"
    if __name__ == "__main__":
        metrics = run_on_yarn(experiment_fn, {"chief": TaskSpec(), "worker": TaskSpec()}, cluster="local")
        print("NODES", sorted(key.to_kv_str() for key in metrics.train_eval_time_per_node))
"""

PYTORCH = """
    from tf_yarn import DataLoaderArgs, PytorchExperiment, TaskSpec, run_on_yarn

    def main_fn(model, loader, device, rank, tb_writer):
        import torch, ydl
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        for epoch in range(3):
            loader.sampler.set_epoch(epoch)
            for x, y in loader:
                loss = torch.nn.functional.mse_loss(model(x.to(device)), y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            ydl.report(epoch + 1, steps=3, loss=loss.item())
        print("WEIGHTS", rank, model.module.weight.sum().item(), len(loader), flush=True)

    def experiment_fn():
        import torch
        torch.manual_seed(1)
        x = torch.randn(64, 3)
        dataset = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
        return PytorchExperiment(torch.nn.Linear(3, 1), main_fn, dataset, DataLoaderArgs(batch_size=4))

    if __name__ == "__main__":
        metrics = run_on_yarn(experiment_fn, {"chief": TaskSpec(), "worker": TaskSpec()}, cluster="local")
        print("NODES", sorted(key.to_kv_str() for key in metrics.train_eval_time_per_node))
"""


@pytest.fixture
def with_tensorflow(project):
    project.python = environment("tensorflow") / "bin/python"
    project.env |= {"TF_CPP_MIN_LOG_LEVEL": "2", "CUDA_VISIBLE_DEVICES": "-1"}
    return project


def test_an_estimator_trains_with_worker_ps_and_evaluator(with_tensorflow):
    with_tensorflow.write("wine.py", WINE)
    out = with_tensorflow.ok(ESTIMATOR, timeout=LONG)
    tasks = "['chief:0', 'evaluator:0', 'ps:0', 'worker:0']"
    assert f"DURATIONS True True {tasks} ['chief:0', 'evaluator:0', 'worker:0']" in out
    values = with_tensorflow.last_metrics("evaluator:0")
    assert values["step"] >= 400 and values["accuracy"] > 0.6, values
    assert list((with_tensorflow.folder / "model/eval").glob("events.out.tfevents.*"))


def test_a_keras_experiment_trains_with_two_replicas(with_tensorflow):
    out = with_tensorflow.ok(KERAS, timeout=LONG)
    assert "NODES ['chief:0', 'worker:0']" in out
    assert with_tensorflow.last_metrics("chief:0")["loss"] == pytest.approx(with_tensorflow.last_metrics("worker:0")["loss"], rel=1e-5)
    assert list((with_tensorflow.folder / "model").glob("checkpoint-0003*"))


def test_a_pytorch_experiment_trains_in_step(project):
    project.python = environment("torch") / "bin/python"
    out = project.ok(PYTORCH, timeout=LONG)
    assert "NODES ['chief:0', 'worker:0']" in out
    weights = sorted(line.split("WEIGHTS ")[1].split() for line in out.splitlines() if "WEIGHTS" in line)
    assert [rank for rank, _, _ in weights] == ["0", "1"]
    assert weights[0][1:] == weights[1][1:] and weights[0][2] == "8", weights
