"""MLContext: tensors made, written, read; dispatch; the loss of a context."""

from rounding import DATA_TYPES
from scene import (
    BUILD, CREATE, CREATE_CONSTANT, DESTROY_TENSOR, DISPATCH, INPUT, NEW_BUILDER, READ, READ_INTO, WRITE, awaited, buffer, build, builder,
    context, contents, create, create_constant, dispatch, input_, invalid_state, negation, pending_read, read, source, type_error, write)
from vector import STEPS, Section, descriptor, step, thrown


def section():
    s = Section("mlcontext", STEPS)
    contexts(s)
    create_tensor(s)
    create_constant_tensor(s)
    write_tensor(s)
    read_tensor(s)
    read_tensor_into(s)
    dispatches(s)
    timeline(s)
    loss(s)
    return s


def contexts(s):
    for preference in ("default", "high-performance", "low-power"):
        s.scenario(f"createContext powerPreference {preference}", [context(powerPreference=preference), create("t"), read("t", [0, 0])])
    for accelerated in (True, False):
        s.scenario(f"createContext accelerated {str(accelerated).lower()}", [context(accelerated=accelerated), create("t"), read("t", [0, 0])])
    s.scenario("opSupportLimits can be asked for", [context(), step("limits", "context", "opSupportLimits")])
    s.scenario("destroy of a context made from a GPU device", [
        context(gpuDevice={}), step(None, "context", "destroy"), create(None, members={"throws": invalid_state(CREATE, "3")})],
        literal={"issue": "webgpu-context-lost-unset", "outcome": "passes"},
        note="under the text as written, a context made from a GPUDevice has no lost promise, so it never is lost")


def create_tensor(s):
    for index, data_type in enumerate(DATA_TYPES):
        shape = ([3], [2, 2], [], [1, 2, 1], [2], [1, 1, 1, 2], [5], [3, 1])[index]
        count = (3, 4, 1, 2, 2, 2, 5, 3)[index]
        s.scenario(f"createTensor {data_type} is filled with zeros",
                   [context(), create("t", data_type, shape, access="r"), read("t", [0] * count, data_type, shape)])
    s.scenario("createTensor 5D", [context(), create("t", shape=[1, 2, 1, 2, 1]), write("t", [1, 2, 3, 4]), read("t", [1, 2, 3, 4], shape=[1, 2, 1, 2, 1])])
    s.scenario("createTensor of a lost context", [
        context(), step(None, "context", "destroy"), create(None, members={"throws": invalid_state(CREATE, "3")})])
    s.scenario("createTensor pending when the context is lost", [
        context(), create("promise", members={"pending": True}), step(None, "context", "destroy"), awaited("promise", throws=invalid_state(CREATE, "6.2"))])
    unchecked = {"issue": "create-tensor-unchecked-dimensions", "outcome": "passes"}
    s.scenario("createTensor with a size of zero", [context(), create(None, shape=[2, 0], members={"throws": thrown("TypeError")})],
               literal=unchecked, note="the specification has no step that checks the dimensions here, as createConstantTensor() has")


def create_constant_tensor(s):
    s.scenario("createConstantTensor feeds a graph", [
        context(), create_constant("weights", [3, -4]), builder(), step("w", "builder", "constant", tensor="weights"), input_("x"),
        step("y", "builder", "mul", a="x", b="w"), build(y="y"), create("tx"), create("ty"), write("tx", [2, 5]),
        dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [6, -20])])
    s.scenario("createConstantTensor of a lost context", [
        context(), step(None, "context", "destroy"), create_constant(None, [1, 2], throws=invalid_state(CREATE_CONSTANT, "3"))])
    for name, shape in (("a size of zero", [2, 0]), ("a size above the range of long", [2147483648]), ("too many elements", [65536, 65536])):
        s.scenario(f"createConstantTensor with {name}", [context(), step(
            None, "context", "createConstantTensor", descriptor=descriptor("float32", shape), inputData=source([1]), throws=type_error(CREATE_CONSTANT, "4"))])
    wrong_sources(s, "createConstantTensor", [], lambda data, **members: step(
        None, "context", "createConstantTensor", descriptor=descriptor("float32", [2]), inputData=data, **members), type_error(CREATE_CONSTANT, "5"))
    s.scenario("createConstantTensor copies its data before it returns", [
        context(), buffer("data", [1, 2]), create_constant("promise", "data", pending=True), step(None, "data", "fill", data=[7, 8]),
        step("weights", None, "await", promise="promise"), builder(), step("w", "builder", "constant", tensor="weights"),
        step("y", "builder", "neg", input="w"), build(y="y"), create("ty"), dispatch({}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("createConstantTensor pending when the context is lost", [
        context(), create_constant("promise", [1, 2], pending=True), step(None, "context", "destroy"),
        awaited("promise", throws=invalid_state(CREATE_CONSTANT, "10.2"))])


def wrong_sources(s, call, before, make, throws):
    """`make` given a source that does not belong to a float32 tensor of two elements, in each of the ways that are checked."""
    for name, data in (
            ("that is too short", source([1])), ("that is too long", source([1, 2, 3])),
            ("of another type of the same length", source([1, 2], "int32")), ("of another type of the same number of bytes", source([1, 2, 3, 4], "float16")),
            ("that is a Uint8ClampedArray", source([0] * 8, view="Uint8ClampedArray")), ("that is a DataView", source([1, 2], view="DataView")),
            ("that is an ArrayBuffer too short", source([1], view="ArrayBuffer")), ("that is a Uint8Array too short", source([1, 2], "uint8"))):
        s.scenario(f"{call} with a source {name}", [context(), *before, make(data, throws=throws)])
    s.scenario(f"{call} with a detached source",
               [context(), *before, buffer("data", [1, 2]), step(None, "data", "detach"), make("data", throws=throws)])


def write_tensor(s):
    for view in ("ArrayBuffer", "SharedArrayBuffer"):
        s.scenario(f"writeTensor from a {view}", [
            context(), create("t"), step(None, "context", "writeTensor", tensor="t", inputData=source([1.5, -2], view=view)), read("t", [1.5, -2])])
    s.scenario("writeTensor from a Uint8Array of the bytes", [
        context(), create("t", shape=[1]), write("t", [0, 0, 192, 63], "uint8"), read("t", [1.5])])
    for data_type, data in (("float16", [1.5, -65504]), ("int64", [-9007199254740993, 9223372036854775807]), ("uint64", [0, 18446744073709551615]),
                            ("int8", [-128, 127]), ("uint8", [255, 0]), ("int32", [-2147483648, 5]), ("uint32", [4294967295, 1])):
        s.scenario(f"writeTensor {data_type}", [context(), create("t", data_type), write("t", data, data_type), read("t", data, data_type)])
    s.scenario("writeTensor of a scalar", [context(), create("t", shape=[]), write("t", [3]), read("t", [3], shape=[])])
    s.scenario("writeTensor to a tensor of another context", [
        context(), context("other"), create("t", on="other"), write("t", [1, 2], throws=type_error(WRITE, "1"))])
    s.scenario("writeTensor to a destroyed tensor", [
        context(), create("t"), step(None, "t", "destroy"), write("t", [1, 2], throws=type_error(WRITE, "2"))])
    s.scenario("writeTensor to a tensor that is not writable", [
        context(), create("t", access="r"), write("t", [1, 2], throws=type_error(WRITE, "3")), read("t", [0, 0])])
    s.scenario("writeTensor to a constant tensor", [context(), create_constant("t", [1, 2]), write("t", [1, 2], throws=type_error(WRITE, "3"))])
    wrong_sources(s, "writeTensor", [create("t")], lambda data, **members: step(
        None, "context", "writeTensor", tensor="t", inputData=data, **members), type_error(WRITE, "4"))
    s.scenario("writeTensor that fails leaves the tensor alone", [
        context(), create("t"), write("t", [1, 2]), write("t", [1, 2, 3], throws=type_error(WRITE, "4")), read("t", [1, 2])])
    s.scenario("writeTensor copies its data before it returns", [
        context(), create("t"), buffer("data", [1, 2]), write("t", "data"), step(None, "data", "fill", data=[7, 8]), read("t", [1, 2])])
    s.scenario("writeTensor from a buffer that is detached afterwards", [
        context(), create("t"), buffer("data", [1, 2]), write("t", "data"), step(None, "data", "detach"), read("t", [1, 2])])


def read_tensor(s):
    s.scenario("readTensor from a tensor of another context", [
        context(), context("other"), create("t", on="other"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "3"))])
    s.scenario("readTensor from a destroyed tensor", [
        context(), create("t"), step(None, "t", "destroy"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "4"))])
    s.scenario("readTensor from a tensor that is not readable", [
        context(), create("t", access="w"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "5"))])
    s.scenario("readTensor from a constant tensor", [
        context(), create_constant("t", [1, 2]), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "5"))])
    s.scenario("readTensor pending when the tensor is destroyed", [
        context(), create("t"), pending_read("promise", "t"), step(None, "t", "destroy"), awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("readTensor pending when the context is lost", [
        context(), create("t"), pending_read("promise", "t"), step(None, "context", "destroy"),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))],
        note="losing the context destroys its tensors, and that rejects the promise before the timeline could")
    s.scenario("readTensor finished before the tensor is destroyed", [
        context(), create("t"), write("t", [1, 2]), pending_read("promise", "t"), step(None, "context", "pump"), step(None, "t", "destroy"),
        awaited("promise", returns=contents([1, 2]))])
    s.scenario("two readTensor pending when the tensor is destroyed", [
        context(), create("t"), pending_read("first", "t"), pending_read("second", "t"), step(None, "t", "destroy"),
        awaited("second", throws=invalid_state(DESTROY_TENSOR, "2.2")), awaited("first", throws=invalid_state(DESTROY_TENSOR, "2.2"))])


def read_tensor_into(s):
    def into(data, **members):
        return step(None, "context", "readTensor", tensor="t", outputData=data, **members)

    for view in (None, "ArrayBuffer", "SharedArrayBuffer", "Uint8Array"):
        data = [0] * 8 if view == "Uint8Array" else [0, 0]
        again = step(None, "context", "writeTensor", tensor="copy", inputData="output")
        s.scenario(f"readTensor into a {view or 'Float32Array'}", [
            context(), create("t"), write("t", [1.5, -2]), buffer("output", data, view=view), into("output"), create("copy"), again,
            read("copy", [1.5, -2])])
    s.scenario("readTensor into a buffer, of a tensor of another context", [
        context(), context("other"), create("t", on="other"), into(source([0, 0]), throws=type_error(READ_INTO, "3"))])
    s.scenario("readTensor into a buffer, of a destroyed tensor", [
        context(), create("t"), step(None, "t", "destroy"), into(source([0, 0]), throws=type_error(READ_INTO, "4"))])
    s.scenario("readTensor into a buffer, of a tensor that is not readable", [
        context(), create("t", access="w"), into(source([0, 0]), throws=type_error(READ_INTO, "5"))])
    s.scenario("readTensor into a buffer, of a constant tensor", [
        context(), create_constant("t", [1, 2]), into(source([0, 0]), throws=type_error(READ_INTO, "5"))])
    wrong_sources(s, "readTensor into a buffer", [create("t")], into, type_error(READ_INTO, "6"))
    s.scenario("readTensor into a buffer detached meanwhile", [
        context(), create("t"), buffer("output", [0, 0]), pending_read("promise", "t", outputData="output"), step(None, "output", "detach"),
        awaited("promise", throws=type_error(READ_INTO, "9.1.3.2"))])
    s.scenario("readTensor into a buffer, pending when the tensor is destroyed", [
        context(), create("t"), buffer("output", [7, 8]), pending_read("promise", "t", outputData="output"), step(None, "t", "destroy"),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("readTensor into a buffer, pending when the context is lost", [
        context(), create("t"), buffer("output", [7, 8]), pending_read("promise", "t", outputData="output"), step(None, "context", "destroy"),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("readTensor into a buffer that is filled meanwhile", [
        context(), create("t"), write("t", [1, 2]), buffer("output", [0, 0]), pending_read("promise", "t", outputData="output"),
        step(None, "output", "fill", data=[7, 8]), awaited("promise"), create("copy"),
        step(None, "context", "writeTensor", tensor="copy", inputData="output"), read("copy", [1, 2])])


def dispatches(s):
    """Each scenario breaks one thing about y = a - b."""
    start = [context(), builder(), input_("a"), input_("b"), step("y", "builder", "sub", a="a", b="b"), build(y="y"),
             create("ta", access="w"), create("tb", access="w"), create("ty", access="r")]
    data = [write("ta", [5, 7]), write("tb", [1, 10])]
    both, out = {"a": "ta", "b": "tb"}, {"y": "ty"}
    s.scenario("dispatch", start + data + [dispatch(both, out), read("ty", [4, -3])])
    s.scenario("dispatch twice with other data", start + data + [
        dispatch(both, out), read("ty", [4, -3]), write("ta", [1, 1]), dispatch(both, out), read("ty", [0, -9])])
    s.scenario("dispatch matches tensors by name and not by order", start + data + [dispatch({"b": "tb", "a": "ta"}, out), read("ty", [4, -3])])
    s.scenario("dispatch with inputs neither readable nor writable", start + [
        create("tc", access=""), write("ta", [5, 7]), dispatch({"a": "ta", "b": "tc"}, out), read("ty", [5, 7])])
    s.scenario("dispatch of two graphs of one context", start + data + [
        builder("second"), *negation(("p", "q"), "second", "negated"), create("tq"), dispatch(both, out),
        dispatch({"p": "ty"}, {"q": "tq"}, "negated"), read("tq", [-4, 3])], note="the output of the first is the input of the second")

    def refused(name, more, inputs, outputs, throws, **members):
        s.scenario(f"dispatch {name}", start + more + [dispatch(inputs, outputs, throws=throws)], **members)

    s.scenario("dispatch of a graph of another context", start + [
        context("other"), create("oa", on="other"), create("ob", on="other"), create("oy", on="other"),
        dispatch({"a": "oa", "b": "ob"}, {"y": "oy"}, on="other", throws=type_error(DISPATCH, "1"))])
    refused("of a destroyed graph", [step(None, "graph", "destroy")], both, out, invalid_state(DISPATCH, "2"))
    refused("with one tensor for two inputs", [], {"a": "ta", "b": "ta"}, out, type_error(DISPATCH, "4"))
    refused("with one tensor for an input and the output", [], {"a": "ta", "b": "ty"}, out, type_error(DISPATCH, "4"))
    s.scenario("dispatch with one tensor for two outputs", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), step("z", "builder", "abs", input="x"), build(y="y", z="z"),
        create("tx"), create("ty"), dispatch({"x": "tx"}, {"y": "ty", "z": "ty"}, throws=type_error(DISPATCH, "4"))])
    foreign = [context("other"), create("foreign", on="other")]
    refused("with an input of another context", foreign, {"a": "foreign", "b": "tb"}, out, type_error(DISPATCH, "5.1"))
    refused("with an output of another context", foreign, both, {"y": "foreign"}, type_error(DISPATCH, "5.1"))
    refused("with a destroyed input", [step(None, "ta", "destroy")], both, out, type_error(DISPATCH, "5.2"))
    refused("with a destroyed output", [step(None, "ty", "destroy")], both, out, type_error(DISPATCH, "5.2"))
    refused("with an input missing", [], {"a": "ta"}, out, type_error(DISPATCH, "6"))
    refused("with no inputs", [], {}, out, type_error(DISPATCH, "6"))
    refused("with an input too many", [create("tc")], {**both, "c": "tc"}, out, type_error(DISPATCH, "6"))
    refused("with an input of another name", [], {"a": "ta", "c": "tb"}, out, type_error(DISPATCH, "6"))
    refused("with an input of another type", [create("tc", "int32")], {"a": "ta", "b": "tc"}, out, type_error(DISPATCH, "6"))
    refused("with an input of another shape", [create("tc", shape=[1, 2])], {"a": "ta", "b": "tc"}, out, type_error(DISPATCH, "6"))
    refused("with a constant tensor as input", [create_constant("tc", [1, 2])], {"a": "ta", "b": "tc"}, out, type_error(DISPATCH, "6"))
    refused("with no outputs", [], both, {}, type_error(DISPATCH, "7"))
    refused("with an output too many", [create("tz")], both, {**out, "z": "tz"}, type_error(DISPATCH, "7"))
    refused("with an output of another name", [], both, {"z": "ty"}, type_error(DISPATCH, "7"))
    refused("with an output of another type", [create("tz", "float16")], both, {"y": "tz"}, type_error(DISPATCH, "7"))
    refused("with an output of another shape", [create("tz", shape=[2, 1])], both, {"y": "tz"}, type_error(DISPATCH, "7"))
    refused("with a constant tensor as output", [create_constant("tz", [1, 2])], both, {"y": "tz"}, type_error(DISPATCH, "7"))
    s.scenario("dispatch that throws leaves the context usable", start + data + [
        dispatch({"a": "ta"}, out, throws=type_error(DISPATCH, "6")), dispatch(both, out), read("ty", [4, -3])])


def timeline(s):
    start = [context(), builder(), *negation(), create("tx"), create("ty")]
    s.scenario("a write between two dispatches is seen by the second only", start + [
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), pending_read("first", "ty"), write("tx", [3, 4]),
        dispatch({"x": "tx"}, {"y": "ty"}), pending_read("second", "ty"),
        awaited("second", returns=contents([-3, -4])), awaited("first", returns=contents([-1, -2]))])
    s.scenario("a read sees the writes before it and none after it", [
        context(), create("t"), write("t", [1, 2]), pending_read("promise", "t"), write("t", [3, 4]),
        awaited("promise", returns=contents([1, 2])), read("t", [3, 4])])
    s.scenario("of two writes the last one stays", [context(), create("t"), write("t", [1, 2]), write("t", [3, 4]), read("t", [3, 4])])
    s.scenario("a dispatch overwrites what was written to its output", start + [
        write("tx", [1, 2]), write("ty", [9, 9]), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("a write to the output after the dispatch stays", start + [
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), write("ty", [9, 9]), read("ty", [9, 9])])
    s.scenario("a chain of dispatches over two tensors", start + [
        write("tx", [1, -2]), dispatch({"x": "tx"}, {"y": "ty"}), dispatch({"x": "ty"}, {"y": "tx"}), dispatch({"x": "tx"}, {"y": "ty"}),
        read("ty", [-1, 2]), read("tx", [1, -2])])
    s.scenario("steps of the timeline run one by one", start + [
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), pending_read("promise", "ty"), step(None, "context", "pump", steps=1),
        write("tx", [3, 4]), step(None, "context", "pump", steps=1), step(None, "context", "pump"), awaited("promise", returns=contents([-1, -2]))])


def loss(s):
    start = [context(), create("t"), builder(), *negation(), create("tx"), create("ty"), create_constant("weights", [1, 2])]
    for name, lose in (("destroyed", step(None, "context", "destroy")), ("lost", step(None, "context", "lose", message="the device is gone"))):
        steps = start + [builder("unbuilt"), lose] + ([step(None, "context", "pump")] if name == "lost" else [])
        s.scenario(f"every call on a {name} context", steps + [
            create(None, members={"throws": invalid_state(CREATE, "3")}),
            create_constant(None, [1, 2], throws=invalid_state(CREATE_CONSTANT, "3")),
            write("t", [1, 2], throws=type_error(WRITE, "2")),
            step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "4")),
            step(None, "context", "readTensor", tensor="t", outputData=source([0, 0]), throws=type_error(READ_INTO, "4")),
            dispatch({"x": "tx"}, {"y": "ty"}, throws=invalid_state(DISPATCH, "2")),
            builder(None, throws=invalid_state(NEW_BUILDER, "2")),
            input_("z", on="unbuilt", throws=invalid_state(INPUT, "1")),
            step(None, "context", "destroy"), step(None, "graph", "destroy"), step(None, "t", "destroy")])
    s.scenario("destroy of a context twice", [context(), step(None, "context", "destroy"), step(None, "context", "destroy")])
    s.scenario("destroy of one context leaves the other alone", [
        context(), context("other"), create("t", on="other"), step(None, "context", "destroy"), write("t", [1, 2], on="other"),
        read("t", [1, 2], on="other")])
    s.scenario("the message of a lost context", [
        context(), step(None, "context", "lose", message="the device is gone"),
        step(None, "context", "lost", returns={"value": {"message": "the device is gone"}})])
    s.scenario("everything pending when the context is lost", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), create("t"),
        create("tensor", members={"pending": True}), create_constant("constant", [1, 2], pending=True),
        step("graph", "builder", "build", outputs={"y": "y"}, pending=True), pending_read("bytes", "t"), step(None, "context", "destroy"),
        awaited("tensor", throws=invalid_state(CREATE, "6.2")), awaited("constant", throws=invalid_state(CREATE_CONSTANT, "10.2")),
        awaited("graph", throws=invalid_state(BUILD, "18.2")), awaited("bytes", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("a read that is done when the context is lost", [
        context(), create("t"), write("t", [1, 2]), pending_read("promise", "t"), step(None, "context", "pump"), step(None, "context", "destroy"),
        awaited("promise", returns=contents([1, 2]))])
