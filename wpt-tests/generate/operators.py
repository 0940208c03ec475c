"""What each operator computes, from the specification's formulas, on exact numbers.

Every function takes the arguments of the call by name, with operands as Tensors, and returns (data type, array of
exact values). Nothing here is taken from the Rust code, and nothing is rounded: `evaluate` rounds once at the end.
"""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy
from mpmath import mpf

import activations
import indexing
import normalization
import quantization
import recurrent
from rounding import FLOATS, INTEGERS, cast_number, exact
from values import Tensor, array, elementwise, finite, fraction, high


# --- element-wise binary -------------------------------------------------------------------------------------------


def add(a, b):
    return fraction(a) + fraction(b) if finite(a, b) and a + b != 0 else a + b


def sub(a, b):
    return fraction(a) - fraction(b) if finite(a, b) and a - b != 0 else a - b


def mul(a, b):
    return fraction(a) * fraction(b) if finite(a, b) and a != 0 and b != 0 else a * b


def div(a, b):
    if isinstance(a, int):
        quotient = abs(a) // abs(b)  # truncated toward zero
        return quotient if (a < 0) == (b < 0) else -quotient
    if finite(a, b) and a != 0 and b != 0:
        return Fraction(a) / Fraction(b)
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def maximum(a, b):
    assert not (math.isnan(a) or math.isnan(b)), "max of NaN is left open"
    return max(a, b)


def minimum(a, b):
    assert not (math.isnan(a) or math.isnan(b)), "min of NaN is left open"
    return min(a, b)


def power(a, b):
    if isinstance(a, int):
        return a**b
    if b == 0:
        return 1
    if finite(a, b) and a != 0:
        if b == int(b) and abs(b) < 64:
            return Fraction(a) ** int(b)
        if a < 0 and b != int(b):
            return math.nan
        return mpmath.power(high(a), high(b))
    if a == 0 and b < 0:
        # the sign of the zero matters to odd integers only
        return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
    return math.pow(a, b)


BINARY = {"add": add, "sub": sub, "mul": mul, "div": div, "max": maximum, "min": minimum, "pow": power}

# --- element-wise logical ------------------------------------------------------------------------------------------

COMPARISON = {
    "equal": lambda a, b: a == b, "notEqual": lambda a, b: a != b,
    "greater": lambda a, b: a > b, "greaterOrEqual": lambda a, b: a >= b,
    "lesser": lambda a, b: a < b, "lesserOrEqual": lambda a, b: a <= b,
    "logicalAnd": lambda a, b: a != 0 and b != 0, "logicalOr": lambda a, b: a != 0 or b != 0,
    "logicalXor": lambda a, b: (a != 0) != (b != 0),
}
CLASSIFICATION = {"logicalNot": lambda a: a == 0, "isNaN": math.isnan, "isInfinite": math.isinf}

# --- element-wise unary --------------------------------------------------------------------------------------------


def integral(rounding):
    def function(x):
        if not finite(x) or x == 0:
            return x
        value = rounding(Fraction(x))
        return value if value != 0 else math.copysign(0.0, x)
    return function


def nan_safe(function):
    return lambda x: math.nan if math.isnan(x) else function(x)


def logarithm(x):
    if x == 0:
        return -math.inf
    return math.nan if x < 0 else x if math.isinf(x) else mpmath.log(high(x))


def square_root(x):
    return math.nan if x < 0 else x if x == 0 or math.isinf(x) else mpmath.sqrt(high(x))


def circular(function):
    return lambda x: math.nan if math.isinf(x) else x if x == 0 and function is not mpmath.cos else function(high(x))


UNARY = {
    "abs": abs,
    "ceil": integral(math.ceil),
    "cos": nan_safe(circular(mpmath.cos)),
    "erf": nan_safe(lambda x: math.copysign(1, x) if math.isinf(x) else x if x == 0 else mpmath.erf(high(x))),
    "exp": nan_safe(lambda x: mpmath.exp(high(x)) if math.isfinite(x) else math.inf if x > 0 else 0.0),
    "floor": integral(math.floor),
    "identity": lambda x: x,
    "log": nan_safe(logarithm),
    "neg": lambda x: -x,
    "reciprocal": nan_safe(lambda x: div(1.0, x)),
    "roundEven": integral(round),
    "sign": lambda x: (x > 0) - (x < 0),  # neither for NaN: 0
    "sin": nan_safe(circular(mpmath.sin)),
    "sqrt": nan_safe(square_root),
    "tan": nan_safe(circular(mpmath.tan)),
    "relu": lambda x: x if x > 0 else 0,
    "sigmoid": nan_safe(lambda x: (0.0 if x < 0 else 1) if math.isinf(x) else 1 / (1 + mpmath.exp(-high(x)))),
}


def cast(x, target):
    if target in FLOATS:
        return x
    if isinstance(x, float):
        x = math.trunc(x)
        low, high_ = INTEGERS[target]
        assert low <= x <= high_, "a float out of the integer's range is implementation-defined"
        return x
    low, high_ = INTEGERS[target]
    size = high_ - low + 1
    return (x - low) % size + low


def clamp(input, options):
    """The bounds are cast to the input's type; a missing one does not clamp (as the table of options says)."""
    low = cast_number(options.get("minValue", -math.inf), input.data_type)
    high_ = cast_number(options.get("maxValue", math.inf), input.data_type)
    assert low <= high_
    return elementwise(lambda x: min(max(x, low), high_), input.values)


# --- products ------------------------------------------------------------------------------------------------------


def matrix_product(a, b):
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a = numpy.broadcast_to(elementwise(fraction, a), batch + (rows, inner))
    b = numpy.broadcast_to(elementwise(fraction, b), batch + (inner, columns))
    result = numpy.empty(batch + (rows, columns), dtype=object)
    for index in numpy.ndindex(*batch):
        for i, j in numpy.ndindex(rows, columns):
            result[index + (i, j)] = sum(a[index + (i, k)] * b[index + (k, j)] for k in range(inner))
    return result


def gemm(a, b, options):
    left = a.values.T if options.get("aTranspose") else a.values
    right = b.values.T if options.get("bTranspose") else b.values
    alpha, beta = (fraction(cast_number(options.get(name, 1.0), a.data_type)) for name in ("alpha", "beta"))
    product = alpha * matrix_product(left, right)
    if "c" in options:
        product = product + beta * numpy.broadcast_to(elementwise(fraction, options["c"].values), product.shape)
    return product


def spatial_sizes(size, window, padding, stride, dilation):
    """The exact output size of a sliding window, before it is rounded."""
    return Fraction(size - (window - 1) * dilation - 1 + padding[0] + padding[1], stride) + 1


def window_positions(output, stride, dilation, window, padding):
    """The input positions under the window at one output position, some of them outside the input."""
    return [output * stride - padding + offset * dilation for offset in range(window)]


def to_layout(values, source, target):
    return values.transpose([source.index(axis) for axis in target])


def conv2d(input, filter, options):
    layout = options.get("inputLayout", "nchw")
    x = to_layout(elementwise(fraction, input.values), layout, "nchw")
    w = to_layout(elementwise(fraction, filter.values), options.get("filterLayout", "oihw"), "oihw")
    padding, strides, dilations = options.get("padding", [0] * 4), options.get("strides", [1, 1]), options.get("dilations", [1, 1])
    groups = options.get("groups", 1)
    batches, _, *sizes = x.shape
    channels, group_inputs, *window = w.shape
    outputs = [math.floor(spatial_sizes(sizes[d], window[d], padding[2 * d:2 * d + 2], strides[d], dilations[d])) for d in (0, 1)]
    result = numpy.empty((batches, channels, *outputs), dtype=object)
    for n, o, i, j in numpy.ndindex(*result.shape):
        total = fraction(options["bias"].values[o]) if "bias" in options else 0
        first = o // (channels // groups) * group_inputs
        rows = window_positions(i, strides[0], dilations[0], window[0], padding[0])
        columns = window_positions(j, strides[1], dilations[1], window[1], padding[2])
        for (di, row), (dj, column), c in itertools.product(enumerate(rows), enumerate(columns), range(group_inputs)):
            if 0 <= row < sizes[0] and 0 <= column < sizes[1]:
                total += x[n, first + c, row, column] * w[o, c, di, dj]
        result[n, o, i, j] = total
    return to_layout(result, "nchw", layout)


def conv_transpose2d(input, filter, options):
    """Each element of the input adds the filter, scaled by it, to the output: the adjoint of conv2d."""
    layout = options.get("inputLayout", "nchw")
    x = to_layout(elementwise(fraction, input.values), layout, "nchw")
    w = to_layout(elementwise(fraction, filter.values), options.get("filterLayout", "iohw"), "iohw")
    padding, strides, dilations = options.get("padding", [0] * 4), options.get("strides", [1, 1]), options.get("dilations", [1, 1])
    groups, output_padding = options.get("groups", 1), options.get("outputPadding", [0, 0])
    batches, inputs, *sizes = x.shape
    _, group_outputs, *window = w.shape
    outputs = options.get("outputSizes") or [
        (sizes[d] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - padding[2 * d] - padding[2 * d + 1] + output_padding[d] for d in (0, 1)]
    result = numpy.full((batches, group_outputs * groups, *outputs), 0, dtype=object)
    for n, c, i, j in numpy.ndindex(*x.shape):
        first = c // (inputs // groups) * group_outputs
        for o, di, dj in numpy.ndindex(*w.shape[1:]):
            row, column = i * strides[0] + di * dilations[0] - padding[0], j * strides[1] + dj * dilations[1] - padding[2]
            if 0 <= row < outputs[0] and 0 <= column < outputs[1]:
                result[n, first + o, row, column] += x[n, c, i, j] * w[c, o, di, dj]
    if "bias" in options:
        result = result + elementwise(fraction, options["bias"].values).reshape([-1, 1, 1])
    return to_layout(result, "nchw", layout)


POOLING = {
    "averagePool2d": lambda xs: sum(map(fraction, xs)) / Fraction(len(xs)),
    "l2Pool2d": lambda xs: mpmath.sqrt(sum(high(x) ** 2 for x in xs)),
    "maxPool2d": max,
}


def pool2d(name, input, options):
    """Only the elements inside the input count, also in averagePool2d's divisor (which the specification leaves open)."""
    layout = options.get("layout", "nchw")
    x = to_layout(input.values, layout, "nchw")
    sizes = x.shape[2:]
    window = options.get("windowDimensions", list(sizes))
    padding, strides, dilations = options.get("padding", [0] * 4), options.get("strides", [1, 1]), options.get("dilations", [1, 1])
    rounding = math.ceil if options.get("outputShapeRounding", "floor") == "ceil" else math.floor
    outputs = options.get("outputSizes") or [
        rounding(spatial_sizes(sizes[d], window[d], padding[2 * d:2 * d + 2], strides[d], dilations[d])) for d in (0, 1)]
    result = numpy.empty((*x.shape[:2], *outputs), dtype=object)
    for n, c, i, j in numpy.ndindex(*result.shape):
        rows = window_positions(i, strides[0], dilations[0], window[0], padding[0])
        columns = window_positions(j, strides[1], dilations[1], window[1], padding[2])
        inside = [x[n, c, r, q] for r in rows for q in columns if 0 <= r < sizes[0] and 0 <= q < sizes[1]]
        result[n, c, i, j] = POOLING[name](inside)
    return to_layout(result, "nchw", layout)


# --- reductions and softmax ----------------------------------------------------------------------------------------


def total(xs):
    return sum(map(fraction, xs))


def log_exact(x):
    return -math.inf if x == 0 else mpmath.log(mpf(x.numerator) / x.denominator)


REDUCTION = {
    "reduceL1": lambda xs: total(map(abs, xs)),
    "reduceL2": lambda xs: mpmath.sqrt(sum(high(x) ** 2 for x in xs)),
    "reduceLogSum": lambda xs: log_exact(Fraction(total(xs))),
    "reduceLogSumExp": lambda xs: mpmath.log(sum(mpmath.exp(high(x)) for x in xs)),
    "reduceMax": max,
    "reduceMean": lambda xs: total(xs) / Fraction(len(xs)),
    "reduceMin": min,
    "reduceProduct": lambda xs: math.prod(map(fraction, xs)),
    "reduceSum": total,
    "reduceSumSquare": lambda xs: sum(fraction(x) ** 2 for x in xs),
}


def reduction(name, input, options):
    rank = len(input.shape)
    axes = options.get("axes", list(range(rank)))
    kept = [axis for axis in range(rank) if axis not in axes]
    rows = input.values.transpose(kept + axes).reshape([math.prod(input.shape[a] for a in kept), -1])
    if options.get("keepDimensions"):
        shape = [1 if axis in axes else size for axis, size in enumerate(input.shape)]
    else:
        shape = [input.shape[axis] for axis in kept]
    return array((REDUCTION[name](list(row)) for row in rows), shape)


def softmax(input, axis):
    moved = numpy.moveaxis(input.values, axis, -1)
    result = numpy.empty(moved.shape, dtype=object)
    for index in numpy.ndindex(*moved.shape[:-1]):
        exponentials = [mpmath.exp(high(x)) if math.isfinite(x) else mpf(0) for x in moved[index]]
        denominator = sum(exponentials)
        result[index] = array((x / denominator for x in exponentials), [len(exponentials)])
    return numpy.moveaxis(result, -1, axis)


# --- data movement -------------------------------------------------------------------------------------------------


def slice_of(input, starts, sizes, options):
    strides = options.get("strides", [1] * len(starts))
    return input.values[tuple(slice(start, start + size, stride) for start, size, stride in zip(starts, sizes, strides))]


def where(condition, trueValue, falseValue):
    return elementwise(lambda c, t, f: t if c != 0 else f, condition.values, trueValue.values, falseValue.values)


MORE = {**activations.OPERATORS, **indexing.OPERATORS, **normalization.OPERATORS, **quantization.OPERATORS, **recurrent.OPERATORS}


def compute(name, call):
    """(data type, exact values) of the operator's output; a list of values where it has several outputs."""
    options = call.get("options", {})
    if name in MORE:
        return MORE[name](call)
    if name in BINARY:
        return call["a"].data_type, elementwise(BINARY[name], call["a"].values, call["b"].values)
    if name in COMPARISON:
        return "uint8", elementwise(lambda a, b: int(COMPARISON[name](a, b)), call["a"].values, call["b"].values)
    if name in CLASSIFICATION:
        return "uint8", elementwise(lambda a: int(CLASSIFICATION[name](a)), call["a"].values)
    if name == "concat":
        return call["inputs"][0].data_type, numpy.concatenate([x.values for x in call["inputs"]], call["axis"])
    if name == "where":
        return call["trueValue"].data_type, where(call["condition"], call["trueValue"], call["falseValue"])
    if name == "matmul":
        return call["a"].data_type, matrix_product(call["a"].values, call["b"].values)
    if name == "gemm":
        return call["a"].data_type, gemm(call["a"], call["b"], options)
    input = call["input"]
    if name == "convTranspose2d":
        return input.data_type, conv_transpose2d(input, call["filter"], options)
    if name == "cast":
        return call["dataType"], elementwise(lambda x: cast(x, call["dataType"]), input.values)
    if name in UNARY:
        return input.data_type, elementwise(UNARY[name], input.values)
    if name in REDUCTION:
        return input.data_type, reduction(name, input, options)
    if name in POOLING:
        return input.data_type, pool2d(name, input, options)
    return input.data_type, {
        "clamp": lambda: clamp(input, options),
        "conv2d": lambda: conv2d(input, call["filter"], options),
        "softmax": lambda: softmax(input, call["axis"]),
        "reshape": lambda: input.values.reshape(call["newShape"]),
        "expand": lambda: numpy.broadcast_to(input.values, call["newShape"]),
        "transpose": lambda: input.values.transpose(options.get("permutation")),
        "slice": lambda: slice_of(input, call["starts"], call["sizes"], options),
    }[name]()


def evaluate(name, call):
    """The operator's output, or the list of its outputs, rounded once to the data type."""
    data_type, values = compute(name, call)
    if isinstance(values, list):
        return [rounded(data_type, output) for output in values]
    return rounded(data_type, values)


def rounded(data_type, values):
    values = numpy.asarray(values, dtype=object)
    return Tensor(data_type, values.shape, [exact(x) for x in values.flat])
