"""instanceNormalization."""

from math import nan

from vector import MPMATH, Section, method, randoms, size, tensor

ALGORITHM = method("instanceNormalization(input, options)")
# WPT's tolerance is 840 ULP, and 8400 for float16; where every step has few digits the answer is held to this
TIGHT = {"metricType": "ULP", "value": 6}


def section():
    s = Section("instancenormalization", MPMATH)

    def case(name, data_type, shape, options=None, given=(), constants=False, data=None, scale=None, bias=None, **members):
        options = dict(options or {})
        count = shape[options.get("layout", "nchw").index("c")]
        inputs = {"input": tensor(data_type, shape, data or randoms(size(shape), size(shape), -4, 6))}
        for index, (key, values) in enumerate((("scale", scale), ("bias", bias))):
            if key in given:
                inputs[key] = tensor(data_type, [count], values or randoms(count + 3 + index, count, 0.5, 3), constants)
                options[key] = key
        s.case(f"instanceNormalization {data_type} {name}", "instanceNormalization", inputs,
               {"input": "input", **({"options": options} if options else {})}, **members)

    both = ("scale", "bias")
    for data_type in ("float32", "float16"):
        case("default options", data_type, [2, 2, 2, 3])
        case("options.scale", data_type, [1, 3, 2, 2], {}, ("scale",))
        case("options.bias", data_type, [1, 3, 2, 2], {}, ("bias",))
        case("options.scale and options.bias", data_type, [2, 2, 2, 2], {}, both)
        case("options.layout nchw", data_type, [1, 2, 3, 2], {"layout": "nchw"}, both)
        case("options.layout nhwc", data_type, [1, 3, 2, 2], {"layout": "nhwc"}, both)
        case("options.layout nhwc of equal sizes", data_type, [2, 2, 2, 2], {"layout": "nhwc"}, both)
        case("options.epsilon", data_type, [1, 2, 2, 2], {"epsilon": 3})
        case("all options", data_type, [1, 3, 1, 2], {"epsilon": 0.5, "layout": "nhwc", "label": "everything"}, both)
        case("with a root that is exact", data_type, [1, 2, 1, 4], {"epsilon": 1.5}, both, data=[0, 1, 3, 4, 0, 1, 3, 4], scale=[2, -3],
             bias=[0.25, 1], tolerance=TIGHT, note="the mean is 2, the variance 2.5, and the root of variance and epsilon 2")
        case("with a root that is exact, in nhwc", data_type, [1, 1, 4, 2], {"epsilon": 1.5, "layout": "nhwc"}, both, data=[0, 3, 1, 1, 3, 4, 4, 0],
             scale=[2, -3], bias=[0.25, 1], tolerance=TIGHT)
        case("of equal values", data_type, [1, 2, 2, 2], {}, ("bias",), data=[3.5] * 4 + [-2] * 4, bias=[0.75, -1.5], tolerance=TIGHT,
             note="the variance is zero, and epsilon keeps the division from NaN")
        case("window of one element", data_type, [2, 2, 1, 1], {}, ("bias",), tolerance=TIGHT)
    case("constants", "float32", [1, 2, 2, 2], {}, both, constants=True)
    case("a small variance", "float32", [1, 1, 2, 2], {"epsilon": 1e-4}, data=[1, 1.01, 0.99, 1.02], note="epsilon is as large as the variance")
    case("a large mean", "float32", [1, 1, 2, 2], data=[4096, 4097, 4095, 4100], note="the mean of squares less the square of the mean cancels")
    case("variance of few elements", "float32", [1, 1, 1, 2], data=[1, 3], note="divided by the count, not by one less")
    case("NaN in one instance", "float32", [2, 1, 1, 2], data=[nan, 1, 1, 3])
    case("sums that need more than float16", "float16", [1, 1, 2, 2], data=[300, 200, 100, 400],
         implementationDefined="The precision of the squares is left open; here they do not overflow.")

    def refused(name, step, data_type="float32", shape=(2, 3, 2, 4), scale=None, bias=None, **options):
        inputs = {"input": tensor(data_type, list(shape), 1)}
        for key, operand in (("scale", scale), ("bias", bias)):
            if operand:
                inputs[key] = tensor(*operand, 1)
                options[key] = key
        s.throws(f"instanceNormalization {name}", "instanceNormalization", inputs,
                 {"input": "input", **({"options": options} if options else {})}, ALGORITHM, step)

    refused("of int32", "3", "int32")
    refused("of rank 3", "4", shape=(2, 3, 2))
    refused("of rank 5", "4", shape=(2, 3, 2, 2, 1))
    refused("with a scale of another type", "7.1", scale=("float16", [3]))
    refused("with a scale of another size", "7.2", scale=("float32", [4]))
    refused("with a scale of rank 2", "7.2", scale=("float32", [1, 3]))
    refused("with a scale for nchw in nhwc", "7.2", scale=("float32", [3]), layout="nhwc")
    refused("with a bias of another type", "8.1", bias=("float16", [3]))
    refused("with a bias of another size", "8.2", bias=("float32", [2]))
    refused("with a scalar bias", "8.2", bias=("float32", []))
    s.refusals("instanceNormalization", {"input": "input", "options": {"scale": "scale", "bias": "bias"}},
               {"input": ("float32", [1, 2, 1, 1]), "scale": ("float32", [2]), "bias": ("float32", [2])}, (ALGORITHM, "1"),
               {key: (ALGORITHM, "2") for key in ("input", "scale", "bias")})
    return s
