"""The proposal of a graph cache: saveGraph(), loadGraph(), listGraphs(), deleteGraph(), and what a loaded graph offers."""

from scene import (
    DISPATCH, awaited, build, builder, context, create, create_constant, dispatch, input_, invalid_state, negation, read, source, type_error, write)
from vector import Section, descriptor, step, thrown

LIST = "MLContext.listGraphs()"
LOAD = "MLContext.loadGraph(key)"
SAVE = "MLContext.saveGraph(key, graph, constants)"
DELETE = "MLContext.deleteGraph(key)"
SET = "MLGraph.setConstantData(constant, data, options)"
UNSET = "MLGraph/ensure constants are set"

SOURCE = ("worked examples: sums, products and negations of small whole numbers; the exceptions are those of "
          "spec-diff/proposals/graph-cache.bs")


def save(key="k", graph="graph", on="context", **members):
    """saveGraph(); `constants`, among the members, has the hollow constants by name."""
    return step(members.pop("let", None), on, "saveGraph", key=key, graph=graph, **members)


def load(name="loaded", key="k", on="context", **members):
    return step(None if "throws" in members else name, on, "loadGraph", key=key, **members)


def listed(*keys, on="context"):
    return step(None, on, "listGraphs", returns={"value": list(keys)})


def delete(key="k", on="context", **members):
    return step(members.pop("let", None), on, "deleteGraph", key=key, **members)


def spoil(how, key="k", on="context"):
    return step(None, on, "spoilGraph", key=key, how=how)


def storage(state, on="context"):
    return step(None, on, "storage", state=state)


def hollow(name="w", on="builder", data_type="float32", shape=(2,)):
    return step(name, on, "constant", descriptor=descriptor(data_type, shape))


def constant(name, data, data_type="float32", shape=None, on="builder"):
    shape = [len(data)] if shape is None else shape
    return step(name, on, "constant", descriptor=descriptor(data_type, shape), buffer=source(data, data_type))


def named(name="w", let="lw", on="loaded"):
    """The operand of a loaded graph's hollow constant."""
    return step(let, on, "constants", name=name)


def set_data(data, operand="lw", on="loaded", **members):
    return step(members.pop("let", None), on, "setConstantData", constant=operand, data=source(data), **members)


def not_found(path):
    return thrown("NotFoundError", LOAD, path)


def section():
    s = Section("graph-cache", SOURCE)
    tensors = [create("tx"), create("ty"), write("tx", [1, 2])]
    plain = [context(), builder(), *negation(), *tensors]
    sum_of = [context(), builder(), input_("x"), hollow(), step("y", "builder", "add", a="x", b="w"), build(y="y"), *tensors]
    run = dispatch({"x": "tx"}, {"y": "ty"}, "loaded")
    run_built = dispatch({"x": "tx"}, {"y": "ty"})
    unset = dispatch({"x": "tx"}, {"y": "ty"}, "loaded", throws=invalid_state(UNSET, "1.1"))
    negated = read("ty", [-1, -2])

    computes(s, plain, sum_of, run, run_built, unset, negated)
    constants(s, sum_of, run, unset)
    keys(s, plain, run, negated)
    refusals(s, plain, sum_of)
    contexts(s, plain, sum_of, run, negated)
    stores(s, plain, run, negated)
    return s


def computes(s, plain, sum_of, run, run_built, unset, negated):
    s.scenario("a graph that was saved is loaded and computes", plain + [save(), load(), run, negated])
    s.scenario("a graph is loaded after the one that was saved was destroyed", plain + [
        save(), step(None, "graph", "destroy"), load(), run, negated])
    s.scenario("a graph that is destroyed while it is being saved is saved", plain + [
        save(let="promise", pending=True), step(None, "graph", "destroy"), awaited("promise"), load(), run, negated],
        note="its resources are released by a later step of the timeline")
    s.scenario("saving leaves the graph as it was", sum_of + [
        set_data([10, 20], "w", "graph"), save(constants={"w": "w"}), run_built, read("ty", [11, 22])])
    s.scenario("a load that was called before the save has ended comes after it", plain + [
        save(let="saved", pending=True), load(name="promise", pending=True), awaited("saved"),
        step("loaded", None, "await", promise="promise"), run, negated])
    s.scenario("a graph is loaded twice", plain + [
        save(), load(), load("second"), step(None, "loaded", "destroy"), dispatch({"x": "tx"}, {"y": "ty"}, "second"), negated])
    s.scenario("a graph with two outputs, one of which is computed from the other", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), step("z", "builder", "abs", input="y"), build(y="y", z="z"),
        create("tx"), create("ty"), create("tz"), write("tx", [1, -2]), save(), load(), dispatch({"x": "tx"}, {"y": "ty", "z": "tz"}, "loaded"),
        read("ty", [-1, 2]), read("tz", [1, 2])])
    s.scenario("a graph with one operand under two output names", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), build(first="y", second="y"),
        create("tx"), create("ty"), create("tz"), write("tx", [1, -2]), save(), load(),
        dispatch({"x": "tx"}, {"first": "ty", "second": "tz"}, "loaded"), read("ty", [-1, 2]), read("tz", [-1, 2])])
    s.scenario("a graph without inputs", [
        context(), builder(), constant("c", [1, -2, 3]), step("y", "builder", "neg", input="c"), build(y="y"), create("ty", shape=[3]),
        save(), load(), dispatch({}, {"y": "ty"}, "loaded"), read("ty", [-1, 2, -3])])
    s.scenario("a graph of several operators", [
        context(), builder(), input_("x", shape=[2, 2]), hollow("w", shape=(2, 2)), hollow("b"),
        step("product", "builder", "matmul", a="x", b="w"), step("wide", "builder", "add", a="product", b="b"),
        step("turned", "builder", "transpose", input="wide"), step("square", "builder", "matmul", a="turned", b="wide"),
        step("y", "builder", "reshape", input="square", newShape=[4]), build(y="y"),
        create("tx", shape=[2, 2]), create("ty", shape=[4]), write("tx", [1, 2, 3, 4]), save(constants={"weights": "w", "bias": "b"}), load(),
        named("weights", "lw"), named("bias", "lb"), set_data([1, 0, 2, 1], "lw"), set_data([1, -1], "lb"), run, read("ty", [180, 42, 42, 10])],
        note="x w is [5 2; 11 4], with b it is [6 1; 12 3], and its transpose times itself is [180 42; 42 10]")


def constants(s, sum_of, run, unset):
    kept = sum_of + [save(constants={"w": "w"}), load()]
    s.scenario("a hollow constant of a loaded graph is set by its name", kept + [named(), set_data([10, 20]), run, read("ty", [11, 22])])
    s.scenario("a loaded graph is not dispatched while its hollow constant is unset", kept + [unset])
    s.scenario("the data of a hollow constant that was set is not saved", sum_of + [
        set_data([10, 20], "w", "graph"), save(constants={"w": "w"}), load(), unset, named(), set_data([30, 40]), run, read("ty", [31, 42])])
    s.scenario("a graph is saved while its hollow constant is being set", sum_of + [
        set_data([10, 20], "w", "graph", let="promise", pending=True), save(constants={"w": "w"}), awaited("promise"), load(), unset])
    s.scenario("a hollow constant of a loaded graph is set once", kept + [
        named(), set_data([10, 20]), set_data([30, 40], throws=invalid_state(SET, "5")), run, read("ty", [11, 22])])
    s.scenario("two graphs of one entry have their own data", kept + [
        load("second"), named(), named(let="sw", on="second"), set_data([10, 20]), dispatch({"x": "tx"}, {"y": "ty"}, "second", throws=invalid_state(UNSET, "1.1")),
        set_data([30, 40], "sw", "second"), run, read("ty", [11, 22]), dispatch({"x": "tx"}, {"y": "ty"}, "second"), read("ty", [31, 42])])
    s.scenario("a hollow constant of another graph of the same entry", kept + [
        load("second"), named(let="sw", on="second"), set_data([10, 20], "sw", throws=type_error(SET, "4"))])
    s.scenario("a hollow constant of the graph that was saved", kept + [set_data([10, 20], "w", throws=type_error(SET, "4"))])
    s.scenario("a hollow constant of a loaded graph in another builder", kept + [
        named(), builder("other"), input_("z", on="other"),
        step(None, "other", "add", a="z", b="lw", throws=type_error("MLGraphBuilder/create an element-wise binary operation", "3"))])
    s.scenario("a loaded graph is saved again, under other names", kept + [
        named(), save("again", "loaded", constants={"weights": "lw"}), load("second", "again"), named("weights", "sw", "second"),
        set_data([10, 20], "sw", "second"), dispatch({"x": "tx"}, {"y": "ty"}, "second"), read("ty", [11, 22])])
    s.scenario("a graph is destroyed while a constant of it is being set", kept + [
        named(), set_data([10, 20], let="promise", pending=True), step(None, "loaded", "destroy"),
        awaited("promise", throws=invalid_state("MLGraph/reject pending constants", "1.2"))])
    s.scenario("what a loaded graph offers", kept + [
        step(None, "loaded", "inputs", returns={"value": {"x": descriptor("float32", [2])}}),
        step(None, "loaded", "outputs", returns={"value": {"y": descriptor("float32", [2])}}),
        step(None, "loaded", "constants", returns={"value": {"w": descriptor("float32", [2])}})])
    s.scenario("what a built graph offers", sum_of + [
        step(None, "graph", "inputs", returns={"value": {"x": descriptor("float32", [2])}}),
        step(None, "graph", "outputs", returns={"value": {"y": descriptor("float32", [2])}}),
        step(None, "graph", "constants", returns={"value": {}})])
    s.scenario("several hollow constants have their own names", [
        context(), builder(), input_("x"), hollow("a"), hollow("b"), step("product", "builder", "mul", a="x", b="a"),
        step("y", "builder", "add", a="product", b="b"), build(y="y"), create("tx"), create("ty"), write("tx", [1, 2]),
        save(constants={"second": "b", "first": "a"}), load(), named("first", "la"), named("second", "lb"),
        set_data([3, 4], "la"), set_data([10, 20], "lb"), run, read("ty", [13, 28])])
    s.scenario("a constant with data is saved, and a hollow one beside it is not", [
        context(), builder(), input_("x"), hollow("w"), constant("c", [3, 4]), step("product", "builder", "mul", a="x", b="c"),
        step("y", "builder", "add", a="product", b="w"), build(y="y"), create("tx"), create("ty"), write("tx", [1, 2]),
        save(constants={"w": "w"}), load(), unset, named(), set_data([10, 20]), run, read("ty", [13, 28])])
    s.scenario("a scalar is saved", [
        context(), builder(), input_("x"), step("c", "builder", "constant", dataType="float32", value=2.5),
        step("y", "builder", "mul", a="x", b="c"), build(y="y"), create("tx"), create("ty"), write("tx", [2, -4]), save(), load(), run, read("ty", [5, -10])])
    s.scenario("a constant tensor is saved, and may be destroyed", [
        context(), builder(), input_("x"), create_constant("tc", [10, 20]), step("c", "builder", "constant", tensor="tc"),
        step("y", "builder", "add", a="x", b="c"), build(y="y"), create("tx"), create("ty"), write("tx", [1, 2]), save(),
        step(None, "tc", "destroy"), load(), run, read("ty", [11, 22])])
    for data_type in ("float16", "int32", "uint32", "int64", "uint64", "int8", "uint8"):
        s.scenario(f"a constant of {data_type} is saved", [
            context(), builder(), input_("x", data_type, [3]), constant("c", [10, 20, 30], data_type), step("y", "builder", "add", a="x", b="c"),
            build(y="y"), create("tx", data_type, [3]), create("ty", data_type, [3]), write("tx", [1, 2, 3], data_type), save(), load(), run,
            read("ty", [11, 22, 33], data_type)])
    numbers = [float("nan"), float("inf"), float("-inf"), -0.0]
    s.scenario("every bit of a constant is saved", [
        context(), builder(), constant("c", numbers), step("y", "builder", "identity", input="c"), build(y="y"), create("ty", shape=[4]),
        save(), load(), dispatch({}, {"y": "ty"}, "loaded"), read("ty", numbers)])


def keys(s, plain, run, negated):
    s.scenario("nothing is listed where nothing was saved", [context(), listed()])
    s.scenario("keys are listed in order", plain + [save("b"), save("c"), save("a"), save("B"), listed("B", "a", "b", "c")])
    s.scenario("keys are listed in the order of their code units", plain + [save("\uff61"), save("\U0001f600"), save("z"), listed("z", "\U0001f600", "\uff61")],
               note="the first code unit of U+1F600 is U+D83D")
    s.scenario("a key is listed once, and its entry replaced", plain + [
        save(), builder("other"), input_("p", on="other"), step("q", "other", "abs", input="p"), build("second", "other", q="q"),
        save(graph="second"), listed("k"), load(), dispatch({"p": "tx"}, {"q": "ty"}, "loaded"), read("ty", [1, 2])])
    s.scenario("a loaded graph outlives its entry", plain + [save(), load(), delete(), run, negated])
    s.scenario("a deleted graph is gone", plain + [save(), save("other"), delete(), listed("other"), load(throws=not_found("8.1.3"))])
    s.scenario("deleting what is not there", [context(), delete()])
    s.scenario("loading what is not there", [context(), load(throws=not_found("8.1.3"))])
    for what, key in (("steps out of a folder", "../../k"), ("names a folder", "/"), ("is a dot", "."), ("holds a null", "a\u0000b"), ("ends in a space", "k "),
                      ("is a device", "CON"), ("is beyond the basic plane", "\U0001f600"), ("is long", "k" * 5000), ("is one accent", "\u0301")):
        s.scenario(f"a key that {what}", plain + [save(key), listed(key), load(key=key), run, negated, delete(key), listed()])
    s.scenario("keys that a file system may take for the same", plain + [
        save("\u00e9"), save("e\u0301"), save("K"), save("k"), listed("K", "e\u0301", "k", "\u00e9"), delete("K"), delete("\u00e9"), listed("e\u0301", "k")],
        note="a letter with its accent is one code point in one key and two in another")


def refusals(s, plain, sum_of):
    s.scenario("an empty key", plain + [
        save("", throws=type_error(SAVE, "4")), load(key="", throws=type_error(LOAD, "4")), delete("", throws=type_error(DELETE, "4"))])
    s.scenario("a graph of another context is not saved", plain + [context("other"), save(on="other", throws=type_error(SAVE, "5"))])
    s.scenario("a graph that was destroyed is not saved", plain + [
        step(None, "graph", "destroy"), save(throws=invalid_state(SAVE, "6")), listed()])
    s.scenario("an empty name of a constant", sum_of + [save(constants={"": "w"}, throws=type_error(SAVE, "8.1"))])
    s.scenario("the name of an input", sum_of + [save(constants={"w": "w", "x": "x"}, throws=type_error(SAVE, "8.2"))])
    s.scenario("the name of a constant with data", [
        context(), builder(), input_("x"), constant("c", [3, 4]), step("y", "builder", "add", a="x", b="c"), build(y="y"),
        save(constants={"c": "c"}, throws=type_error(SAVE, "8.2"))])
    s.scenario("the name of a hollow constant that no output depends on", [
        context(), builder(), input_("x"), hollow("w"), step("y", "builder", "neg", input="x"), build(y="y"),
        save(constants={"w": "w"}, throws=type_error(SAVE, "8.2"))])
    s.scenario("the name of a hollow constant of another graph", sum_of + [
        builder("other"), input_("p", on="other"), hollow("v", "other"), step("q", "other", "add", a="p", b="v"), build("second", "other", q="q"),
        save(constants={"w": "v"}, throws=type_error(SAVE, "8.2"))])
    s.scenario("two names of one hollow constant", sum_of + [save(constants={"a": "w", "b": "w"}, throws=type_error(SAVE, "8.3"))])
    s.scenario("no name of a hollow constant", sum_of + [save(throws=type_error(SAVE, "9")), listed()])
    s.scenario("a name of one of two hollow constants", [
        context(), builder(), input_("x"), hollow("a"), hollow("b"), step("product", "builder", "mul", a="x", b="a"),
        step("y", "builder", "add", a="product", b="b"), build(y="y"), save(constants={"a": "a"}, throws=type_error(SAVE, "9")),
        save(constants={"a": "a", "b": "b"})])


def contexts(s, plain, sum_of, run, negated):
    elsewhere = [create("ux", on="other"), create("uy", on="other"), write("ux", [1, 2], on="other")]
    run_elsewhere = dispatch({"x": "ux"}, {"y": "uy"}, "loaded", "other")
    s.scenario("a graph is loaded in another context", plain + [
        save(), context("other"), listed("k", on="other"), load(on="other"), *elsewhere, run_elsewhere, read("uy", [-1, -2], on="other")])
    s.scenario("a graph is loaded when the context in which it was saved is destroyed", plain + [
        save(), step(None, "context", "destroy"), context("other"), load(on="other"), *elsewhere, run_elsewhere, read("uy", [-1, -2], on="other")])
    s.scenario("a loaded graph is one of its context", plain + [
        save(), context("other"), load(on="other"), dispatch({"x": "tx"}, {"y": "ty"}, "loaded", throws=type_error(DISPATCH, "1"))])
    s.scenario("a graph that one context deletes is gone in another", plain + [
        save(), context("other"), delete(on="other"), load(throws=not_found("8.1.3"))])
    s.scenario("losing the context destroys a loaded graph", plain + [
        save(), load(), step(None, "context", "lose", message="on purpose"), dispatch({"x": "tx"}, {"y": "ty"}, "loaded", throws=invalid_state(DISPATCH, "2"))])
    for how, end in (("lost", step(None, "context", "lose", message="on purpose")), ("destroyed", step(None, "context", "destroy"))):
        s.scenario(f"a context that was {how}", plain + [
            save("other"), end, step(None, "context", "listGraphs", throws=invalid_state(LIST, "3")), load(throws=invalid_state(LOAD, "3")),
            save(throws=invalid_state(SAVE, "3")), delete(throws=invalid_state(DELETE, "3"))])
        s.scenario(f"a context that is {how} meanwhile", plain + [
            save("other"), step("listing", "context", "listGraphs", pending=True), load("loading", "other", pending=True),
            save(let="saving", pending=True), delete("other", let="deleting", pending=True), end,
            awaited("listing", throws=invalid_state(LIST, "7.2")), awaited("loading", throws=invalid_state(LOAD, "8.2")),
            awaited("saving", throws=invalid_state(SAVE, "13.2")), awaited("deleting", throws=invalid_state(DELETE, "8.2")),
            context("next"), listed("other", on="next")], note="neither was anything saved nor deleted")


def stores(s, plain, run, negated):
    for how in ("damaged", "older"):
        s.scenario(f"an entry that is {how} is refused and removed", plain + [
            save(), save("other"), spoil(how), listed("k", "other"), load(throws=not_found("8.1.6.2")), listed("other"),
            load(throws=not_found("8.1.3"))])
        s.scenario(f"a graph whose entry is {how} is built and saved again", plain + [
            save(), spoil(how), load(throws=not_found("8.1.6.2")), save(), load(), run, negated])
        s.scenario(f"an entry that is {how} is replaced", plain + [save(), spoil(how), save(), load(), run, negated])
        s.scenario(f"an entry that is {how} is deleted", plain + [save(), spoil(how), delete(), listed()])
    s.scenario("there is no space", plain + [
        storage("full"), save(throws=thrown("QuotaExceededError", SAVE, "13.1.5")), listed(), storage("working"), save(), load(), run, negated])
    s.scenario("there is no space for an entry that would replace another", plain + [
        save(), builder("other"), input_("p", on="other"), step("q", "other", "abs", input="p"), build("second", "other", q="q"), storage("full"),
        save(graph="second", throws=thrown("QuotaExceededError", SAVE, "13.1.5")), load(), run, negated], note="the other stays")
    s.scenario("there is no room for the constants of an entry", [
        context(), builder(), constant("c", [1, -2]), step("y", "builder", "neg", input="c"), build(y="y"), save(),
        step(None, "context", "setMemoryBudget", bytes=7), load(throws=thrown("OperationError", LOAD, "8.1.5")), listed("k"),
        step(None, "context", "setMemoryBudget", bytes=8), load()], note="the graph that was built leaves the memory of the device")
    failing = [
        step(None, "context", "listGraphs", throws=thrown("UnknownError", LIST, "7.1.2")), load(throws=thrown("UnknownError", LOAD, "8.1.2")),
        save(throws=thrown("UnknownError", SAVE, "13.1.6")), delete(throws=thrown("UnknownError", DELETE, "8.1.2"))]
    s.scenario("a store that fails", plain + [save(), storage("failing"), *failing, storage("working"), listed("k"), load(), run, negated],
               note="and loses nothing by it")
    denied = [
        step(None, "context", "listGraphs", throws=thrown("SecurityError", LIST, "5")), load(throws=thrown("SecurityError", LOAD, "6")),
        save(throws=thrown("SecurityError", SAVE, "11")), delete(throws=thrown("SecurityError", DELETE, "6"))]
    s.scenario("an origin that may not store anything", plain + [storage("denied"), *denied])
