"""quantizeLinear and dequantizeLinear, with scales and zero points that are shared by blocks."""

import numpy
from model import Unsupported


def quantize_linear(model, input, scale, zeroPoint, options={}):
    scales, points, attributes = shared(model, input, scale, zeroPoint)
    if model.has_kernel("QuantizeLinear", input, scales, points, **attributes):
        return model.node("QuantizeLinear", input, scales, points, **attributes)
    return quantized_by_formula(model, input, scale, zeroPoint)


def quantized_by_formula(model, input, scale, zero_point):
    """clamp(round(input / scale) + zero point), ONNX's formula, for the types of 32 bits that its operator lacks.

    In float64, which holds all of their values.
    """
    limits = numpy.iinfo(zero_point.data_type)
    x, s, z = (spread(model, operand, input.shape, "float64") for operand in (input, scale, zero_point))
    moved = model.node("Add", model.node("Round", model.node("Div", x, s)), z)
    clamped = model.node("Clip", moved, model.filled(limits.min, "float64"), model.filled(limits.max, "float64"))
    return model.cast(clamped, zero_point.data_type)


def dequantize_linear(model, input, scale, zeroPoint, options={}):
    if input.data_type in ("int8", "uint8"):
        scales, points, attributes = shared(model, input, scale, zeroPoint)
        return model.node("DequantizeLinear", input, scales, points, **attributes)
    # (input - zero point) * scale, ONNX's formula: its operator has no zero points of 32 bits
    x, z = (spread(model, operand, input.shape, "int64") for operand in (input, zeroPoint))
    difference = model.cast(model.node("Sub", x, z), "float64")
    return model.cast(model.node("Mul", difference, spread(model, scale, input.shape, "float64")), scale.data_type)


def shared(model, input, scale, zero_point):
    """Scale, zero point and attributes in the first of ONNX's forms that fits: per tensor, per axis, in blocks along one axis."""
    if scale.rank != input.rank:
        raise Unsupported("WebNN refuses a scale of another rank than the input's; validation is its own, and ONNX Runtime has none")
    several = [axis for axis in range(scale.rank) if scale.shape[axis] > 1]
    if not several:
        return *(model.reshape(operand, ()) for operand in (scale, zero_point)), {}
    if len(several) == 1 and scale.shape[several[0]] == input.shape[several[0]]:
        return *(model.reshape(operand, (-1,)) for operand in (scale, zero_point)), {"axis": several[0]}
    blocked = [axis for axis in several if scale.shape[axis] < input.shape[axis]]
    axis = blocked[0] if blocked else several[0]
    shape = list(input.shape)
    shape[axis] = scale.shape[axis]
    spread_over = [spread(model, operand, shape, operand.data_type) for operand in (scale, zero_point)]
    return *spread_over, {"axis": axis, "block_size": input.shape[axis] // scale.shape[axis]}


def spread(model, operand, shape, data_type):
    """The operand in another type, with each element repeated for the block that shares it, so that it has the given shape."""
    operand = model.cast(operand, data_type)
    apart = [part for size in operand.shape for part in (size, 1)]
    repeated = [part for size, target in zip(operand.shape, shape) for part in (size, target // size)]
    if repeated == apart:
        return operand
    return model.reshape(model.expand(model.reshape(operand, apart), repeated), shape)


OPERATORS = {"quantizeLinear": quantize_linear, "dequantizeLinear": dequantize_linear}
