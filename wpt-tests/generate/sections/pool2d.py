"""Pooling operations."""

from math import inf

from vector import EXACT, MPMATH, Section, concept, randoms, size, tensor

ALGORITHM = concept("create a pooling operation")
OPERATORS = ("averagePool2d", "l2Pool2d", "maxPool2d")
# under the text as written, output sizes have to be smaller than the strides
SMALLER = {"issue": "pool2d-output-sizes-smaller-than-strides", "outcome": "throws"}
DIVISOR = "Whether the elements of the padding count in averagePool2d's divisor is left open; here they do not."


def section():
    s = Section("pool2d", EXACT)

    def case(name, operator, data_type, shape, data=None, low=0.1, options=None, **members):
        data = data if data is not None else randoms(size(shape), size(shape), low, 4)
        if operator == "l2Pool2d":
            members.setdefault("source", MPMATH)
        arguments = {"input": "input", **({"options": options} if options else {})}
        s.case(f"{operator} {data_type} {name}", operator, {"input": tensor(data_type, shape, data)}, arguments, **members)

    for operator in OPERATORS:
        for data_type in ("float32", "float16"):
            def pool(name, shape, options=None, **members):
                case(name, operator, data_type, shape, options=options, **members)

            pool("default options", [1, 2, 2, 3])
            pool("options.windowDimensions", [1, 1, 3, 4], {"windowDimensions": [2, 3]})
            pool("options.strides", [2, 1, 4, 5], {"windowDimensions": [2, 2], "strides": [2, 3]})
            pool("options.strides that leave a rest", [1, 1, 4, 4], {"windowDimensions": [3, 3], "strides": [2, 2]})
            pool("options.dilations", [1, 1, 4, 5], {"windowDimensions": [2, 2], "dilations": [2, 3]})
            pool("options.layout nhwc", [1, 3, 3, 2], {"windowDimensions": [2, 2], "layout": "nhwc"})
            pool("options.layout nhwc without a window", [2, 2, 3, 2], {"layout": "nhwc"})
            pool("options.outputSizes", [1, 1, 4, 4], {"windowDimensions": [2, 2], "strides": [2, 2], "outputSizes": [2, 2]}, literal=SMALLER)
            pool("all options", [1, 5, 6, 2],
                 {"windowDimensions": [2, 2], "padding": [0, 0, 0, 0], "strides": [1, 2], "dilations": [2, 1], "layout": "nhwc",
                  "outputShapeRounding": "floor", "label": "everything"})
            pool("window of one element", [1, 1, 2, 2], {"windowDimensions": [1, 1]})

            # only maxPool2d and l2Pool2d give the same value whether or not zeros of the padding count
            open_ = {"implementationDefined": DIVISOR} if operator == "averagePool2d" else {}
            pool("options.padding", [1, 1, 3, 3], {"windowDimensions": [2, 2], "padding": [1, 0, 0, 1]}, **open_)
            pool("options.outputShapeRounding ceil", [1, 1, 4, 4], {"windowDimensions": [3, 3], "strides": [2, 2], "outputShapeRounding": "ceil"}, **open_)
            pool("options.outputSizes as if rounded up", [1, 1, 4, 4],
                 {"windowDimensions": [3, 3], "strides": [2, 2], "outputSizes": [2, 2]}, literal=SMALLER, **open_)
            pool("options.outputSizes over outputShapeRounding", [1, 1, 4, 4],
                 {"windowDimensions": [3, 3], "strides": [2, 2], "outputSizes": [1, 1], "outputShapeRounding": "ceil"},
                 note="the sizes are smaller than the strides, which the text as written asks for")
            pool("options.outputSizes and padding", [1, 1, 5, 5],
                 {"windowDimensions": [2, 2], "strides": [3, 3], "padding": [1, 0, 1, 0], "outputSizes": [2, 2]},
                 literal={"issue": "pool2d-padding-overwritten", "outcome": "differs"},
                 note="the sizes fit with and without the padding, and the windows differ", **open_)
        case("options.outputSizes that only fit with padding", operator, "float32", [1, 1, 7, 7],
             options={"windowDimensions": [3, 3], "strides": [4, 4], "padding": [2, 2, 2, 2], "outputSizes": [3, 3]},
             literal={"issue": "pool2d-padding-overwritten", "outcome": "throws"},
             **({"implementationDefined": DIVISOR} if operator == "averagePool2d" else {}))

    case("rounded up where it makes no difference", "averagePool2d", "float32", [1, 1, 4, 4],
         options={"windowDimensions": [2, 2], "strides": [2, 2], "outputShapeRounding": "ceil"})
    case("of mixed signs", "averagePool2d", "float32", [1, 1, 2, 2], [1, -2.5, 4, -0.5])
    case("of mixed signs", "l2Pool2d", "float32", [1, 1, 2, 2], [1, -2.5, 4, -0.5])
    case("of negative values", "maxPool2d", "float32", [1, 1, 2, 3], [-5, -1, -3, -2, -8, -4], options={"windowDimensions": [2, 2]})
    case("of infinities", "maxPool2d", "float32", [1, 1, 2, 2], [-inf, -inf, -inf, -3])
    case("of negative values over padding", "maxPool2d", "float32", [1, 1, 2, 2], [-5, -1, -3, -2],
         options={"windowDimensions": [2, 2], "padding": [1, 1, 1, 1]},
         implementationDefined="The value of the padding is left open; here it never is the maximum.")
    case("sums that need more than float16", "averagePool2d", "float16", [1, 1, 2, 2], [60000, 50000, 40000, 30000],
         implementationDefined="The precision of the sum is left open; here it does not overflow.")
    case("subnormal", "maxPool2d", "float32", [1, 1, 1, 3], [1e-45, 0, -1e-40])
    case("subnormal", "averagePool2d", "float32", [1, 1, 1, 2], [1e-40, 3e-40])
    for data_type, low, high in (("int32", -2147483648, 2147483647), ("uint32", 0, 4294967295), ("int64", -9223372036854775808, 9223372036854775807),
                                 ("uint64", 9007199254740992, 18446744073709551615), ("int8", -128, 127), ("uint8", 0, 255)):
        case("extremes", "maxPool2d", data_type, [1, 1, 2, 3], [low, low, high, low + 1, low, low], options={"windowDimensions": [2, 2]})
        case("all lowest", "maxPool2d", data_type, [1, 2, 1, 2], [low, low, low + 1, low])
    s.case("maxPool2d float32 of a constant", "maxPool2d", {"input": tensor("float32", [1, 1, 2, 2], [1, 2, 3, 4], True)})

    def refused(name, step, operator="maxPool2d", data_type="float32", shape=(1, 2, 4, 4), **options):
        s.throws(f"{operator} {name}", operator, {"input": tensor(data_type, list(shape), 1)},
                 {"input": "input", **({"options": options} if options else {})}, ALGORITHM, step)

    for operator in ("averagePool2d", "l2Pool2d"):
        refused("of int32", "4", operator, "int32")
    for operator in OPERATORS:
        refused("of rank 3", "5", operator, shape=(2, 4, 4))
    refused("of rank 5", "5", shape=(1, 1, 2, 4, 4))
    refused("with one window dimension", "8", windowDimensions=[2])
    refused("with a window dimension of zero", "9", windowDimensions=[2, 0])
    refused("with two paddings", "11", padding=[1, 1])
    refused("with three strides", "13", strides=[1, 1, 1])
    refused("with a stride of zero", "14", strides=[0, 1])
    refused("with one output size", "15.1", windowDimensions=[2, 2], outputSizes=[3])
    refused("with one dilation", "17", dilations=[1])
    refused("with a dilation of zero", "18", dilations=[1, 0])
    refused("with output sizes that fit neither rounding", "20.3.2", windowDimensions=[2, 2], strides=[5, 5], outputSizes=[3, 3])
    refused("with one output size rounded down and the other up", "20.3.2", windowDimensions=[3, 3], strides=[6, 6], outputSizes=[1, 2])
    refused("with a window larger than the input", "20.5", windowDimensions=[5, 2])
    refused("with a window wider than the input in nhwc", "20.5", layout="nhwc", windowDimensions=[2, 5])
    refused("with dilations that reach beyond the input", "20.5", windowDimensions=[2, 2], dilations=[1, 4])
    for operator in OPERATORS:
        s.refusals(operator, {"input": "input"}, {"input": ("float32", [1, 1, 2, 2])}, (ALGORITHM, "2"),
                   {"input": (ALGORITHM, "3")} if operator == "maxPool2d" else {})
    return s
