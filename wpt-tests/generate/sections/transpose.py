"""transpose."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("transpose(input, options)")


def section():
    s = Section("transpose", EXACT)

    def case(name, data_type, shape, permutation=None, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        arguments = {"input": "input", **({} if permutation is None else {"options": {"permutation": permutation}})}
        moved = [shape[axis] for axis in (reversed(range(len(shape))) if permutation is None else permutation)]
        if moved != shape:
            # the text as written gives the output the input's shape
            members.setdefault("literal", {"issue": "transpose-shape", "outcome": "differs"})
        s.case(f"transpose {data_type} {name}", "transpose", {"input": tensor(data_type, shape, data, constant)}, arguments, **members)

    for data_type, values in VALUES.items():
        case("2D", data_type, [3, 4], data=values)
        case("3D options.permutation", data_type, [2, 3, 2], [2, 0, 1], values)
    case("default options", "float32", [2, 3, 4])
    case("0D", "float32", [])
    case("0D with an empty permutation", "float32", [], [])
    case("1D", "float32", [3])
    case("1D options.permutation", "float32", [3], [0])
    case("square", "float32", [2, 2])
    case("4D", "float32", [1, 2, 3, 2])
    case("5D", "float32", [2, 1, 3, 1, 2])
    case("5D options.permutation", "float16", [2, 1, 3, 1, 2], [2, 4, 0, 3, 1])
    case("4D from nchw to nhwc", "float32", [1, 3, 2, 2], [0, 2, 3, 1])
    case("4D from nhwc to nchw", "float32", [1, 2, 2, 3], [0, 3, 1, 2])
    case("permutation that moves nothing", "float32", [2, 3], [0, 1])
    case("permutation that is not its own inverse", "int32", [2, 3, 4], [1, 2, 0])
    case("of a constant", "float32", [2, 3], constant=True)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [2, 3], data=SPECIAL)
    case("subnormal", "float32", [1, 2], data=[1e-45, -1e-40])
    s.graph("transpose float32 twice", {"input": tensor("float32", [2, 3, 2], list(range(12)))},
            [("transpose", {"input": "input", "options": {"permutation": [1, 2, 0]}}, "moved"),
             ("transpose", {"input": "moved", "options": {"permutation": [2, 0, 1]}}, "output")],
            note="the second undoes the first")

    def refused(name, shape, permutation, step):
        s.throws(f"transpose {name}", "transpose", {"input": tensor("float32", shape, 1)},
                 {"input": "input", "options": {"permutation": permutation}}, ALGORITHM, step)

    refused("with a permutation that is too short", [2, 3, 4], [1, 0], "4.1")
    refused("with a permutation that is too long", [2, 3], [1, 0, 2], "4.1")
    refused("of a scalar with a permutation", [], [0], "4.1")
    refused("with an axis equal to the rank", [2, 3], [0, 2], "4.2")
    refused("with an axis twice", [2, 3], [1, 1], "4.3")
    s.refusals("transpose", {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
