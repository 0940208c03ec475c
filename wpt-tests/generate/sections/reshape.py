"""reshape."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("reshape(input, newShape, options)")


def section():
    s = Section("reshape", EXACT)

    def case(name, data_type, shape, new_shape, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        s.case(f"reshape {data_type} {name}", "reshape", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", "newShape": new_shape}, **members)

    shapes = ([12], [3, 4], [2, 2, 3], [1, 2, 3, 2], [2, 1, 3, 1, 2], [4, 3], [6, 2], [2, 6])
    for index, data_type in enumerate(VALUES):
        case(f"{len(shapes[index])}D to {len(shapes[index - 3])}D", data_type, shapes[index], shapes[index - 3], VALUES[data_type])
    case("same shape", "float32", [2, 3], [2, 3])
    case("0D to 1D", "float32", [], [1])
    case("0D to 5D", "float32", [], [1, 1, 1, 1, 1])
    case("5D to 0D", "float32", [1, 1, 1, 1, 1], [])
    case("1D to 0D", "int32", [1], [])
    case("0D to 0D", "float16", [], [])
    case("2D to 5D", "float32", [2, 3], [1, 2, 1, 3, 1])
    case("5D to 1D", "float16", [1, 2, 1, 3, 1], [6])
    case("of a constant", "float32", [2, 3], [3, 2], constant=True)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [2, 3], [3, 2], SPECIAL)
    case("subnormal", "float32", [2], [2, 1], [1e-45, -1e-40])
    s.graph("reshape float32 twice", {"input": tensor("float32", [2, 3], [1, 2, 3, 4, 5, 6])},
            [("reshape", {"input": "input", "newShape": [6]}, "flat"), ("reshape", {"input": "flat", "newShape": [3, 2]}, "output")])

    def refused(name, shape, new_shape, step):
        s.throws(f"reshape {name}", "reshape", {"input": tensor("float32", shape, 1)}, {"input": "input", "newShape": new_shape}, ALGORITHM, step)

    refused("with a size of zero", [2, 3], [6, 0], "6")
    refused("with a size above the range of long", [2, 3], [2147483648], "6")
    refused("to more elements", [2, 3], [7], "8")
    refused("to fewer elements", [2, 3], [2, 2], "8")
    refused("to a scalar", [2, 3], [], "8")
    refused("of a scalar to more elements", [], [2], "8")
    s.refusals("reshape", {"input": "input", "newShape": [2, 1]}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s

