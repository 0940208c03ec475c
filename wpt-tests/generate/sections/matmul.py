"""matmul."""

from math import inf, nan

from vector import EXACT, Section, method, randoms, size, tensor

ALGORITHM = method("matmul(a, b, options)")


def section():
    s = Section("matmul", EXACT)

    def case(name, data_type, a, b, **members):
        s.case(f"matmul {data_type} {name}", "matmul", {
            "a": tensor(data_type, a, randoms(len(a), size(a), 0.1, 2)), "b": tensor(data_type, b, randoms(len(b) + 5, size(b), 0.1, 2))}, **members)

    for data_type in ("float32", "float16"):
        case("2D", data_type, [2, 3], [3, 4])
        case("3D", data_type, [2, 2, 3], [2, 3, 2])
        case("4D", data_type, [1, 2, 2, 2], [1, 2, 2, 3])
        case("5D", data_type, [2, 1, 1, 1, 3], [2, 1, 1, 3, 2])
        case("row by column", data_type, [1, 5], [5, 1])
        case("column by row", data_type, [3, 1], [1, 3])
        case("1 by 1", data_type, [1, 1], [1, 1])
        case("3D by 2D", data_type, [2, 2, 3], [3, 2])
        case("2D by 4D", data_type, [2, 3], [2, 1, 3, 2])
        case("broadcast of both batches", data_type, [2, 1, 2, 2], [1, 3, 2, 1])
        case("broadcast of 3D by 5D", data_type, [2, 1, 2], [1, 2, 1, 2, 2])
        s.case(f"matmul {data_type} of mixed signs", "matmul", {
            "a": tensor(data_type, [2, 4], [1, -2, 0.5, 3, -1.5, 0, 2, -0.25]),
            "b": tensor(data_type, [4, 2], [2, -1, 0.25, 3, -4, 1, 0.5, 2])}, note="every partial sum is exact in any order")
    case("long inner dimension", "float32", [2, 40], [40, 2])
    s.case("matmul float16 sums that need more than float16", "matmul", {
        "a": tensor("float16", [1, 4], [2048, 1, 1, 1]), "b": tensor("float16", [4, 1], [1, 1, 1, 1])})
    s.case("matmul float16 overflow", "matmul", {"a": tensor("float16", [1, 2], [300, 1]), "b": tensor("float16", [2, 1], [300, 1])})
    s.case("matmul float32 by a constant", "matmul", {
        "a": tensor("float32", [2, 2], [1, 2, 3, 4]), "b": tensor("float32", [2, 2], [5, 6, 7, 8], True)})
    s.case("matmul float32 of a constant", "matmul", {
        "a": tensor("float32", [2, 2], [1, 2, 3, 4], True), "b": tensor("float32", [2, 2], [5, 6, 7, 8])})
    s.case("matmul float32 of an operand with itself", "matmul", {"a": tensor("float32", [2, 2], [1, 2, 3, 4])}, {"a": "a", "b": "a"})
    s.judged_case("matmul float32 infinities and NaN", "matmul", {
        "a": tensor("float32", [3, 2], [inf, 1, nan, 1, inf, 1]), "b": tensor("float32", [2, 1], [2, 1])}, {"a": "a", "b": "b"},
        tensor("float32", [3, 1], [inf, nan, inf]), tolerance={"metricType": "ULP", "value": 4}, source="IEEE 754 arithmetic")
    s.case("matmul float32 subnormal", "matmul", {
        "a": tensor("float32", [1, 2], [1e-40, 1e-45]), "b": tensor("float32", [2, 1], [1, 2])})

    def refused(name, a, b, step, types=("float32", "float32"), algorithm=ALGORITHM, **members):
        s.throws(f"matmul {name}", "matmul", {"a": tensor(types[0], a, 1), "b": tensor(types[1], b, 1)}, {"a": "a", "b": "b"}, algorithm, step, **members)

    refused("of int32", [2, 2], [2, 2], "3", ("int32", "int32"))
    refused("with operands of different types", [2, 2], [2, 2], "3", ("float32", "float16"))
    refused("with a of rank 1", [2], [2, 2], "4.5")
    refused("with b of rank 1", [2, 2], [2], "4.5")
    refused("with a scalar a", [], [2, 2], "4.5")
    refused("with inner sizes that differ", [2, 3], [2, 3], "4.10")
    refused("with batches that do not broadcast", [2, 2, 2], [3, 2, 2], "4.13")
    refused("with an output of too many elements", [65536, 1], [1, 65536], None, algorithm=None,
            literal={"issue": "output-size-unchecked", "outcome": "passes"},
            note="the specification has no step that checks the size of this output")
    s.refusals("matmul", {"a": "a", "b": "b"}, {"a": ("float32", [2, 2]), "b": ("float32", [2, 2])}, (ALGORITHM, "1"),
               {"a": (ALGORITHM, "2"), "b": (ALGORITHM, "2")})
    return s
