"""Element-wise logical operations."""

from math import inf, nan

from vector import EXACT, Section, concept, tensor

ALGORITHM = concept("create an element-wise logical operation")
COMPARISONS = ("equal", "notEqual", "greater", "greaterOrEqual", "lesser", "lesserOrEqual")
LOGICAL = ("logicalAnd", "logicalOr", "logicalXor")
CLASSIFICATIONS = ("isNaN", "isInfinite")

# below, equal, above; neighbours that a detour through a narrower type would merge
PAIRS = {
    "float32": ([2, 3], [-1.5, 2, 3, 16777217, 1, 1.0000001], [2, 2, -3, 16777216, 1.0000001, 1]),
    "float16": ([1, 2, 3], [-1.5, 2, 3, 2047, 1, 1.001], [2, 2, -3, 2048, 1.001, 1]),
    "int32": ([5], [-2147483648, 2147483647, 16777217, 5, -1], [2147483647, -2147483648, 16777216, 5, 1]),
    "uint32": ([2, 2], [0, 4294967295, 2147483648, 16777217], [4294967295, 4294967295, 2147483647, 16777218]),
    "int64": ([4], [-9223372036854775808, 9007199254740993, 4294967297, -1], [9223372036854775807, 9007199254740992, 1, -1]),
    "uint64": ([1, 2, 1, 1, 2], [0, 18446744073709551615, 9007199254740993, 4294967296],
               [18446744073709551615, 18446744073709551615, 9007199254740992, 0]),
    "int8": ([1, 4], [-128, 127, -1, 5], [127, -128, 1, 5]),
    "uint8": ([2, 1, 2], [0, 255, 128, 5], [255, 0, 127, 5]),
}


def section():
    s = Section("logical", EXACT)
    for operator in COMPARISONS:
        for data_type, (shape, a, b) in PAIRS.items():
            s.case(f"{operator} {data_type} {len(shape)}D", operator,
                   {"a": tensor(data_type, shape, a), "b": tensor(data_type, shape, b)})
        for data_type in ("float32", "float16"):
            s.case(f"{operator} {data_type} special values", operator, {
                "a": tensor(data_type, [9], [nan, nan, 1, inf, -inf, inf, 0.0, -0.0, -inf]),
                "b": tensor(data_type, [9], [nan, 1, nan, inf, -inf, 1, -0.0, 0.0, inf])},
                note="no comparison with NaN holds, except notEqual; the two zeros are equal")
        s.case(f"{operator} float32 0D", operator, {"a": tensor("float32", [], [1]), "b": tensor("float32", [], [2])})
        s.case(f"{operator} float32 broadcast", operator,
               {"a": tensor("float32", [2, 1], [1, 2]), "b": tensor("float32", [3], [0, 1, 3])})
        s.case(f"{operator} float32 subnormal", operator,
               {"a": tensor("float32", [3], [1e-45, 0, -1e-40]), "b": tensor("float32", [3], [0, 1e-45, 1e-40])})

    for operator in LOGICAL:
        s.case(f"{operator} uint8 4D", operator, {"a": tensor("uint8", [1, 2, 2, 2], [0, 0, 1, 1, 0, 255, 2, 128]),
                                                  "b": tensor("uint8", [1, 2, 2, 2], [0, 1, 0, 1, 255, 0, 128, 2])},
               note="any value but 0 is true, and the result is 0 or 1")
        s.case(f"{operator} uint8 0D", operator, {"a": tensor("uint8", [], [3]), "b": tensor("uint8", [], [0])})
        s.case(f"{operator} uint8 5D by a scalar", operator,
               {"a": tensor("uint8", [1, 2, 1, 2, 1], [0, 1, 2, 255]), "b": tensor("uint8", [], [7])})
        s.case(f"{operator} uint8 broadcast", operator, {"a": tensor("uint8", [2, 1], [0, 9]), "b": tensor("uint8", [1, 2], [0, 4])})
    s.case("logicalNot uint8 2D", "logicalNot", {"a": tensor("uint8", [2, 3], [0, 1, 2, 127, 128, 255])})
    s.case("logicalNot uint8 0D", "logicalNot", {"a": tensor("uint8", [], [0])})
    s.case("logicalNot uint8 5D", "logicalNot", {"a": tensor("uint8", [1, 2, 1, 1, 2], [0, 0, 1, 4])})

    for operator in CLASSIFICATIONS:
        for data_type, largest in (("float32", 3.4028235e38), ("float16", 65504)):
            s.case(f"{operator} {data_type} special values", operator,
                   {"a": tensor(data_type, [2, 4], [nan, inf, -inf, largest, -largest, 0.0, -0.0, 1.5])})
            s.case(f"{operator} {data_type} 0D", operator, {"a": tensor(data_type, [], [nan if operator == "isNaN" else -inf])})
            s.case(f"{operator} {data_type} 5D", operator, {"a": tensor(data_type, [1, 2, 1, 1, 2], [1, nan, inf, 2])})
        s.graph(f"{operator} float32 of a computed value", {"a": tensor("float32", [3], [0.0, 1, -1]), "b": tensor("float32", [3], [0.0, 0.0, 2])},
                [("div", {"a": "a", "b": "b"}, "quotient"), (operator, {"a": "quotient"}, "output")], tolerance=None)
    s.case("equal float32 with a constant b", "equal", {"a": tensor("float32", [2], [1, 2]), "b": tensor("float32", [2], [1, 3], True)})
    s.case("equal float32 of an operand with itself", "equal", {"a": tensor("float32", [2], [1, nan])}, {"a": "a", "b": "a"})

    for operator in LOGICAL + ("logicalNot",):
        binary = operator != "logicalNot"
        inputs = {"a": tensor("int8", [2], 1), **({"b": tensor("int8", [2], 1)} if binary else {})}
        s.throws(f"{operator} of int8", operator, inputs, {key: key for key in inputs}, ALGORITHM, "4.1")
    for operator in CLASSIFICATIONS:
        s.throws(f"{operator} of int32", operator, {"a": tensor("int32", [2], 1)}, {"a": "a"}, ALGORITHM, "5.1")
    for operator in COMPARISONS + LOGICAL:
        first, second = ("uint8", "int8") if operator in LOGICAL else ("float32", "float16")
        s.throws(f"{operator} with operands of different types", operator,
                 {"a": tensor(first, [2], 1), "b": tensor(second, [2], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "6.2")
        s.throws(f"{operator} with shapes that do not broadcast", operator,
                 {"a": tensor(first, [2], 1), "b": tensor(first, [3], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "6.3")
    for operator in COMPARISONS + LOGICAL:
        data_type = "uint8" if operator in LOGICAL else "float32"
        s.refusals(operator, {"a": "a", "b": "b"}, {"a": (data_type, [2]), "b": (data_type, [2])}, (ALGORITHM, "2"),
                   {"a": (ALGORITHM, "3"), "b": (ALGORITHM, "6.1")} if operator == "equal" else {})
    for operator in ("logicalNot",) + CLASSIFICATIONS:
        s.refusals(operator, {"a": "a"}, {"a": ("uint8" if operator == "logicalNot" else "float32", [2])}, (ALGORITHM, "2"), {})
    return s
