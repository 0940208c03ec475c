"""convTranspose2d."""

from math import prod

from sections.conv2d import laid_out
from vector import EXACT, Section, method, randoms, tensor

ALGORITHM = method("convTranspose2d(input, filter, options)")
SIZE = {"issue": "output-size-unchecked", "outcome": "passes"}


def section():
    s = Section("convtranspose2d", EXACT)

    def case(name, data_type, input, filter, options=None, bias=None, constants=False, low=0.1, **members):
        """`input` and `filter` are shapes in nchw and iohw; the options' layouts reorder them."""
        options = dict(options or {})
        inputs = {
            "input": tensor(data_type, laid_out(input, "nchw", options.get("inputLayout", "nchw")), randoms(prod(input), prod(input), low, 1)),
            "filter": tensor(data_type, laid_out(filter, "iohw", options.get("filterLayout", "iohw")),
                             randoms(prod(filter) + 7, prod(filter), low, 1), constants),
        }
        if bias:
            inputs["bias"] = tensor(data_type, [len(bias)], bias, constants)
            options["bias"] = "bias"
        arguments = {"input": "input", "filter": "filter", **({"options": options} if options else {})}
        s.case(f"convTranspose2d {data_type} {name}", "convTranspose2d", inputs, arguments, **members)

    for data_type in ("float32", "float16"):
        case("default options", data_type, [1, 1, 2, 3], [1, 1, 2, 2])
        case("several channels and batches", data_type, [2, 3, 2, 2], [3, 2, 2, 2])
        case("filter of 1 by 1", data_type, [1, 2, 2, 2], [2, 3, 1, 1])
        case("options.padding", data_type, [1, 1, 3, 3], [1, 1, 3, 3], {"padding": [1, 1, 1, 1]})
        case("options.padding of four different sizes", data_type, [1, 1, 3, 3], [1, 1, 3, 4], {"padding": [1, 0, 2, 1]})
        case("options.strides", data_type, [1, 1, 2, 2], [1, 1, 2, 3], {"strides": [2, 3]})
        case("options.strides larger than the filter", data_type, [1, 1, 2, 2], [1, 1, 1, 2], {"strides": [3, 3]}, [0.5],
             note="between the windows there is only the bias")
        case("options.dilations", data_type, [1, 1, 2, 2], [1, 1, 2, 2], {"dilations": [2, 3]})
        case("options.outputPadding", data_type, [1, 1, 2, 2], [1, 1, 2, 2], {"strides": [2, 3], "outputPadding": [1, 2]})
        case("options.outputSizes", data_type, [1, 1, 2, 2], [1, 1, 2, 2], {"strides": [2, 3], "outputSizes": [5, 7]})
        case("options.outputSizes and padding", data_type, [1, 1, 3, 3], [1, 1, 3, 3], {"strides": [2, 2], "padding": [1, 0, 1, 1], "outputSizes": [7, 6]})
        case("options.outputSizes over outputPadding", data_type, [1, 1, 2, 2], [1, 1, 2, 2],
             {"strides": [2, 2], "outputSizes": [4, 5], "outputPadding": [1, 1]}, note="the output padding is ignored")
        case("options.groups", data_type, [1, 4, 2, 2], [4, 2, 2, 1], {"groups": 2})
        case("depthwise", data_type, [1, 3, 2, 2], [3, 1, 2, 2], {"groups": 3})
        case("depthwise with a multiplier", data_type, [1, 2, 2, 2], [2, 2, 2, 1], {"groups": 2})
        case("options.bias", data_type, [1, 1, 2, 2], [1, 2, 2, 2], {}, [0.5, 1.25])
        case("options.bias in nhwc", data_type, [1, 1, 2, 3], [1, 2, 2, 2], {"inputLayout": "nhwc"}, [0.5, 1.25])
        case("options.bias and groups", data_type, [1, 2, 2, 1], [2, 1, 2, 2], {"groups": 2}, [0.5, 1.25])
        for layout in ("nchw", "nhwc"):
            for filter_layout in ("iohw", "hwoi", "ohwi"):
                case(f"layouts {layout} and {filter_layout}", data_type, [1, 2, 2, 3], [2, 3, 2, 1], {"inputLayout": layout, "filterLayout": filter_layout})
        for filter_layout in ("hwoi", "ohwi"):
            case(f"groups in nhwc and {filter_layout}", data_type, [1, 4, 2, 1], [4, 2, 2, 2],
                 {"inputLayout": "nhwc", "filterLayout": filter_layout, "groups": 2})
        case("all options", data_type, [1, 4, 2, 3], [4, 1, 2, 2],
             {"padding": [1, 0, 0, 1], "strides": [2, 3], "dilations": [2, 1], "outputPadding": [1, 0], "groups": 2, "inputLayout": "nhwc",
              "filterLayout": "ohwi", "label": "everything"}, [0.5, 1.5])
    case("constant filter and bias", "float32", [1, 1, 2, 2], [1, 2, 2, 2], {}, [0.5, 1.25], constants=True)
    case("padding that leaves one element", "float32", [1, 1, 1, 1], [1, 1, 3, 3], {"padding": [1, 1, 1, 1]}, note="the middle of the filter")
    case("options.outputPadding alone makes the output valid", "float32", [1, 1, 1, 1], [1, 1, 2, 2],
         {"strides": [2, 2], "padding": [1, 1, 1, 1], "outputPadding": [1, 1]})
    case("several inputs for one output", "float32", [1, 2, 3, 3], [2, 1, 3, 3], note="four windows overlap in the middle")
    case("options.outputSizes where padding takes everything", "float32", [1, 1, 1, 1], [1, 1, 1, 1],
         {"strides": [4, 4], "padding": [1, 1, 0, 2], "outputSizes": [2, 1]}, [0.75], note="nothing of the input is left, and the bias fills the output")
    s.case("convTranspose2d float32 of mixed signs", "convTranspose2d", {
        "input": tensor("float32", [1, 1, 2, 2], [1, -2, -0.5, 4]),
        "filter": tensor("float32", [1, 1, 2, 3], [1, -1, 0.5, 2, 0.25, -4])}, note="the filter is not flipped, and every partial sum is exact")

    def refused(name, step, input=("float32", [1, 4, 5, 5]), filter=("float32", [4, 2, 3, 3]), bias=None, members=None, **options):
        inputs = {"input": tensor(*input, 1), "filter": tensor(*filter, 1)}
        if bias:
            inputs["bias"] = tensor(*bias, 1)
            options["bias"] = "bias"
        arguments = {"input": "input", "filter": "filter", **({"options": options} if options else {})}
        s.throws(f"convTranspose2d {name}", "convTranspose2d", inputs, arguments, ALGORITHM if step else None, step, **(members or {}))

    refused("with an input of rank 3", "3", input=("float32", [4, 5, 5]))
    refused("of int32", "4", input=("int32", [1, 4, 5, 5]), filter=("int32", [4, 2, 3, 3]))
    refused("with a filter of rank 5", "5", filter=("float32", [4, 2, 3, 3, 1]))
    refused("with a filter of another type", "6", filter=("float16", [4, 2, 3, 3]))
    refused("with three paddings", "8", padding=[1, 1, 1])
    refused("with no padding in the list", "8", padding=[])
    refused("with one stride", "10", strides=[1])
    refused("with a stride of zero", "11", strides=[1, 0])
    refused("with three dilations", "13", dilations=[1, 1, 1])
    refused("with a dilation of zero", "14", dilations=[0, 1])
    refused("with one output padding", "16", outputPadding=[0])
    refused("with three output paddings and output sizes", "16", outputPadding=[0, 0, 0], outputSizes=[7, 7])
    refused("with one output size", "17.1", outputSizes=[7])
    refused("with an output padding of the height equal to the stride", "18.1", strides=[2, 3], outputPadding=[2, 0])
    refused("with an output padding of the width above the stride", "18.1", strides=[3, 2], outputPadding=[2, 3])
    refused("with an output padding and the default strides", "18.1", outputPadding=[0, 1])
    refused("with no groups", "19", groups=0)
    refused("with a filter of other input channels", "20.5", filter=("float32", [2, 4, 3, 3]))
    refused("with a filter in another layout", "20.5", filterLayout="hwoi")
    refused("with an input in another layout", "20.5", inputLayout="nhwc")
    refused("with input channels that the groups do not divide", None, filter=("float32", [4, 1, 3, 3]), groups=3,
            members={"literal": {"issue": "conv-transpose2d-groups-unchecked", "outcome": "passes"},
                     "note": "conv2d() has a step for it, and this method has none"})
    refused("with more groups than a dimension can have", "20.7", filter=("float32", [4, 1, 3, 3]), groups=2147483648)
    refused("with a bias of another size", "20.8.1", bias=("float32", [4]))
    refused("with a bias for the channels of one group", "20.8.1", bias=("float32", [2]), groups=2)
    refused("with a scalar bias", "20.8.1", bias=("float32", []))
    refused("with a bias of another type", "20.8.2", bias=("float16", [2]))
    refused("with an output height that is too small", "20.11.2", strides=[2, 2], outputSizes=[10, 11])
    refused("with an output height that is too large", "20.11.2", strides=[2, 2], outputSizes=[13, 11])
    refused("with an output width that is too small", "20.11.3", strides=[2, 2], outputSizes=[11, 10])
    refused("with an output width that is too large", "20.11.3", strides=[2, 2], outputSizes=[11, 13])
    refused("with padding as large as the output", "20.13", padding=[4, 3, 0, 0])
    refused("with padding larger than the output", "20.13", padding=[0, 0, 5, 5])
    refused("with an output size of zero that the padding allows", "20.13", padding=[4, 3, 0, 0], outputSizes=[0, 7])
    refused("with strides beyond the range of a dimension", "20.13", strides=[1073741824, 1])
    refused("with an output of too many elements", None, input=("float32", [1, 1, 2, 2]), filter=("float32", [1, 1, 1, 1]),
            strides=[65536, 65536], members={"literal": SIZE, "note": "the specification has no step that checks the size of this output"})
    s.refusals("convTranspose2d", {"input": "input", "filter": "filter", "options": {"bias": "bias"}},
               {"input": ("float32", [1, 1, 3, 3]), "filter": ("float32", [1, 1, 2, 2]), "bias": ("float32", [1])},
               (ALGORITHM, "1"), {"input": (ALGORITHM, "2"), "filter": (ALGORITHM, "2"), "bias": (ALGORITHM, "2")})
    return s
