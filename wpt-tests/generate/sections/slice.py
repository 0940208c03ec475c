"""slice."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("slice(input, starts, sizes, options)")


def section():
    s = Section("slice", EXACT)

    def case(name, data_type, shape, starts, sizes, strides=None, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        options = {} if strides is None else {"options": {"strides": strides}}
        s.case(f"slice {data_type} {name}", "slice", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", "starts": starts, "sizes": sizes, **options}, **members)

    for data_type, values in VALUES.items():
        case("2D", data_type, [3, 4], [0, 1], [2, 3], data=values)
        case("2D options.strides", data_type, [3, 4], [0, 0], [3, 4], [2, 2], values)
    case("0D", "float32", [], [], [])
    case("0D options.strides", "float32", [], [], [], [])
    case("1D", "float32", [5], [2], [2])
    case("3D", "float32", [2, 3, 2], [1, 0, 1], [1, 2, 1])
    case("4D", "float16", [1, 2, 3, 2], [0, 1, 1, 0], [1, 1, 2, 2])
    case("5D", "float32", [2, 1, 3, 1, 2], [1, 0, 1, 0, 0], [1, 1, 2, 1, 2])
    case("5D options.strides", "int32", [2, 1, 4, 1, 3], [0, 0, 1, 0, 0], [2, 1, 3, 1, 3], [1, 1, 2, 1, 2])
    case("the whole input", "float32", [2, 3], [0, 0], [2, 3])
    case("the last element", "float32", [2, 3], [1, 2], [1, 1])
    case("options.strides of ones", "float32", [2, 3], [0, 1], [2, 2], [1, 1])
    case("strides that divide the sizes", "float32", [6], [0], [6], [3])
    case("strides that leave a rest", "float32", [7], [0], [7], [3])
    case("strides from an offset", "float32", [7], [1], [5], [2])
    case("strides larger than the sizes", "float32", [2, 4], [0, 1], [2, 3], [5, 9])
    case("of a constant", "float32", [2, 3], [0, 1], [2, 1], constant=True)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [0], [5], data=SPECIAL)
    case("subnormal", "float32", [3], [1], [2], data=[1, 1e-45, -1e-40])
    s.graph("slice float32 of a slice", {"input": tensor("float32", [3, 4], list(range(12)))},
            [("slice", {"input": "input", "starts": [1, 0], "sizes": [2, 4], "options": {"strides": [1, 2]}}, "first"),
             ("slice", {"input": "first", "starts": [0, 1], "sizes": [2, 1]}, "output")])

    def refused(name, step, shape=(3, 4), starts=(0, 1), sizes=(2, 3), strides=None):
        options = {} if strides is None else {"options": {"strides": strides}}
        s.throws(f"slice {name}", "slice", {"input": tensor("float32", list(shape), 1)},
                 {"input": "input", "starts": list(starts), "sizes": list(sizes), **options}, ALGORITHM, step)

    refused("with a size of zero", "3", sizes=(2, 0))
    refused("with one start", "4", starts=(0,))
    refused("with three sizes", "4", sizes=(2, 3, 1))
    refused("of a scalar with a start and a size", "4", shape=(), starts=(0,), sizes=(1,))
    refused("with one stride", "6.2", strides=[1])
    refused("with no strides in the list", "6.2", strides=[])
    refused("with a stride of zero", "9.5", strides=[1, 0])
    refused("with a start above the input size", "9.6", starts=(0, 5), sizes=(2, 1))
    refused("with a start equal to the input size", "9.7", starts=(0, 4), sizes=(2, 1))
    refused("with a size beyond the input", "9.7", sizes=(2, 4))
    refused("with a start and a size that overflow together", "9.6", starts=(0, 4294967295), sizes=(2, 4294967295))
    s.refusals("slice", {"input": "input", "starts": [0], "sizes": [1]}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
