"""A dispatch that fails: its outputs can not be read until they are written."""

from memory import *  # noqa: F403
from scene import READ_INTO, awaited, buffer, build, builder, contents, create, dispatch, pending_read, read, write
from vector import Section, step


def section():
    s = Section("failed-dispatch", WORKED)
    # Its weights went back to their file, and the file is gone.
    gone = [*scene(), blob("source", [10, 20]), supply("source"), step(None, "graph", "offload", to="source"), step(None, "source", "vanish")]
    fails = [write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"})]
    back = step(None, "source", "reappear")
    negative = [builder("second"), entry("x2", on="second"), step("n", "second", "neg", input="x2"), build("negation", "second", y="n"), create("tz")]
    negate = dispatch({"x": "ty"}, {"y": "tz"}, "negation")

    s.scenario("the output can not be read", gone + fails + [unreadable()])
    s.scenario("the output can not be read into a buffer", gone + fails + [
        buffer("b", [7, 7]), step(None, "context", "readTensor", tensor="ty", outputData="b", throws=unknown(READ_INTO, "9.1.2.2"))])
    s.scenario("a read that was pending before the dispatch sees what was there", gone + [
        write("ty", [3, 4]), pending_read("promise", "ty"), *fails, awaited("promise", returns=contents([3, 4])), unreadable()])
    s.scenario("the context goes on", gone + fails + [unreadable(), create("tu"), write("tu", [5, 6]), read("tu", [5, 6])])
    s.scenario("the input is as it was", gone + fails + [unreadable(), read("tx", [1, 2])])
    s.scenario("a dispatch that takes the output fails too", gone + negative + fails + [negate, unreadable("tz"), unreadable()])
    s.scenario("what fails further on names where it came from", gone + negative + fails + [
        negate, dispatch({"x": "tz"}, {"y": "tx"}, "negation"), unreadable("tx")])
    s.scenario("the output is whole once it is written", gone + negative + fails + [
        unreadable(), write("ty", [8, 9]), read("ty", [8, 9]), negate, read("tz", [-8, -9])])
    s.scenario("the output is whole once another graph has written it", gone + negative + fails + [
        unreadable(), dispatch({"x": "tx"}, {"y": "ty"}, "negation"), read("ty", [-1, -2])])
    s.scenario("the output is whole once the graph computes again", gone + fails + [unreadable(), back, *run([1, 2], [10, 40])])
    s.scenario("a dispatch before one that fails is not undone", gone + negative + [
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "tz"}, "negation"), dispatch({"x": "tx"}, {"y": "ty"}), read("tz", [-1, -2]), unreadable()])
    two = [builder("third"), entry("x3", on="third"), hollow("u", on="third"), step("p", "third", "mul", a="x3", b="u"),
           step("q", "third", "neg", input="x3"), build("both", "third", p="p", q="q"), create("tp"), create("tq")]
    s.scenario("all outputs of the graph have failed, also those that need no weight", [
        *scene(), *two, blob("source", [10, 20]), supply("source", "u", "both"), step(None, "both", "offload", to="source"), step(None, "source", "vanish"),
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"p": "tp", "q": "tq"}, "both"), unreadable("tp"), unreadable("tq"),
        back, dispatch({"x": "tx"}, {"p": "tp", "q": "tq"}, "both"), read("tp", [10, 40]), read("tq", [-1, -2])])
    s.scenario("the output is destroyed", gone + fails + [step(None, "ty", "destroy"), create("ty2"), read("ty2", [0, 0])])
    return s
