"""Tensors as the protocol writes them, and numbers of script as constants of a type."""

import base64
import math

import numpy


def decoded(tensor):
    """The array of a tensor as the protocol writes it."""
    data_type = numpy.dtype(tensor["dataType"])
    elements = numpy.frombuffer(base64.b64decode(tensor["bytes"]), dtype=data_type.newbyteorder("<"))
    return numpy.tile(elements, tensor.get("times", 1)).astype(data_type).reshape(tensor["shape"])


def encoded(array):
    """A tensor as the protocol writes it."""
    elements = array.astype(array.dtype.newbyteorder("<"))
    return {"dataType": array.dtype.name, "shape": list(array.shape), "bytes": base64.b64encode(elements.tobytes()).decode()}


def with_numbers(value):
    """JSON, with numbers in the place of the stand-ins for those that it can not write."""
    if isinstance(value, list):
        return [with_numbers(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$bigint" in value:
        return int(value["$bigint"])
    if "$num" in value:
        return float(value["$num"])
    return {name: with_numbers(item) for name, item in value.items()}


def cast_number(value, data_type):
    """WebNN's algorithm `cast`: a number that script passes, in the type of a tensor."""
    data_type = numpy.dtype(data_type)
    if data_type.kind == "f":
        with numpy.errstate(over="ignore"):
            return data_type.type(value)
    limits = numpy.iinfo(data_type)
    if isinstance(value, float):
        if math.isnan(value):
            return data_type.type(0)
        value = round(value) if math.isfinite(value) else limits.max if value > 0 else limits.min
    return data_type.type(min(max(value, limits.min), limits.max))
