"""Trains MNIST with TensorFlow's MultiWorkerMirroredStrategy: every worker holds the whole model and a share of the images.

Each process runs this script and learns its part from TF_CONFIG; without it the script trains alone.
"""

import argparse
import os
import shutil
import tempfile
from pathlib import Path

# Before TensorFlow is imported: its start-up messages, once per process, hide the ones that matter.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

import mnist
import tensorflow as tf


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    mnist.add_common_options(parser)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64, help="images per step and worker")
    parser.add_argument("--lr", type=float, default=2e-3, help="Adam's learning rate")
    parser.add_argument("--backup-dir", type=Path,
                        help="folder that all workers see; when the job is started again after a failure, training goes on from there")  # fmt: skip
    return parser.parse_args()


class Progress(tf.keras.callbacks.Callback):
    def __init__(self, every=50):
        super().__init__()
        self._every = every
        self._epoch = 0

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        steps, epochs = self.params["steps"], self.params["epochs"]
        if (batch + 1) % self._every == 0 or batch + 1 == steps:
            done = (self._epoch + (batch + 1) / steps) / epochs
            mnist.print_progress(done, f"epoch {self._epoch + 1}/{epochs} loss {logs['loss']:.4f}")


def is_first_worker(resolver):
    """True in the one process that reports and saves: the chief if the cluster has one, else worker 0."""
    if not resolver.task_type:
        return True  # no TF_CONFIG
    first = "chief" if "chief" in resolver.cluster_spec().jobs else "worker"
    return (resolver.task_type, resolver.task_id) == (first, 0)


def backup_folder(arguments, is_first):
    """Of Keras's backups: one that all workers see or, with ydl, the first worker's results, which the others get as copies."""
    if arguments.backup_dir or "YDL_RESULTS_DIR" not in os.environ:
        return arguments.backup_dir
    folder = Path(os.environ["YDL_RESULTS_DIR"]) / "backup" if is_first else Path(tempfile.mkdtemp())
    restored = Path(os.environ.get("YDL_RESTORE_DIR", "/nowhere")) / "backup"
    if restored.is_dir() and restored != folder:
        shutil.copytree(restored, folder, dirs_exist_ok=True)
    return folder


def main():
    arguments = parse_arguments()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()  # first of all: it starts this worker's server
    workers = strategy.num_replicas_in_sync

    def share_of_worker(context):
        data = mnist.dataset(arguments.data_dir, "train").take(arguments.samples)
        # Drawn from the whole: MNIST's odd rows are from other writers, and easier, than its even ones.
        data = data.shuffle(arguments.samples, seed=mnist.SEED, reshuffle_each_iteration=False)
        data = data.shard(context.num_input_pipelines, context.input_pipeline_id).cache()
        return data.shuffle(10_000, seed=mnist.SEED).repeat().batch(arguments.batch_size).prefetch(4)

    with strategy.scope():
        model = mnist.build_model(arguments.lr)
    callbacks = [Progress()]
    if backup := backup_folder(arguments, is_first_worker(strategy.cluster_resolver)):
        callbacks.append(tf.keras.callbacks.BackupAndRestore(str(backup.absolute())))
    model.fit(
        strategy.distribute_datasets_from_function(share_of_worker),
        epochs=arguments.epochs,
        steps_per_epoch=max(1, arguments.samples // (arguments.batch_size * workers)),
        callbacks=callbacks,
        verbose=0,
    )
    if is_first_worker(strategy.cluster_resolver):
        trained = mnist.local_copy(model)
        mnist.save_model(trained, arguments.model)
        print(f"accuracy: {mnist.test_accuracy(trained, arguments.data_dir):.4f}", flush=True)


if __name__ == "__main__":
    main()
