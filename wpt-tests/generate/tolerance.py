"""The tolerance of each operator: WPT's rules, read off the numbers in its vectors.

ULP rules, with n the length of the reduction (the product of the reduced sizes, 1 when nothing is reduced):
matmul 2K; gemm 2K, +1 for an alpha other than 1, and with c and a beta other than 0 +1, and +1 for a beta other than 1;
conv2d 2 * kh * kw * Cin / groups (bias adds nothing); averagePool2d and l2Pool2d kh * kw + 2; softmax 3n + 3;
reduceL1, reduceSum, reduceProduct n; reduceSumSquare 2n; reduceL2 2n + 1; reduceMean n + 2; reduceLogSum n + 18;
reduceLogSumExp 2n + 18. max, min, reduceL2 and tanh have two rules in WPT; the one of 2026 is taken for max (0) and tanh (16
instead of an absolute one), the older, tighter one for reduceL2.
convTranspose2d as conv2d; cumulativeSum n - 1; resample2d 84 and 10 where it is linear, 1 for integers.
gru 6, gruCell 3, lstm 3, lstmCell 1 are WPT's for vectors whose activations are relu (all but one); here each kind of activation
beside it adds its own operator's tolerance, as WPT adds those of the operators of a graph.
Integers, comparisons, classifications and data movement are exact: they have no tolerance. Only the rounding of quantizeLinear has one.
"""

import math

from rounding import FLOATS

# (float32, float16)
ULP = {
    "add": (1, 1), "sub": (1, 1), "mul": (1, 1), "div": (2, 2), "max": (0, 0), "min": (0, 0), "pow": (32, 2),
    "abs": (0, 0), "ceil": (0, 0), "exp": (32, 1), "floor": (0, 0), "neg": (0, 0), "reciprocal": (2, 2),
    "roundEven": (0, 0), "sign": (0, 0), "sqrt": (1, 1), "cast": (1, 1), "clamp": (0, 0), "relu": (0, 0),
    "sigmoid": (34, 10), "maxPool2d": (0, 0), "reduceMax": (0, 0), "reduceMin": (0, 0),
    "batchNormalization": (6, 6), "dequantizeLinear": (1, 1), "elu": (18, 18), "gelu": (18, 18), "hardSigmoid": (2, 2), "hardSwish": (4, 4),
    "instanceNormalization": (840, 8400), "layerNormalization": (14, 14), "leakyRelu": (1, 2), "linear": (2, 2), "prelu": (1, 1),
    "softplus": (18, 18), "softsign": (3, 3), "tanh": (16, 16),
}
ATOL = {
    "cos": (2**-10, 2**-9), "erf": (2**-10, 2**-9), "log": (2**-10, 2**-10), "sin": (2**-10, 2**-9), "tan": (2**-10, 2**-9),
}


def reduced_length(shape, options):
    return math.prod(shape[axis] for axis in options.get("axes", range(len(shape))))


REDUCTION = {
    "reduceL1": lambda n: n, "reduceSum": lambda n: n, "reduceProduct": lambda n: n, "reduceSumSquare": lambda n: 2 * n,
    "reduceL2": lambda n: 2 * n + 1, "reduceMean": lambda n: n + 2, "reduceLogSum": lambda n: n + 18,
    "reduceLogSumExp": lambda n: 2 * n + 18,
}


# with the activations that are the default
RECURRENT = {"gru": (6, ["sigmoid", "tanh"]), "gruCell": (3, ["sigmoid", "tanh"]), "lstm": (3, ["sigmoid", "tanh", "tanh"]),
             "lstmCell": (1, ["sigmoid", "tanh", "tanh"])}


def of_graph(tolerances):
    """The tolerance of a graph: the sum of its operators' tolerances. They have to be of one metric."""
    tolerances = [tolerance for tolerance in tolerances if tolerance]
    if len(tolerances) < 2:
        return tolerances[0] if tolerances else None
    assert {tolerance["metricType"] for tolerance in tolerances} == {"ULP"}, "give this graph a tolerance"
    return {"metricType": "ULP", "value": sum(tolerance["value"] for tolerance in tolerances)}


def tolerance(operator, call, data_type):
    """The tolerance of `operator`, called with `call` (its arguments by name, operands as Tensors), or None for exact."""
    options = call.get("options", {})
    if data_type not in FLOATS:
        is_rounded = operator == "quantizeLinear" or operator == "resample2d" and options.get("mode") == "linear"
        return {"metricType": "ULP", "value": 1} if is_rounded else None
    column = FLOATS.index(data_type)
    if operator in ATOL:
        return {"metricType": "ATOL", "value": ATOL[operator][column]}
    if operator in ULP:
        value = ULP[operator][column]
    elif operator == "softmax":
        value = 3 * call["input"].shape[call["axis"]] + 3
    elif operator == "matmul":
        value = 2 * call["a"].shape[-1]
    elif operator == "gemm":
        value = 2 * call["a"].shape[0 if options.get("aTranspose") else 1]
        value += options.get("alpha", 1) != 1
        if "c" in options and options.get("beta", 1) != 0:
            value += 1 + (options.get("beta", 1) != 1)
    elif operator == "conv2d":
        filter_shape = dict(zip(options.get("filterLayout", "oihw"), call["filter"].shape))
        value = 2 * filter_shape["h"] * filter_shape["w"] * filter_shape["i"]
    elif operator == "convTranspose2d":
        layout = options.get("filterLayout", "iohw")
        filter_shape = dict(zip(layout, call["filter"].shape))
        value = 2 * filter_shape["h"] * filter_shape["w"] * filter_shape["i"] // options.get("groups", 1)
    elif operator == "cumulativeSum":
        value = call["input"].shape[call["axis"]] - 1
    elif operator == "resample2d":
        value = (84, 10)[column] if options.get("mode") == "linear" else 0
    elif operator in RECURRENT:
        value, activations = RECURRENT[operator]
        value += sum(ULP[name][column] for name in set(options.get("activations", activations)))
    elif operator in ("averagePool2d", "l2Pool2d"):
        layout = options.get("layout", "nchw")
        window = options.get("windowDimensions", [call["input"].shape[layout.index(axis)] for axis in "hw"])
        value = window[0] * window[1] + 2
    elif operator in REDUCTION:
        value = REDUCTION[operator](reduced_length(call["input"].shape, options))
    else:
        return None
    return {"metricType": "ULP", "value": value}
