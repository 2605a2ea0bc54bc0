"""The parts of testing/cluster."""
