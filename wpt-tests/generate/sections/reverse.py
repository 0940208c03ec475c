"""reverse."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("reverse(input, options)")


def section():
    s = Section("reverse", EXACT)

    def case(name, data_type, shape, axes=None, data=None, constant=False, label=None, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        options = {**({} if axes is None else {"axes": axes}), **({} if label is None else {"label": label})}
        s.case(f"reverse {data_type} {name}", "reverse", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", **({"options": options} if options else {})}, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [3, 4], data=values)
        case("2D options.axes of the last", data_type, [3, 4], [1], values)
        case("2D options.axes of the first", data_type, [3, 4], [0], values)
    for data_type in ("float32", "float16", "int32"):
        case("0D", data_type, [])
        case("1D", data_type, [5])
        case("3D default options", data_type, [2, 2, 3])
        case("4D options.axes of the middle", data_type, [1, 3, 2, 2], [1, 2])
        case("5D default options", data_type, [1, 2, 1, 2, 3])
        case("5D options.axes", data_type, [2, 1, 2, 1, 3], [0, 4])
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], data=SPECIAL)
    case("options.axes empty", "float32", [2, 3], [], note="nothing is reversed")
    case("0D options.axes empty", "float32", [], [])
    case("options.axes in falling order", "float32", [2, 2, 2], [2, 0])
    case("options.axes of all", "float32", [2, 3], [0, 1])
    case("axis of size 1", "float32", [1, 3], [0])
    case("of a constant", "float32", [3], constant=True)
    case("options.label", "float32", [3], label="reversed")
    case("subnormal", "float32", [2], data=[1e-45, -1e-40])

    def refused(name, shape, axes):
        s.throws(f"reverse {name}", "reverse", {"input": tensor("float32", shape, 1)}, {"input": "input", "options": {"axes": axes}}, ALGORITHM, "6")

    refused("with an axis twice", [2, 3], [1, 1])
    refused("with an axis equal to the rank", [2, 3], [0, 2])
    refused("of a scalar with an axis", [], [0])
    s.refusals("reverse", {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
