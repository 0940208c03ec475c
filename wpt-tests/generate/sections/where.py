"""where."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("where(condition, trueValue, falseValue, options)")
NAMES = {"condition": "condition", "trueValue": "trueValue", "falseValue": "falseValue"}


def section():
    s = Section("where", EXACT)

    def case(name, data_type, shapes, condition=None, values=None, constants=(), **members):
        condition = condition if condition is not None else [index % 2 for index in range(size(shapes[0]))]
        true = values[0] if values else list(range(1, 1 + size(shapes[1])))
        false = values[1] if values else list(range(101, 101 + size(shapes[2])))
        s.case(f"where {data_type} {name}", "where", {
            "condition": tensor("uint8", shapes[0], condition, "condition" in constants),
            "trueValue": tensor(data_type, shapes[1], true, "trueValue" in constants),
            "falseValue": tensor(data_type, shapes[2], false, "falseValue" in constants)}, **members)

    for data_type, values in VALUES.items():
        case("2D", data_type, [[2, 3]] * 3, [0, 1, 1, 0, 1, 0], (values[:6], values[6:]))
        case("scalar values", data_type, [[4], [], []], [0, 1, 1, 0], (values[:1], values[1:2]))
    case("any condition but zero", "float32", [[4]] * 3, [0, 1, 2, 255])
    case("0D", "float32", [[], [], []], [1])
    case("1D", "float16", [[3]] * 3)
    case("3D", "float32", [[2, 1, 2]] * 3)
    case("4D", "float32", [[1, 2, 1, 2]] * 3)
    case("5D", "float32", [[1, 2, 1, 1, 2]] * 3)
    case("scalar condition", "float32", [[], [2], [2]], [0])
    case("broadcast of the condition", "float32", [[2, 1], [2, 3], [2, 3]])
    case("broadcast of trueValue", "float32", [[2, 3], [3], [2, 3]])
    case("broadcast of falseValue", "float32", [[2, 3], [2, 3], [2, 1]])
    case("condition of the highest rank", "float32", [[2, 2, 2], [2], [2, 1]])
    case("broadcast of all three", "float32", [[2, 1, 1], [3, 1], [2]])
    case("broadcast to 5D", "float16", [[2, 1, 1, 1, 1], [1, 2, 1], [1, 1, 1, 2]])
    case("constants", "float32", [[2]] * 3, constants=("condition", "trueValue"))
    case("values of a branch not taken", "float32", [[3]] * 3, [1, 0, 1], ([1, float("inf"), 2], [float("nan"), 3, float("-inf")]),
         note="a NaN that is not chosen leaves no trace")
    for data_type in ("float32", "float16"):
        case("special values", data_type, [[6]] * 3, [1, 0, 1, 0, 1, 0], (SPECIAL, SPECIAL))
    case("subnormal", "float32", [[2]] * 3, [1, 0], ([1e-45, 1], [1, -1e-40]))
    s.case("where float32 of one operand twice", "where", {"condition": tensor("uint8", [2], [0, 1]), "x": tensor("float32", [2], [1, 2])},
           {"condition": "condition", "trueValue": "x", "falseValue": "x"})
    s.graph("where float32 of a comparison", {"a": tensor("float32", [3], [1, 5, 3]), "b": tensor("float32", [3], [4, 2, 3])},
            [("greater", {"a": "a", "b": "b"}, "condition"), ("where", {"condition": "condition", "trueValue": "a", "falseValue": "b"}, "output")])

    def refused(name, step, condition=("uint8", [2]), true=("float32", [2]), false=("float32", [2])):
        s.throws(f"where {name}", "where", {"condition": tensor(*condition, 1), "trueValue": tensor(*true, 1), "falseValue": tensor(*false, 1)},
                 NAMES, ALGORITHM, step)

    refused("with a condition of float32", "3", condition=("float32", [2]))
    refused("with a condition of int8", "3", condition=("int8", [2]))
    refused("with values of different types", "3", false=("int32", [2]))
    refused("with values that do not broadcast", "4.1", false=("float32", [3]))
    refused("with a condition that does not broadcast", "5.1", condition=("uint8", [3]))
    s.refusals("where", NAMES, {"condition": ("uint8", [2]), "trueValue": ("float32", [2]), "falseValue": ("float32", [2])}, (ALGORITHM, "1"),
               {key: (ALGORITHM, "2") for key in NAMES})
    return s
