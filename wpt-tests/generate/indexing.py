"""Operators that move data, or that find it: gather and scatter, pad, reverse, split, tile, triangular, argMin, cumulativeSum, resample2d."""

import math
from fractions import Fraction

import numpy

from rounding import FLOATS
from values import array, elementwise, finite, fraction, option


def position(index, size):
    """A negative index counts from the end; one out of range is clamped, which the specification allows."""
    index = min(max(index, -size), size - 1)
    return index + size if index < 0 else index


def positions(indices, size):
    return array((position(index, size) for index in indices.values.flat), indices.shape).astype(int)


def gather(call):
    input, axis = call["input"], call.get("options", {}).get("axis", 0)
    return input.data_type, numpy.take(input.values, positions(call["indices"], input.shape[axis]), axis)


def gather_elements(call):
    input, axis = call["input"], call.get("options", {}).get("axis", 0)
    return input.data_type, numpy.take_along_axis(input.values, positions(call["indices"], input.shape[axis]), axis)


def coordinates(indices, shape):
    """(index of the coordinate, coordinate) of each of them."""
    for place in numpy.ndindex(*indices.shape[:-1]):
        yield place, tuple(position(index, size) for index, size in zip(indices.values[place], shape))


def gather_nd(call):
    input, indices = call["input"], call["indices"]
    result = numpy.empty(indices.shape[:-1] + input.shape[indices.shape[-1]:], dtype=object)
    for place, coordinate in coordinates(indices, input.shape):
        result[place] = input.values[coordinate]
    return input.data_type, result


def scatter_elements(call):
    input, axis = call["input"], call.get("options", {}).get("axis", 0)
    result = input.values.copy()
    numpy.put_along_axis(result, positions(call["indices"], input.shape[axis]), call["updates"].values, axis)
    return input.data_type, result


def scatter_nd(call):
    input = call["input"]
    result = input.values.copy()
    for place, coordinate in coordinates(call["indices"], input.shape):
        result[coordinate] = call["updates"].values[place]
    return input.data_type, result


def pad(call):
    input = call["input"]
    widths = list(zip(call["beginningPadding"], call["endingPadding"]))
    mode = call.get("options", {}).get("mode", "constant")
    if not widths:
        return input.data_type, input.values
    if mode == "constant":
        return input.data_type, numpy.pad(input.values, widths, constant_values=option(call, "value", 0, input.data_type))
    return input.data_type, numpy.pad(input.values, widths, {"edge": "edge", "reflection": "reflect"}[mode])


def reverse(call):
    return call["input"].data_type, numpy.flip(call["input"].values, call.get("options", {}).get("axes"))


def split(call):
    input, splits, axis = call["input"], call["splits"], call.get("options", {}).get("axis", 0)
    sizes = splits if isinstance(splits, list) else [input.shape[axis] // splits] * splits
    return input.data_type, numpy.split(input.values, numpy.cumsum(sizes)[:-1], axis)


def tile(call):
    return call["input"].data_type, numpy.tile(call["input"].values, call["repetitions"])


def triangular(call):
    options = call.get("options", {})
    part = numpy.triu if options.get("upper", True) else numpy.tril
    return call["input"].data_type, part(call["input"].values, options.get("diagonal", 0))


def arg_of(best):
    """The place of the first of the smallest or largest values."""
    def operator(call):
        input, options = call["input"], call.get("options", {})
        rows = numpy.moveaxis(input.values, call["axis"], -1)
        result = array((list(rows[place]).index(best(rows[place])) for place in numpy.ndindex(*rows.shape[:-1])), rows.shape[:-1])
        return options.get("outputDataType", "int32"), numpy.expand_dims(result, call["axis"]) if options.get("keepDimensions") else result
    return operator


def plus(a, b):
    return a + b if finite(a, b) else float(a) + float(b)


def cumulative_sum(call):
    input, options = call["input"], call.get("options", {})
    rows = numpy.moveaxis(input.values, call["axis"], -1)
    result = numpy.empty(rows.shape, dtype=object)
    for place in numpy.ndindex(*rows.shape[:-1]):
        row = list(rows[place])[::-1] if options.get("reversed") else list(rows[place])
        sums = [0]
        for x in row:
            sums.append(plus(sums[-1], fraction(x) if finite(x) else x))
        sums = sums[:-1] if options.get("exclusive") else sums[1:]
        result[place] = array(sums[::-1] if options.get("reversed") else sums, [len(sums)])
    return input.data_type, numpy.moveaxis(result, -1, call["axis"])


def resampled_sizes(input, options):
    axes = options.get("axes", [2, 3])
    if "sizes" in options:
        return options["sizes"]
    # the scales are floats of 32 bits
    return [math.floor(input.shape[axis] * Fraction(float(numpy.float32(scale)))) for axis, scale in zip(axes, options.get("scales", [1, 1]))]


def resample2d(call):
    input, options = call["input"], call.get("options", {})
    linear = options.get("mode", "nearest-neighbor") == "linear"
    result = input.values
    # the two axes do not depend on each other
    for axis, output in zip(options.get("axes", [2, 3]), resampled_sizes(input, options)):
        size = input.shape[axis]
        parts = []
        for index in range(output):
            place = min(max((index + Fraction(1, 2)) / Fraction(output, size) - Fraction(1, 2), 0), size - 1)
            if linear:
                low, high = (result.take(math.floor(place), axis), result.take(math.ceil(place), axis))
                weight = place - math.floor(place)
                parts.append(numpy.vectorize(lambda a, b: fraction(a) * (1 - weight) + fraction(b) * weight, otypes=[object])(low, high))
            else:
                parts.append(result.take(math.ceil(place - Fraction(1, 2)), axis))
        result = numpy.stack(parts, axis)
    # round() of a Fraction chooses the even integer at a tie
    return input.data_type, result if input.data_type in FLOATS else elementwise(round, result)


OPERATORS = {
    "gather": gather, "gatherElements": gather_elements, "gatherND": gather_nd, "scatterElements": scatter_elements, "scatterND": scatter_nd,
    "pad": pad, "reverse": reverse, "split": split, "tile": tile, "triangular": triangular,
    "argMin": arg_of(min), "argMax": arg_of(max), "cumulativeSum": cumulative_sum, "resample2d": resample2d,
}
