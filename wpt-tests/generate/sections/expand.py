"""expand."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("expand(input, newShape, options)")


def section():
    s = Section("expand", EXACT)

    def case(name, data_type, shape, new_shape, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        s.case(f"expand {data_type} {name}", "expand", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", "newShape": new_shape}, **members)

    for data_type, values in VALUES.items():
        case("1D to 2D", data_type, [4], [2, 4], values[:4])
        case("inner dimension", data_type, [3, 1], [3, 2], values[:3])
    case("0D to 0D", "float32", [], [])
    case("0D to 1D", "float32", [], [3])
    case("0D to 5D", "float16", [], [1, 2, 1, 2, 1])
    case("1D of one element", "int32", [1], [4])
    case("same shape", "float32", [2, 2], [2, 2])
    case("outer dimension", "float32", [1, 3], [2, 3])
    case("middle dimension of 3D", "float32", [2, 1, 2], [2, 3, 2])
    case("3D to 4D", "float32", [2, 1, 1], [2, 2, 1, 3])
    case("4D to 5D", "float16", [1, 2, 1, 2], [2, 1, 2, 2, 2])
    case("5D", "float32", [1, 2, 1, 2, 1], [2, 2, 1, 2, 2])
    case("to a higher rank of ones", "float32", [2], [1, 1, 2])
    case("of a constant", "float32", [1, 2], [2, 2], constant=True)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [2, 6], SPECIAL)
    case("subnormal", "float32", [2, 1], [2, 2], [1e-45, -1e-40])

    def refused(name, shape, new_shape, step, **members):
        s.throws(f"expand {name}", "expand", {"input": tensor("float32", shape, 1)}, {"input": "input", "newShape": new_shape},
                 ALGORITHM if step else None, step, **members)

    refused("to a lower rank", [1, 2], [2], "3.1")
    refused("to a scalar", [1], [], "3.1")
    refused("of a size other than one", [2, 3], [2, 6], "3.1")
    refused("to a smaller size", [2, 3], [1, 3], "3.1")
    refused("with sizes aligned to the left", [2], [2, 3], "3.1")
    refused("to too many elements", [1, 1], [65536, 65536], None, literal={"issue": "output-size-unchecked", "outcome": "passes"},
            note="the specification has no step that checks the size of this output")
    refused("to a size of zero", [1], [0], None, literal={"issue": "output-size-unchecked", "outcome": "passes"},
            note="the specification has no step that checks the size of this output")
    s.refusals("expand", {"input": "input", "newShape": [2]}, {"input": ("float32", [1])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
