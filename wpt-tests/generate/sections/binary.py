"""Element-wise binary operations."""

from vector import EXACT, MPMATH, Section, concept, size, tensor

OPERATORS = ("add", "sub", "mul", "div", "max", "min", "pow")
ALGORITHM = concept("create an element-wise binary operation")

# Pairs that no operator overflows on, one shape and one rank for each type
FLOAT_A = [-7.25, -2.5, -1, -0.375, 0.0625, 0.1, 1.5, 3.14, 10, 28.75, 100.5, 640]
FLOAT_B = [3, -0.5, 0.7, 0.25, -4, 0.3, 2.5, 1.1, -3, 9.5, -0.125, 16]
POW_A = [-7.25, -2.5, -1, 0.375, 0.0625, 0.1, 1.5, 3.14, 10, 28.75, 100.5, 6]
POW_B = [3, -2, 5, 0.25, 0.5, 0.3, 2.5, 1.1, -3, 0, 0.125, 4]

INTEGERS = {
    "int32": ([2], [-2147483648, 7], [3, -2]),
    "uint32": ([3], [4294967290, 7, 65535], [5, 2, 65536]),
    "int64": ([], [9007199254740993], [-7]),
    "uint64": ([1, 2, 1, 1, 2], [9223372036854775808, 9007199254740993, 17, 4294967296], [1, 3, 5, 4294967295]),
    "int8": ([1, 4], [-11, 7, 100, -1], [3, -2, 1, 127]),
    "uint8": ([2, 1, 2], [15, 200, 1, 100], [15, 1, 55, 2]),
}
POW_INTEGERS = {
    "int32": ([2], [-1290, 46340], [3, 2]),
    "uint32": ([3], [65535, 2, 7], [2, 31, 0]),
    "int64": ([], [-2097151], [3]),
    "uint64": ([1, 2, 1, 1, 2], [4294967295, 2, 3, 10], [2, 63, 40, 19]),
    "int8": ([1, 4], [-5, 2, -128, 0], [3, 6, 1, 5]),
    "uint8": ([2, 1, 2], [15, 2, 255, 3], [2, 7, 1, 5]),
}
# subtraction of unsigned integers stays above zero; multiplication stays in range
SUB_INTEGERS = {**INTEGERS, "int32": ([2], [2147483647, -7], [3, -2]), "uint32": ([3], [4294967290, 7, 65536], [5, 2, 65535]),
                "uint64": ([1, 2, 1, 1, 2], [18446744073709551615, 9007199254740993, 17, 4294967296], [1, 3, 5, 4294967295]),
                "uint8": ([2, 1, 2], [15, 200, 255, 100], [15, 1, 55, 2]), "int8": ([1, 4], [-125, 7, 100, -1], [3, -2, 1, 127])}
MUL_INTEGERS = {**INTEGERS, "int32": ([2], [-1073741824, 46341], [2, -46340]), "uint32": ([3], [858993459, 7, 65535], [5, 2, 65537]),
                "uint64": ([1, 2, 1, 1, 2], [9223372036854775807, 3002399751580331, 17, 4294967296], [2, 3, 5, 4294967295])}
DIV_INTEGERS = {**INTEGERS, "int32": ([5], [-2147483648, 7, -7, 7, -7], [3, 2, 2, -2, -2])}
ADD_INTEGERS = {**INTEGERS, "int32": ([2], [-2147483648, 2147483640], [3, 7]),
                "uint8": ([2, 1, 2], [15, 200, 1, 253], [15, 1, 55, 2])}
BY_OPERATOR = {"add": ADD_INTEGERS, "sub": SUB_INTEGERS, "mul": MUL_INTEGERS, "div": DIV_INTEGERS, "pow": POW_INTEGERS}

EXTREMES = {
    "int32": [-2147483648, 2147483647], "uint32": [0, 4294967295], "int64": [-9223372036854775808, 9223372036854775807],
    "uint64": [0, 18446744073709551615], "int8": [-128, 127], "uint8": [0, 255],
}


def section():
    s = Section("binary", EXACT)
    for operator in OPERATORS:
        members = {"source": MPMATH} if operator == "pow" else {}
        a, b = (POW_A, POW_B) if operator == "pow" else (FLOAT_A, FLOAT_B)
        for data_type, shape in (("float32", [3, 4]), ("float16", [2, 1, 3, 2])):
            if operator == "pow" and data_type == "float16":
                a, b = POW_A[:10] + [10.5, 6], POW_B
            s.case(f"{operator} {data_type} {len(shape)}D", operator,
                   {"a": tensor(data_type, shape, a), "b": tensor(data_type, shape, b)}, **members)
        for data_type, (shape, a, b) in BY_OPERATOR.get(operator, INTEGERS).items():
            s.case(f"{operator} {data_type} {len(shape)}D", operator,
                   {"a": tensor(data_type, shape, a), "b": tensor(data_type, shape, b)})
        # each side can be the one that is broadcast
        s.case(f"{operator} float32 broadcast of a scalar b", operator,
               {"a": tensor("float32", [2, 3], [1, 2.5, 0.3, 4, 5.75, 6]), "b": tensor("float32", [], [1.5])}, **members)
        s.case(f"{operator} float32 broadcast of a scalar a", operator,
               {"a": tensor("float32", [], [2.5]), "b": tensor("float32", [3], [1, -2, 0.5])}, **members)

    for data_type in EXTREMES:
        low, high = EXTREMES[data_type]
        for operator in ("max", "min"):
            s.case(f"{operator} {data_type} extremes", operator,
                   {"a": tensor(data_type, [4], [low, high, low, high]), "b": tensor(data_type, [4], [low, high, high, low])})

    # the shapes of a broadcast are the family's, so one operator stands for it; sub tells the operands apart
    def broadcast(note, a, b, **members):
        first, second = [x * 1.5 for x in range(1, 1 + size(a))], [x * 0.25 - 2 for x in range(size(b))]
        s.case(f"sub float32 broadcast {note}", "sub", {"a": tensor("float32", a, first), "b": tensor("float32", b, second)}, **members)

    broadcast("of both sides", [3, 1], [1, 4])
    broadcast("of a to a higher rank", [2], [2, 3, 2])
    broadcast("of b to a higher rank", [2, 3, 2], [3, 1])
    broadcast("1D of one element", [1], [4])
    broadcast("of both sides in 5D", [1, 2, 1, 3, 1], [2, 1, 2, 1, 2])
    broadcast("of 0D with 0D", [], [])
    broadcast("of 0D with 5D", [], [1, 2, 1, 2, 1])
    broadcast("of the inner dimension of 4D", [1, 2, 2, 3], [1, 2, 2, 1])

    s.case("sub float32 with a constant b", "sub", {"a": tensor("float32", [3], [1, 2, 3]), "b": tensor("float32", [3], [0.5, 4, -1], True)})
    s.case("sub float32 with a constant a", "sub", {"a": tensor("float32", [3], [1, 2, 3], True), "b": tensor("float32", [3], [0.5, 4, -1])})
    s.case("sub float32 of constants only", "sub",
           {"a": tensor("float32", [2], [1, 2], True), "b": tensor("float32", [2], [0.5, 4], True)}, note="the graph has no inputs")
    s.case("mul float32 of an operand with itself", "mul", {"a": tensor("float32", [3], [1.5, -2, 0.1])}, {"a": "a", "b": "a"})
    s.case("add float32 options.label", "add", {"a": tensor("float32", [2], [1, 2]), "b": tensor("float32", [2], [3, 4])},
           {"a": "a", "b": "b", "options": {"label": "sum"}})

    inf, nan = float("inf"), float("nan")
    specials = {
        "add": ([inf, -inf, inf, nan, 1, 0.0, -0.0], [1, 1, -inf, 1, nan, -0.0, -0.0]),
        "sub": ([inf, -inf, inf, nan, 1, 0.0, -0.0], [1, 1, inf, 1, nan, 0.0, 0.0]),
        "mul": ([inf, -inf, inf, nan, 1, -1, 0.0], [2, 2, 0.0, 1, nan, inf, -3]),
        "div": ([1, -1, 0.0, inf, 1, inf, nan, 1, -3], [0.0, 0.0, 0.0, inf, inf, 2, 1, nan, -inf]),
        "max": ([inf, -inf, -inf, 1, inf], [1, 1, -inf, inf, -inf]),
        "min": ([inf, -inf, inf, 1, inf], [1, 1, inf, -inf, -inf]),
    }
    for operator, (a, b) in specials.items():
        for data_type in ("float32", "float16"):
            s.case(f"{operator} {data_type} special values", operator,
                   {"a": tensor(data_type, [len(a)], a), "b": tensor(data_type, [len(a)], b)})
    for data_type in ("float32", "float16"):
        s.case(f"pow {data_type} of zero and of one", "pow", {
            "a": tensor(data_type, [6], [0.0, 0.0, 1, 1, -1, -1]), "b": tensor(data_type, [6], [2, 0.0, 5, -0.5, 2, 3])}, source=MPMATH)
    s.case("pow float32 of a negative base", "pow", {
        "a": tensor("float32", [6], [-2, -2, -2, -2, -0.5, -8]), "b": tensor("float32", [6], [2, 3, -1, 0.5, -3, 0.333])}, source=MPMATH,
        note="an exponent that is not an integer gives NaN")
    s.case("pow float32 of infinities", "pow", {
        "a": tensor("float32", [4], [inf, inf, 2, 0.5]), "b": tensor("float32", [4], [2, -1, inf, inf])}, source=MPMATH)
    s.case("add float32 overflow", "add", {
        "a": tensor("float32", [3], [3.4028235e38, -3.4028235e38, 3.4028235e38]), "b": tensor("float32", [3], [3.4028235e38, -1e38, 1])})
    s.case("mul float16 overflow", "mul", {
        "a": tensor("float16", [4], [256, -256, 65504, 255.875]), "b": tensor("float16", [4], [256, 256, 1, 256])},
        note="65520 and above round to an infinity")
    s.case("add float16 rounding to even", "add", {
        "a": tensor("float16", [4], [2048, 2050, 1, 1]), "b": tensor("float16", [4], [1, 1, 0.00048828125, 0.00146484375])})
    s.case("add float32 rounding to even", "add", {
        "a": tensor("float32", [3], [16777216, 16777218, 1]), "b": tensor("float32", [3], [1, 1, 5.9604645e-08])})

    for data_type, tiny, least in (("float32", 1.1754944e-38, 1e-45), ("float16", 6.104e-05, 6e-08)):
        s.case(f"add {data_type} subnormal", "add", {
            "a": tensor(data_type, [3], [least, tiny, tiny / 2]), "b": tensor(data_type, [3], [least, -least, tiny / 4])})
        s.case(f"mul {data_type} subnormal", "mul", {
            "a": tensor(data_type, [3], [tiny, tiny / 2, least]), "b": tensor(data_type, [3], [0.5, 4, 0.25])})

    for operator in ("max", "min"):
        s.judged_case(f"{operator} float32 with NaN", operator, {
            "a": tensor("float32", [2], [nan, 1]), "b": tensor("float32", [2], [1, nan])}, {"a": "a", "b": "b"},
            tensor("float32", [2], [nan, nan]), implementationDefined=f"NaN in {operator} is left open; here it is propagated.")

    for data_type in ("int32", "int64", "int8"):
        least = EXTREMES[data_type][0]
        s.judged_case(f"div {data_type} of the least by -1", "div", {
            "a": tensor(data_type, [2], [least, 7]), "b": tensor(data_type, [2], [-1, -1])}, {"a": "a", "b": "b"},
            tensor(data_type, [2], [least, -7]),
            implementationDefined="A quotient beyond the type is left open; here it wraps. Processors trap at it.")

    for operator in OPERATORS:
        s.throws(f"{operator} with operands of different types", operator,
                 {"a": tensor("float32", [2], 1), "b": tensor("int32", [2], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "4")
        s.throws(f"{operator} with shapes that do not broadcast", operator,
                 {"a": tensor("float32", [2], 1), "b": tensor("float32", [3], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "5.1")
    s.throws("add with inner dimensions that do not broadcast", "add",
             {"a": tensor("float32", [4, 2, 3], 1), "b": tensor("float32", [4, 1, 2], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "5.1")
    s.throws("add with shapes that broadcast only to the left", "add",
             {"a": tensor("float32", [2, 3], 1), "b": tensor("float32", [2], 1)}, {"a": "a", "b": "b"}, ALGORITHM, "5.1")
    for operator in OPERATORS:
        s.refusals(operator, {"a": "a", "b": "b"}, {"a": ("float32", [2]), "b": ("float32", [2])}, (ALGORITHM, "2"),
                   {"a": (ALGORITHM, "3"), "b": (ALGORITHM, "3")} if operator == "add" else {})
    return s

