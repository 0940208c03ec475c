"""argMin and argMax."""

from math import inf, nan

from sections.movement import VALUES
from vector import EXACT, Section, concept, random_integers, size, tensor

ALGORITHM = concept("create an argMin/argMax operation")
TIES = "Which of the equal values is chosen is left open; here it is the first."
NAN = "NaN is neither smaller nor larger than another value, so the answer is left open; here, as in NumPy, it wins."


def section():
    s = Section("argminmax", EXACT)

    def case(name, operator, data_type, shape, axis, data=None, options=None, constant=False, **members):
        if data is None:
            # each value once, in an order that depends on the shape
            order = random_integers(size(shape) + 7 * axis, size(shape), 0, 999)
            data = [sorted(range(len(order)), key=lambda index: (order[index], index)).index(index) - len(order) // 2 for index in range(len(order))]
        arguments = {"input": "input", "axis": axis, **({"options": options} if options else {})}
        s.case(f"{operator} {data_type} {name}", operator, {"input": tensor(data_type, shape, data, constant)}, arguments, **members)

    for operator in ("argMin", "argMax"):
        for data_type, values in VALUES.items():
            case("2D axis 0", operator, data_type, [4, 3], 0, values)
            case("2D axis 1, kept", operator, data_type, [3, 4], 1, values, {"keepDimensions": True})
        for data_type in ("float32", "float16", "int32"):
            case("1D", operator, data_type, [5], 0)
            case("3D middle axis", operator, data_type, [2, 3, 2], 1)
            case("4D axis 1", operator, data_type, [1, 4, 2, 2], 1)
            case("5D axis 4, kept", operator, data_type, [1, 2, 1, 2, 3], 4, options={"keepDimensions": True})
        for output in ("int32", "int64"):
            case(f"options.outputDataType {output}", operator, "float32", [2, 4], 1, options={"outputDataType": output})
        case("keepDimensions false", operator, "float32", [2, 3], 0, options={"keepDimensions": False})
        case("1D, kept", operator, "float32", [4], 0, options={"keepDimensions": True})
        case("5D axis 0", operator, "float32", [3, 1, 2, 1, 2], 0)
        case("axis of size 1", operator, "float32", [3, 1], 1)
        case("all options", operator, "float16", [2, 3], 1, options={"keepDimensions": True, "outputDataType": "int64", "label": "everything"})
        case("of a constant", operator, "float32", [4], 0, constant=True)
        case("negative values", operator, "float32", [2, 3], 1, [-3, -1, -2, -7, -9, -8])
        case("infinities", operator, "float32", [2, 4], 1, [1, -inf, inf, 2, inf, 3, -2, -inf])
        case("subnormal", operator, "float32", [4], 0, [1e-45, -1e-40, 1e-40, -1e-45])
        for data_type, value in (("int32", 16777216), ("uint32", 4294967294), ("int64", -9007199254740993), ("int64", 9223372036854775806),
                                 ("uint64", 18446744073709551614)):
            neighbours = [value, value + 1] if operator == "argMax" else [value + 1, value]
            case(f"neighbours from {value}", operator, data_type, [2], 0, neighbours, note="a float would not tell them apart")
        case("long axis", operator, "int32", [40], 0)
        case("equal values", operator, "float32", [2, 4], 1, [5, 1, 1, 5, 2, 2, 2, 2], implementationDefined=TIES)
        case("zeros of both signs", operator, "float32", [3], 0, [0.0, -0.0, 0.0], implementationDefined=TIES)
    for operator, expected in (("argMin", [2, 1]), ("argMax", [2, 1])):
        s.judged_case(f"{operator} float32 NaN beside numbers", operator, {"input": tensor("float32", [2, 3], [5, 1, nan, -1, nan, 7])},
                      {"input": "input", "axis": 1}, tensor("int32", [2], expected), implementationDefined=NAN, source="NumPy 2.4.6")
        s.refusals(operator, {"input": "input", "axis": 0}, {"input": ("float32", [2])}, (ALGORITHM, "2"),
                   {"input": (ALGORITHM, "3")})

    def refused(name, step, shape=(2, 3), axis=1, **options):
        for operator in ("argMin", "argMax"):
            s.throws(f"{operator} {name}", operator, {"input": tensor("float32", list(shape), 1)},
                     {"input": "input", "axis": axis, **({"options": options} if options else {})}, ALGORITHM, step)

    refused("with an axis equal to the rank", "4", axis=2)
    refused("with an axis above the rank", "4", axis=9)
    refused("of a scalar", "4", (), 0)
    for data_type in ("float32", "float16", "uint32", "uint64", "int8", "uint8"):
        refused(f"with an outputDataType of {data_type}", "5", outputDataType=data_type)
    return s
