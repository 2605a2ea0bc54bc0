"""Trains a small residual network on CIFAR-10, the workers sharing its parameters through MXNet's distributed key-value store."""

from functools import partial

import data
import fit
import networks

NETWORKS = {"resnet8": networks.resnet, "resnet20": partial(networks.resnet, blocks_per_stage=3)}


def main():
    arguments = fit.parse_arguments(__doc__, "cifar10", NETWORKS, num_epochs=10)
    kv = fit.create_kvstore(arguments.kv_store)
    train, validation, test = data.iterators(data.CIFAR10, kv, arguments)
    fit.fit(NETWORKS[arguments.network](), train, validation, test, kv, arguments)


if __name__ == "__main__":
    main()
