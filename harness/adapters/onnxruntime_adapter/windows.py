"""Sliding windows: pooling, and what convolution shares with it; resample2d."""

import math
from fractions import Fraction

import numpy
from model import Unsupported

LAYOUT = "nchw"  # ONNX knows no other


def to_layout(model, operand, source, target=LAYOUT):
    return model.transpose(operand, [source.index(axis) for axis in target])


def from_layout(model, operand, target):
    return to_layout(model, operand, LAYOUT, target)


def options_of_windows(options):
    """Padding, strides and dilations as ONNX's attributes: the beginnings of all dimensions, then their ends."""
    padding = options.get("padding", [0] * 4)
    return {"pads": padding[0::2] + padding[1::2], "strides": options.get("strides", [1, 1]), "dilations": options.get("dilations", [1, 1])}


def output_size(size, window, begin, end, stride, dilation, rounding):
    return rounding(Fraction(size + begin + end - (window - 1) * dilation - 1, stride)) + 1


def pooled_sizes(sizes, window, attributes, options):
    if "outputSizes" in options:
        return options["outputSizes"]
    rounding = math.ceil if options.get("outputShapeRounding") == "ceil" else math.floor
    pads, strides, dilations = attributes["pads"], attributes["strides"], attributes["dilations"]
    return [output_size(sizes[d], window[d], pads[d], pads[d + 2], strides[d], dilations[d], rounding) for d in (0, 1)]


def with_ends_for(sizes, window, outputs, attributes):
    """The attributes with the padding at the ends at which rounding down gives the sizes of the output.

    It stands for ONNX's `ceil_mode`, which leaves out a window that begins in the padding, and for `outputSizes`. Padding counts in
    none of the three operators, so that only the number of windows changes.
    """
    pads, strides, dilations = attributes["pads"], attributes["strides"], attributes["dilations"]
    ends = [
        max(0, (outputs[d] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - sizes[d] - pads[d]) for d in (0, 1)]
    return {**attributes, "pads": pads[:2] + ends}


def pooling(op_type, by_formula, **constants):
    """One of ONNX's operators; or its formula, where the CPU provider has no kernel for a type, or refuses padding that reaches
    beyond a window."""
    def operator(model, input, options={}):
        layout = options.get("layout", LAYOUT)
        input = to_layout(model, input, layout)
        sizes = input.shape[2:]
        window = options.get("windowDimensions", list(sizes))
        attributes = options_of_windows(options)
        attributes = with_ends_for(sizes, window, pooled_sizes(sizes, window, attributes, options), attributes)
        attributes = {"kernel_shape": window, **attributes}
        if model.has_kernel(op_type, input, **attributes, **constants):
            output = model.node(op_type, input, **attributes, **constants)
        else:
            output = by_formula(model, input, attributes)
        return from_layout(model, output, layout)
    return operator


def slices(model, input, padding, attributes):
    """For each place in a window, the elements that lie there: as many slices of the padded input as a window has elements."""
    window, pads, strides, dilations = (attributes[name] for name in ("kernel_shape", "pads", "strides", "dilations"))
    padded = model.node("Pad", input, model.integers([0, 0, *pads[:2], 0, 0, *pads[2:]]), model.filled(padding, input.data_type))
    outputs = [output_size(padded.shape[2 + d], window[d], 0, 0, strides[d], dilations[d], math.floor) for d in (0, 1)]
    parts = []
    for offset in numpy.ndindex(*window):
        starts = [offset[d] * dilations[d] for d in (0, 1)]
        ends = [starts[d] + (outputs[d] - 1) * strides[d] + 1 for d in (0, 1)]
        parts.append(model.widened("Slice", padded, *(model.integers(values) for values in (starts, ends, [2, 3], strides))))
    return parts


def average_by_formula(model, input, attributes):
    ones = model.filled(1, input.data_type, input.shape)
    total, count = (model.node("Sum", *slices(model, operand, 0, attributes)) for operand in (input, ones))
    return model.node("Div", total, count)


def l2_by_formula(model, input, attributes):
    squares = model.node("Mul", input, input)
    return model.node("Sqrt", model.node("Sum", *slices(model, squares, 0, attributes)))


def greatest_by_formula(model, input, attributes):
    is_float = input.data_type.startswith("float")
    least = -math.inf if is_float else numpy.iinfo(input.data_type).min
    return model.node("Max", *slices(model, input, least, attributes))


RESAMPLING_MODES = {
    # the nearest element, of two the lower one
    "nearest-neighbor": {"mode": "nearest", "nearest_mode": "round_prefer_floor"},
    "linear": {"mode": "linear"},
}


def resample2d(model, input, options={}):
    """Resize, with the sizes given, so that its scale is the quotient of the sizes."""
    axes, mode = options.get("axes", [2, 3]), options.get("mode", "nearest-neighbor")
    if mode not in RESAMPLING_MODES:
        raise Unsupported(f"resample2d's options.mode {mode} is none of WebNN's")
    # Resize is linear over the last two dimensions only
    permutation = [axis for axis in range(4) if axis not in axes] + sorted(axes)
    moved = model.transpose(input, permutation)
    sizes = dict(zip(axes, resampled_sizes(input, axes, options)))
    targets = [sizes.get(axis, input.shape[axis]) for axis in permutation]
    output = model.node(
        "Resize", moved, None, None, model.integers(targets), coordinate_transformation_mode="half_pixel", **RESAMPLING_MODES[mode])
    return model.transpose(output, [permutation.index(axis) for axis in range(4)])


def resampled_sizes(input, axes, options):
    if "sizes" in options:
        return options["sizes"]
    scales = [Fraction(float(numpy.float32(scale))) for scale in options.get("scales", [1, 1])]
    return [math.floor(input.shape[axis] * scale) for axis, scale in zip(axes, scales)]


OPERATORS = {
    "averagePool2d": pooling("AveragePool", average_by_formula, count_include_pad=0),
    "l2Pool2d": pooling("LpPool", l2_by_formula, p=2),
    "maxPool2d": pooling("MaxPool", greatest_by_formula),
    "resample2d": resample2d,
}
