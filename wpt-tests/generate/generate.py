"""Writes ../vectors/<section>.json. Name sections to write only those."""

import importlib
import pathlib
import sys

from vector import write

SECTIONS = (
    "mlcontext", "mltensor", "mlgraphbuilder", "mlgraph", "argminmax", "batchnormalization", "cast", "clamp", "concat", "conv2d",
    "convtranspose2d", "cumulativesum", "binary", "logical", "unary", "dequantizelinear", "quantizelinear", "elu", "expand", "gather",
    "gatherelements", "gathernd", "gelu", "gemm", "gru", "grucell", "hardsigmoid", "hardswish", "instancenormalization", "layernormalization",
    "leakyrelu", "linear", "lstm", "lstmcell", "matmul", "pad", "pool2d", "prelu", "reduction", "relu", "resample2d", "reshape", "reverse",
    "scatterelements", "scatternd", "sigmoid", "slice", "softmax", "softplus", "softsign", "split", "tanh", "tile", "transpose", "triangular",
    "where", "ranks", "graphs", "constant_data", "failed_dispatch", "residency", "webgpu-interop", "graph_cache",
)


def main(names):
    folder = pathlib.Path(__file__).resolve().parent.parent / "vectors"
    folder.mkdir(exist_ok=True)
    for name in names or SECTIONS:
        section = importlib.import_module(f"sections.{name}").section()
        length = write(section, folder)
        print(f"{name}: {len(section.tests)} vectors, {length} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
