"""sigmoid."""

from math import inf, nan

from vector import MPMATH, Section, method, tensor

ALGORITHM = method("sigmoid(input, options)")


def section():
    s = Section("sigmoid", MPMATH)

    def case(name, data_type, shape, data, **members):
        s.case(f"sigmoid {data_type} {name}", "sigmoid", {"input": tensor(data_type, shape, data, name == "of a constant")}, **members)

    values = [-8, -3.5, -1, -0.01, 0, 0.25, 2, 7.75]
    case("2D", "float32", [2, 4], values)
    case("3D", "float16", [2, 2, 2], values)
    case("0D", "float32", [], [1.5])
    case("1D", "float16", [2], [-1.5, 1.5])
    case("4D", "float32", [1, 2, 1, 2], [-3, 3, -4, 4])
    case("5D", "float16", [1, 2, 1, 1, 2], [-3, 3, -4, 4])
    case("large values", "float32", [6], [-80, -20, 20, 80, 1000, -1000], note="exp() of the largest overflows")
    case("large values", "float16", [4], [-9, 9, 20, 1000])
    case("of a constant", "float32", [2], [-3, 3])
    for data_type in ("float32", "float16"):
        case("special values", data_type, [5], [inf, -inf, nan, 0.0, -0.0])
    case("subnormal", "float32", [2], [1e-45, -1e-40])
    case("subnormal results", "float16", [2], [-10, -11])

    for data_type in ("int32", "uint8"):
        s.throws(f"sigmoid of {data_type}", "sigmoid", {"input": tensor(data_type, [2], 1)}, {"input": "input"}, ALGORITHM, "3")
    s.refusals("sigmoid", {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
