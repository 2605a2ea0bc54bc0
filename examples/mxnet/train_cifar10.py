"""Trains a small residual network on CIFAR-10, the workers sharing its parameters through MXNet's distributed key-value store."""

from functools import partial

import data
import fit
import networks

NETWORKS = {f"resnet{6 * blocks + 2}": partial(networks.resnet, blocks_per_stage=blocks) for blocks in (1, 2, 3)}


def main():
    arguments = fit.parse_arguments(__doc__, "cifar10", NETWORKS, batch_size=64, num_epochs=8, lr_step_epochs=[5, 7])
    kv = fit.create_kvstore(arguments.kv_store)
    train, validation, test = data.iterators(data.CIFAR10, kv, arguments)
    fit.fit(NETWORKS[arguments.network](), train, validation, test, kv, arguments)


if __name__ == "__main__":
    main()
