"""A whole network as one vector: MobileNet v2, 1000 classes of an image of 224 by 224.

    python mobilenet.py mobilenet.json [--width 1.0]
    webnn run mobilenet.json
    webnn bench mobilenet.json

3.5 million weights are 40 MB of JSON, so that the file is made where it is wanted, and not kept. The layers and their
sizes are those of Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (2018), table 2, with the
batch normalizations folded into the weights. The weights are random numbers of a fixed seed, of the variance that keeps
the size of the activations (He et al., 2015). The expected output is computed by NumPy in float64 from the weights as
float32, without rounding in between.

The tolerance is an absolute one of our own: every one of the 53 layers rounds each sum to float32, whose relative error
is at most 2^-24 for each of up to 1280 terms but in practice a few units, and the classes are of the size of 1.
"""

import argparse
import json

import numpy as np

# Expansion, output channels, repetitions, stride of the first: the rows of table 2.
BLOCKS = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
CLASSES = 1000
SIZE = 224
TOLERANCE = 1e-4


def channels(count: int, width: float) -> int:
    """A number of channels, scaled and kept a multiple of 8."""
    return max(8, int(count * width + 4) // 8 * 8)


class Network:
    """A graph in the making, and the value of each operand."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.inputs, self.operators, self.values = {}, [], {}

    def data(self, name: str, array: np.ndarray, constant: bool) -> str:
        stored = array.astype(np.float32)
        self.values[name] = stored.astype(np.float64)
        descriptor = {"dataType": "float32", "shape": list(stored.shape)}
        # The shortest decimals that give the same float32.
        data = [float(str(number)) for number in stored.ravel()]
        self.inputs[name] = {"descriptor": descriptor, **({"constant": True} if constant else {}), "data": data}
        return name

    def weights(self, name: str, shape: tuple[int, ...], terms: int) -> str:
        return self.data(name, self.random.normal(0, np.sqrt(2 / terms), shape), constant=True)

    def operator(self, name: str, arguments: list[dict], value: np.ndarray) -> str:
        output = f"{name}{len(self.operators)}"
        self.operators.append({"name": name, "arguments": arguments, "outputs": output})
        self.values[output] = value
        return output

    def clamp(self, x: str) -> str:
        options = {"minValue": 0, "maxValue": 6}
        return self.operator("clamp", [{"input": x}, {"options": options}], np.clip(self.values[x], 0, 6))

    def add(self, a: str, b: str) -> str:
        return self.operator("add", [{"a": a}, {"b": b}], self.values[a] + self.values[b])

    def conv2d(self, x: str, outputs: int, size: int, stride: int, depthwise: bool = False) -> str:
        depth = self.values[x].shape[1]
        of_each = 1 if depthwise else depth
        layer = len(self.operators)
        filter = self.weights(f"filter{layer}", (outputs, of_each, size, size), of_each * size * size)
        bias = self.data(f"bias{layer}", self.random.normal(0, 0.1, outputs), constant=True)
        options = {"padding": [size // 2] * 4, "strides": [stride] * 2, "groups": depth if depthwise else 1, "bias": bias}
        value = convolved(self.values[x], self.values[filter], self.values[bias], stride, depthwise)
        return self.operator("conv2d", [{"input": x}, {"filter": filter}, {"options": options}], value)


def convolved(x: np.ndarray, filter: np.ndarray, bias: np.ndarray, stride: int, depthwise: bool) -> np.ndarray:
    """A convolution of an odd filter with the padding that keeps the size, one place of the filter after the other."""
    size = filter.shape[2]
    padded = np.pad(x, [(0, 0), (0, 0), (size // 2,) * 2, (size // 2,) * 2])
    rows, columns = ((extent - size) // stride + 1 for extent in padded.shape[2:])
    total = np.zeros((x.shape[0], filter.shape[0], rows, columns)) + bias[:, None, None]
    for row in range(size):
        for column in range(size):
            seen = padded[:, :, row :: stride, column :: stride][:, :, :rows, :columns]
            at = filter[:, :, row, column]
            total += seen * at[:, 0, None, None] if depthwise else np.einsum("oc,nchw->nohw", at, seen, optimize=True)
    return total


def mobilenet(width: float) -> dict:
    net = Network(seed=1)
    x = net.data("image", net.random.normal(0, 1, (1, 3, SIZE, SIZE)), constant=False)
    x = net.clamp(net.conv2d(x, channels(32, width), 3, 2))
    for expansion, count, repetitions, first_stride in BLOCKS:
        for repetition in range(repetitions):
            x = inverted_residual(net, x, expansion, channels(count, width), first_stride if repetition == 0 else 1)
    x = net.clamp(net.conv2d(x, max(1280, channels(1280, width)), 1, 1))
    mean = net.values[x].mean(axis=(2, 3), keepdims=True)
    x = net.operator("averagePool2d", [{"input": x}], mean)
    depth = net.values[x].shape[1]
    x = net.operator("reshape", [{"input": x}, {"newShape": [1, depth]}], net.values[x].reshape(1, depth))
    b = net.weights("classifier", (depth, CLASSES), depth)
    c = net.data("classifierBias", net.random.normal(0, 0.1, CLASSES), constant=True)
    value = net.values[x] @ net.values[b] + net.values[c]
    classes = net.operator("gemm", [{"a": x}, {"b": b}, {"options": {"c": c}}], value)
    expected = {
        "descriptor": {"dataType": "float32", "shape": [1, CLASSES]},
        "data": [float(str(np.float32(number))) for number in value.ravel()],
    }
    graph = {"inputs": net.inputs, "operators": net.operators, "expectedOutputs": {classes: expected}}
    name = f"MobileNet v2 of width {width:g}, {SIZE} by {SIZE}"
    return {"name": name, "tolerance": {"metricType": "ATOL", "value": TOLERANCE}, "graph": graph}


def inverted_residual(net: Network, x: str, expansion: int, outputs: int, stride: int) -> str:
    depth = net.values[x].shape[1]
    y = x if expansion == 1 else net.clamp(net.conv2d(x, depth * expansion, 1, 1))
    y = net.clamp(net.conv2d(y, depth * expansion, 3, stride, depthwise=True))
    y = net.conv2d(y, outputs, 1, 1)
    return net.add(x, y) if stride == 1 and depth == outputs else y


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes MobileNet v2 as a vector.")
    parser.add_argument("file", help="where to write it")
    parser.add_argument("--width", type=float, default=1.0, help="a multiplier of the numbers of channels (default 1)")
    arguments = parser.parse_args()
    source = f"NumPy {np.__version__} in float64 from the weights as float32"
    with open(arguments.file, "w", encoding="utf-8") as file:
        json.dump({"source": source, "section": "networks", "tests": [mobilenet(arguments.width)]}, file)


if __name__ == "__main__":
    main()
