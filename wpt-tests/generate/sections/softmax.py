"""softmax."""

from math import inf

from vector import MPMATH, Section, method, randoms, size, tensor

ALGORITHM = method("softmax(input, axis, options)")


def section():
    s = Section("softmax", MPMATH)

    def case(name, data_type, shape, axis, data=None, **members):
        data = data if data is not None else randoms(len(shape) * 10 + axis, size(shape), -3, 3)
        s.case(f"softmax {data_type} {name}", "softmax", {"input": tensor(data_type, shape, data)}, {"input": "input", "axis": axis}, **members)

    for data_type in ("float32", "float16"):
        case("1D axis 0", data_type, [5], 0)
        case("2D axis 0", data_type, [3, 4], 0)
        case("2D axis 1", data_type, [3, 4], 1)
        case("3D middle axis", data_type, [2, 3, 2], 1)
        case("4D axis 1", data_type, [1, 3, 2, 2], 1)
        case("5D axis 4", data_type, [1, 2, 1, 2, 3], 4)
        case("5D axis 0", data_type, [2, 1, 2, 1, 2], 0)
        case("axis of size 1", data_type, [2, 1], 1)
        case("equal values", data_type, [4], 0, [2.5, 2.5, 2.5, 2.5])
        case("large values", data_type, [2, 3], 1, [1000, 1001, 1002, -1002, -1001, -1000],
             note="exp() of them overflows or vanishes, unless the largest is subtracted first")
        case("one dominant value", data_type, [3], 0, [0, 5, 0.5])
        case("masked by -Infinity", data_type, [4], 0, [1, -inf, 2, -inf])
    case("subnormal", "float32", [3], 0, [1e-45, -1e-40, 1e-39])
    s.case("softmax float32 of a constant", "softmax", {"input": tensor("float32", [3], [1, 2, 3], True)}, {"input": "input", "axis": 0})
    s.case("softmax float32 options.label", "softmax", {"input": tensor("float32", [3], [1, 2, 3])},
           {"input": "input", "axis": 0, "options": {"label": "probabilities"}})

    def refused(name, data_type, shape, axis, step):
        s.throws(f"softmax {name}", "softmax", {"input": tensor(data_type, shape, 1)}, {"input": "input", "axis": axis}, ALGORITHM, step)

    refused("of int32", "int32", [2, 3], 1, "3")
    refused("axis equal to the rank", "float32", [2, 3], 2, "4")
    refused("axis above the rank", "float32", [2, 3], 7, "4")
    refused("of a scalar", "float32", [], 0, "4")
    s.refusals("softmax", {"input": "input", "axis": 0}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
