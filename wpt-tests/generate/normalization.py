"""batchNormalization, instanceNormalization, layerNormalization. A missing scale is 1 and a missing bias is 0."""

import mpmath
import numpy
from mpmath import mpf

from values import elementwise, high, option


def along(values, axes, rank):
    """`values`, of one dimension for each of `axes`, as an array of `rank` dimensions that broadcasts."""
    order = sorted(range(len(axes)), key=lambda index: axes[index])
    values = elementwise(high, values).transpose(order)
    shape = [1] * rank
    for axis, size in zip(sorted(axes), values.shape):
        shape[axis] = size
    return values.reshape(shape)


def roots(values):
    return elementwise(mpmath.sqrt, values)


def scaled(normalized, call, axes, rank):
    options = call.get("options", {})
    if "scale" in options:
        normalized = normalized * along(options["scale"].values, axes, rank)
    return normalized + along(options["bias"].values, axes, rank) if "bias" in options else normalized


def epsilon(call):
    return mpf(option(call, "epsilon", 1e-5, call["input"].data_type))


def batch_normalization(call):
    input, axes = call["input"], [call.get("options", {}).get("axis", 1)]
    rank = len(input.shape)
    mean, variance = along(call["mean"].values, axes, rank), along(call["variance"].values, axes, rank)
    normalized = (elementwise(high, input.values) - mean) / roots(variance + epsilon(call))
    return input.data_type, scaled(normalized, call, axes, rank)


def normalized_over(call, axes):
    x = elementwise(high, call["input"].values)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    mean = x.sum(axis=tuple(axes), keepdims=True) / count if axes else x
    centred = x - mean
    variance = (centred * centred).sum(axis=tuple(axes), keepdims=True) / count if axes else centred * centred
    return centred / roots(numpy.asarray(variance, dtype=object) + epsilon(call))


def instance_normalization(call):
    layout = call.get("options", {}).get("layout", "nchw")
    normalized = normalized_over(call, [layout.index("h"), layout.index("w")])
    return call["input"].data_type, scaled(normalized, call, [layout.index("c")], 4)


def layer_normalization(call):
    rank = len(call["input"].shape)
    axes = call.get("options", {}).get("axes", list(range(1, rank)))
    return call["input"].data_type, scaled(normalized_over(call, axes), call, axes, rank)


OPERATORS = {"batchNormalization": batch_normalization, "instanceNormalization": instance_normalization, "layerNormalization": layer_normalization}
