"""MLTensor: destroy()."""

from scene import (
    DESTROY_TENSOR, DISPATCH, READ, WRITE, awaited, build, builder, context, contents, create, create_constant, dispatch, input_,
    invalid_state, negation, pending_read, read, type_error, write)
from vector import STEPS, Section, step


def section():
    s = Section("mltensor", STEPS)
    start = [context(), builder(), *negation(), create("tx"), create("ty")]
    run = dispatch({"x": "tx"}, {"y": "ty"})

    s.scenario("destroy twice", [context(), create("t"), step(None, "t", "destroy"), step(None, "t", "destroy"),
                                 write("t", [1, 2], throws=type_error(WRITE, "2"))])
    s.scenario("destroy of a constant tensor twice", [context(), create_constant("t", [1, 2]), step(None, "t", "destroy"), step(None, "t", "destroy")])
    s.scenario("destroy of one tensor leaves another alone", [
        context(), create("t"), create("u"), write("u", [1, 2]), step(None, "t", "destroy"), read("u", [1, 2])])
    s.scenario("destroy of an input between the dispatch and its execution", start + [
        write("tx", [1, 2]), run, step(None, "tx", "destroy"), step(None, "context", "pump"), read("ty", [-1, -2])],
        note="what is on the timeline already still finds the tensor's data")
    s.scenario("destroy of an output between the dispatch and its execution", start + [
        write("tx", [1, 2]), run, step(None, "ty", "destroy"), step(None, "context", "pump"), read("tx", [1, 2])])
    s.scenario("destroy of an input half way along the timeline", start + [
        write("tx", [1, 2]), run, step(None, "context", "pump", steps=1), step(None, "tx", "destroy"), step(None, "context", "pump"),
        read("ty", [-1, -2])])
    s.scenario("destroy between a write and its execution", [
        context(), create("t"), write("t", [1, 2]), step(None, "t", "destroy"), step(None, "context", "pump"), create("u"), read("u", [0, 0])])
    s.scenario("dispatch after an input is destroyed", start + [
        step(None, "tx", "destroy"), dispatch({"x": "tx"}, {"y": "ty"}, throws=type_error(DISPATCH, "5.2")),
        create("tz"), write("tz", [3, 4]), dispatch({"x": "tz"}, {"y": "ty"}), read("ty", [-3, -4])])
    s.scenario("a read between the dispatch and destroy is rejected", start + [
        write("tx", [1, 2]), run, pending_read("promise", "ty"), step(None, "ty", "destroy"),
        awaited("promise", throws=invalid_state(DESTROY_TENSOR, "2.2"))])
    s.scenario("destroy rejects the reads of its own tensor only", [
        context(), create("t"), create("u"), write("u", [1, 2]), pending_read("first", "t"), pending_read("second", "u"), step(None, "t", "destroy"),
        awaited("first", throws=invalid_state(DESTROY_TENSOR, "2.2")), awaited("second", returns=contents([1, 2]))])
    s.scenario("destroy of a constant tensor after build", [
        context(), create_constant("weights", [3, -4]), builder(), step("w", "builder", "constant", tensor="weights"), input_("x"),
        step("y", "builder", "mul", a="x", b="w"), build(y="y"), step(None, "weights", "destroy"), step(None, "context", "pump"),
        create("tx"), create("ty"), write("tx", [2, 5]), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", [6, -20])],
        note="a graph that is built is not affected by it")
    s.scenario("the output of a graph outlives the graph and its inputs", start + [
        write("tx", [1, 2]), run, step(None, "graph", "destroy"), step(None, "tx", "destroy"), read("ty", [-1, -2])])
    s.scenario("read of a tensor destroyed before", [
        context(), create("t"), step(None, "t", "destroy"), step(None, "context", "readTensor", tensor="t", throws=type_error(READ, "4"))])
    return s
