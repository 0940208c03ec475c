"""Shorthand for scenarios about memory: constants supplied later, graphs that leave the device, budgets, the ledger."""

from scene import build, builder, context, create, dispatch, read, source, write
from vector import descriptor, step, thrown

WORKED = "worked examples: sums and products of small whole numbers; the exceptions and the bytes are those of spec-diff/proposals"

SET = "MLGraph.setConstantData(constant, data, options)"
ENSURE = "MLGraph/ensure constants are set"
REJECT = "MLGraph/reject pending constants"
SETTLE = "MLGraph/settle a move"
BUDGET = "MLContext.setMemoryBudget(bytes)"
OFFLOAD = "MLGraph.offload(options)"
RELOAD = "MLGraph.reload()"
PINNED = "MLGraph/set pinned"


def unknown(algorithm, path):
    return thrown("UnknownError", algorithm, path)


def operation_error(algorithm, path):
    return thrown("OperationError", algorithm, path)


def hollow(name, data_type="float32", shape=(2,), on="builder"):
    return step(name, on, "constant", descriptor=descriptor(data_type, shape))


def supply(data, constant="w", graph="graph", data_type="float32", view=None, offset=None, name=None, **members):
    """setConstantData(); `data` is the name of a blob, stream or buffer, or numbers."""
    where = {} if offset is None else {"byteOffset": offset}
    return step(name, graph, "setConstantData", constant=constant, data=source(data, data_type, view), **where, **members)


def blob(name, data, data_type="float32"):
    return step(name, None, "blob", bytes=source(data, data_type))


def stream(name, data, data_type="float32", **members):
    return step(name, None, "stream", bytes=source(data, data_type), **members)


def ledger(figure, value, on="context"):
    return step(None, on, "ledger", figure=figure, returns={"value": value})


def budget(value, on="context", **members):
    return step(None, on, "setMemoryBudget", bytes=value, **members)


def entry(let, data_type="float32", shape=(2,), on="builder"):
    """An input that is named x, whatever the operand is called in the scenario."""
    return step(let, on, "input", name="x", descriptor=descriptor(data_type, shape))


def product(let="graph", on="builder", constant="w", shape=(2,), data_type="float32"):
    """A graph y = x * w whose constant is hollow; nothing is computed on the way."""
    x, y = f"x of {let}", f"y of {let}"
    return [builder(on), entry(x, data_type, shape, on), hollow(constant, data_type, shape, on),
            step(y, on, "mul", a=x, b=constant), build(let, on, y=y)]


def scene(shape=(2,), data_type="float32"):
    """A context, a graph y = x * w, and its tensors."""
    return [context(), *product(shape=shape, data_type=data_type), create("tx", data_type, shape), create("ty", data_type, shape)]


def run(x, y, graph="graph", data_type="float32", shape=None):
    """Writes the input, dispatches, reads the output."""
    return [write("tx", x, data_type), dispatch({"x": "tx"}, {"y": "ty"}, graph), read("ty", y, data_type, shape)]


def unreadable(name="ty"):
    return step(None, "context", "readTensor", tensor=name, throws=unknown("MLContext.readTensor(tensor)", "8.1.2.2"))


__all__ = [name for name in dir() if not name.startswith("_")]
