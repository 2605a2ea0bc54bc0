"""Trains a network on MNIST, the workers sharing its parameters through MXNet's distributed key-value store."""

import data
import fit
import networks

NETWORKS = {"mlp": networks.mlp, "lenet": networks.lenet}


def main():
    # At 0.1 LeNet learns nothing from some starting points.
    arguments = fit.parse_arguments(__doc__, "mnist", NETWORKS, lr=0.05)
    kv = fit.create_kvstore(arguments.kv_store)
    train, validation, test = data.iterators(data.MNIST, kv, arguments)
    fit.fit(NETWORKS[arguments.network](), train, validation, test, kv, arguments)


if __name__ == "__main__":
    main()
