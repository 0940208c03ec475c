"""MLGraphBuilder: its constructor, input(), the constant() methods, build()."""

from rounding import cast_number
from scene import (
    BUILD, CONSTANT_BUFFER, CONSTANT_TENSOR, CONSTANT_VALUE, INPUT, NEW_BUILDER, awaited, buffer, build, builder, context, create,
    create_constant, dispatch, input_, invalid_state, negation, read, source, type_error, write)
from sections.mlcontext import wrong_sources
from vector import STEPS, Section, descriptor, resolve, step

BIG, NUM = "$bigint", "$num"
# what constant(dataType, value) is given; the specification's "cast" clamps to the range and rounds to nearest even
SCALARS = {
    "float32": [0.1, 16777217, 3e39, -3e39, 3.4028235677973366e38, 3.4028235e38, 1e-46, 1.0000000596046448, 1.0000000596046450,
                {NUM: "NaN"}, {NUM: "-Infinity"}, {BIG: "16777219"}, {BIG: "-5"}],
    "float16": [0.1, 2049, 2051, 65504, 65519.99, 65520, -1e6, 2.98023223876953125e-08, 1.0004882812509095,
                {NUM: "NaN"}, {NUM: "Infinity"}, {BIG: "4099"}],
    "int32": [7, -7, 2.5, 3.5, -2.5, -3.5, 0.4999, 2147483646.5, 1e10, -1e10, {NUM: "NaN"}, {NUM: "Infinity"}, {NUM: "-0"}, {BIG: "-2147483649"}],
    "uint32": [7, 0.5, 1.5, -1, 2147483648, 4294967295, 4294967296, {NUM: "NaN"}, {NUM: "-Infinity"}, {BIG: "3000000000"}],
    "int64": [7, -2.5, 1e300, {NUM: "-Infinity"}, {BIG: "9007199254740993"}, {BIG: "9223372036854775807"}, {BIG: "9223372036854775808"},
              {BIG: "-9223372036854775809"}],
    "uint64": [7, 2.5, -1, 1e300, {BIG: "9007199254740993"}, {BIG: "18446744073709551615"}, {BIG: "18446744073709551616"}, {BIG: "-1"}],
    "int8": [7, 127.5, 128, 300, -128.5, -300, 1.5, -1.5, {NUM: "NaN"}, {BIG: "1000"}],
    "uint8": [7, 254.5, 255.5, 300, -0.5, -1, 0.5, 1.5, {NUM: "Infinity"}, {BIG: "256"}],
}


def section():
    s = Section("mlgraphbuilder", STEPS)
    s.scenario("constructor of a lost context", [context(), step(None, "context", "destroy"), builder(None, throws=invalid_state(NEW_BUILDER, "2"))])
    s.scenario("two builders of one context", [
        context(), builder(), builder("second"), *negation(), *negation(("p", "q"), "second", "other"), create("t"), create("u"),
        write("t", [1, 2]), dispatch({"x": "t"}, {"y": "u"}), dispatch({"p": "u"}, {"q": "t"}, "other"), read("t", [1, 2])])
    inputs(s)
    constants(s)
    scalars(s)
    builds(s)
    return s


def inputs(s):
    start = [context(), builder()]
    s.scenario("input with a name of any characters", start + [
        step("x", "builder", "input", name="entrée 入力 \U0001f600", descriptor=descriptor("float32", [2])),
        step("y", "builder", "neg", input="x"), build(**{"sortie 出力": "y"}), create("tx"), create("ty"), write("tx", [1, 2]),
        dispatch({"entrée 入力 \U0001f600": "tx"}, {"sortie 出力": "ty"}), read("ty", [-1, -2])])
    s.scenario("input after build", start + negation() + [input_("z", throws=invalid_state(INPUT, "1"))])
    s.scenario("input on a lost context", start + [step(None, "context", "destroy"), input_("z", throws=invalid_state(INPUT, "1"))])
    s.scenario("input with an empty name", start + [
        step(None, "builder", "input", name="", descriptor=descriptor("float32", [2]), throws=type_error(INPUT, "2"))])
    s.scenario("input with a name taken before", start + [
        input_("x"), step(None, "builder", "input", name="x", descriptor=descriptor("int32", [3]), throws=type_error(INPUT, "3"))])
    s.scenario("input with a name that another builder has", start + [
        builder("second"), input_("x"), step("other", "second", "input", name="x", descriptor=descriptor("float32", [2]))])
    for name, shape in (("a size of zero", [2, 0]), ("a size above the range of long", [2147483648]), ("too many elements", [65536, 65536])):
        s.scenario(f"input with {name}", start + [
            step(None, "builder", "input", name="x", descriptor=descriptor("uint8", shape), throws=type_error(INPUT, "4"))])
    s.scenario("input again with the name of one refused", start + [
        step(None, "builder", "input", name="x", descriptor=descriptor("float32", [0]), throws=type_error(INPUT, "4")), *negation(),
        create("tx"), create("ty"), write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [-1, -2])])


def constants(s):
    start = [context(), builder()]

    def constant(name, data, data_type="float32", shape=(2,), **members):
        return step(name, "builder", "constant", descriptor=descriptor(data_type, shape), buffer=data, **members)

    def negated(data, expected, data_type="float32", shape=(2,)):
        return start + [constant("c", data, data_type, shape), step("y", "builder", "neg", input="c"), build(y="y"),
                        create("ty", data_type, shape), dispatch({}, {"y": "ty"}), read("ty", expected, data_type, shape)]

    for view in (None, "ArrayBuffer", "SharedArrayBuffer"):
        s.scenario(f"constant from a {view or 'Float32Array'}", negated(source([1.5, -2], view=view), [-1.5, 2]))
    s.scenario("constant from a Uint8Array of the bytes", negated(source([0, 0, 192, 63], "uint8"), [-1.5], shape=[1]))
    s.scenario("constant of a scalar", negated(source([3]), [-3], shape=[]))
    s.scenario("constant float16", negated(source([1.5, -2], "float16"), [-1.5, 2], "float16"))
    s.scenario("constant int64", negated(source([9007199254740993, -1], "int64"), [-9007199254740993, 1], "int64"))
    s.scenario("constant copies its data before it returns", start + [
        buffer("data", [1, 2]), constant("c", "data"), step(None, "data", "fill", data=[7, 8]), step("y", "builder", "neg", input="c"), build(y="y"),
        create("ty"), dispatch({}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("constant from a buffer that is detached afterwards", start + [
        buffer("data", [1, 2]), constant("c", "data"), step(None, "data", "detach"), step("y", "builder", "neg", input="c"), build(y="y"),
        create("ty"), dispatch({}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("constant from a buffer after build", start + negation() + [constant(None, source([1, 2]), throws=invalid_state(CONSTANT_BUFFER, "1"))])
    s.scenario("constant from a buffer on a lost context", start + [
        step(None, "context", "destroy"), constant(None, source([1, 2]), throws=invalid_state(CONSTANT_BUFFER, "1"))])
    for name, shape in (("a size of zero", [2, 0]), ("a size above the range of long", [2147483648]), ("too many elements", [65536, 65536])):
        s.scenario(f"constant with {name}", start + [constant(None, source([1]), shape=shape, throws=type_error(CONSTANT_BUFFER, "2"))])
    wrong_sources(s, "constant", [builder()], lambda data, **members: constant(None, data, **members), type_error(CONSTANT_BUFFER, "3"))

    def from_tensor(name="c", tensor="weights", **members):
        return step(name, "builder", "constant", tensor=tensor, **members)

    s.scenario("constant from a tensor", start + [
        create_constant("weights", [1, 2]), from_tensor(), step("y", "builder", "neg", input="c"), build(y="y"), create("ty"),
        dispatch({}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("constant from one tensor in two builders and twice in one", start + [
        create_constant("weights", [1, 2]), from_tensor(), from_tensor("d"), step("y", "builder", "add", a="c", b="d"), build(y="y"),
        builder("second"), step("e", "second", "constant", tensor="weights"), step("z", "second", "neg", input="e"), build("other", "second", z="z"),
        create("ty"), create("tz"), dispatch({}, {"y": "ty"}), dispatch({}, {"z": "tz"}, "other"), read("ty", [2, 4]), read("tz", [-1, -2])])
    s.scenario("constant from a tensor of another context", start + [
        context("other"), create_constant("weights", [1, 2], on="other"), from_tensor(None, throws=type_error(CONSTANT_TENSOR, "1"))])
    s.scenario("constant from a destroyed tensor", start + [
        create_constant("weights", [1, 2]), step(None, "weights", "destroy"), from_tensor(None, throws=type_error(CONSTANT_TENSOR, "2"))])
    s.scenario("constant from a tensor that is not constant", start + [create("t"), from_tensor(None, "t", throws=type_error(CONSTANT_TENSOR, "3"))])
    s.scenario("constant from a tensor after build", start + negation() + [
        create_constant("weights", [1, 2]), from_tensor(None, throws=invalid_state(CONSTANT_TENSOR, "4"))])
    s.scenario("constant from a tensor on a lost context", start + [
        create_constant("weights", [1, 2]), step(None, "context", "destroy"), from_tensor(None, throws=type_error(CONSTANT_TENSOR, "2"))],
        note="losing the context destroys the tensor, and that is found first")


def scalar(s, name, data_type, values):
    """A graph that concatenates the scalar constants that `values` give."""
    steps = [context(), builder()]
    expected = []
    for index, value in enumerate(values):
        expected.append(cast_number(resolve({"value": value}, {})["value"], data_type))
        steps += [step(f"c{index}", "builder", "constant", dataType=data_type, value=value),
                  step(f"r{index}", "builder", "reshape", input=f"c{index}", newShape=[1])]
    steps += [step("y", "builder", "concat", inputs=[f"r{index}" for index in range(len(values))], axis=0), build(y="y"),
              create("ty", data_type, [len(values)]), dispatch({}, {"y": "ty"}), read("ty", expected, data_type)]
    literal = {"literal": {"issue": "cast-uint32-signed", "outcome": "differs"}} if data_type == "uint32" else {}
    s.scenario(name, steps, **literal)


def scalars(s):
    for data_type, values in SCALARS.items():
        scalar(s, f"constant {data_type} of a number", data_type, values)
    scalar(s, "constant float32 subnormal", "float32", [1e-45, -1e-40, 7.1e-46])
    scalar(s, "constant float16 subnormal", "float16", [6e-8, -3.05e-5, 2.9802322387695316e-08])
    s.scenario("constant uint32 beyond the range of int32", [
        context(), builder(), step("c", "builder", "constant", dataType="uint32", value=4294967295), step("y", "builder", "identity", input="c"),
        build(y="y"), create("ty", "uint32", []), dispatch({}, {"y": "ty"}), read("ty", [4294967295], "uint32", [])],
        literal={"issue": "cast-uint32-signed", "outcome": "differs"})
    s.scenario("constant of a number after build", [context(), builder(), *negation(), step(
        None, "builder", "constant", dataType="float32", value=1, throws=invalid_state(CONSTANT_VALUE, "1"))])
    s.scenario("constant of a number on a lost context", [context(), builder(), step(None, "context", "destroy"), step(
        None, "builder", "constant", dataType="float32", value=1, throws=invalid_state(CONSTANT_VALUE, "1"))])


def builds(s):
    start = [context(), builder(), input_("x"), step("y", "builder", "neg", input="x")]

    def refused(name, more, outputs, throws, on="builder"):
        s.scenario(f"build {name}", start + more + [step(None, on, "build", outputs=outputs, throws=throws)])

    refused("twice", [build(y="y")], {"y": "y"}, invalid_state(BUILD, "2"))
    refused("twice, the first pending", [step("promise", "builder", "build", outputs={"y": "y"}, pending=True)], {"y": "y"}, invalid_state(BUILD, "2"))
    refused("on a lost context", [step(None, "context", "destroy")], {"y": "y"}, invalid_state(BUILD, "2"))
    refused("without outputs", [], {}, type_error(BUILD, "3"))
    refused("with an empty output name", [], {"": "y"}, type_error(BUILD, "4.1"))
    refused("with an empty output name beside another", [], {"y": "y", "": "y"}, type_error(BUILD, "4.1"))
    refused("with an output of another builder", [builder("second")], {"y": "y"}, type_error(BUILD, "4.2"), "second")
    refused("with an input as output", [], {"y": "y", "x": "x"}, type_error(BUILD, "4.3"))
    refused("with a constant as output", [step("c", "builder", "constant", dataType="float32", value=1)], {"c": "c"}, type_error(BUILD, "4.3"))
    refused("with a constant tensor as output", [create_constant("weights", [1, 2]), step("c", "builder", "constant", tensor="weights")],
            {"c": "c"}, type_error(BUILD, "4.3"))
    s.scenario("build again after one that was refused", start + [
        step(None, "builder", "build", outputs={"x": "x"}, throws=type_error(BUILD, "4.3")), build(y="y"), create("tx"), create("ty"),
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("build pending when the context is lost", start + [
        step("promise", "builder", "build", outputs={"y": "y"}, pending=True), step(None, "context", "destroy"),
        awaited("promise", throws=invalid_state(BUILD, "18.2"))])
    s.scenario("build pending and awaited later", start + [
        step("promise", "builder", "build", outputs={"y": "y"}, pending=True), create("tx"), create("ty"),
        step("graph", None, "await", promise="promise"), write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [-1, -2])])
    s.scenario("identity lets an input be an output", start + [
        step("same", "builder", "identity", input="x"), build(y="same"), create("tx"), create("ty"), write("tx", [1, 2]),
        dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [1, 2])])
    s.scenario("an operator on a lost context", start + [
        step(None, "context", "destroy"),
        step(None, "builder", "add", a="x", b="x", throws=invalid_state("MLGraphBuilder/create an element-wise binary operation", "2"))])
