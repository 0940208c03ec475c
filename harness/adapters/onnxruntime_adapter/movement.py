"""Operators that move elements: concat, slice, pad, gather, scatter and the like."""

import numpy
from elementwise import scalar
from model import Unsupported


def concat(model, inputs, axis, options={}):
    return model.node("Concat", *inputs, axis=axis)


def expand(model, input, newShape, options={}):
    return model.widened("Expand", input, model.integers(newShape))


def reshape(model, input, newShape, options={}):
    return model.node("Reshape", input, model.integers(newShape))


def transpose(model, input, options={}):
    if input.rank == 0:
        return model.node("Identity", input)
    return model.node("Transpose", input, perm=options.get("permutation", list(range(input.rank))[::-1]))


def slice_of(model, input, starts, sizes, options={}):
    if input.rank == 0:
        return model.node("Identity", input)
    ends = [start + size for start, size in zip(starts, sizes)]
    return sliced(model, input, starts, ends, range(input.rank), options.get("strides", [1] * input.rank))


def sliced(model, input, starts, ends, axes, steps):
    return model.widened("Slice", input, *(model.integers(list(values)) for values in (starts, ends, axes, steps)))


def reverse(model, input, options={}):
    axes = options.get("axes", range(input.rank))
    if not axes:
        return model.node("Identity", input)
    # an end that is as far below zero as can be is before the first element
    before = numpy.iinfo(numpy.int64).min
    return sliced(model, input, [-1] * len(axes), [before] * len(axes), axes, [-1] * len(axes))


def split(model, input, splits, options={}):
    axis = options.get("axis", 0)
    sizes = splits if isinstance(splits, list) else [input.shape[axis] // splits] * splits
    outputs = model.node("Split", input, model.integers(sizes), axis=axis, outputs=len(sizes))
    return outputs if isinstance(outputs, list) else [outputs]


def tile(model, input, repetitions, options={}):
    return model.widened("Tile", input, model.integers(repetitions))


def triangular(model, input, options={}):
    return model.widened("Trilu", input, model.integers(options.get("diagonal", 0)), upper=int(options.get("upper", True)))


PADDING_MODES = {"constant": "constant", "edge": "edge", "reflection": "reflect"}


def pad(model, input, beginningPadding, endingPadding, options={}):
    mode = options.get("mode", "constant")
    if mode not in PADDING_MODES:
        raise Unsupported(f"pad's options.mode {mode} is none of WebNN's")
    if input.rank == 0:
        return model.node("Identity", input)
    value = scalar(model, options.get("value", 0), input) if mode == "constant" else None
    return model.node("Pad", input, model.integers([*beginningPadding, *endingPadding]), value, mode=PADDING_MODES[mode])


def in_range(model, indices, sizes):
    """Indices as ONNX takes them: int64, and clamped into the range, as WebNN's sections of gather and scatter describe.

    `sizes` are those of the dimensions that the indices point into: one number, or one for each of the last dimension's indices.
    """
    sizes = numpy.array(sizes, dtype=numpy.int64)
    if indices.data_type == "uint64":  # what int64 does not hold would become negative
        indices = model.node("Min", indices, model.constant((sizes - 1).astype(numpy.uint64)))
    indices = model.cast(indices, "int64")
    return model.node("Min", model.node("Max", indices, model.constant(-sizes)), model.constant(sizes - 1))


def gather(model, input, indices, options={}):
    axis = options.get("axis", 0)
    return model.node("Gather", input, in_range(model, indices, input.shape[axis]), axis=axis)


def gather_elements(model, input, indices, options={}):
    axis = options.get("axis", 0)
    return model.node("GatherElements", input, in_range(model, indices, input.shape[axis]), axis=axis)


def coordinates_in_range(model, indices, input):
    return in_range(model, indices, input.shape[:indices.shape[-1]])


def gather_nd(model, input, indices, options={}):
    return model.node("GatherND", input, coordinates_in_range(model, indices, input))


def scatter_elements(model, input, indices, updates, options={}):
    axis = options.get("axis", 0)
    return model.node("ScatterElements", input, in_range(model, indices, input.shape[axis]), updates, axis=axis)


def scatter_nd(model, input, indices, updates, options={}):
    return model.node("ScatterND", input, coordinates_in_range(model, indices, input), updates)


OPERATORS = {
    "concat": concat, "expand": expand, "reshape": reshape, "transpose": transpose, "slice": slice_of, "reverse": reverse,
    "split": split, "tile": tile, "triangular": triangular, "pad": pad, "gather": gather, "gatherElements": gather_elements,
    "gatherND": gather_nd, "scatterElements": scatter_elements, "scatterND": scatter_nd,
}
