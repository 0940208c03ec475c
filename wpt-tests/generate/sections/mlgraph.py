"""MLGraph: destroy(), and what a graph is after build()."""

from scene import (
    DISPATCH, awaited, build, builder, context, contents, create, dispatch, input_, invalid_state, negation, pending_read, read, type_error, write)
from vector import STEPS, Section, step


def section():
    s = Section("mlgraph", STEPS)
    start = [context(), builder(), *negation(), create("tx"), create("ty")]
    run = dispatch({"x": "tx"}, {"y": "ty"})

    s.scenario("destroy twice", start + [step(None, "graph", "destroy"), step(None, "graph", "destroy"),
                                         dispatch({"x": "tx"}, {"y": "ty"}, throws=invalid_state(DISPATCH, "2"))])
    s.scenario("destroy between the dispatch and its execution", start + [
        write("tx", [1, 2]), run, step(None, "graph", "destroy"), step(None, "context", "pump"), read("ty", [-1, -2])],
        note="what is on the timeline already still runs")
    s.scenario("destroy half way along the timeline", start + [
        write("tx", [1, 2]), run, pending_read("promise", "ty"), step(None, "context", "pump", steps=1), step(None, "graph", "destroy"),
        awaited("promise", returns=contents([-1, -2]))])
    s.scenario("destroy of one graph leaves another alone", start + [
        builder("second"), *negation(("p", "q"), "second", "other"), step(None, "graph", "destroy"), write("tx", [1, 2]),
        dispatch({"p": "tx"}, {"q": "ty"}, "other"), read("ty", [-1, -2])])
    s.scenario("dispatch with other tensors of the same descriptors", start + [
        create("tx2"), create("ty2"), write("tx", [1, 2]), write("tx2", [3, 4]), run, dispatch({"x": "tx2"}, {"y": "ty2"}),
        read("ty2", [-3, -4]), read("ty", [-1, -2])])
    s.scenario("two outputs", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), step("z", "builder", "abs", input="y"), build(y="y", z="z"),
        create("tx"), create("ty"), create("tz"), write("tx", [1, -2]), dispatch({"x": "tx"}, {"y": "ty", "z": "tz"}),
        read("ty", [-1, 2]), read("tz", [1, 2])], note="one output is computed from the other")
    s.scenario("one operand under two output names", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), build(first="y", second="y"),
        create("tx"), create("ty"), create("tz"), write("tx", [1, -2]), dispatch({"x": "tx"}, {"first": "ty", "second": "tz"}),
        read("ty", [-1, 2]), read("tz", [-1, 2])])
    s.scenario("an output with the name of an input", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), build(x="y"),
        create("tx"), create("ty"), write("tx", [1, -2]), dispatch({"x": "tx"}, {"x": "ty"}), read("ty", [-1, 2])])
    unused = [context(), builder(), input_("x"), input_("unused"), step("y", "builder", "neg", input="x"),
              step("loose", "builder", "abs", input="unused"), build(y="y"), create("tx"), create("tu"), create("ty"), write("tx", [1, -2])]
    s.scenario("an input that no output needs is not an input of the graph", unused + [dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [-1, 2])])
    s.scenario("an input that no output needs is refused", unused + [
        dispatch({"x": "tx", "unused": "tu"}, {"y": "ty"}, throws=type_error(DISPATCH, "6"))])
    s.scenario("a graph without inputs", [
        context(), builder(), step("c", "builder", "constant", dataType="float32", value=2.5), step("y", "builder", "neg", input="c"), build(y="y"),
        create("ty", shape=[]), dispatch({}, {"y": "ty"}), read("ty", [-2.5], shape=[])])
    parts = [context(), builder(), input_("x", shape=[4]), step(["a", "b"], "builder", "split", input="x", splits=[1, 3])]
    shared = {"literal": {"issue": "split-shared-descriptor", "outcome": "throws"}}
    s.scenario("one output of an operator that has several", parts + [
        build(b="b"), create("tx", shape=[4]), create("tb", shape=[3]), write("tx", [1, 2, 3, 4]), dispatch({"x": "tx"}, {"b": "tb"}),
        read("tb", [2, 3, 4])], **shared)
    s.scenario("the outputs of an operator under names in another order", parts + [
        build(second="b", first="a"), create("tx", shape=[4]), create("ta", shape=[1]), create("tb", shape=[3]), write("tx", [1, 2, 3, 4]),
        dispatch({"x": "tx"}, {"first": "ta", "second": "tb"}), read("tb", [2, 3, 4]), read("ta", [1])], **shared)
    s.scenario("an output of an operator beside what another makes of it", parts + [
        step("y", "builder", "neg", input="b"), build(a="a", b="b", y="y"), create("tx", shape=[4]), create("ta", shape=[1]),
        create("tb", shape=[3]), create("ty", shape=[3]), write("tx", [1, 2, 3, 4]), dispatch({"x": "tx"}, {"a": "ta", "b": "tb", "y": "ty"}),
        read("ty", [-2, -3, -4]), read("tb", [2, 3, 4])], **shared)
    s.scenario("an operand used by several operators", [
        context(), builder(), input_("x"), step("double", "builder", "add", a="x", b="x"), step("square", "builder", "mul", a="x", b="x"),
        step("y", "builder", "sub", a="square", b="double"), build(y="y"), create("tx"), create("ty"), write("tx", [3, -1]),
        dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [3, 3])])
    return s
