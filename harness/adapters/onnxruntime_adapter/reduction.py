"""Reductions, argMin and argMax, cumulativeSum and softmax."""

import numpy
from model import refuse_uint64


def reduced(op_type):
    def operator(model, input, options={}):
        return over_axes(model, op_type, input, options)
    return operator


def over_axes(model, op_type, input, options):
    refuse_uint64(op_type, input)
    axes = model.integers(options.get("axes", list(range(input.rank))))
    # Along no axes, each element is reduced by itself; without the attribute, ONNX would reduce along all of them.
    attributes = {"keepdims": int(options.get("keepDimensions", False)), "noop_with_empty_axes": 1}
    return model.widened(op_type, input, axes, **attributes)


def l1(model, input, options={}):
    """The absolute values of unsigned integers are the integers, which a wider signed type may not hold."""
    return over_axes(model, "ReduceSum" if input.data_type.startswith("uint") else "ReduceL1", input, options)


SIGN_BIT = 1 << 63


def sortable(model, operand):
    """uint64 as int64, in the same order: 2^63 less. Other types are as they are."""
    if operand.data_type != "uint64":
        return operand
    return model.cast(model.node("BitwiseXor", operand, model.filled(SIGN_BIT, "uint64")), "int64")


def unsorted(model, operand, data_type):
    """The inverse of `sortable`."""
    if data_type != "uint64":
        return operand
    return model.node("BitwiseXor", model.cast(operand, "uint64"), model.filled(SIGN_BIT, "uint64"))


def extreme(op_type):
    def operator(model, input, options={}):
        return unsorted(model, over_axes(model, op_type, sortable(model, input), options), input.data_type)
    return operator


def index_of(op_type):
    def operator(model, input, axis, options={}):
        input = sortable(model, input)
        attributes = {"axis": axis, "keepdims": int(options.get("keepDimensions", False)), "select_last_index": 0}
        if not model.has_kernel(op_type, input, **attributes):
            input = model.cast(input, "int64")
        return model.cast(model.node(op_type, input, **attributes), options.get("outputDataType", "int32"))
    return operator


def cumulative_sum(model, input, axis, options={}):
    attributes = {"exclusive": int(options.get("exclusive", False)), "reverse": int(options.get("reversed", False))}
    return model.widened("CumSum", input, model.constant(numpy.int64(axis)), **attributes)


def softmax(model, input, axis, options={}):
    return model.node("Softmax", input, axis=axis)


OPERATORS = {
    "reduceL1": l1, "reduceL2": reduced("ReduceL2"), "reduceLogSum": reduced("ReduceLogSum"),
    "reduceLogSumExp": reduced("ReduceLogSumExp"), "reduceMax": extreme("ReduceMax"), "reduceMean": reduced("ReduceMean"),
    "reduceMin": extreme("ReduceMin"), "reduceProduct": reduced("ReduceProd"), "reduceSum": reduced("ReduceSum"),
    "reduceSumSquare": reduced("ReduceSumSquare"),
    "argMax": index_of("ArgMax"), "argMin": index_of("ArgMin"), "cumulativeSum": cumulative_sum, "softmax": softmax,
}
