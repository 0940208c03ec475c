"""The proposal of WebGPU interoperability: createExportableTensor(), exportToGPU(), and the states of a tensor."""

from memory import blob, budget, ledger, product, supply
from scene import (
    BUILD, CONSTANT_TENSOR, CREATE, CREATE_CONSTANT, CREATE_CONSTANT_FROM, CREATE_EXPORTABLE, DESTROY_TENSOR, DISPATCH, EXPORT, RENTED, READ, READ_INTO, WRITE, awaited, build,
    builder, context, contents, create, create_constant, dispatch, exportable, input_, invalid_state, negation, pending_read, read, source,
    type_error, values, write)
from vector import Section, descriptor, step, thrown

RENTED_ERROR = invalid_state(RENTED, "1")
LITERAL = {"issue": "webgpu-context-lost-unset"}


def device(name="device"):
    return step(name, None, "requestDevice")


def export(name, tensor, on="context", **members):
    return step(None if "throws" in members else name, on, "exportToGPU", tensor=tensor, **members)


def destroy(name):
    return step(None, name, "destroy")


def pump(**arguments):
    return step(None, "context", "pump", **arguments)


def fill(buffer, data, data_type="float32", on="device", error=None, **arguments):
    return step(None, on, "writeBuffer", buffer=buffer, **arguments, data=source(data, data_type), returns={"value": {"error": error}})


def look(buffer, data, data_type="float32", shape=None, on="device"):
    described = descriptor(data_type, [len(data)] if shape is None else shape)
    return step(None, on, "readBuffer", buffer=buffer, descriptor=described, returns=contents(data, data_type, shape))


def unusable(buffer, error="validation", on="device"):
    return [
        fill(buffer, [0, 0], on=on, error=error),
        step(None, on, "readBuffer", buffer=buffer, descriptor=descriptor("float32", [2]), returns={"value": {"error": error}})]


def section():
    s = Section("webgpu-interop", "worked examples: small whole numbers; the exceptions are those of spec-diff/proposals/webgpu-interop.bs")
    open_ = [device(), context(gpuDevice="device")]
    rented = open_ + [exportable("t"), export("b", "t")]
    graph = open_ + [builder(), *negation(), exportable("tx"), exportable("ty")]
    run = dispatch({"x": "tx"}, {"y": "ty"})
    throws = {"throws": RENTED_ERROR}

    # --- the way through
    s.scenario("the application makes the input and takes the output", graph + [
        export("in", "tx"), fill("in", [1, 2]), destroy("in"), run, export("out", "ty"), look("out", [-1, -2]), destroy("out")])
    s.scenario("an operator of the application between two graphs", graph + [
        export("in", "tx"), fill("in", [1, 2]), destroy("in"), run,
        export("middle", "ty"), look("middle", [-1, -2]), fill("middle", [-10, -20]), destroy("middle"),
        dispatch({"x": "ty"}, {"y": "tx"}), export("out", "tx"), look("out", [10, 20])])
    s.scenario("three frames through the same tensors", graph + [
        call for n, frame in enumerate(([1, 2], [3, 4], [5, 6])) for call in (
            export(f"in{n}", "tx"), fill(f"in{n}", frame), destroy(f"in{n}"), run,
            export(f"out{n}", "ty"), look(f"out{n}", [-x for x in frame]), destroy(f"out{n}"))])
    s.scenario("a new tensor is full of zeros", open_ + [exportable("t"), export("b", "t"), look("b", [0, 0])])
    s.scenario("what writeTensor wrote is in the buffer", open_ + [exportable("t"), write("t", [3, 4]), export("b", "t"), look("b", [3, 4])])
    s.scenario("what the application wrote is read by readTensor", rented + [fill("b", [3, 4]), destroy("b"), read("t", [3, 4])])
    s.scenario("a buffer that the application leaves alone returns what it had", open_ + [
        exportable("t"), write("t", [3, 4]), export("b", "t"), destroy("b"), read("t", [3, 4])])
    s.scenario("a part of the buffer", open_ + [
        exportable("t", shape=[4]), write("t", [1, 2, 3, 4]), export("b", "t"), fill("b", [20, 30], bufferOffset=4), destroy("b"), read("t", [1, 20, 30, 4])])
    s.scenario("the tensors of one dispatch, one exported and one not", open_ + [
        builder(), *negation(), exportable("tx"), create("ty"), export("in", "tx"), fill("in", [1, 2]), destroy("in"), run, read("ty", [-1, -2])])

    # --- order
    s.scenario("an export comes after a dispatch that has not been executed", graph + [
        write("tx", [1, 2]), run, export("out", "ty"), look("out", [-1, -2])])
    s.scenario("a dispatch comes after what the application wrote, though nothing was executed before", graph + [
        export("in", "tx"), fill("in", [1, 2]), destroy("in"), run, export("out", "ty"), destroy("out"), read("ty", [-1, -2])])
    s.scenario("a dispatch before the export does not see what the application writes", graph + [
        write("tx", [1, 2]), run, export("in", "tx"), fill("in", [7, 8]), destroy("in"), read("ty", [-1, -2]), read("tx", [7, 8])])
    s.scenario("a read that is pending at the export has what was there before", open_ + [
        exportable("t"), write("t", [1, 2]), pending_read("promise", "t"), export("b", "t"), fill("b", [7, 8]),
        awaited("promise", returns=contents([1, 2])), destroy("b"), read("t", [7, 8])])
    s.scenario("a write before the export does not come behind it", open_ + [
        exportable("t"), write("t", [1, 2]), export("b", "t"), fill("b", [7, 8]), pump(), look("b", [7, 8])])
    s.scenario("a write after the return comes behind what the application wrote", rented + [
        fill("b", [7, 8]), destroy("b"), write("t", [1, 2]), read("t", [1, 2])])
    s.scenario("the export half way along the timeline", graph + [
        write("tx", [1, 2]), run, export("out", "ty"), pump(steps=1), look("out", [-1, -2])])
    s.scenario("exported and returned before anything is executed", open_ + [
        exportable("t"), write("t", [1, 2]), export("b", "t"), destroy("b"), export("c", "t"), look("c", [1, 2])])

    # --- contents
    def packed(name, data_type, shape, data, size):
        s.scenario(f"the size of {name}", open_ + [
            exportable("t", data_type, shape), export("b", "t", returns={"value": {"size": size, "usage": 140}})])
        s.scenario(f"the contents of {name}", open_ + [
            exportable("t", data_type, shape), write("t", data, data_type), export("b", "t"), look("b", data, data_type, shape), destroy("b"),
            read("t", data, data_type, shape)])

    packed("float32 of shape [2, 2]", "float32", [2, 2], [1, -2, 3, 4], 16)
    packed("a float32 scalar", "float32", [], [5], 4)
    packed("float16 of shape [3]", "float16", [3], [1, -2, 0.5], 8)
    packed("int32 of shape [2]", "int32", [2], [-7, 2147483647], 8)
    packed("uint32 of shape [1]", "uint32", [1], [4294967295], 4)
    packed("int64 of shape [2]", "int64", [2], [-1, 4294967296], 16)
    packed("uint64 of shape [1]", "uint64", [1], [2 ** 63], 8)
    packed("int8 of shape [2, 3, 4]", "int8", [2, 3, 4], list(range(-12, 12)), 24)
    packed("uint8 of shape [5]", "uint8", [5], [1, 2, 3, 4, 255], 8)
    packed("a uint8 scalar", "uint8", [], [9], 4)
    s.scenario("what the application leaves behind the last element does not count", open_ + [
        exportable("t", "uint8", [5]), export("b", "t"), fill("b", [1, 2, 3, 4, 5, 6, 7, 8], "uint8"), destroy("b"), read("t", [1, 2, 3, 4, 5], "uint8")])
    s.scenario("the elements are in little-endian order", open_ + [
        exportable("t", "int32", [1]), export("b", "t"), fill("b", [4, 3, 2, 1], "uint8"), destroy("b"), read("t", [0x01020304], "int32")])
    s.scenario("float16 as pairs in words", open_ + [
        exportable("t", "float16", [2]), export("b", "t"), fill("b", [0x3c00 + (0xc000 << 16)], "uint32"), destroy("b"), read("t", [1, -2], "float16")])

    # --- while it is rented
    s.scenario("dispatch with a rented input", graph + [export("b", "tx"), dispatch({"x": "tx"}, {"y": "ty"}, **throws)])
    s.scenario("dispatch with a rented output", graph + [export("b", "ty"), dispatch({"x": "tx"}, {"y": "ty"}, **throws)])
    s.scenario("dispatch with other tensors", graph + [
        export("b", "tx"), exportable("tz"), write("tz", [1, 2]), dispatch({"x": "tz"}, {"y": "ty"}), read("ty", [-1, -2])],
        note="only the tensor is rented, not its context")
    s.scenario("readTensor of a rented tensor", rented + [step(None, "context", "readTensor", tensor="t", **throws)])
    s.scenario("readTensor of a rented tensor into a buffer", rented + [
        step(None, "context", "readTensor", tensor="t", outputData=source([0, 0]), **throws)])
    s.scenario("writeTensor to a rented tensor", rented + [write("t", [1, 2], **throws), look("b", [0, 0])])
    s.scenario("exportToGPU of a rented tensor", rented + [export("c", "t", **throws), fill("b", [1, 2]), destroy("b"), read("t", [1, 2])],
               note="the first buffer is not affected")
    s.scenario("createConstantTensor from a rented tensor", rented + [
        step(None, "context", "createConstantTensor", tensor="t", throws=invalid_state(CREATE_CONSTANT_FROM, "6"))])
    s.scenario("rented again after it was returned", rented + [
        destroy("b"), export("c", "t"), write("t", [1, 2], **throws), destroy("c"), write("t", [1, 2]), read("t", [1, 2])])
    s.scenario("rented from the call on, before the export is executed", open_ + [
        exportable("t"), export("b", "t"), write("t", [1, 2], **throws), pump(), write("t", [1, 2], **throws)])
    s.scenario("returned from the call on, before the return is executed", rented + [
        pump(), destroy("b"), write("t", [1, 2]), pump(), read("t", [1, 2])])
    s.scenario("a graph that is destroyed while its tensors are rented", graph + [
        export("b", "tx"), destroy("graph"), fill("b", [1, 2]), destroy("b"), read("tx", [1, 2])])

    # --- what would be refused at any time is refused first
    s.scenario("writeTensor to a rented tensor that is not writable", open_ + [
        exportable("t", access=""), export("b", "t"), write("t", [1, 2], throws=type_error(WRITE, "3"))])
    s.scenario("writeTensor of too many bytes to a rented tensor", rented + [write("t", [1, 2, 3], throws=type_error(WRITE, "4"))])
    s.scenario("readTensor of a rented tensor that is not readable", open_ + [
        exportable("t", access=""), export("b", "t"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "5"))])
    s.scenario("readTensor of a rented tensor into too small a buffer", rented + [
        step(None, "context", "readTensor", tensor="t", outputData=source([0]), throws=type_error(READ_INTO, "6"))])
    s.scenario("dispatch with a rented tensor of another shape", graph + [
        exportable("tz", shape=[3]), export("b", "tz"), dispatch({"x": "tz"}, {"y": "ty"}, throws=type_error(DISPATCH, "6"))])
    s.scenario("dispatch with a rented tensor twice", graph + [
        export("b", "tx"), dispatch({"x": "tx"}, {"y": "tx"}, throws=type_error(DISPATCH, "4"))])
    s.scenario("a tensor that is neither readable nor writable can be exported", open_ + [
        exportable("t", access=""), export("b", "t"), fill("b", [1, 2]), look("b", [1, 2])],
        note="the two flags are of script's own memory")

    # --- the end of a rent
    s.scenario("a buffer that was destroyed can not be used", rented + [destroy("b"), *unusable("b")])
    s.scenario("a buffer that is destroyed twice", rented + [destroy("b"), destroy("b"), write("t", [1, 2]), read("t", [1, 2])])
    s.scenario("destroying an old buffer again does not end the next rent", rented + [
        destroy("b"), export("c", "t"), destroy("b"), write("t", [1, 2], **throws), fill("c", [3, 4]), destroy("c"), read("t", [3, 4])])
    s.scenario("each export gives a buffer of its own", rented + [destroy("b"), export("c", "t"), *unusable("b"), fill("c", [1, 2]), look("c", [1, 2])])
    s.scenario("rents of two tensors end by themselves", open_ + [
        exportable("t"), exportable("u"), export("b", "t"), export("c", "u"), fill("b", [1, 2]), fill("c", [3, 4]), destroy("b"), read("t", [1, 2]),
        step(None, "context", "readTensor", tensor="u", **throws), look("c", [3, 4])])

    # --- destroyed and lost
    s.scenario("destroy of a rented tensor destroys the buffer", rented + [fill("b", [1, 2]), destroy("t"), *unusable("b")])
    s.scenario("destroy of a rented tensor, then of its buffer", rented + [
        destroy("t"), destroy("b"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "4"))])
    s.scenario("destroy of a rented tensor twice", rented + [destroy("t"), destroy("t"), *unusable("b")])
    s.scenario("destroy of a buffer, then of its tensor", rented + [destroy("b"), destroy("t"), *unusable("b")])
    s.scenario("destroy of a rented tensor before the export is executed", open_ + [exportable("t"), export("b", "t"), destroy("t"), pump(), *unusable("b")])
    s.scenario("destroy of a rented tensor rejects the reads that are pending", open_ + [
        exportable("t"), pending_read("promise", "t"), export("b", "t"), destroy("t"),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("destroy of a rented tensor leaves others alone", rented + [exportable("u"), export("c", "u"), destroy("t"), fill("c", [1, 2]), look("c", [1, 2])])
    s.scenario("destroy of the context destroys the buffers", rented + [destroy("context"), *unusable("b")])
    s.scenario("destroy of the context before the export is executed", open_ + [exportable("t"), export("b", "t"), destroy("context"), pump(), *unusable("b")])
    s.scenario("destroy of the context, then of the buffer", rented + [destroy("context"), destroy("b"), pump(), *unusable("b")])
    s.scenario("destroy of the context leaves the device alone", rented + [
        destroy("context"), context("other", gpuDevice="device"), exportable("u", on="other"), export("c", "u", on="other"), fill("c", [1, 2]),
        look("c", [1, 2])])
    s.scenario("destroy of the context leaves another of the same device alone", rented + [
        context("other", gpuDevice="device"), exportable("u", on="other"), export("c", "u", on="other"), destroy("context"), fill("c", [1, 2]), look("c", [1, 2])])
    s.scenario("destroy of the context between the return and its execution", rented + [
        pump(), fill("b", [1, 2]), destroy("b"), destroy("context"), pump(), *unusable("b")])
    s.scenario("a device that is lost loses its context", open_ + [
        step(None, "device", "lose", message="gone"), pump(), create("t", throws=invalid_state(CREATE, "3"))],
        literal={**LITERAL, "outcome": "differs"})
    s.scenario("a device that is lost loses all its contexts and no other", open_ + [
        device("second"), context("other", gpuDevice="device"), context("third", gpuDevice="second"), exportable("u", on="third", gpu="second"),
        step(None, "device", "lose"), pump(), create("t", throws=invalid_state(CREATE, "3")), create("t", on="other", throws=invalid_state(CREATE, "3")),
        export("c", "u", on="third"), fill("c", [1, 2], on="second"), look("c", [1, 2], on="second")],
        literal={**LITERAL, "outcome": "differs"})
    s.scenario("a device that is lost while a tensor is rented", rented + [
        step(None, "device", "lose"), *unusable("b", "lost"), pump(), *unusable("b", "lost"), destroy("b")])
    s.scenario("a device that is lost twice", rented + [
        step(None, "device", "lose"), pump(), step(None, "device", "lose"), pump(), export("c", "t", throws=invalid_state(EXPORT, "2"))],
        literal={**LITERAL, "outcome": "differs"})
    s.scenario("calls before anybody has heard of the loss have no effect", graph + [
        step(None, "device", "lose"), write("tx", [1, 2]), run, export("b", "tx"), *unusable("b", "lost"), destroy("b"), pump(),
        export("c", "tx", throws=invalid_state(EXPORT, "2"))],
        literal={**LITERAL, "outcome": "differs"})
    s.scenario("a read that is pending when the device is lost", open_ + [
        exportable("t"), pump(), pending_read("promise", "t"), step(None, "device", "lose"), pump(),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))],
        note="the task that loses the context is queued before the one of the read, which the platform refuses")
    s.scenario("a device that is lost between the return and its execution", rented + [
        pump(), fill("b", [1, 2]), step(None, "device", "lose"), destroy("b"), pump(), *unusable("b", "lost")])
    for name, pending, exception in (
            ("createTensor", create("promise", pending=True), thrown("UnknownError", CREATE, "6.1.2")),
            ("createConstantTensor", create_constant("promise", [1, 2], pending=True), thrown("UnknownError", CREATE_CONSTANT, "10.1.2")),
            ("build", {**build("promise", y="y"), "pending": True}, thrown("OperationError", BUILD, "18.1.2"))):
        s.scenario(f"{name} that is pending when the device is lost", open_ + [
            builder(), input_("x"), step("y", "builder", "neg", input="x"), pending, step(None, "device", "lose"), pump(),
            awaited("promise", throws=exception)])
    s.scenario("readTensor into a buffer that is pending when the device is lost", open_ + [
        exportable("t"), pump(), step("promise", "context", "readTensor", tensor="t", outputData=source([0, 0]), pending=True),
        step(None, "device", "lose"), pump(), awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("a device that is lost gives no context", [
        device(), step(None, "device", "lose"),
        step(None, None, "createContext", gpuDevice="device", throws=thrown("NotSupportedError", "ML.createContext(gpuDevice)", "5.1"))])

    # --- what can not be exported
    s.scenario("exportToGPU of a tensor of createTensor", open_ + [create("t"), export("b", "t", throws=type_error(EXPORT, "4"))])
    s.scenario("exportToGPU of a constant tensor", open_ + [create_constant("t", [1, 2]), export("b", "t", throws=type_error(EXPORT, "4"))])
    s.scenario("exportToGPU of a tensor of a context without a device", [context(), create("t"), export("b", "t", throws=type_error(EXPORT, "4"))])
    s.scenario("exportToGPU of a tensor that was destroyed", open_ + [exportable("t"), destroy("t"), export("b", "t", throws=type_error(EXPORT, "3"))])
    s.scenario("exportToGPU of a tensor of another context", open_ + [
        device("second"), context("other", gpuDevice="second"), exportable("t"), export("b", "t", on="other", throws=type_error(EXPORT, "1"))])
    s.scenario("exportToGPU of a tensor of another context of the same device", open_ + [
        context("other", gpuDevice="device"), exportable("t"), export("b", "t", on="other", throws=type_error(EXPORT, "1"))])
    s.scenario("exportToGPU on a context that was destroyed", open_ + [
        exportable("t"), destroy("context"), export("b", "t", throws=invalid_state(EXPORT, "2"))], literal={**LITERAL, "outcome": "differs"})
    s.scenario("exportToGPU on a context that was lost", open_ + [
        exportable("t"), step(None, "context", "lose", message="lost"), export("b", "t", throws=invalid_state(EXPORT, "2"))],
        literal={**LITERAL, "outcome": "differs"})
    s.scenario("exportToGPU on a context whose device was lost", open_ + [
        exportable("t"), step(None, "device", "lose"), pump(), export("b", "t", throws=invalid_state(EXPORT, "2"))],
        literal={**LITERAL, "outcome": "differs"})

    # --- creating
    def refused(name, steps, exception, path, literal=None, **arguments):
        at = thrown(exception, CREATE_EXPORTABLE, path)
        s.scenario(name, steps + [exportable("t", throws=at, **arguments)], literal=literal)

    refused("createExportableTensor on a context without a device", [device(), context()], "NotSupportedError", "4")
    refused("createExportableTensor with another device", open_ + [device("second")], "NotSupportedError", "4", gpu="second")
    refused("createExportableTensor on a context that was destroyed", open_ + [destroy("context")], "InvalidStateError", "3",
            literal={**LITERAL, "outcome": "passes"})
    refused("createExportableTensor on a context whose device was lost", open_ + [step(None, "device", "lose"), pump()], "InvalidStateError", "3",
            literal={**LITERAL, "outcome": "differs"})
    refused("createExportableTensor of too large a tensor", open_, "TypeError", "5", shape=[65536, 65536])
    refused("createExportableTensor with a dimension of 0", open_, "TypeError", "5", shape=[0])
    refused("createExportableTensor without a usage", open_, "TypeError", "6", usage=0)
    refused("createExportableTensor with the usage MAP_READ", open_, "TypeError", "6", usage=1 + 8)
    refused("createExportableTensor with the usage MAP_WRITE", open_, "TypeError", "6", usage=2 + 4)
    refused("createExportableTensor with STORAGE and MAP_READ", open_, "TypeError", "6", usage=128 + 1)
    refused("createExportableTensor with a usage that WebGPU does not have", open_, "TypeError", "6", usage=128 + 1024)
    for name, usage in (("COPY_SRC", 4), ("COPY_DST", 8), ("INDEX", 16), ("VERTEX", 32), ("UNIFORM", 64), ("STORAGE", 128), ("INDIRECT", 256),
                        ("QUERY_RESOLVE", 512), ("all usages", 1020)):
        s.scenario(f"createExportableTensor with {name}", open_ + [
            exportable("t", usage=usage), write("t", [1, 2]), export("b", "t", returns={"value": {"size": 8, "usage": usage}}), destroy("b"),
            read("t", [1, 2])])
    s.scenario("a buffer has the usages that were asked for and no others", open_ + [
        exportable("t", usage=128 + 4), write("t", [1, 2]), export("b", "t"), look("b", [1, 2]), fill("b", [3, 4], error="validation"), look("b", [1, 2])])
    s.scenario("createExportableTensor that is pending when the context is destroyed", open_ + [
        exportable("t", pending=True), destroy("context"), awaited("t", throws=invalid_state(CREATE_EXPORTABLE, "11.2"))],
        literal={**LITERAL, "outcome": "passes"})
    s.scenario("createExportableTensor that is pending when the device is lost", open_ + [
        exportable("t", pending=True), step(None, "device", "lose"), pump(), awaited("t", throws=thrown("UnknownError", CREATE_EXPORTABLE, "11.1.2"))])

    # --- what WebGPU refuses
    s.scenario("a write behind the end of the buffer", rented + [fill("b", [1, 2, 3], error="validation"), look("b", [0, 0])])
    s.scenario("a write at an offset that is no multiple of 4", rented + [fill("b", [1], bufferOffset=2, error="validation"), look("b", [0, 0])])
    s.scenario("a buffer of another device", rented + [device("second"), *unusable("b", on="second"), fill("b", [1, 2]), look("b", [1, 2])])

    # --- constants
    mul = [builder(), input_("x"), step("w", "builder", "constant", tensor="weights"), step("y", "builder", "mul", a="x", b="w"), build(y="y")]
    from_ = step("weights", "context", "createConstantTensor", tensor="t")
    s.scenario("a constant that the application made", rented + [
        fill("b", [3, -4]), destroy("b"), from_, *mul, create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("a constant is not changed by what the application writes later", rented + [
        fill("b", [3, -4]), destroy("b"), from_, export("c", "t"), fill("c", [9, 9]), destroy("c"), *mul,
        create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("a constant is not changed by a write between its creation and its execution", open_ + [
        exportable("t"), write("t", [3, -4]), step("promise", "context", "createConstantTensor", tensor="t", pending=True), write("t", [9, 9]),
        step("weights", None, "await", promise="promise"), *mul, create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("a constant from the output of a graph", open_ + [
        builder("first"), *negation(("a", "c"), "first", "negate"), create("ta"), create("t"), write("ta", [-3, 4]),
        dispatch({"a": "ta"}, {"c": "t"}, "negate"), from_, *mul, create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("a constant of a tensor that is destroyed behind it", open_ + [
        exportable("t"), write("t", [3, -4]), from_, destroy("t"), *mul, create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("a constant from a constant tensor, without a device", [
        context(), create_constant("t", [3, -4]), from_, *mul, create("tx"), create("ty"), write("tx", [2, 5]), run, read("ty", [6, -20])])
    s.scenario("constant() of an exportable tensor", open_ + [
        exportable("t"), builder(), step(None, "builder", "constant", tensor="t", throws=type_error(CONSTANT_TENSOR, "3"))])

    def no_constant(name, steps, at, on="context", **members):
        s.scenario(f"createConstantTensor from {name}", steps + [step(None, on, "createConstantTensor", tensor="t", throws=at)], **members)

    no_constant("a tensor of another context", [context(), context("other"), create("t")], type_error(CREATE_CONSTANT_FROM, "3"), on="other")
    no_constant("a tensor of a context that was destroyed", [context(), create("t"), destroy("context")], invalid_state(CREATE_CONSTANT_FROM, "4"))
    no_constant("a tensor that was destroyed", [context(), create("t"), destroy("t")], type_error(CREATE_CONSTANT_FROM, "5"))
    # A memory budget counts these tensors too.
    s.scenario("one byte too little for an exportable tensor", open_ + [
        budget(15), exportable("t"), exportable(None, throws=thrown("UnknownError", CREATE_EXPORTABLE, "11.1.2")), budget(16),
        exportable("u"), ledger("tensors", 16)])
    s.scenario("one byte too little for a constant tensor from a tensor", [
        context(), create("t"), budget(15),
        step(None, "context", "createConstantTensor", tensor="t", throws=thrown("UnknownError", CREATE_CONSTANT_FROM, "9.1.2")), budget(16),
        step("u", "context", "createConstantTensor", tensor="t"), ledger("tensors", 16)])
    s.scenario("an exportable tensor makes a graph leave", open_ + [
        *product(), blob("source", [10, 20]), supply("source"), ledger("constants", 8), budget(8), exportable("t"), ledger("constants", 0),
        ledger("tensors", 8)])
    s.scenario("createConstantTensor from a tensor, pending when the context is destroyed", [
        context(), create("t"), step("promise", "context", "createConstantTensor", tensor="t", pending=True), destroy("context"),
        awaited("promise", throws=invalid_state(CREATE_CONSTANT_FROM, "9.2"))])
    s.scenario("createConstantTensor from a tensor, pending when the device is lost", open_ + [
        exportable("t"), step("promise", "context", "createConstantTensor", tensor="t", pending=True), step(None, "device", "lose"), pump(),
        awaited("promise", throws=thrown("UnknownError", CREATE_CONSTANT_FROM, "9.1.2"))])
    return s
