"""Runs an experiment in its task."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Any, Callable

from ydl._report import report, report_values
from ydl.tf_yarn._experiments import Experiment, KerasExperiment, PytorchExperiment
from ydl.tf_yarn._metrics import Span
from ydl.tf_yarn.topologies import ESTIMATOR, KERAS, PYTORCH

_EVERY = 1.0  # seconds between two reports of progress


def run_experiment(experiment_fn: Callable[[], Any], kind: str, tasks: int) -> Span:
    """The function of every task. `tasks` is the number of those that train."""
    if kind == KERAS:
        return _run_keras(experiment_fn, tasks)
    if kind == PYTORCH:
        return _run_pytorch(experiment_fn())
    return _run_estimator(experiment_fn())


def _run_estimator(experiment: Any) -> Span:
    import tensorflow as tf

    _check_kind(experiment, ESTIMATOR)
    if not hasattr(tf, "estimator"):
        raise RuntimeError(
            f"TensorFlow {tf.__version__} has no tf.estimator; use 2.15 or earlier, or a KerasExperiment"
        )
    estimator, train_spec, eval_spec = experiment
    evaluation: dict[str, float] = {}
    if os.environ["YDL_ROLE"] == "evaluator":
        estimator.evaluate = _reporting(estimator.evaluate, evaluation)
    else:
        hooks = [*(train_spec.hooks or ()), _progress_hook(tf, train_spec.max_steps)]
        train_spec = train_spec._replace(hooks=tuple(hooks))
    begin = time.time()
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    return Span(begin, time.time(), evaluation)


def _reporting(evaluate: Callable[..., Any], latest: dict[str, float]) -> Callable[..., Any]:
    def reporting(*args: Any, **kwargs: Any) -> Any:
        result = evaluate(*args, **kwargs)
        values = {str(name): float(value) for name, value in result.items() if name != "global_step"}
        latest.clear()
        latest.update(values)
        report_values(int(result.get("global_step", 0)), values)
        return result

    return reporting


def _progress_hook(tf: Any, max_steps: Any) -> Any:
    class Progress(tf.compat.v1.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self) -> None:
            self._reported = 0.0

        def before_run(self, run_context: Any) -> Any:
            return tf.compat.v1.train.SessionRunArgs(tf.compat.v1.train.get_global_step())

        def after_run(self, run_context: Any, run_values: Any) -> None:
            step = int(run_values.results)
            now = time.monotonic()
            if max_steps and (now - self._reported >= _EVERY or step >= max_steps):
                self._reported = now
                report(min(step, max_steps), steps=max_steps)

    return Progress()


def _run_keras(experiment_fn: Callable[[], Any], tasks: int) -> Span:
    import tensorflow as tf

    if tasks > 1:
        with tf.distribute.MultiWorkerMirroredStrategy().scope():
            experiment = experiment_fn()
    else:
        experiment = experiment_fn()
    _check_kind(experiment, KERAS)
    callbacks = [*experiment.train_params.get("callbacks", ()), _epoch_reports(tf)]
    if experiment.model_dir:
        path = f"{experiment.model_dir}/checkpoint-{{epoch:04d}}"
        callbacks.append(tf.keras.callbacks.ModelCheckpoint(path, save_weights_only=True))
    fit = {
        "x": experiment.input_data_fn() if experiment.input_data_fn else None,
        "y": experiment.target_data_fn() if experiment.target_data_fn else None,
        "validation_data": experiment.validation_data_fn() if experiment.validation_data_fn else None,
        **experiment.train_params,
        "callbacks": callbacks,
    }
    begin = time.time()
    history = experiment.model.fit(**{name: value for name, value in fit.items() if value is not None})
    last = {name: float(values[-1]) for name, values in history.history.items()}
    return Span(begin, time.time(), last)


def _epoch_reports(tf: Any) -> Any:
    class EpochReports(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            values: Mapping[str, Any] = logs or {}
            report_values(epoch + 1, {key: float(values[key]) for key in values}, self.params.get("epochs"))

    return EpochReports()


def _run_pytorch(experiment: PytorchExperiment) -> Span:
    import torch
    from torch.utils.data import DataLoader, DistributedSampler

    _check_kind(experiment, PYTORCH)
    has_gpu = torch.cuda.is_available()
    device = "cuda:0" if has_gpu else "cpu"
    torch.distributed.init_process_group("nccl" if has_gpu else "gloo")
    rank = torch.distributed.get_rank()
    model = torch.nn.parallel.DistributedDataParallel(experiment.model.to(device), **vars(experiment.ddp_args))
    arguments = experiment.dataloader_args
    sampler = DistributedSampler(experiment.train_dataset, shuffle=arguments.shuffle)
    loader = DataLoader(experiment.train_dataset, sampler=sampler, **arguments.as_keywords())
    writer = _summary_writer(experiment.tensorboard_hdfs_dir, rank)
    begin = time.time()
    try:
        experiment.main_fn(model, loader, device, rank, writer)
    finally:
        if writer is not None:
            writer.close()
    end = time.time()
    torch.distributed.destroy_process_group()
    return Span(begin, end, {})


def _summary_writer(folder: Any, rank: int) -> Any:
    """None where no folder is named, or TensorBoard is not installed."""
    if not folder:
        return None
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(f"{folder}/{rank}")


_CLASSES: dict[str, type] = {ESTIMATOR: Experiment, KERAS: KerasExperiment, PYTORCH: PytorchExperiment}


def _check_kind(experiment: Any, kind: str) -> None:
    if isinstance(experiment, _CLASSES[kind]):
        return
    if kind == ESTIMATOR and isinstance(experiment, tuple) and len(experiment) == 3:
        return
    returned = next((name for name, cls in _CLASSES.items() if isinstance(experiment, cls)), None)
    remedy = f"pass kind='{returned}' to run_on_yarn" if returned else f"return a {_CLASSES[kind].__name__}"
    raise TypeError(
        f"the experiment function returned a {type(experiment).__name__}, and the job was made for a "
        f"{_CLASSES[kind].__name__}; {remedy}"
    )
