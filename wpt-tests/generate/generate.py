"""Writes ../vectors/<section>.json. Name sections to write only those."""

import importlib
import pathlib
import sys

from vector import write

SECTIONS = (
    "mlcontext", "mltensor", "mlgraphbuilder", "mlgraph", "cast", "clamp", "concat", "conv2d", "binary", "logical", "unary", "expand",
    "gemm", "matmul", "pool2d", "reduction", "relu", "reshape", "sigmoid", "slice", "softmax", "transpose", "where",
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
