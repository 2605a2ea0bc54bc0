"""Trains MNIST with MXNet's first interface, FeedForward.create, as many older jobs do.

MXNet keeps it for those jobs and warns that it is deprecated; new ones use the Module interface of train_mnist.py.
"""

import data
import fit
import mxnet as mx
import networks

NETWORKS = {"mlp": networks.mlp, "lenet": networks.lenet}


def main():
    arguments = fit.parse_arguments(__doc__.splitlines()[0], "mnist", NETWORKS)
    kv = fit.create_kvstore(arguments.kv_store)
    train, validation, test = data.iterators(data.MNIST, kv, arguments)
    symbol, start = fit.starting_point(NETWORKS[arguments.network](), kv, arguments)
    batches = train.num_data // arguments.batch_size
    model = mx.model.FeedForward.create(
        symbol=symbol,
        X=train,
        eval_data=validation,
        kvstore=kv,
        num_epoch=arguments.num_epochs,
        initializer=fit.INITIALIZER,
        batch_end_callback=fit.callbacks(arguments, batches),
        epoch_end_callback=fit.checkpoint_saver(arguments.model_prefix) if kv.rank == 0 else None,
        **start,
        **fit.optimizer_parameters(arguments, start["begin_epoch"], batches),
    )
    if kv.rank == 0:
        fit.print_accuracy(model.predict(test), test.label[0][1].asnumpy())


if __name__ == "__main__":
    main()
