"""quantizeLinear and dequantizeLinear, with scales and zero points that are shared by blocks."""

import math

from rounding import INTEGERS
from values import elementwise, fraction


def upsampled(values, shape):
    for axis, size in enumerate(shape):
        values = values.repeat(size // values.shape[axis], axis)
    return values


def dequantize_linear(call):
    input, scale = call["input"], call["scale"]
    scales, points = upsampled(scale.values, input.shape), upsampled(call["zeroPoint"].values, input.shape)
    return scale.data_type, elementwise(lambda x, s, z: fraction(x - z) * fraction(s), input.values, scales, points)


def quantize_linear(call):
    input, point = call["input"], call["zeroPoint"]
    low, high = INTEGERS[point.data_type]

    def quantized(x, scale, zero):
        assert scale > 0
        if math.isinf(x):
            return high if x > 0 else low
        # round() of a Fraction chooses the even integer at a tie
        return min(max(round(fraction(x) / fraction(scale)) + zero, low), high)

    scales, points = upsampled(call["scale"].values, input.shape), upsampled(point.values, input.shape)
    return point.data_type, elementwise(quantized, input.values, scales, points)


OPERATORS = {"dequantizeLinear": dequantize_linear, "quantizeLinear": quantize_linear}
