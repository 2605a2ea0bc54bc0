"""What the MXNet examples share: their options, the key-value store, and the training of a symbol with the Module API."""

import argparse
import glob
import logging
import os
from pathlib import Path

import mxnet as mx
import numpy as np
from data import SEED

INITIALIZER = mx.init.Xavier(rnd_type="gaussian", factor_type="in", magnitude=2)


def steps(text):
    return [int(word) for word in text.split(",") if word]


def parse_arguments(description, data_set, networks, **defaults):
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    results = Path(os.environ.get("YDL_RESULTS_DIR", "."))
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--network", choices=sorted(networks), default=next(iter(networks)))
    parser.add_argument("--batch-size", type=int, default=128, help="images per step and worker")
    parser.add_argument("--lr", type=float, default=0.1, help="learning rate")
    parser.add_argument("--lr-factor", type=float, default=0.1, help="what the learning rate is multiplied with at the steps")
    parser.add_argument("--lr-step-epochs", type=steps, default=[], help="the epochs after which that happens, such as 6,8")
    parser.add_argument("--num-epochs", type=int, default=5)
    parser.add_argument("--samples", type=int, default=60_000, help="how many training images to use")
    parser.add_argument("--kv-store", default="dist_sync", help="sync and async are short for dist_sync and dist_async")
    parser.add_argument("--data-dir", type=Path, default=cache / "ydl/data" / data_set, help=f"folder with the files of {data_set}")
    parser.add_argument("--model-prefix", default=str(results / data_set), help="the model goes to PREFIX-symbol.json and PREFIX-EPOCH.params")
    parser.add_argument("--load-epoch", type=int, default=0, help="go on from the model saved after this epoch")
    parser.add_argument("--disp-batches", type=int, default=100, help="report every so many batches")
    parser.set_defaults(**defaults)
    return parser.parse_args()


def create_kvstore(name):
    """The store that keeps the workers' parameters equal. Without a launcher's variables a dist_ store has no peers: train alone."""
    name = {"sync": "dist_sync", "async": "dist_async"}.get(name, name)
    if name.startswith("dist") and "DMLC_ROLE" not in os.environ:
        name = "local"
    kv = mx.kvstore.create(name)
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)-15s Node[{kv.rank}] %(message)s", force=True)
    np.random.seed(SEED + kv.rank)  # the iterators shuffle with it
    mx.random.seed(SEED)
    return kv


def newest_epoch(prefix):
    """The last epoch with a saved model, or 0."""
    names = Path(prefix).parent.glob(glob.escape(Path(prefix).name) + "-[0-9][0-9][0-9][0-9].params")
    return max((int(path.stem[-4:]) for path in names), default=0)


def saved_prefix(arguments):
    """Of the models to go on from: what an earlier attempt saved, or the job of --restore-from, else --model-prefix."""
    restored = Path(os.environ.get("YDL_RESTORE_DIR", "")) / Path(arguments.model_prefix).name
    return str(restored) if newest_epoch(restored) > arguments.load_epoch else arguments.model_prefix


def first_epoch(kv, arguments):
    """After how many epochs the training goes on: what --load-epoch says or, when the launcher starts the job again, the newest model.

    With dist_sync all workers must take the same number of steps, so the first worker, which saves the models, tells the others.
    """
    epoch = arguments.load_epoch
    if int(os.environ.get("YDL_ATTEMPT", "1")) > 1 or "YDL_RESTORE_DIR" in os.environ:
        epoch = max(epoch, newest_epoch(saved_prefix(arguments)))
    shared = mx.nd.array([epoch])
    kv.init("first_epoch", shared)
    if kv.rank > 0:
        kv.pull("first_epoch", out=shared)
    return int(shared.asscalar())


def starting_point(symbol, kv, arguments):
    """The symbol and the trainer's options that say where to begin: anew, or with a saved model."""
    Path(arguments.model_prefix).parent.mkdir(parents=True, exist_ok=True)
    epoch = first_epoch(kv, arguments)
    if epoch == 0 or kv.rank > 0:  # the other workers get the first one's parameters from the servers
        return symbol, {"begin_epoch": epoch}
    logging.info("goes on from %s-%04d.params", saved_prefix(arguments), epoch)
    symbol, parameters, auxiliary = mx.model.load_checkpoint(saved_prefix(arguments), epoch)
    return symbol, {"arg_params": parameters, "aux_params": auxiliary, "begin_epoch": epoch}


def checkpoint_saver(prefix):
    """A callback for MXNet's trainers. A model gets its name when it is whole: a worker may be killed while it saves."""

    def on_epoch_end(epoch, symbol, parameters, auxiliary):
        arrays = {f"arg:{name}": array for name, array in parameters.items()}
        arrays |= {f"aux:{name}": array for name, array in auxiliary.items()}
        part = f"{prefix}.part"
        symbol.save(part)
        os.replace(part, f"{prefix}-symbol.json")
        mx.nd.save(part, arrays)
        os.replace(part, f"{prefix}-{epoch + 1:04d}.params")
        print("::checkpoint", flush=True)  # ydl saves it now
        logging.info('Saved checkpoint to "%s-%04d.params"', prefix, epoch + 1)

    return on_epoch_end


def optimizer_parameters(arguments, begin_epoch, batches):
    """Stochastic gradient descent with momentum. The servers count its updates from where this training begins."""
    past = [epoch for epoch in arguments.lr_step_epochs if epoch <= begin_epoch]
    to_come = [(epoch - begin_epoch) * batches for epoch in arguments.lr_step_epochs if epoch > begin_epoch]
    rate = arguments.lr * arguments.lr_factor ** len(past)
    parameters = {"learning_rate": rate, "momentum": 0.9, "wd": 1e-4}
    if to_come:
        parameters["lr_scheduler"] = mx.lr_scheduler.MultiFactorScheduler(step=to_come, factor=arguments.lr_factor, base_lr=rate)
    return parameters


def progress_printer(arguments, batches):
    """A callback for MXNet's trainers that prints ydl's progress lines."""

    def on_batch_end(state):
        done_batches = state.nbatch + 1
        if done_batches % arguments.disp_batches == 0 or done_batches == batches:
            done = (state.epoch + done_batches / batches) / arguments.num_epochs
            name, value = state.eval_metric.get_name_value()[0]
            print(f"::progress {done:.3f} epoch {state.epoch + 1}/{arguments.num_epochs} {name} {value:.4f}", flush=True)

    return on_batch_end


def callbacks(arguments, batches):
    # Ours first: Speedometer starts the metric anew each time it reports.
    return [progress_printer(arguments, batches), mx.callback.Speedometer(arguments.batch_size, arguments.disp_batches)]


def print_accuracy(probabilities, labels):
    """Of the whole test set. MXNet's own metrics also count the rows that fill up the last batch."""
    print(f"accuracy: {(probabilities.argmax(axis=1) == labels).mean():.4f}", flush=True)


def fit(symbol, train, validation, test, kv, arguments):
    """Trains the symbol; the first worker saves the model after each epoch and prints the test accuracy at the end."""
    symbol, start = starting_point(symbol, kv, arguments)
    batches = train.num_data // arguments.batch_size
    module = mx.mod.Module(symbol, context=mx.cpu())
    module.fit(
        train,
        eval_data=validation,
        eval_metric="acc",
        kvstore=kv,
        optimizer="sgd",
        optimizer_params=optimizer_parameters(arguments, start["begin_epoch"], batches),
        initializer=INITIALIZER,
        **start,
        num_epoch=arguments.num_epochs,
        batch_end_callback=callbacks(arguments, batches),
        epoch_end_callback=checkpoint_saver(arguments.model_prefix) if kv.rank == 0 else None,
    )
    if kv.rank == 0:
        print_accuracy(module.predict(test).asnumpy(), test.label[0][1].asnumpy())
