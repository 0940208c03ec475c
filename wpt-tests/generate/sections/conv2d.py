"""conv2d."""

from math import prod

from vector import EXACT, Section, method, randoms, tensor

ALGORITHM = method("conv2d(input, filter, options)")


def laid_out(shape, source, target):
    """A logical shape in the order of another layout."""
    return [shape[source.index(axis)] for axis in target]


def section():
    s = Section("conv2d", EXACT)

    def case(name, data_type, input, filter, options=None, bias=None, constants=False, low=0.1, **members):
        """`input` and `filter` are shapes in nchw and oihw; the options' layouts reorder them."""
        options = dict(options or {})
        inputs = {
            "input": tensor(data_type, laid_out(input, "nchw", options.get("inputLayout", "nchw")), randoms(prod(input), prod(input), low, 1)),
            "filter": tensor(data_type, laid_out(filter, "oihw", options.get("filterLayout", "oihw")),
                             randoms(prod(filter) + 7, prod(filter), low, 1), constants),
        }
        if bias:
            inputs["bias"] = tensor(data_type, [len(bias)], bias, constants)
            options["bias"] = "bias"
        arguments = {"input": "input", "filter": "filter"}
        if options:
            arguments["options"] = options
        s.case(f"conv2d {data_type} {name}", "conv2d", inputs, arguments, **members)

    for data_type in ("float32", "float16"):
        case("default options", data_type, [1, 1, 3, 4], [1, 1, 2, 2])
        case("several channels and batches", data_type, [2, 3, 3, 3], [2, 3, 2, 2])
        case("filter of 1 by 1", data_type, [1, 2, 2, 2], [3, 2, 1, 1])
        case("options.padding", data_type, [1, 1, 3, 3], [1, 1, 3, 3], {"padding": [1, 1, 1, 1]})
        case("options.padding of four different sizes", data_type, [1, 1, 2, 3], [1, 1, 2, 2], {"padding": [1, 0, 2, 3]})
        case("options.strides", data_type, [1, 1, 5, 6], [1, 1, 2, 3], {"strides": [2, 3]})
        case("options.strides that leave a rest", data_type, [1, 1, 4, 4], [1, 1, 3, 3], {"strides": [2, 2]})
        case("options.dilations", data_type, [1, 1, 4, 5], [1, 1, 2, 2], {"dilations": [2, 3]})
        case("options.groups", data_type, [1, 4, 2, 2], [2, 2, 2, 2], {"groups": 2})
        case("depthwise", data_type, [1, 3, 3, 3], [3, 1, 2, 2], {"groups": 3})
        case("depthwise with a multiplier", data_type, [1, 2, 2, 2], [4, 1, 2, 1], {"groups": 2})
        case("options.bias", data_type, [1, 1, 3, 3], [2, 1, 2, 2], {}, [0.5, 1.25])
        case("options.bias in nhwc", data_type, [1, 1, 3, 2], [2, 1, 2, 2], {"inputLayout": "nhwc"}, [0.5, 1.25])
        for layout in ("nchw", "nhwc"):
            for filter_layout in ("oihw", "hwio", "ohwi", "ihwo"):
                if data_type == "float32" or layout == "nhwc":
                    case(f"layouts {layout} and {filter_layout}", data_type, [1, 2, 3, 3], [3, 2, 2, 1],
                         {"inputLayout": layout, "filterLayout": filter_layout})
        for filter_layout in ("hwio", "ohwi", "ihwo"):
            case(f"depthwise in nhwc and {filter_layout}", data_type, [1, 3, 2, 3], [3, 1, 2, 2],
                 {"inputLayout": "nhwc", "filterLayout": filter_layout, "groups": 3})
        case("all options", data_type, [1, 4, 5, 6], [2, 2, 2, 2],
             {"padding": [1, 0, 0, 1], "strides": [2, 1], "dilations": [1, 2], "groups": 2, "inputLayout": "nhwc", "filterLayout": "ohwi",
              "label": "everything"}, [0.5, 1.5])
    case("constant filter and bias", "float32", [1, 1, 3, 3], [2, 1, 2, 2], {}, [0.5, 1.25], constants=True)
    case("filter as large as the input", "float32", [1, 1, 3, 3], [1, 1, 3, 3])
    case("windows wholly in the padding", "float32", [1, 1, 2, 2], [1, 1, 2, 2], {"padding": [2, 2, 2, 2]}, [0.5],
         note="a window with no element of the input gives the bias")
    case("groups in nhwc and hwio", "float32", [1, 4, 2, 2], [2, 2, 2, 1], {"inputLayout": "nhwc", "filterLayout": "hwio", "groups": 2})
    s.case("conv2d float32 of mixed signs", "conv2d", {
        "input": tensor("float32", [1, 1, 3, 3], [1, -2, 3, -0.5, 0, 4, 2, -1, 0.25]),
        "filter": tensor("float32", [1, 1, 2, 2], [1, -1, 0.5, 2])}, note="the filter is not flipped, and every partial sum is exact")

    def refused(name, step, input=("float32", [1, 4, 5, 5]), filter=("float32", [2, 4, 3, 3]), bias=None, **options):
        inputs = {"input": tensor(*input, 1), "filter": tensor(*filter, 1)}
        if bias:
            inputs["bias"] = tensor(*bias, 1)
            options["bias"] = "bias"
        arguments = {"input": "input", "filter": "filter", **({"options": options} if options else {})}
        s.throws(f"conv2d {name}", "conv2d", inputs, arguments, ALGORITHM, step)

    refused("of int32", "3", input=("int32", [1, 4, 5, 5]), filter=("int32", [2, 4, 3, 3]))
    refused("with an input of rank 3", "4", input=("float32", [4, 5, 5]))
    refused("with a filter of rank 5", "5", filter=("float32", [2, 4, 3, 3, 1]))
    refused("with a filter of another type", "6", filter=("float16", [2, 4, 3, 3]))
    refused("with three paddings", "8", padding=[1, 1, 1])
    refused("with no padding in the list", "8", padding=[])
    refused("with one stride", "10", strides=[1])
    refused("with a stride of zero", "11", strides=[1, 0])
    refused("with three dilations", "13", dilations=[1, 1, 1])
    refused("with a dilation of zero", "14", dilations=[0, 1])
    refused("with no groups", "15", groups=0)
    refused("with input channels that the groups do not divide", "16.5", groups=3)
    refused("with a filter of other input channels", "16.6", filter=("float32", [2, 3, 3, 3]))
    refused("with a filter not divided by the groups", "16.6", groups=2)
    refused("with a filter in another layout", "16.6", filterLayout="hwio")
    refused("with an input in another layout", "16.6", inputLayout="nhwc")
    refused("with output channels that the groups do not divide", "16.7", filter=("float32", [3, 2, 3, 3]), groups=2)
    refused("with a bias of another size", "16.8.1", bias=("float32", [3]))
    refused("with a bias of rank 2", "16.8.1", bias=("float32", [1, 2]))
    refused("with a scalar bias", "16.8.1", bias=("float32", []))
    refused("with a bias of another type", "16.8.2", bias=("float16", [2]))
    refused("with a filter higher than the input", "16.12", filter=("float32", [2, 4, 6, 3]))
    refused("with a filter wider than the input", "16.12", filter=("float32", [2, 4, 3, 7]))
    refused("with dilations that reach beyond the input", "16.12", dilations=[3, 1])
    s.refusals("conv2d", {"input": "input", "filter": "filter", "options": {"bias": "bias"}},
               {"input": ("float32", [1, 1, 3, 3]), "filter": ("float32", [1, 1, 2, 2]), "bias": ("float32", [1])},
               (ALGORITHM, "1"), {"input": (ALGORITHM, "2"), "filter": (ALGORITHM, "2"), "bias": (ALGORITHM, "2")})
    return s
