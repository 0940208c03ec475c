"""Graphs of several operators: small pieces of networks as they are used."""

from sections.quantizelinear import not_an_input
from vector import Section, random_integers, randoms, size, tensor

SOURCE = "exact arithmetic in Python or mpmath 1.4.1 at 50 digits, rounded once after each operator"


def section():
    s = Section("graphs", SOURCE)
    for data_type in ("float32", "float16"):
        perceptron(s, data_type)
        residual(s, data_type)
        depthwise(s, data_type)
        attention(s, data_type)
        feed_forward(s, data_type)
        upsampling(s, data_type)
        embedding(s, data_type)
        recurrent(s, data_type)
    quantized(s)
    masked(s)
    integers(s)
    return s


def positive(seed, data_type, shape, constant=False, low=0.1, high=0.9):
    return tensor(data_type, shape, randoms(seed, size(shape), low, high), constant)


def mixed(seed, data_type, shape, constant=False):
    """Quarters of both signs, of which few products add up exactly."""
    return tensor(data_type, shape, [x / 4 for x in random_integers(seed, size(shape), -4, 5)], constant)


def perceptron(s, data_type):
    """Two layers: gemm and relu, gemm and softmax."""
    s.graph(f"perceptron {data_type}", {
        "x": positive(1, data_type, [2, 4]), "w1": positive(2, data_type, [4, 3], True), "b1": positive(3, data_type, [3], True),
        "w2": positive(4, data_type, [3, 3], True), "b2": positive(5, data_type, [3], True)}, [
        ("gemm", {"a": "x", "b": "w1", "options": {"c": "b1"}}, "sum1"), ("relu", {"input": "sum1"}, "hidden"),
        ("gemm", {"a": "hidden", "b": "w2", "options": {"c": "b2", "bTranspose": True}}, "sum2"), ("softmax", {"input": "sum2", "axis": 1}, "y")])
    s.graph(f"perceptron {data_type} of matmul and add", {
        "x": mixed(6, data_type, [2, 3]), "w1": mixed(7, data_type, [3, 4], True), "b1": mixed(8, data_type, [4], True),
        "w2": mixed(9, data_type, [4, 2], True)}, [
        ("matmul", {"a": "x", "b": "w1"}, "product"), ("add", {"a": "product", "b": "b1"}, "sum"), ("relu", {"input": "sum"}, "hidden"),
        ("matmul", {"a": "hidden", "b": "w2"}, "y")], expect=["hidden", "y"], note="an inner operand is an output, too")


def residual(s, data_type):
    """Two convolutions with a connection around them."""
    s.graph(f"residual block {data_type}", {
        "x": mixed(11, data_type, [1, 2, 3, 3]), "w1": mixed(12, data_type, [2, 2, 3, 3], True), "b1": mixed(13, data_type, [2], True),
        "w2": mixed(14, data_type, [2, 2, 1, 1], True), "b2": mixed(15, data_type, [2], True)}, [
        ("conv2d", {"input": "x", "filter": "w1", "options": {"bias": "b1", "padding": [1, 1, 1, 1]}}, "c1"),
        ("clamp", {"input": "c1", "options": {"minValue": 0, "maxValue": 6}}, "r1"),
        ("conv2d", {"input": "r1", "filter": "w2", "options": {"bias": "b2"}}, "c2"),
        ("add", {"a": "c2", "b": "x"}, "sum"), ("relu", {"input": "sum"}, "y")], tolerance={"metricType": "ULP", "value": 42},
        note="quarters: every sum is exact, unless an implementation rounds in between to fewer bits than the type has")


def depthwise(s, data_type):
    """The block of a mobile network, with batchNormalization and hardSwish, in nhwc."""
    s.graph(f"depthwise block {data_type}", {
        "x": positive(21, data_type, [1, 3, 3, 2]), "w1": positive(22, data_type, [1, 2, 2, 2], True), "mean": positive(23, data_type, [2], True, 0, 0.2),
        "variance": positive(24, data_type, [2], True, 0.5, 2), "scale": positive(25, data_type, [2], True), "bias": positive(26, data_type, [2], True),
        "w2": positive(27, data_type, [3, 1, 1, 2], True)}, [
        ("conv2d", {"input": "x", "filter": "w1", "options": {"groups": 2, "inputLayout": "nhwc", "filterLayout": "ihwo"}}, "c1"),
        ("batchNormalization", {"input": "c1", "mean": "mean", "variance": "variance", "options": {"axis": 3, "scale": "scale", "bias": "bias"}}, "n1"),
        ("hardSwish", {"input": "n1"}, "a1"),
        ("conv2d", {"input": "a1", "filter": "w2", "options": {"inputLayout": "nhwc", "filterLayout": "ohwi"}}, "c2"),
        ("averagePool2d", {"input": "c2", "options": {"layout": "nhwc"}}, "p"), ("reshape", {"input": "p", "newShape": [1, 3]}, "y")])


def attention(s, data_type):
    """One head: softmax(q k^T / sqrt(d)) v, of projections of one input."""
    s.graph(f"attention head {data_type}", {
        "x": positive(31, data_type, [2, 3, 4]), "wq": positive(32, data_type, [4, 4], True), "wk": positive(33, data_type, [4, 4], True),
        "wv": positive(34, data_type, [4, 2], True), "factor": tensor(data_type, [], [0.5], True)}, [
        ("matmul", {"a": "x", "b": "wq"}, "q"), ("matmul", {"a": "x", "b": "wk"}, "k"), ("matmul", {"a": "x", "b": "wv"}, "v"),
        ("transpose", {"input": "k", "options": {"permutation": [0, 2, 1]}}, "kt"), ("matmul", {"a": "q", "b": "kt"}, "products"),
        ("mul", {"a": "products", "b": "factor"}, "scores"), ("softmax", {"input": "scores", "axis": 2}, "weights"),
        ("matmul", {"a": "weights", "b": "v"}, "y")], literal={"issue": "transpose-shape", "outcome": "throws"})
    s.graph(f"attention heads {data_type}", {
        "x": positive(35, data_type, [1, 2, 4]), "qkv": positive(36, data_type, [4, 12], True)}, [
        ("matmul", {"a": "x", "b": "qkv"}, "all"), ("split", {"input": "all", "splits": 3, "options": {"axis": 2}}, ["q", "k", "v"]),
        ("reshape", {"input": "q", "newShape": [1, 2, 2, 2]}, "q4"), ("reshape", {"input": "k", "newShape": [1, 2, 2, 2]}, "k4"),
        ("reshape", {"input": "v", "newShape": [1, 2, 2, 2]}, "v4"),
        ("transpose", {"input": "q4", "options": {"permutation": [0, 2, 1, 3]}}, "qh"),
        ("transpose", {"input": "k4", "options": {"permutation": [0, 2, 3, 1]}}, "kh"),
        ("transpose", {"input": "v4", "options": {"permutation": [0, 2, 1, 3]}}, "vh"),
        ("matmul", {"a": "qh", "b": "kh"}, "scores"), ("softmax", {"input": "scores", "axis": 3}, "weights"),
        ("matmul", {"a": "weights", "b": "vh"}, "heads"), ("transpose", {"input": "heads", "options": {"permutation": [0, 2, 1, 3]}}, "joined"),
        ("reshape", {"input": "joined", "newShape": [1, 2, 4]}, "y")], literal={"issue": "split-shared-descriptor", "outcome": "throws"})


def feed_forward(s, data_type):
    """layerNormalization, two layers with gelu between them, and the connection around them."""
    s.graph(f"feed-forward block {data_type}", {
        "x": positive(41, data_type, [2, 4], high=3), "scale": positive(42, data_type, [4], True), "bias": positive(43, data_type, [4], True, 1, 2),
        "w1": positive(44, data_type, [4, 3], True), "w2": positive(45, data_type, [3, 4], True)}, [
        ("layerNormalization", {"input": "x", "options": {"scale": "scale", "bias": "bias"}}, "n"), ("matmul", {"a": "n", "b": "w1"}, "h"),
        ("gelu", {"input": "h"}, "g"), ("matmul", {"a": "g", "b": "w2"}, "p"), ("add", {"a": "p", "b": "x"}, "y")])


def upsampling(s, data_type):
    """The decoder of a segmentation: a transposed convolution, a skip connection, resampling."""
    s.graph(f"decoder {data_type}", {
        "x": positive(51, data_type, [1, 2, 2, 2]), "skip": positive(52, data_type, [1, 1, 4, 4]), "w": positive(53, data_type, [2, 1, 2, 2], True)}, [
        ("convTranspose2d", {"input": "x", "filter": "w", "options": {"strides": [2, 2]}}, "up"),
        ("concat", {"inputs": ["up", "skip"], "axis": 1}, "both"),
        ("resample2d", {"input": "both", "options": {"mode": "linear", "scales": [0.5, 0.5]}}, "half"),
        ("instanceNormalization", {"input": "half", "options": {"epsilon": 0.5}}, "n"), ("sigmoid", {"input": "n"}, "y")])


def embedding(s, data_type):
    """Rows of a table, their mean, and the best class."""
    s.graph(f"embedding {data_type}", {
        "tokens": tensor("int32", [2, 3], [4, 0, 2, 1, 1, 3]), "table": positive(61, data_type, [5, 4], True)}, [
        ("gather", {"input": "table", "indices": "tokens"}, "rows"), ("reduceMean", {"input": "rows", "options": {"axes": [1]}}, "mean"),
        ("argMax", {"input": "mean", "axis": 1}, "class")], expect=["mean", "class"],
        tolerance={"metricType": "ULP", "value": 5}, literal={"issue": "gather-dimensions-after-axis", "outcome": "throws"})


def recurrent(s, data_type):
    """An lstm in both directions, the last of its sequence, and a layer."""
    s.graph(f"recurrent network {data_type}", {
        "x": positive(71, data_type, [2, 1, 2]), "w": positive(72, data_type, [2, 8, 2], True), "r": positive(73, data_type, [2, 8, 2], True),
        "out": positive(74, data_type, [4, 2], True)}, [
        ("lstm", {"input": "x", "weight": "w", "recurrentWeight": "r", "steps": 2, "hiddenSize": 2,
                  "options": {"direction": "both", "returnSequence": True}}, ["hidden", "cell", "sequence"]),
        ("slice", {"input": "sequence", "starts": [1, 0, 0, 0], "sizes": [1, 2, 1, 2]}, "last"), ("reshape", {"input": "last", "newShape": [1, 4]}, "flat"),
        ("matmul", {"a": "flat", "b": "out"}, "sum"), ("tanh", {"input": "sum"}, "y")], expect=["y", "cell"])


def quantized(s):
    """A layer with weights of 8 bits, and one whose result is quantized again."""
    s.graph("quantized weights float32", {
        "x": positive(81, "float32", [2, 4]), "w": tensor("int8", [4, 2], [100, 120, 90, 80, 127, 60, 70, 110], True),
        "scale": tensor("float32", [2, 2], [0.01, 0.02, 0.03, 0.015], True), "zero": tensor("int8", [2, 2], [3, -2, 0, 5], True)}, [
        ("dequantizeLinear", {"input": "w", "scale": "scale", "zeroPoint": "zero"}, "weights"), ("matmul", {"a": "x", "b": "weights"}, "y")],
        literal=not_an_input())
    s.graph("quantized layer float32", {
        "x": tensor("float32", [2, 2], [0.5, -1.25, 2, 0.75]), "xs": tensor("float32", [1, 1], [0.25], True), "xz": tensor("uint8", [1, 1], [128], True),
        "w": tensor("int8", [2, 2], [10, -20, 7, 3], True), "ws": tensor("float32", [1, 2], [0.125, 0.5], True),
        "wz": tensor("int8", [1, 2], [1, -1], True), "ys": tensor("float32", [1, 1], [0.5], True), "yz": tensor("uint8", [1, 1], [100], True)}, [
        ("quantizeLinear", {"input": "x", "scale": "xs", "zeroPoint": "xz"}, "xq"),
        ("dequantizeLinear", {"input": "xq", "scale": "xs", "zeroPoint": "xz"}, "xd"),
        ("dequantizeLinear", {"input": "w", "scale": "ws", "zeroPoint": "wz"}, "wd"), ("matmul", {"a": "xd", "b": "wd"}, "p"),
        ("quantizeLinear", {"input": "p", "scale": "ys", "zeroPoint": "yz"}, "y")], tolerance={"metricType": "ULP", "value": 0},
        literal=not_an_input(), note="powers of two: every product is exact")


def masked(s):
    """A causal mask, as a network for text makes it."""
    s.graph("causal mask float32", {
        "scores": positive(91, "float32", [3, 3], high=4), "ones": tensor("uint8", [3, 3], [1] * 9, True), "low": tensor("float32", [], [-1e9], True)}, [
        ("triangular", {"input": "ones", "options": {"upper": False}}, "mask"),
        ("where", {"condition": "mask", "trueValue": "scores", "falseValue": "low"}, "kept"), ("softmax", {"input": "kept", "axis": 1}, "y")])


def integers(s):
    """Positions from a mask, and values that they find."""
    s.graph("positions int32", {
        "mask": tensor("uint8", [6], [1, 0, 1, 1, 0, 1]), "values": tensor("int32", [7], [0, 11, 22, 33, 44, 55, 66], True)}, [
        ("cast", {"input": "mask", "dataType": "int32"}, "ones"), ("cumulativeSum", {"input": "ones", "axis": 0}, "sums"),
        ("mul", {"a": "sums", "b": "ones"}, "places"), ("gather", {"input": "values", "indices": "places"}, "y")], literal={
            "issue": "cast-data-type", "outcome": "throws"})
