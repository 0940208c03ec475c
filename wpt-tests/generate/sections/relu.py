"""relu."""

from math import inf

from vector import EXACT, Section, method, tensor

ALGORITHM = method("relu(input, options)")


def section():
    s = Section("relu", EXACT)

    def case(name, data_type, shape, data, **members):
        s.case(f"relu {data_type} {name}", "relu", {"input": tensor(data_type, shape, data, name == "of a constant")}, **members)

    values = [-1000.5, -2, -0.1, 0, 0.1, 1, 2.75, 6000]
    case("2D", "float32", [2, 4], values)
    case("3D", "float16", [2, 2, 2], values)
    case("0D", "float32", [], [-3])
    case("1D", "float32", [2], [-3, 3])
    case("4D", "float32", [1, 2, 1, 2], [-3, 3, -4, 4])
    case("5D", "float16", [1, 2, 1, 1, 2], [-3, 3, -4, 4])
    case("extremes", "int32", [4], [-2147483648, -1, 0, 2147483647])
    case("extremes", "int64", [4], [-9223372036854775808, -9007199254740993, 9007199254740993, 9223372036854775807])
    case("extremes", "int8", [2, 2], [-128, -1, 1, 127])
    case("of a constant", "float32", [2], [-3, 3])
    for data_type in ("float32", "float16"):
        case("infinities and zeros", data_type, [4], [inf, -inf, 0.0, -0.0])
    case("subnormal", "float32", [2], [1e-45, -1e-40])

    for data_type in ("uint32", "uint64", "uint8"):
        s.throws(f"relu of {data_type}", "relu", {"input": tensor(data_type, [2], 1)}, {"input": "input"}, ALGORITHM, "3")
    s.refusals("relu", {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
