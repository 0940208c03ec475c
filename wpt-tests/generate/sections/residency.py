"""Graphs whose weights leave the memory of the device and return, by themselves or under a budget."""

from memory import *  # noqa: F403
from scene import (
    CREATE, CREATE_CONSTANT, BUILD, awaited, build, builder, context, create, create_constant, dispatch, input_, invalid_state, read, write)
from vector import Section, step


def offload(graph="graph", **members):
    return step(members.pop("name", None), graph, "offload", **members)


def reload(graph="graph", **members):
    return step(members.pop("name", None), graph, "reload", **members)


def pin(graph="graph", pinned=True, **members):
    return step(None, graph, "setPinned", pinned=pinned, **members)


def graphs(count, shape=(4,)):
    """A context, `count` graphs y = x * w_i with w_i = (i, i, ...) from blobs, and tensors for them."""
    steps = [context(), create("tx", shape=shape), create("ty", shape=shape)]
    for i in range(1, count + 1):
        steps += [*product(f"g{i}", f"b{i}", f"w{i}", shape), blob(f"s{i}", [i] * shape[0])]
    return steps


def supplied(count, elements=4, blobs=True):
    return [supply(f"s{i}" if blobs else [i] * elements, f"w{i}", f"g{i}") for i in range(1, count + 1)]


def used(i, elements=4):
    return [write("tx", [1] * elements), dispatch({"x": "tx"}, {"y": "ty"}, f"g{i}"), read("ty", [i] * elements)]


def section():
    s = Section("residency", WORKED)
    start = scene()
    lent = [*start, blob("source", [10, 20]), supply("source")]
    given = [*start, supply([10, 20])]
    right = run([1, 2], [10, 40])

    # offload() and reload()
    s.scenario("offload and reload", given + [
        offload(), ledger("constants", 0), ledger("offloaded", 8), reload(), ledger("constants", 8), ledger("offloaded", 0), *right])
    s.scenario("offload to the host by name", given + [offload(to="host"), ledger("offloaded", 8), *right])
    s.scenario("a dispatch brings back what was offloaded", given + [offload(), *right, ledger("constants", 8), ledger("offloaded", 0)])
    s.scenario("what came from a blob is dropped, and read again", lent + [
        ledger("read", 8), offload(to="source"), ledger("constants", 0), ledger("offloaded", 0), *right, ledger("constants", 8), ledger("read", 16)])
    s.scenario("what came from a blob is kept on the host if that is asked for", lent + [
        offload(to="host"), ledger("offloaded", 8), step(None, "source", "vanish"), *right, ledger("read", 8)])
    s.scenario("what came from a buffer goes to the host although its source is asked for", given + [
        offload(to="source"), ledger("constants", 0), ledger("offloaded", 8), *right])
    s.scenario("what came from a stream goes to the host although its source is asked for", start + [
        stream("source", [10, 20]), supply("source"), offload(to="source"), ledger("offloaded", 8), *right])
    s.scenario("what came in part from a buffer goes to the host", start + [
        blob("source", [10]), supply("source", offset=0), supply([20], offset=4), offload(to="source"), ledger("offloaded", 8), *right])
    s.scenario("what came from two blobs is read again from both", start + [
        blob("back", [20]), blob("front", [10]), supply("back", offset=4), supply("front", offset=0), offload(to="source"), ledger("offloaded", 0),
        *right, ledger("read", 16)])
    s.scenario("offload twice", given + [offload(), offload(), ledger("offloaded", 8), *right])
    s.scenario("from the host to the source", lent + [offload(), ledger("offloaded", 8), offload(to="source"), ledger("offloaded", 0), *right])
    s.scenario("from the source to the host moves nothing", lent + [
        offload(to="source"), offload(), ledger("offloaded", 0), ledger("read", 8), *right])
    s.scenario("reload of a graph that is there", given + [reload(), ledger("constants", 8), *right])
    s.scenario("constants that were given to build() are offloaded too", [
        context(), builder(), input_("x"), step("w", "builder", "constant", descriptor=dict(dataType="float32", shape=[2]),
                                                buffer={"view": "Float32Array", "data": [10, 20]}),
        step("y", "builder", "mul", a="x", b="w"), build(y="y"), create("tx"), create("ty"),
        ledger("constants", 8), offload(to="source"), ledger("constants", 0), ledger("offloaded", 8), *right])
    s.scenario("constants that are tensors stay where the tensors are", [
        context(), create_constant("weights", [10, 20]), builder(), input_("x"), step("w", "builder", "constant", tensor="weights"),
        step("y", "builder", "mul", a="x", b="w"), build(y="y"), create("tx"), create("ty"),
        ledger("constants", 0), ledger("tensors", 24), offload(), ledger("offloaded", 0), *right])
    s.scenario("offload of a graph without constants", [
        context(), builder(), input_("x"), step("y", "builder", "neg", input="x"), build(y="y"), create("tx"), create("ty"), offload(), reload(),
        *run([1, 2], [-1, -2])])
    s.scenario("a constant that is not set stays, and can be set", start + [
        supply([10], offset=0), offload(), ledger("constants", 8), supply([20], offset=4), *right])
    s.scenario("offload of one of two graphs leaves the other", graphs(2) + supplied(2) + [
        offload("g1", to="source"), ledger("constants", 16), *used(2), *used(1), ledger("constants", 32)])
    s.scenario("a dispatch that is enqueued before offload is not disturbed", given + [
        write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), offload(), read("ty", [10, 40])])

    # Errors of both
    for name, call, algorithm in (("offload", offload, OFFLOAD), ("reload", reload, RELOAD)):
        s.scenario(f"{name} of a graph that was destroyed", given + [
            step(None, "graph", "destroy"), call(throws=invalid_state(algorithm, "3"))])
        s.scenario(f"{name} once the context is lost", given + [
            step(None, "context", "lose"), call(throws=invalid_state(algorithm, "3"))],
            note="a context that is lost destroys its graphs")
        s.scenario(f"{name} that is pending when the graph is destroyed", given + [
            call(name="promise", pending=True), step(None, "graph", "destroy"), awaited("promise", throws=invalid_state(REJECT, "1.2"))])
        s.scenario(f"{name} that is pending when the context is lost", given + [
            call(name="promise", pending=True), step(None, "context", "lose"), awaited("promise", throws=invalid_state(REJECT, "1.2"))])
    s.scenario("reload from a file that is gone", lent + [
        offload(to="source"), step(None, "source", "vanish"), reload(throws=unknown(SETTLE, "2")), ledger("constants", 0),
        step(None, "source", "reappear"), reload(), ledger("constants", 8), *right])
    s.scenario("reload from a file that was cut short", lent + [
        offload(to="source"), step(None, "source", "truncate", bytes=7), reload(throws=unknown(SETTLE, "2")),
        step(None, "source", "reappear"), *right])
    s.scenario("a dispatch of a graph whose file is gone", lent + [
        offload(to="source"), step(None, "source", "vanish"), write("tx", [1, 2]), dispatch({"x": "tx"}, {"y": "ty"}), unreadable(),
        step(None, "source", "reappear"), *right])
    s.scenario("destroy of a graph that was offloaded frees what it had on the host", given + [
        offload(), step(None, "graph", "destroy"), step(None, "context", "pump"), ledger("offloaded", 0), ledger("constants", 0)])
    s.scenario("loss of a context frees what its graphs had", given + [
        offload(), step(None, "context", "lose"), step(None, "context", "pump"), ledger("offloaded", 0), ledger("tensors", 0)])

    # A budget: x and y take 32 bytes, each graph's weights 16
    room = 32
    s.scenario("a budget that all fits into moves nothing", graphs(2) + [
        budget(room + 32), *supplied(2), *used(1), *used(2), ledger("constants", 32), ledger("read", 32)])
    s.scenario("the graph that was used longest ago leaves", graphs(3) + [
        budget(room + 32), *supplied(2), *used(1), *used(2), *used(1), supply("s3", "w3", "g3"), ledger("constants", 32), ledger("read", 48),
        *used(1), ledger("read", 48), *used(2), ledger("read", 64), ledger("peak budgeted", room + 32)],
        note="supplying the third makes the second leave, since the first was used after it")
    s.scenario("two graphs take turns in the place of one", graphs(2) + [
        budget(room + 16), *supplied(2), *used(1), *used(2), *used(1), *used(2), ledger("peak budgeted", room + 16), ledger("constants", 16)])
    s.scenario("weights that are no blobs leave for the host", graphs(2) + [
        budget(room + 16), *supplied(2, blobs=False), ledger("constants", 16), ledger("offloaded", 16), *used(1), *used(2),
        ledger("constants", 16), ledger("offloaded", 16), ledger("peak budgeted", room + 16)])
    s.scenario("one byte too little", graphs(1) + [
        budget(room + 15), supply("s1", "w1", "g1"), ledger("constants", 0), ledger("read", 0),
        write("tx", [1] * 4), dispatch({"x": "tx"}, {"y": "ty"}, "g1"), unreadable(), budget(room + 16), *used(1)])
    s.scenario("one byte too little for a buffer", graphs(1) + [
        budget(room + 15), supply([1] * 4, "w1", "g1", throws=unknown(SET, "14.1.2.3")), budget(room + 16), supply([1] * 4, "w1", "g1"), *used(1)])
    s.scenario("one byte too little for a stream", graphs(1) + [
        budget(room + 15), stream("late", [1] * 4), supply("late", "w1", "g1", throws=unknown(SET, "14.1.2.3")), ledger("read", 0)])
    s.scenario("a constant in parts, the first of which found no room", graphs(1) + [
        blob("front", [1] * 2), blob("back", [1] * 2), budget(room), supply("front", "w1", "g1", offset=0), ledger("constants", 0), budget(None),
        supply("back", "w1", "g1", offset=8), *used(1), ledger("constants", 16)])
    s.scenario("one byte too little for a tensor", [
        context(), budget(23), create("t"), create("u"), create(None, throws=unknown(CREATE, "6.1.2")), step(None, "t", "destroy"), create("v"),
        ledger("tensors", 16)])
    s.scenario("one byte too little for a constant tensor", [
        context(), budget(7), create_constant(None, [1, 2], throws=unknown(CREATE_CONSTANT, "10.1.2")), budget(8), create_constant("u", [1, 2]),
        ledger("tensors", 8)])
    # What is allocated is whole words.
    s.scenario("one byte too little for a tensor that ends inside a word", [
        context(), budget(7), create("t", "int8", (3,)), create(None, "int8", (1,), throws=unknown(CREATE, "6.1.2")), budget(8),
        create("u", "int8", (1,)), ledger("tensors", 8), ledger("budgeted", 8)])
    s.scenario("one byte too little for a constant tensor that ends inside a word", [
        context(), budget(7), create_constant(None, [1, 2, 3], "float16", (3,), throws=unknown(CREATE_CONSTANT, "10.1.2")), budget(8),
        create_constant("u", [1, 2, 3], "float16", (3,)), ledger("tensors", 8)])
    s.scenario("one byte too little for a constant that ends inside a word", [
        context(), builder(), input_("x", "float16", (3,)), hollow("w", data_type="float16", shape=(3,)),
        step("y", "builder", "add", a="x", b="w"), build(y="y"), blob("source", [1, 2, 3], "float16"), budget(7),
        supply("source"), ledger("constants", 0), ledger("read", 0), budget(8), reload(), ledger("constants", 8), ledger("read", 6)])
    s.scenario("one byte too little for a build with a constant that ends inside a word", [
        context(), budget(3), builder(), input_("x", "int8", (1,)),
        step("w", "builder", "constant", descriptor=dict(dataType="int8", shape=[1]), buffer={"view": "Int8Array", "data": [1]}),
        step("y", "builder", "equal", a="x", b="w"),
        step(None, "builder", "build", outputs={"y": "y"}, throws=operation_error(BUILD, "18.1.2"))])
    s.scenario("a tensor makes a graph leave", graphs(1) + [
        budget(room + 16), *supplied(1), *used(1), create("tz", shape=(4,)), ledger("constants", 0), ledger("tensors", room + 16),
        step(None, "tz", "destroy"), *used(1)])
    one = [input_("x"), step("w", "builder", "constant", descriptor=dict(dataType="float32", shape=[2]), buffer={"view": "Float32Array", "data": [10, 20]}),
           step("y", "builder", "mul", a="x", b="w")]
    s.scenario("one byte too little for the constants of a build", [
        context(), budget(7), builder(), *one, step(None, "builder", "build", outputs={"y": "y"}, throws=operation_error(BUILD, "18.1.2"))])
    s.scenario("a build makes a graph leave", graphs(1) + [
        budget(room + 16), *supplied(1), *used(1), builder(), *one, build(y="y"), ledger("constants", 8), ledger("budgeted", room + 8)])
    s.scenario("a budget that is set later makes graphs leave at once", graphs(3) + supplied(3) + [
        *used(3), *used(1), *used(2), budget(room + 32), ledger("constants", 32), ledger("read", 48), *used(1), *used(2), ledger("read", 48)])
    s.scenario("a budget that can not be kept is refused, and the one before stays", graphs(1) + supplied(1) + [
        budget(room + 16), budget(room - 1, throws=operation_error(BUDGET, "5.1.3.2")),
        create("tz", shape=(1,)), create(None, shape=(4,), throws=unknown(CREATE, "6.1.2"))],
        note="the tensors alone take more. The weights have left for the budget that was refused; that does not matter to script")
    s.scenario("a budget that is lifted", graphs(2) + [
        budget(room + 16), *supplied(2), budget(None), *used(1), *used(2), ledger("constants", 32)])
    s.scenario("a budget of 0 in an empty context", [context(), budget(0), create(None, throws=unknown(CREATE, "6.1.2"))])
    s.scenario("a budget of a context that is lost", [
        context(), step(None, "context", "lose"), budget(8, throws=invalid_state(BUDGET, "3"))])
    s.scenario("a budget that is pending when the context is lost", [
        context(), step("promise", "context", "setMemoryBudget", bytes=8, pending=True),
        step(None, "context", "lose"), awaited("promise", throws=invalid_state(BUDGET, "5.2"))])
    s.scenario("the budgets of two contexts are their own", [
        context(), context("other"), budget(8), budget(16, "other"), create("t"), create("u", on="other"), create("v", on="other"),
        create(None, throws=unknown(CREATE, "6.1.2"))])

    # Pinning
    s.scenario("a graph that is pinned stays", graphs(2) + [
        budget(room + 32), *supplied(2), pin("g1"), *used(1), *used(2), create("tz", shape=(4,)), ledger("constants", 16), *used(1), ledger("read", 32)])
    s.scenario("nothing can leave if all are pinned", graphs(2) + [
        budget(room + 32), *supplied(2), pin("g1"), pin("g2"), create(None, shape=(4,), throws=unknown(CREATE, "6.1.2")),
        pin("g2", False), create("tz", shape=(4,)), ledger("constants", 16)])
    s.scenario("a graph that is pinned can be offloaded", given + [pin(), offload(), ledger("constants", 0), *right])
    s.scenario("pinned says what was set", given + [
        step(None, "graph", "pinned", returns={"value": False}), pin(), step(None, "graph", "pinned", returns={"value": True}),
        pin(pinned=False), step(None, "graph", "pinned", returns={"value": False})])
    s.scenario("pinning a graph that was destroyed", given + [
        pin(), step(None, "graph", "destroy"), step(None, "graph", "pinned", returns={"value": True}), pin(pinned=False, throws=invalid_state(PINNED, "1"))])
    s.scenario("pinning takes its turn on the timeline", graphs(2) + [
        *supplied(2), *used(1), *used(2), step("late", "context", "setMemoryBudget", bytes=room + 16, pending=True), pin("g1"), awaited("late"),
        ledger("constants", 16), *used(2), ledger("read", 32)],
        note="the first graph is pinned behind the budget: it has left by then")

    # Streaming: 32 x 32 matrices of 4096 bytes that permute; x and y take 256 bytes
    n, layers = 32, 4
    shift = [1 if column == (row + 1) % n else 0 for row in range(n) for column in range(n)]
    large = [context(), builder(), input_("x", shape=(1, n))]
    for i in range(1, layers + 1):
        large += [hollow(f"w{i}", shape=(n, n)), step(f"y{i}", "builder", "matmul", a="x" if i == 1 else f"y{i - 1}", b=f"w{i}")]
    large += [build(y=f"y{layers}"), create("tx", shape=(1, n)), create("ty", shape=(1, n)), blob("source", shift)]
    row = list(range(n))
    moved = [row[(k - layers) % n] for k in range(n)]
    compute = [write("tx", row), dispatch({"x": "tx"}, {"y": "ty"}), read("ty", moved, shape=(1, n))]
    enough = 256 + 3 * 4096
    s.scenario("a graph that is larger than the budget computes", large + [
        budget(enough), *[supply("source", f"w{i}") for i in range(1, layers + 1)], *compute, *compute],
        note="its weights are brought from their source while it runs")
    s.scenario("a graph that is larger than the budget computes with weights on the host", large + [
        *[supply(shift, f"w{i}") for i in range(1, layers + 1)], budget(enough), ledger("constants", 0), ledger("offloaded", 4 * 4096), *compute])
    s.scenario("a graph one of whose weights is larger than the budget does not", large + [
        budget(256 + 4095), *[supply("source", f"w{i}") for i in range(1, layers + 1)], write("tx", row), dispatch({"x": "tx"}, {"y": "ty"}), unreadable(),
        budget(None), *compute])
    s.scenario("a file that vanishes while its weights are streamed", large + [
        budget(enough), *[supply("source", f"w{i}") for i in range(1, layers + 1)], *compute, step(None, "source", "vanish"),
        write("tx", row), dispatch({"x": "tx"}, {"y": "ty"}), unreadable(), step(None, "source", "reappear"), *compute])

    # The discussion's cases, small
    row = (1, 4)
    stages = [context(), create("tx", shape=row), create("ty", shape=row), *product("encoder", "b1", "w1", row), *product("decoder", "b3", "w3", row),
              builder("b2"), entry("x2", shape=row, on="b2"), hollow("w2", shape=(4, 4), on="b2"), step("y2", "b2", "matmul", a="x2", b="w2"),
              build("network", "b2", y="y2"), blob("s1", [2] * 4), blob("s2", [0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]), blob("s3", [3] * 4)]
    once = [write("tx", [1, 2, 3, 4]), dispatch({"x": "tx"}, {"y": "ty"}, "encoder"), dispatch({"x": "ty"}, {"y": "tx"}, "network"),
            dispatch({"x": "tx"}, {"y": "ty"}, "decoder"), read("ty", [12, 18, 24, 6], shape=row)]
    s.scenario("a pipeline of three stages in the memory of the largest", stages + [
        budget(room + 64), supply("s1", "w1", "encoder"), supply("s2", "w2", "network"), supply("s3", "w3", "decoder"), *once, *once,
        ledger("peak budgeted", room + 64)])
    experts = graphs(8) + [budget(room + 3 * 16), *supplied(8)]
    for pair in ((1, 2), (2, 3), (1, 3), (4, 1), (8, 5)):
        experts += used(pair[0]) + used(pair[1])
    s.scenario("eight experts under a budget of three", experts + [
        ledger("peak budgeted", room + 48), ledger("constants", 48), ledger("read", (8 + 6) * 16)],
        note="each is read when it is supplied; then 1, 2, 3, 4, 8 and 5 are read again, and the other four uses find theirs there")
    return s
