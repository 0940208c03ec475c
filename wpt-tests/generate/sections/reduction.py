"""Reduction operations."""

from math import inf, nan

from vector import EXACT, MPMATH, Section, concept, randoms, size, tensor

ALGORITHM = concept("create reduction operation")
OPERATORS = ("reduceL1", "reduceL2", "reduceLogSum", "reduceLogSumExp", "reduceMax", "reduceMean", "reduceMin", "reduceProduct", "reduceSum",
             "reduceSumSquare")
ROOTS_AND_LOGARITHMS = ("reduceL2", "reduceLogSum", "reduceLogSumExp")
SUMS = ("reduceL1", "reduceProduct", "reduceSum", "reduceSumSquare")
FLOATS_ONLY = ROOTS_AND_LOGARITHMS + ("reduceMean",)

INTEGERS = {"int32": [-7, 3, -2, 11, 5, 1], "uint32": [7, 3, 2, 11, 5, 1], "int64": [-70000, 3, -2, 11, 5, 1], "uint64": [70000, 3, 2, 11, 5, 1]}
EXTREMES = {"int32": [-2147483648, 2147483647], "uint32": [0, 4294967295], "int64": [-9223372036854775808, 9223372036854775807],
            "uint64": [9007199254740993, 18446744073709551615], "int8": [-128, 127], "uint8": [0, 255]}
# results that a double does not hold
WIDE = {"reduceL1": [-9007199254740993, 2], "reduceProduct": [94906267, 94906269], "reduceSum": [9007199254740993, 2],
        "reduceSumSquare": [94906267, 2]}
# sums that end just inside the type
LARGE = {"int32": [2147483000, 647], "uint32": [4294967000, 295], "int64": [9223372036854775000, 807], "uint64": [18446744073709551000, 615]}


def section():
    s = Section("reduction", EXACT)

    def case(name, operator, data_type, shape, data=None, options=None, constant=False, **members):
        # above 1, so that no logarithm is near 0
        data = data if data is not None else randoms(size(shape) + 3, size(shape), 1.1, 3)
        if operator in ROOTS_AND_LOGARITHMS:
            members.setdefault("source", MPMATH)
        arguments = {"input": "input", **({"options": options} if options else {})}
        s.case(f"{operator} {data_type} {name}", operator, {"input": tensor(data_type, shape, data, constant)}, arguments, **members)

    for operator in OPERATORS:
        for data_type in ("float32", "float16"):
            case("all axes of 2D", operator, data_type, [2, 3])
            case("one axis of 3D", operator, data_type, [2, 3, 2], options={"axes": [1]})
            case("two axes of 4D, kept", operator, data_type, [2, 2, 1, 3], options={"axes": [1, 3], "keepDimensions": True})
            case("no axes", operator, data_type, [3], options={"axes": []}, note="the function is applied to each value")
            case("0D", operator, data_type, [], [2.5])
        if operator not in ("reduceLogSum", "reduceProduct"):
            case("of mixed signs", operator, "float32", [2, 3], [1, -2.5, 4, -0.25, 3, -1.5], {"axes": [1]})
        if operator in SUMS:
            for data_type, data in INTEGERS.items():
                case("2D", operator, data_type, [2, 3], data, {"axes": [1]})
                case("no axes", operator, data_type, [2, 3], data, {"axes": []})
            case("beyond 53 bits", operator, "int64", [2], WIDE[operator])
            case("beyond 53 bits", operator, "uint64", [2], [abs(value) for value in WIDE[operator]])
        if operator in ("reduceL1", "reduceSum"):
            for data_type, data in LARGE.items():
                case("large values", operator, data_type, [2], data)
        if operator in ("reduceMax", "reduceMin"):
            for data_type, data in EXTREMES.items():
                case("extremes", operator, data_type, [2], data)
                case("2D", operator, data_type, [3, 2], [*data, data[1], 100, 5, data[0] + 1], {"axes": [0]})

    # shapes are the family's; the sums tell the axes apart
    def axes(name, shape, axes_, keep=None):
        options = {**({} if axes_ is None else {"axes": axes_}), **({} if keep is None else {"keepDimensions": keep})}
        case(name, "reduceSum", "float32", shape, [x * 0.5 for x in range(size(shape))], options)

    axes("all axes, kept", [2, 3], None, True)
    axes("keepDimensions false", [2, 3], [0], False)
    axes("axes in falling order", [2, 3, 2], [2, 0])
    axes("axes in falling order, kept", [2, 3, 2], [2, 0], True)
    axes("first axis of 5D", [2, 1, 2, 1, 2], [0])
    axes("last axis of 5D, kept", [2, 1, 2, 1, 2], [4], True)
    axes("all axes of 5D by name", [2, 1, 2, 1, 2], [0, 1, 2, 3, 4])
    axes("axis of size 1", [2, 1, 3], [1])
    axes("no axes, kept", [2, 2], [], True)
    axes("0D, no axes", [], [])
    axes("0D, kept", [], None, True)
    axes("1D", [4], [0])
    axes("1D, kept", [4], [0], True)
    axes("middle axes of 4D", [2, 2, 3, 1], [1, 2])
    case("of a constant", "reduceSum", "float32", [3], [1, 2, 3], constant=True)
    case("long axis", "reduceSum", "float32", [64], randoms(64, 64, 0.1, 3))
    case("sums that need more than float16", "reduceSum", "float16", [4], [2048, 1, 1, 1])
    case("sums that need more than float16", "reduceMean", "float16", [4], [60000, 50000, 40000, 30000],
         implementationDefined="The precision of the sum is left open; here it does not overflow.")
    case("squares that need more than float16", "reduceL2", "float16", [2], [300, 400],
         implementationDefined="The precision of the sum is left open; here it does not overflow.")
    case("overflow", "reduceSum", "float16", [2], [65504, 65504])
    case("overflow", "reduceProduct", "float32", [3], [1e20, 1e20, 1])
    case("large values", "reduceLogSumExp", "float32", [3], [1000, 1000, 999],
         implementationDefined="The precision of the sum is left open; here exp() does not overflow.")
    case("of zeros", "reduceLogSum", "float32", [2], [0.0, 0.0], note="the logarithm of 0 is -Infinity")
    case("of zeros", "reduceL2", "float32", [2], [0.0, -0.0])
    case("of zero", "reduceProduct", "float32", [3], [2, 0.0, 5])
    case("of negative values", "reduceProduct", "float32", [3], [-2, 1.5, -0.25])
    case("of negative values", "reduceMax", "float32", [3], [-2, -1.5, -7])
    case("infinities", "reduceMax", "float32", [2, 2], [-inf, 1, -inf, -inf], {"axes": [1]})
    case("infinities", "reduceMin", "float32", [2, 2], [inf, 1, inf, inf], {"axes": [1]})
    for operator, data, expected in (("reduceSum", [[inf, 1], [inf, -inf], [nan, 1]], [inf, nan, nan]),
                                     ("reduceMean", [[-inf, 1], [inf, -inf], [nan, 1]], [-inf, nan, nan]),
                                     ("reduceL1", [[-inf, 1], [inf, -inf], [nan, 1]], [inf, inf, nan]),
                                     ("reduceSumSquare", [[-inf, 1], [inf, -inf], [nan, 1]], [inf, inf, nan]),
                                     ("reduceProduct", [[-inf, 2], [inf, 0.0], [nan, 1]], [-inf, nan, nan])):
        s.judged_case(f"{operator} float32 special values", operator, {"input": tensor("float32", [3, 2], sum(data, []))},
                      {"input": "input", "options": {"axes": [1]}}, tensor("float32", [3], expected), source="IEEE 754 arithmetic",
                      tolerance={"metricType": "ULP", "value": 0})
    for operator in ("reduceSum", "reduceMax", "reduceL1", "reduceMean"):
        case("subnormal", operator, "float32", [2], [1e-40, 3e-40])

    for operator in OPERATORS:
        if operator in FLOATS_ONLY:
            s.throws(f"{operator} of int32", operator, {"input": tensor("int32", [2], 1)}, {"input": "input"}, ALGORITHM, "4")
        elif operator in SUMS:
            for data_type in ("int8", "uint8"):
                s.throws(f"{operator} of {data_type}", operator, {"input": tensor(data_type, [2], 1)}, {"input": "input"}, ALGORITHM, "4")

    def refused(name, shape, axes_, operator="reduceSum"):
        s.throws(f"{operator} {name}", operator, {"input": tensor("float32", shape, 1)}, {"input": "input", "options": {"axes": axes_}}, ALGORITHM, "5")

    refused("with an axis twice", [2, 3], [1, 1])
    refused("with an axis equal to the rank", [2, 3], [0, 2])
    refused("of a scalar with an axis", [], [0])
    refused("with an axis equal to the rank", [2, 3], [2], "reduceMax")
    for operator in OPERATORS:
        s.refusals(operator, {"input": "input"}, {"input": ("float32", [2])}, (ALGORITHM, "2"),
                   {"input": (ALGORITHM, "3")} if operator == "reduceSum" else {})
    return s
