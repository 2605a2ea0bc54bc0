"""Sets up what the tests here need, where the caller has not: an interpreter with MXNet 1.9.1."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

if "YDL_MXNET_PYTHON" not in os.environ:
    folder = subprocess.run([ROOT / "tools/setup/python_env.sh", "mxnet"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    os.environ["YDL_MXNET_PYTHON"] = folder + "/bin/python"
