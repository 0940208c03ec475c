"""Hollow constants supplied in parts, from blobs and from streams."""

from memory import *  # noqa: F403
from scene import (
    DISPATCH, awaited, build, builder, buffer, context, contents, create, dispatch, input_, invalid_state, read, type_error, write)
from vector import Section, step


def section():
    s = Section("constant-data", WORKED)
    four = scene((4,))
    ones = run([1, 2, 3, 4], [10, 40, 90, 160])
    early = dispatch({"x": "tx"}, {"y": "ty"}, throws=invalid_state(ENSURE, "1.1"))

    # Parts
    s.scenario("two parts, the second one first", four + [
        supply([30, 40], offset=8), early, supply([10, 20], offset=0), *ones])
    s.scenario("a part that is everything", four + [supply([10, 20, 30, 40], offset=0), *ones])
    s.scenario("parts of one element", four + [supply([10 * i], offset=4 * i - 4) for i in (3, 1, 4)] + [early, supply([20], offset=4), *ones])
    s.scenario("a part that was supplied already", four + [
        supply([10, 20], offset=0), supply([10, 20], offset=0, throws=invalid_state(SET, "9")),
        supply([30, 40], offset=8), *ones])
    s.scenario("a part that overlaps another by one element", four + [
        supply([20, 30], offset=4), supply([10, 20], offset=0, throws=invalid_state(SET, "9")),
        supply([30, 40], offset=8, throws=invalid_state(SET, "9")), supply([10], offset=0), supply([40], offset=12), *ones])
    s.scenario("everything, once a part was supplied", four + [
        supply([10, 20], offset=0), supply([10, 20, 30, 40], throws=invalid_state(SET, "9")), supply([30, 40], offset=8), *ones])
    s.scenario("a part, once everything was supplied", four + [
        supply([10, 20, 30, 40]), supply([5], offset=0, throws=invalid_state(SET, "5")), *ones])
    for name, data, offset in (
            ("begins where no element does", [10], 2), ("begins behind the last element", [10], 16),
            ("begins far behind the last element", [10], 2**53 - 1), ("is longer than what is left", [10, 20], 12), ("is empty", [], 0)):
        s.scenario(f"a part that {name}", four + [supply(data, offset=offset, throws=type_error(SET, "7")), supply([10, 20, 30, 40]), *ones])
    s.scenario("a part that ends within an element", four + [
        supply([0, 0, 0, 0, 0], view="Uint8Array", offset=0, throws=type_error(SET, "7"))])
    s.scenario("a part in a typed array of another type", four + [supply([10, 20], data_type="int32", offset=0, throws=type_error(SET, "7"))])
    s.scenario("a part in a Uint8Array", four + [
        supply([0, 0, 32, 65, 0, 0, 160, 65], view="Uint8Array", offset=0), supply([30, 40], offset=8), *ones])
    s.scenario("a part in an ArrayBuffer", four + [supply([10, 20], view="ArrayBuffer", offset=0), supply([30, 40], offset=8), *ones])
    s.scenario("a part in a SharedArrayBuffer", four + [
        supply([10, 20], view="SharedArrayBuffer", offset=0), supply([30, 40], offset=8), *ones])
    s.scenario("a part whose buffer is changed after the call", four + [
        buffer("b", [10, 20]), supply("b", offset=0, name="promise", pending=True), step(None, "b", "fill", data=[7, 7]), awaited("promise"),
        supply([30, 40], offset=8), *ones])
    s.scenario("a part whose buffer is detached", four + [
        buffer("b", [10, 20]), step(None, "b", "detach"), supply("b", offset=0, throws=type_error(SET, "7"))])
    s.scenario("a part that is pending when the graph is destroyed", four + [
        supply([10, 20], offset=0, name="promise", pending=True), step(None, "graph", "destroy"),
        awaited("promise", throws=invalid_state(REJECT, "1.2"))])
    s.scenario("a part that is pending when the context is lost", four + [
        supply([10, 20], offset=0, name="promise", pending=True), step(None, "context", "lose"),
        awaited("promise", throws=invalid_state(REJECT, "1.2"))])
    for data_type, x, w, y in (
            ("float16", [1, 2, 3], [0.5, -1.5, 4], [0.5, -3, 12]), ("int8", [1, 2, 3], [5, -6, 7], [5, -12, 21]),
            ("uint8", [1, 2, 3], [5, 6, 7], [5, 12, 21]), ("int32", [1, 2, 3], [5, -6, 2**30], [5, -12, 3 * 2**30 - 2**32]),
            ("uint32", [1, 2, 3], [5, 6, 2**30], [5, 12, 3 * 2**30]), ("int64", [1, 2, 3], [5, -6, 2**60], [5, -12, 3 * 2**60]),
            ("uint64", [1, 2, 3], [5, 6, 2**60], [5, 12, 3 * 2**60])):
        size = {"float16": 2, "int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8}[data_type]
        start = scene((3,), data_type)
        s.scenario(f"{data_type} in three parts of an odd number of elements", start + [
            supply(w[1:2], data_type=data_type, offset=size), supply(w[2:], data_type=data_type, offset=2 * size),
            supply(w[:1], data_type=data_type, offset=0), *run(x, y, data_type=data_type)])
        s.scenario(f"{data_type} from a stream of single bytes", start + [
            stream("source", w, data_type, chunk=1), supply("source"), *run(x, y, data_type=data_type)])
        s.scenario(f"{data_type} from a blob, the second part first", start + [
            blob("front", w[:1], data_type), blob("back", w[1:], data_type), supply("back", offset=size), supply("front", offset=0),
            *run(x, y, data_type=data_type)])

    # Blobs
    s.scenario("a blob", four + [blob("source", [10, 20, 30, 40]), supply("source"), *ones])
    s.scenario("one blob for two constants", [
        context(), builder(), input_("x"), hollow("v"), hollow("w"), step("z", "builder", "mul", a="x", b="v"), step("y", "builder", "add", a="z", b="w"),
        build(y="y"), create("tx"), create("ty"), blob("source", [10, 20]), supply("source", "v"), supply("source", "w"), *run([1, 2], [20, 60])])
    s.scenario("a blob of another length", four + [
        blob("short", [10, 20, 30]), supply("short", throws=type_error(SET, "7")),
        blob("long", [10, 20, 30, 40, 50]), supply("long", throws=type_error(SET, "7"))])
    s.scenario("an empty blob", four + [blob("source", []), supply("source", offset=0, throws=type_error(SET, "7"))])
    s.scenario("a blob that vanishes before it is read", four + [
        blob("source", [10, 20, 30, 40]), step(None, "source", "vanish"), supply("source", throws=unknown(SET, "14.1.2.3")), early,
        step(None, "source", "reappear"), supply("source"), *ones])
    s.scenario("a blob that vanishes between the call and its execution", four + [
        blob("source", [10, 20, 30, 40]), supply("source", name="promise", pending=True), step(None, "source", "vanish"),
        awaited("promise", throws=unknown(SET, "14.1.2.3")), supply([10, 20, 30, 40]), *ones])
    s.scenario("a blob that is cut short", four + [
        blob("source", [10, 20, 30, 40]), step(None, "source", "truncate", bytes=15), supply("source", throws=unknown(SET, "14.1.2.3")), early,
        step(None, "source", "reappear"), supply("source"), *ones])
    s.scenario("a part that can not be read leaves the other one", four + [
        blob("front", [10, 20]), blob("back", [30, 40]), supply("front", offset=0), step(None, "back", "vanish"),
        supply("back", offset=8, throws=unknown(SET, "14.1.2.3")), supply("front", offset=0, throws=invalid_state(SET, "9")), early,
        supply([30, 40], offset=8), *ones])
    s.scenario("a dispatch behind a copy that fails computes nothing, and its output says so", four + [
        write("ty", [7, 7, 7, 7]), blob("source", [10, 20, 30, 40]), supply("source", name="promise", pending=True), step(None, "source", "vanish"),
        write("tx", [1, 2, 3, 4]), dispatch({"x": "tx"}, {"y": "ty"}), awaited("promise", throws=unknown(SET, "14.1.2.3")), unreadable(),
        step(None, "source", "reappear"), supply("source"), *ones])

    # Streams
    s.scenario("a stream", four + [stream("source", [10, 20, 30, 40], chunk=3), supply("source"), *ones])
    s.scenario("a stream to the end of the constant", four + [
        stream("source", [20, 30, 40]), supply("source", offset=4), early, supply([10], offset=0), *ones])
    s.scenario("a stream is locked once it was taken", four + [
        stream("source", [30, 40]), supply("source", offset=8), supply("source", offset=8, throws=type_error(SET, "7")),
        supply([10, 20], offset=0), *ones])
    s.scenario("a stream for a part that was supplied already", four + [
        supply([40], offset=12), stream("source", [10, 20, 30, 40]), supply("source", throws=invalid_state(SET, "9")), early,
        supply([10, 20, 30], offset=0), *ones])
    s.scenario("a stream that ends early", four + [
        stream("source", [10, 20, 30]), supply("source", throws=unknown(SET, "14.1.2.3")), early, supply([10, 20, 30, 40]), *ones])
    s.scenario("a stream that goes on", four + [
        stream("source", [10, 20, 30, 40, 50]), supply("source", throws=unknown(SET, "14.1.2.3")), early, supply([10, 20, 30, 40]), *ones])
    s.scenario("a stream that fails half way", four + [
        stream("source", [10, 20, 30, 40], chunk=4, failsAt=8), supply("source", throws=unknown(SET, "14.1.2.3")), early,
        supply([10, 20, 30, 40]), *ones])

    # Order
    two = [context(), builder(), input_("x"), hollow("v"), hollow("w"), step("z", "builder", "mul", a="x", b="v"),
           step("y", "builder", "add", a="z", b="w"), build(y="y"), create("tx"), create("ty")]
    s.scenario("two constants at the same time, the second one first", two + [
        supply([5, 6], "w", name="second", pending=True), supply([10, 20], "v", name="first", pending=True),
        *run([1, 2], [15, 46]), awaited("first"), awaited("second")])
    s.scenario("constants are set between the dispatches of another graph", [
        *two, *product("other", "second builder", "u"), supply([3, 4], "u", "other"),
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}, "other"), supply([10, 20], "v", name="first", pending=True),
        dispatch({"x": "tx"}, {"y": "ty"}, "other"), supply([5, 6], "w", name="second", pending=True), read("ty", [3, 8]),
        awaited("first"), awaited("second"), *run([1, 2], [15, 46])])
    s.scenario("what a constant takes is counted once it is there", four + [
        ledger("constants", 0), supply([30, 40], offset=8), ledger("constants", 16), supply([10, 20], offset=0), ledger("constants", 16),
        *ones, step(None, "graph", "destroy"), step(None, "context", "pump"), ledger("constants", 0), ledger("peak constants", 16)])
    s.scenario("what is read of a blob is counted", four + [
        blob("source", [10, 20, 30, 40]), supply("source"), ledger("read", 16), ledger("constants", 16), *ones, ledger("read", 16)])
    return s
