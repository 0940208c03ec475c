"""concat."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, input_step, method, size, step, tensor, thrown

ALGORITHM = method("concat(inputs, axis, options)")


def section():
    s = Section("concat", EXACT)

    def case(name, data_type, shapes, axis, data=None, constants=(), **members):
        data = data if data is not None else list(range(1, 1 + sum(map(size, shapes))))
        inputs, start = {}, 0
        for index, shape in enumerate(shapes):
            inputs[f"x{index}"] = tensor(data_type, shape, data[start:start + size(shape)], index in constants)
            start += size(shape)
        s.case(f"concat {data_type} {name}", "concat", inputs, {"inputs": list(inputs), "axis": axis}, **members)

    for data_type, values in VALUES.items():
        case("2D axis 0", data_type, [[1, 3], [3, 3]], 0, values)
        case("2D axis 1", data_type, [[2, 4], [2, 2]], 1, values)
    case("of one input", "float32", [[2, 2]], 1)
    case("of four inputs", "float32", [[1, 2], [2, 2], [1, 2], [3, 2]], 0)
    case("1D", "float32", [[2], [3], [1]], 0)
    case("3D middle axis", "float32", [[2, 1, 2], [2, 2, 2]], 1)
    case("4D axis 1", "float16", [[1, 2, 2, 2], [1, 1, 2, 2]], 1)
    case("4D axis 3", "int32", [[1, 2, 2, 1], [1, 2, 2, 3]], 3)
    case("5D axis 4", "float32", [[1, 2, 1, 2, 1], [1, 2, 1, 2, 2]], 4)
    case("5D axis 0", "float16", [[1, 1, 2, 1, 2], [2, 1, 2, 1, 2]], 0)
    case("with a constant", "float32", [[2], [2], [2]], 0, constants=(1,))
    case("of constants only", "float32", [[2], [1]], 0, constants=(0, 1))
    s.case("concat float32 of an operand with itself", "concat", {"x": tensor("float32", [2, 1], [1, 2])}, {"inputs": ["x", "x", "x"], "axis": 1})
    for data_type in ("float32", "float16"):
        case("special values", data_type, [[4], [2]], 0, SPECIAL)
    case("subnormal", "float32", [[1], [2]], 0, [1e-45, -1e-40, 1e-39])

    def refused(name, tensors, axis, step_):
        inputs = {f"x{index}": tensor(data_type, shape, 1) for index, (data_type, shape) in enumerate(tensors)}
        s.throws(f"concat {name}", "concat", inputs, {"inputs": list(inputs), "axis": axis}, ALGORITHM, step_)

    refused("of no inputs", [], 0, "3")
    refused("with an axis equal to the rank", [("float32", [2, 3]), ("float32", [2, 3])], 2, "5")
    refused("of scalars", [("float32", []), ("float32", [])], 0, "5")
    refused("of different types", [("float32", [2, 3]), ("float32", [2, 3]), ("int32", [2, 3])], 1, "8.2")
    refused("of different ranks", [("float32", [2, 3]), ("float32", [2, 3, 1])], 0, "8.3")
    refused("of different sizes beside the axis", [("float32", [2, 3]), ("float32", [2, 4])], 0, "8.4.1")
    refused("of different sizes beside the axis, behind it", [("float32", [2, 3]), ("float32", [3, 4])], 1, "8.4.1")

    start = [step("context", None, "createContext"), step("builder", None, "MLGraphBuilder", context="context")]
    s.scenario("concat of sizes that add up beyond the range of long", start + [
        input_step("builder", "x", "uint8", [1073741824]), input_step("builder", "y", "uint8", [1073741824]),
        step(None, "builder", "concat", inputs=["x", "y"], axis=0, throws=thrown("TypeError", ALGORITHM, "8.4.2.2"))],
        note="each input has the largest power of two that is a valid dimension; an implementation with smaller limits refuses it earlier")
    s.scenario("concat of 8193 inputs", start + [
        input_step("builder", "x", "float32", [1]),
        step(None, "builder", "concat", inputs=["x"] * 8193, axis=0, throws=thrown("TypeError", ALGORITHM, "3"))])
    s.refusals("concat", {"inputs": ["x", "y"], "axis": 0}, {"x": ("float32", [2]), "y": ("float32", [2])}, (ALGORITHM, "1"),
               {"x": (ALGORITHM, "2"), "y": (ALGORITHM, "2")})
    return s
