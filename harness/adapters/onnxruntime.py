"""An adapter for ONNX Runtime: each WebNN graph becomes an ONNX model, which the CPU provider runs.

Set-up, with Python 3.11 or newer, in the folder of the repository:

    python -m venv harness/adapters/venv && harness/adapters/venv/bin/pip install -r harness/adapters/onnxruntime-requirements.txt

Then:

    webnn run -i reference -i "cmd:harness/adapters/venv/bin/python harness/adapters/onnxruntime.py"

`--optimization basic|extended|all` lets ONNX Runtime rewrite the model before it runs it. The default is `none`: each WebNN
operator is then computed by the kernels that its function in `onnxruntime_adapter/` names, so that a failure points to a kernel.
`--threads N` sets how many threads compute one operator (1, unless it is given).
"""

import argparse
import sys
from pathlib import Path

# The folder of the adapter's modules takes the place of this one, in which `import onnxruntime` would find this very file.
sys.path[0] = str(Path(__file__).resolve().with_name("onnxruntime_adapter"))

try:
    import conversation
    from model import OPTIMIZATIONS
except ModuleNotFoundError as error:
    sys.exit(f"{error}; the first lines of {__file__} say how to set the adapter up")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="ONNX Runtime as an implementation of WebNN; see PROTOCOL.md.")
    parser.add_argument("--optimization", choices=OPTIMIZATIONS, default="none", help="what ONNX Runtime may rewrite (default: none)")
    parser.add_argument("--threads", type=int, default=1, help="threads that compute one operator (default: 1)")
    arguments = parser.parse_args()
    conversation.serve(arguments.optimization, arguments.threads)
