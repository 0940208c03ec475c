"""What the operators compute on: tensors of stored values, and arrays of exact ones."""

import math
from fractions import Fraction

import numpy
from mpmath import mpf

from rounding import cast_number, store


class Tensor:
    """Values of a data type, as stored, in an object array of the tensor's shape."""

    def __init__(self, data_type, shape, data, constant=False):
        self.data_type, self.shape, self.constant = data_type, list(shape), constant
        self.values = array([store(x, data_type) for x in data], shape)
        self.fill = None

    @property
    def data(self):
        return list(self.values.flat)


def array(values, shape):
    values = list(values)
    result = numpy.empty(len(values), dtype=object)
    for index, value in enumerate(values):
        result[index] = value
    return result.reshape(shape)


def elementwise(function, *arrays):
    arrays = numpy.broadcast_arrays(*arrays)
    return array((function(*items) for items in zip(*(a.flat for a in arrays))), arrays[0].shape)


def finite(*xs):
    return all(math.isfinite(x) for x in xs)


def fraction(x):
    return x if isinstance(x, int) else Fraction(x)


def high(x):
    """A stored value at high precision: exact, since a double has 53 bits."""
    return mpf(x)


def option(call, name, default, data_type):
    """A number among the options, cast as the operator's steps say."""
    return cast_number(call.get("options", {}).get(name, default), data_type)
