"""A WebNN graph, as the protocol writes it, becomes an ONNX model."""

from model import Model, Unsupported
from operators import OPERATORS
from tensors import decoded


def compute(graph, optimization, threads):
    """The arrays of the graph's outputs, by name."""
    model, operands, values = Model(), {}, []
    for name, tensor in graph["inputs"].items():
        if tensor.get("constant"):
            operands[name] = model.constant(decoded(tensor))
        else:
            operands[name] = model.input(tensor["dataType"], tensor["shape"])
            values.append(decoded(tensor))
    for operator in graph["operators"]:
        add_operator(model, operator, operands)
    arrays = model.run(values, [operands[name] for name in graph["outputs"]], optimization, threads)
    return dict(zip(graph["outputs"], arrays))


def add_operator(model, operator, operands):
    """The nodes of one WebNN operator; its outputs become operands."""
    name = operator["name"]
    if name not in OPERATORS:
        raise Unsupported(f"the adapter does not know the operator {name}")
    outputs = OPERATORS[name](model, **resolved(operator["arguments"], operands))
    outputs = outputs if isinstance(outputs, list) else [outputs]
    operands.update(zip(operator["outputs"], outputs, strict=True))


def resolved(value, operands):
    """The arguments, with operands in the place of their names."""
    if isinstance(value, list):
        return [resolved(item, operands) for item in value]
    if not isinstance(value, dict):
        return value
    if "$operand" in value:
        return operands[value["$operand"]]
    return {name: resolved(item, operands) for name, item in value.items()}
