"""layerNormalization."""

from math import nan

from vector import MPMATH, Section, method, randoms, size, tensor

ALGORITHM = method("layerNormalization(input, options)")


def section():
    s = Section("layernormalization", MPMATH)

    def case(name, data_type, shape, options=None, given=(), constants=False, data=None, scale=None, bias=None, **members):
        options = dict(options or {})
        axes = options.get("axes", list(range(1, len(shape))))
        sizes = [shape[axis] for axis in axes]
        inputs = {"input": tensor(data_type, shape, data or spread(shape, axes))}
        for index, (key, values) in enumerate((("scale", scale), ("bias", bias))):
            if key in given:
                inputs[key] = tensor(data_type, sizes, values or randoms(size(sizes) + 3 + index, size(sizes), 0.5, 3), constants)
                options[key] = key
        s.case(f"layerNormalization {data_type} {name}", "layerNormalization", inputs,
               {"input": "input", **({"options": options} if options else {})}, **members)

    def spread(shape, axes):
        """Quarters whose distances from their mean are not small."""
        return [round(x * 4) / 4 + (0.25 if index % 3 else 0) for index, x in enumerate(randoms(size(shape) + len(axes), size(shape), -4, 6))]

    both = ("scale", "bias")
    # only the bias cancels, and what is left of it is judged in absolute terms
    absolute = {"float32": {"metricType": "ATOL", "value": 2**-18}, "float16": {"metricType": "ATOL", "value": 2**-5}}
    for data_type in ("float32", "float16"):
        def layer(name, shape, options=None, given=(), **members):
            case(name, data_type, shape, options, given, tolerance=absolute[data_type], **members)

        layer("2D default options", [2, 4])
        layer("3D default options", [2, 3, 2])
        layer("4D default options", [2, 2, 2, 2])
        layer("5D default options", [2, 1, 2, 1, 3])
        layer("options.scale", [2, 4], {}, ("scale",))
        layer("options.bias", [2, 2, 2], {}, ("bias",))
        layer("options.scale and options.bias", [2, 2, 3], {}, both)
        layer("options.axes of the last", [2, 2, 4], {"axes": [2]}, both)
        layer("options.axes of the first", [4, 3], {"axes": [0]}, both)
        layer("options.axes of the middle", [2, 4, 2], {"axes": [1]}, both)
        layer("options.axes of the first and the last", [2, 2, 3], {"axes": [0, 2]}, both)
        layer("options.axes of all", [2, 2, 2], {"axes": [0, 1, 2]}, both)
        layer("options.axes in falling order", [2, 2, 3], {"axes": [2, 1]}, both, note="the scale has the sizes of the axes in their order: [3, 2]")
        layer("options.axes out of order", [2, 3, 2, 2], {"axes": [3, 1, 2]}, both)
        layer("options.axes out of order, of equal sizes", [2, 2, 2, 2], {"axes": [3, 1, 2]}, both)
        layer("options.epsilon", [2, 4], {"epsilon": 4})
        layer("all options", [2, 2, 2], {"axes": [1, 2], "epsilon": 0.5, "label": "everything"}, both)
        # WPT's tolerance, where each step has few digits
        case("with a root that is exact", data_type, [2, 4], {"epsilon": 1.5}, both, data=[0, 1, 3, 4, 4, 0, 1, 3], scale=[2, -3, 0.5, 1],
             bias=[0.25, 1, -1, 2], note="the mean is 2, the variance 2.5, and the root of variance and epsilon 2")
        case("no axes", data_type, [2, 2], {"axes": []}, both, scale=[2], bias=[0.75], note="every value is its own mean, and the bias is left")
        case("no axes and no options beside them", data_type, [2, 2], {"axes": []})
        case("1D default options", data_type, [3], {}, ("bias",), bias=[0.75], note="the default axes of a 1-D tensor are none")
        case("0D default options", data_type, [], {}, both, scale=[3], bias=[-2.5])
        case("of equal values", data_type, [2, 3], {}, ("bias",), data=[3.5] * 3 + [-2] * 3, bias=[0.75, -1.5, 2])
        case("axis of size 1", data_type, [3, 1], {}, both)
    case("constants", "float32", [2, 4], {}, both, constants=True, tolerance=absolute["float32"])
    case("a small variance", "float32", [1, 4], data=[1, 1.0009765625, 0.9990234375, 1.001953125], tolerance={"metricType": "ATOL", "value": 2**-10},
         note="epsilon is as large as the variance")
    case("a large mean", "float32", [1, 4], data=[4096, 4097, 4095, 4100], tolerance=absolute["float32"],
         note="the mean of squares less the square of the mean cancels")
    case("variance of few elements", "float32", [1, 2], data=[1, 3], note="divided by the count, not by one less")
    case("NaN in one row", "float32", [2, 2], data=[nan, 1, 1, 3])

    def refused(name, step, data_type="float32", shape=(2, 3, 4), scale=None, bias=None, **options):
        inputs = {"input": tensor(data_type, list(shape), 1)}
        for key, operand in (("scale", scale), ("bias", bias)):
            if operand:
                inputs[key] = tensor(*operand, 1)
                options[key] = key
        s.throws(f"layerNormalization {name}", "layerNormalization", inputs, {"input": "input", **({"options": options} if options else {})},
                 ALGORITHM, step)

    refused("of int32", "3", "int32")
    refused("with an axis twice", "5", axes=[1, 1])
    refused("with an axis equal to the rank", "5", axes=[1, 3])
    refused("of a scalar with an axis", "5", shape=(), axes=[0])
    refused("with a scale of another type", "7.1", scale=("float16", [3, 4]))
    refused("with a scale of fewer dimensions than axes", "7.2", scale=("float32", [4]))
    refused("with a scale of more dimensions than axes", "7.2", scale=("float32", [3, 4]), axes=[2])
    refused("with a bias of another type", "8.1", bias=("float16", [3, 4]))
    refused("with a bias of fewer dimensions than axes", "8.2", bias=("float32", [4]))
    refused("with a bias for no axes of rank 1", "8.2", bias=("float32", [1]), axes=[])
    refused("with a scale of another size", "9.4.1", scale=("float32", [3, 5]))
    refused("with a scale that would broadcast", "9.4.1", scale=("float32", [1, 4]))
    refused("with a scale in the order of the dimensions", "9.4.1", scale=("float32", [3, 4]), axes=[2, 1])
    refused("with a bias of another size", "9.5.1", bias=("float32", [2, 4]))
    refused("with a bias in the order of the dimensions", "9.5.1", bias=("float32", [3, 4]), axes=[2, 1])
    s.refusals("layerNormalization", {"input": "input", "options": {"scale": "scale", "bias": "bias"}},
               {"input": ("float32", [1, 2]), "scale": ("float32", [2]), "bias": ("float32", [2])}, (ALGORITHM, "1"),
               {key: (ALGORITHM, "2") for key in ("input", "scale", "bias")})
    return s
