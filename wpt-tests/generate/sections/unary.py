"""Element-wise unary operations."""

from math import inf, nan

from vector import EXACT, MPMATH, Section, concept, randoms, tensor

ALGORITHM = concept("create an element-wise unary operation")
INTEGER_OPERATORS = ("abs", "neg", "sign")
EXACT_OPERATORS = ("abs", "ceil", "floor", "identity", "neg", "roundEven", "sign")
OPERATORS = ("abs", "ceil", "cos", "erf", "exp", "floor", "identity", "log", "neg", "reciprocal", "roundEven", "sin", "sign", "sqrt", "tan")

STEPS = [-3.5, -2.75, -2.5, -1.5, -1, -0.5, -0.25, 0, 0.5, 0.75, 1.5, 2.25, 2.5, 3, 100.5, 1023.25]
POSITIVE = [0.001, 0.0625, 0.1, 0.25, 0.5, 0.9, 1.1, 2, 2.718, 3, 10, 49, 100, 999.5, 4096, 60000]
ANGLES = [-3.14, -2.5, -1.9, -1, -0.5, -0.1, -0.01, 0, 0.25, 0.7, 1, 1.3, 1.9, 2.2, 2.9, 3.1]
VALUES = {
    "cos": ANGLES, "sin": ANGLES, "tan": ANGLES, "log": POSITIVE, "sqrt": POSITIVE,
    "erf": [-4, -2, -1, -0.5, -0.25, -0.1, -0.01, 0, 0.05, 0.2, 0.75, 0.9, 1.5, 2.5, 3, 5],
    "exp": [-9, -5, -2.5, -1, -0.5, -0.1, -0.001, 0, 0.01, 0.25, 0.7, 1, 2, 3.3, 5, 10],
    "reciprocal": [-1000, -7, -3, -1, -0.5, -0.1, -0.0625, 0.001, 0.25, 0.3, 1, 1.5, 3, 12.5, 100, 999],
}
INTEGERS = {"int32": ([2, 2], [-2147483647, -1, 0, 2147483647]), "int64": ([3], [-9223372036854775807, 9007199254740993, 0]),
            "int8": ([2, 1, 2], [-127, 127, -1, 0])}

ZERO, INFINITE = [0.0, -0.0], [inf, -inf, nan]
SPECIAL = {
    "abs": ZERO + INFINITE, "ceil": ZERO + INFINITE + [-0.5], "floor": ZERO + INFINITE, "roundEven": ZERO + INFINITE + [-0.5, 0.5],
    "identity": ZERO + INFINITE, "neg": ZERO + INFINITE, "reciprocal": ZERO + INFINITE, "sqrt": ZERO + INFINITE + [-1],
    "log": ZERO + INFINITE + [-1, 1], "exp": ZERO + INFINITE, "erf": ZERO + INFINITE, "sin": ZERO + INFINITE, "cos": ZERO + INFINITE,
    "tan": ZERO + INFINITE,
}


def section():
    s = Section("unary", MPMATH)

    def case(name, operator, data_type, shape, data, **members):
        if operator in EXACT_OPERATORS:
            members.setdefault("source", EXACT)
        s.case(f"{operator} {data_type} {name}", operator, {"input": tensor(data_type, shape, data)}, **members)

    for operator in OPERATORS:
        data = VALUES.get(operator, STEPS)
        case("2D", operator, "float32", [4, 4], data)
        case("4D", operator, "float16", [2, 2, 2, 2], data)
        case("0D", operator, "float32", [], [data[9]])
        case("5D", operator, "float16", [1, 2, 1, 1, 2], data[1:13:3])
        for data_type, (shape, values) in (INTEGERS if operator in INTEGER_OPERATORS else {}).items():
            case(f"{len(shape)}D", operator, data_type, shape, values)
        for data_type in ("float32", "float16"):
            if operator in SPECIAL:
                case("special values", operator, data_type, [len(SPECIAL[operator])], SPECIAL[operator])

    for data_type in ("float32", "float16"):
        case("NaN and infinities", "sign", data_type, [5], [nan, inf, -inf, 0.0, -0.0],
             note="NaN is neither above nor below zero, so its sign is 0")
    for shape, data_type, values in (
            ([2], "int32", [-2147483648, 2147483647]), ([2], "uint32", [0, 4294967295]),
            ([2], "int64", [-9223372036854775808, 9223372036854775807]), ([2], "uint64", [9007199254740993, 18446744073709551615]),
            ([2], "int8", [-128, 127]), ([2], "uint8", [0, 255])):
        case("extremes", "identity", data_type, shape, values)
    for data_type, values in (("int32", [-2147483648]), ("int64", [-9223372036854775808]), ("int8", [-128])):
        case("the lowest value", "sign", data_type, [1], values)
    case("3D", "identity", "float32", [2, 1, 3], [1.5, -2, 3.25, 0, 5, 6])
    s.case("identity float32 of a constant", "identity", {"input": tensor("float32", [2], [1.5, -2], True)}, source=EXACT)

    case("halves", "roundEven", "float32", [8], [0.49999997, 0.5, 1.5, 2.5, -1.5, -2.5, 8388607.5, 8388608])
    case("halves", "roundEven", "float16", [6], [0.4998, 0.5, 1023.5, 1024, -1022.5, 2049])
    case("large values", "ceil", "float32", [4], [8388607.5, -8388607.5, 16777216, 3.4028235e38])
    case("large values", "floor", "float32", [4], [8388607.5, -8388607.5, 16777216, -3.4028235e38])
    case("overflow and small results", "exp", "float32", [5], [88.7, 88.8, 100, -80, -87])
    case("overflow and small results", "exp", "float16", [4], [11, 11.09, 12, -9])
    case("near one", "log", "float32", [4], [0.99999994, 1, 1.0000001, 1.001])
    case("extremes", "log", "float32", [2], [1.1754944e-38, 3.4028235e38])
    case("extremes", "sqrt", "float32", [2], [1.1754944e-38, 3.4028235e38])
    case("extremes", "reciprocal", "float32", [3], [8e37, -1.1754944e-38, 1e-30])
    case("random values", "sqrt", "float32", [3, 2, 2], randoms(1, 12, 0, 1000))
    for operator in ("sin", "cos", "tan"):
        case("large angles", operator, "float32", [4], [-100.25, 50, 1000, 12345.5])

    for operator in OPERATORS:
        if operator != "exp":
            case("subnormal", operator, "float32", [3], [1e-45, 1e-40, 5.877472e-39])
            case("subnormal", operator, "float16", [2], [6e-08, 3.05e-05])
    case("subnormal results", "exp", "float32", [2], [-88, -103])

    for operator in OPERATORS:
        if operator != "identity":
            s.throws(f"{operator} of uint8", operator, {"input": tensor("uint8", [2], 1)}, {"input": "input"}, ALGORITHM, "4")
        if operator not in INTEGER_OPERATORS + ("identity",):
            s.throws(f"{operator} of int32", operator, {"input": tensor("int32", [2], 1)}, {"input": "input"}, ALGORITHM, "4")
        s.refusals(operator, {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "2"),
                   {"input": (ALGORITHM, "3")} if operator == "abs" else {})
    return s
