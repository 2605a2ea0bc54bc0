"""The version of the package; the same as that of the binary, which a test compares."""

__version__ = "0.1.0"
