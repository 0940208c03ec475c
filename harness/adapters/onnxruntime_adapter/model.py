"""An ONNX model under construction: operands whose types and shapes are known, and the nodes between them.

Shapes come from ONNX's own shape inference, node by node, so no operator derives the shape of its output.
"""

import math
from dataclasses import dataclass

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper, shape_inference
from onnxruntime.capi import onnxruntime_pybind11_state as state

OPSET = 23
OPSETS = [helper.make_opsetid("", OPSET)]
IR_VERSION = 11

# Tensors of WebNN vectors have less than 4 GiB; their elements can be cast to a wider type on the way.
MOST_BYTES = 1 << 33

OPTIMIZATIONS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}

WEBNN_TYPES = ["float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"]

# WebNN's names of data types are NumPy's; two more occur inside of models only.
ONNX_TYPES = {name: helper.np_dtype_to_tensor_dtype(numpy.dtype(name)) for name in [*WEBNN_TYPES, "float64", "bool"]}
NAMES = {number: name for name, number in ONNX_TYPES.items()}

# For each integer type, the types in which its values can be computed if there is no kernel for it, itself first. int64 does not
# hold all of uint64, but casts between integers keep their bits: it carries uint64 where elements are moved or a sum wraps.
CARRIERS = {
    "int8": ["int8", "int32", "int64"], "uint8": ["uint8", "int32", "int64"], "int32": ["int32", "int64"],
    "uint32": ["uint32", "int64"], "int64": ["int64"], "uint64": ["uint64", "int64"],
}


class Unsupported(Exception):
    """What a vector needs and ONNX, or ONNX Runtime's CPU provider, does not have."""


def refuse_uint64(op_type, operand):
    """For an arithmetic that int64 does not carry (see CARRIERS), because its kernel rounds or saturates."""
    if operand.data_type == "uint64":
        raise Unsupported(f"the CPU provider has no kernel for {op_type} of uint64")


@dataclass(frozen=True)
class Operand:
    """A tensor of the model: an input, a constant, or an output of a node."""

    name: str
    data_type: str
    shape: tuple[int, ...]

    @property
    def rank(self):
        return len(self.shape)

    @property
    def byte_length(self):
        return math.prod(self.shape) * numpy.dtype(self.data_type).itemsize

    def type_proto(self):
        return helper.make_tensor_type_proto(ONNX_TYPES[self.data_type], self.shape)

    def value_info(self):
        return helper.make_value_info(self.name, self.type_proto())


def session_options(optimization, threads=1):
    """How a model is run: what may be rewritten before, with how many threads, and without messages on standard error."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = OPTIMIZATIONS[optimization]
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    return options


def start_session(nodes, inputs, outputs, constants, options):
    """A model, converted by ONNX Runtime for its CPU provider."""
    graph = helper.make_graph(nodes, "webnn", inputs, outputs, initializer=constants)
    model = helper.make_model(graph, opset_imports=OPSETS, ir_version=IR_VERSION)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


class Kernels:
    """Which nodes the CPU provider can run: it is asked, by a model of one node, and the answer is kept."""

    answers = {}

    @classmethod
    def has(cls, node, inputs):
        key = (node.op_type, tuple(i and (i.data_type, i.rank) for i in inputs), str(sorted(str(a) for a in node.attribute)))
        if key not in cls.answers:
            cls.answers[key] = cls._ask(node, [i for i in inputs if i])
        return cls.answers[key]

    @staticmethod
    def _ask(node, inputs):
        infos = {i.name: helper.make_tensor_value_info(i.name, ONNX_TYPES[i.data_type], [None] * i.rank) for i in inputs}
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
        try:
            start_session([node], list(infos.values()), outputs, [], session_options("none"))
            return True
        except (state.NotImplemented, state.InvalidGraph, state.Fail):
            return False


class Model:
    """Nodes in order, with the inputs and constants that they take."""

    def __init__(self):
        self._nodes = []
        self._inputs = []
        self._constants = {}
        self._count = 0

    def _new_name(self):
        self._count += 1
        return f"t{self._count}"

    def input(self, data_type, shape):
        operand = Operand(self._new_name(), data_type, tuple(shape))
        self._inputs.append(operand)
        return operand

    def constant(self, array):
        array = numpy.asarray(array)
        operand = Operand(self._new_name(), array.dtype.name, array.shape)
        self._constants[operand.name] = numpy_helper.from_array(array, operand.name)
        return operand

    def integers(self, values):
        """A list of integers, as ONNX takes axes, shapes and the like."""
        return self.constant(numpy.array(values, dtype=numpy.int64))

    def filled(self, value, data_type, shape=()):
        """A constant with the same number everywhere."""
        return self.constant(numpy.full(shape, value, dtype=data_type))

    def node(self, op_type, *inputs, outputs=1, **attributes):
        """The output of a new node, or the list of them. An optional input that is left out is None."""
        node, results = self._make(op_type, inputs, outputs, attributes)
        self._nodes.append(node)
        return results[0] if outputs == 1 else results

    def widened(self, op_type, *inputs, carried=1, **attributes):
        """The output of a node whose first `carried` inputs, and whose output, are of one type that may have no kernel.

        The node is then computed in a wider type that has one (`CARRIERS`), and its output cast back.
        """
        data_type = inputs[0].data_type
        for carrier in CARRIERS.get(data_type, [data_type]):
            stand_ins = [Operand(i.name, carrier, i.shape) for i in inputs[:carried]]
            if self.has_kernel(op_type, *stand_ins, *inputs[carried:], **attributes):
                cast = [self.cast(i, carrier) for i in inputs[:carried]]
                return self.cast(self.node(op_type, *cast, *inputs[carried:], **attributes), data_type)
        return self.node(op_type, *inputs, **attributes)

    def has_kernel(self, op_type, *inputs, **attributes):
        names = [i.name if i else "" for i in inputs]
        return Kernels.has(helper.make_node(op_type, names, ["output"], **attributes), inputs)

    def cast(self, operand, data_type):
        """The operand in another type, by a node, if it is not of that type."""
        return operand if operand.data_type == data_type else self.node("Cast", operand, to=ONNX_TYPES[data_type])

    def transpose(self, operand, permutation):
        """The operand with its dimensions in another order, by a node, if that is another order."""
        permutation = list(permutation)
        return operand if permutation == sorted(permutation) else self.node("Transpose", operand, perm=permutation)

    def reshape(self, operand, shape):
        shape = tuple(shape)
        return operand if operand.shape == shape else self.node("Reshape", operand, self.integers(shape))

    def expand(self, operand, shape):
        shape = tuple(shape)
        return operand if operand.shape == shape else self.widened("Expand", operand, self.integers(shape))

    def _make(self, op_type, inputs, outputs, attributes):
        names = [i.name if i else "" for i in inputs]
        node = helper.make_node(op_type, names, [self._new_name() for _ in range(outputs)], **attributes)
        present = [i for i in inputs if i]
        types = {i.name: i.type_proto() for i in present}
        data = {i.name: self._constants[i.name] for i in present if i.name in self._constants and i.data_type == "int64"}
        schema = onnx.defs.get_schema(op_type, OPSET)
        try:
            inferred = shape_inference.infer_node_outputs(schema, node, types, data, opset_imports=OPSETS, ir_version=IR_VERSION)
        except (shape_inference.InferenceError, onnx.checker.ValidationError) as error:
            raise Unsupported(f"ONNX refuses {op_type}: {' '.join(str(error).split())}") from error
        return node, [self._operand(name, op_type, inferred) for name in node.output]

    @staticmethod
    def _operand(name, op_type, inferred):
        tensor = inferred[name].tensor_type
        operand = Operand(name, NAMES[tensor.elem_type], tuple(dimension.dim_value for dimension in tensor.shape.dim))
        if operand.byte_length > MOST_BYTES:
            raise Unsupported(f"the output of {op_type} has {operand.byte_length} bytes, and the adapter computes none above {MOST_BYTES}")
        return operand

    def run(self, values, outputs, optimization, threads):
        """The arrays of `outputs`, with the model's inputs being `values`, in order."""
        # The output of a model must be that of a node, and no tensor can be given out twice.
        results = [self.node("Identity", operand) for operand in outputs]
        session = start_session(
            self._nodes, [i.value_info() for i in self._inputs], [r.value_info() for r in results],
            list(self._constants.values()), session_options(optimization, threads))
        return session.run([r.name for r in results], {i.name: value for i, value in zip(self._inputs, values)})
