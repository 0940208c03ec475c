"""Shorthand for the steps of a scenario."""

from vector import descriptor, number, step, tensor, thrown

VIEWS = {
    "float32": "Float32Array", "float16": "Float16Array", "int32": "Int32Array", "uint32": "Uint32Array",
    "int64": "BigInt64Array", "uint64": "BigUint64Array", "int8": "Int8Array", "uint8": "Uint8Array",
}

DISPATCH = "MLContext.dispatch(graph, inputs, outputs)"
CREATE = "MLContext.createTensor(descriptor)"
CREATE_CONSTANT = "MLContext.createConstantTensor(descriptor, inputData)"
READ = "MLContext.readTensor(tensor)"
READ_INTO = "MLContext.readTensor(tensor, outputData)"
WRITE = "MLContext.writeTensor(tensor, inputData)"
DESTROY_TENSOR = "MLTensor.destroy()"
NEW_BUILDER = "MLGraphBuilder.MLGraphBuilder(context)"
INPUT = "MLGraphBuilder.input(name, descriptor)"
CONSTANT_BUFFER = "MLGraphBuilder.constant(descriptor, buffer)"
CONSTANT_TENSOR = "MLGraphBuilder.constant(tensor)"
CONSTANT_VALUE = "MLGraphBuilder.constant(dataType, value)"
BUILD = "MLGraphBuilder.build(outputs)"

# Of the proposals, which the list of the specification's algorithms does not have.
CREATE_EXPORTABLE = "MLContext.createExportableTensor(descriptor, gpuDevice, options)"
EXPORT = "MLContext.exportToGPU(tensor)"
CREATE_CONSTANT_FROM = "MLContext.createConstantTensor(tensor)"
RENTED = "MLTensor/ensure it is not rented"


def type_error(algorithm, path):
    return thrown("TypeError", algorithm, path)


def invalid_state(algorithm, path):
    return thrown("InvalidStateError", algorithm, path)


def context(name="context", **options):
    return step(name, None, "createContext", **options)


def builder(name="builder", on="context", **members):
    return step(name, None, "MLGraphBuilder", context=on, **members)


def source(data, data_type="float32", view=None):
    """A buffer source in place, or the name of one."""
    if isinstance(data, str):
        return data
    if view is None:
        return {"view": VIEWS[data_type], "data": values(data, data_type)}
    if view in ("ArrayBuffer", "SharedArrayBuffer", "DataView"):
        return {"view": view, "dataType": data_type, "data": values(data, data_type)}
    return {"view": view, "data": data}


def values(data, data_type):
    return [number(x, data_type) for x in tensor(data_type, [len(data)], data).data]


def buffer(name, data, data_type="float32", view=None):
    return step(name, None, "buffer", **source(data, data_type, view))


def create(name, data_type="float32", shape=(2,), on="context", access="rw", members=None, **arguments):
    """createTensor; `access` has the letters r and w for a readable and a writable tensor."""
    flags = {key: True for key, letter in (("readable", "r"), ("writable", "w")) if letter in access}
    return step(None if "throws" in arguments else name, on, "createTensor", descriptor=descriptor(data_type, shape, **flags), **(members or {}), **arguments)


def exportable(name, data_type="float32", shape=(2,), on="context", gpu="device", access="rw", usage=None, **members):
    """createExportableTensor, with `access` as in `create`."""
    flags = {key: True for key, letter in (("readable", "r"), ("writable", "w")) if letter in access}
    arguments = {"descriptor": descriptor(data_type, shape, **flags), "gpuDevice": gpu} | ({} if usage is None else {"usage": usage})
    return step(None if "throws" in members else name, on, "createExportableTensor", **arguments, **members)


def create_constant(name, data, data_type="float32", shape=(2,), on="context", **members):
    return step(name, on, "createConstantTensor", descriptor=descriptor(data_type, shape), inputData=source(data, data_type), **members)


def write(tensor_name, data, data_type="float32", on="context", **members):
    return step(None, on, "writeTensor", tensor=tensor_name, inputData=source(data, data_type), **members)


def contents(data, data_type="float32", shape=None):
    return {"descriptor": descriptor(data_type, [len(data)] if shape is None else shape), "data": values(data, data_type)}


def read(tensor_name, data, data_type="float32", shape=None, on="context"):
    return step(None, on, "readTensor", tensor=tensor_name, returns=contents(data, data_type, shape))


def pending_read(name, tensor_name, on="context", **arguments):
    return step(name, on, "readTensor", tensor=tensor_name, pending=True, **arguments)


def awaited(promise, **members):
    return step(None, None, "await", promise=promise, **members)


def dispatch(inputs, outputs, graph="graph", on="context", **members):
    return step(None, on, "dispatch", graph=graph, inputs=inputs, outputs=outputs, **members)


def input_(name, data_type="float32", shape=(2,), on="builder", **members):
    return step(None if "throws" in members else name, on, "input", name=name, descriptor=descriptor(data_type, shape), **members)


def build(name="graph", on="builder", **outputs):
    return step(name, on, "build", outputs=outputs)


def negation(names=("x", "y"), on="builder", let="graph", shape=(2,), data_type="float32"):
    """A graph that negates its one input."""
    x, y = names
    return [input_(x, data_type, shape, on), step(y, on, "neg", input=x), build(let, on, **{y: y})]
