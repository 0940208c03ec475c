"""triangular."""

from math import inf, nan

from sections.movement import VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("triangular(input, options)")


def section():
    s = Section("triangular", EXACT)

    def case(name, data_type, shape, data=None, constant=False, label=None, upper=None, diagonal=None, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        given = (("upper", upper), ("diagonal", diagonal), ("label", label))
        options = {key: value for key, value in given if value is not None}
        s.case(f"triangular {data_type} {name}", "triangular", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", **({"options": options} if options else {})}, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [3, 4], values)
        case("2D lower", data_type, [4, 3], values, upper=False)
    for data_type in ("float32", "float16"):
        for upper in (True, False):
            part = "upper" if upper else "lower"
            for diagonal in (-3, -1, 0, 1, 2):
                case(f"{part} of diagonal {diagonal}", data_type, [3, 3], upper=upper, diagonal=diagonal)
            case(f"{part} of a wide matrix", data_type, [2, 4], upper=upper, diagonal=1)
            case(f"{part} of a high matrix", data_type, [4, 2], upper=upper, diagonal=-1)
            case(f"{part} 3D", data_type, [2, 2, 2], upper=upper)
            case(f"{part} 4D", data_type, [1, 2, 2, 3], upper=upper, diagonal=1)
            case(f"{part} 5D", data_type, [2, 1, 1, 3, 2], upper=upper, diagonal=-1)
            # a NaN or an infinity that is not kept leaves no trace, unlike with a multiplication by 0
            case(f"{part} of special values", data_type, [2, 2], [nan, inf, -inf, nan], upper=upper)
    for upper in (True, False):
        for diagonal in (100, -100, 2147483647, -2147483648):
            case(f"{'upper' if upper else 'lower'} of diagonal {diagonal}", "float32", [2, 3], upper=upper, diagonal=diagonal)
    case("options.upper alone", "float32", [2, 2], upper=True)
    case("options.diagonal alone", "float32", [2, 2], diagonal=1)
    case("1 by 1", "float32", [1, 1])
    case("1 by 1, excluded", "float32", [1, 1], diagonal=1)
    case("all options", "float16", [3, 3], upper=False, diagonal=-1, label="everything")
    case("of a constant", "float32", [2, 2], constant=True)
    case("negative zeros", "float32", [2, 2], [-0.0, -0.0, -1, -0.0])
    case("subnormal", "float32", [2, 2], [1e-45, -1e-40, 1e-40, -1e-45])

    def refused(name, shape):
        s.throws(f"triangular {name}", "triangular", {"input": tensor("float32", shape, 1)}, {"input": "input"}, ALGORITHM, "3")

    refused("of rank 1", [3])
    refused("of a scalar", [])
    s.refusals("triangular", {"input": "input"}, {"input": ("float32", [2, 2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
