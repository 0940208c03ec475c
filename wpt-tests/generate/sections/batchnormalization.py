"""batchNormalization."""

from math import inf, nan

from vector import MPMATH, Section, method, randoms, size, tensor

ALGORITHM = method("batchNormalization(input, mean, variance, options)")


def section():
    s = Section("batchnormalization", MPMATH)

    def case(name, data_type, shape, options=None, given=(), constants=False, data=None, mean=None, variance=None, scale=None, bias=None, **members):
        options = dict(options or {})
        count = shape[options.get("axis", 1)]
        # the input is above the mean and the bias has the scale's sign, so that nothing cancels
        inputs = {"input": tensor(data_type, shape, data or randoms(size(shape), size(shape), 1.5, 6)),
                  "mean": tensor(data_type, [count], mean or randoms(count + 1, count, -2, 1), constants),
                  "variance": tensor(data_type, [count], variance or randoms(count + 2, count, 0.5, 4), constants)}
        for index, (key, values) in enumerate((("scale", scale), ("bias", bias))):
            if key in given:
                inputs[key] = tensor(data_type, [count], values or randoms(count + 3 + index, count, 0.5, 3), constants)
                options[key] = key
        arguments = {"input": "input", "mean": "mean", "variance": "variance", **({"options": options} if options else {})}
        s.case(f"batchNormalization {data_type} {name}", "batchNormalization", inputs, arguments, **members)

    both = ("scale", "bias")
    for data_type in ("float32", "float16"):
        case("2D default options", data_type, [2, 3])
        case("3D default options", data_type, [2, 3, 2])
        case("4D default options", data_type, [2, 2, 2, 3])
        case("5D default options", data_type, [1, 2, 2, 1, 3])
        case("1D options.axis 0", data_type, [4], {"axis": 0})
        case("3D options.axis 0", data_type, [3, 2, 2], {"axis": 0}, both)
        case("3D options.axis 2", data_type, [2, 2, 3], {"axis": 2}, both)
        case("4D options.axis 3", data_type, [1, 2, 2, 3], {"axis": 3}, both, note="channels last")
        case("5D options.axis 4", data_type, [1, 2, 1, 2, 3], {"axis": 4})
        case("4D options.scale", data_type, [1, 3, 2, 2], {}, ("scale",))
        case("4D options.bias", data_type, [1, 3, 2, 2], {}, ("bias",))
        case("4D options.scale and options.bias", data_type, [2, 2, 2, 2], {}, both)
        case("options.epsilon", data_type, [2, 3, 1, 1], {"epsilon": 0.5})
        case("options.epsilon and a variance of zero", data_type, [2, 2], {"epsilon": 0.25}, variance=[0.0, 0.0])
        case("default epsilon and a small variance", data_type, [2, 2], variance=[0.00003, 0.0001],
             note="epsilon is as large as the variance")
        case("all options", data_type, [2, 2, 3], {"axis": 2, "epsilon": 0.125, "label": "everything"}, both)
        case("square of the same sizes", data_type, [3, 3, 3], {"axis": 1}, both)
    case("constants", "float32", [1, 2, 2, 2], {}, both, constants=True)
    case("options.epsilon zero", "float32", [1, 2], {"epsilon": 0}, variance=[4, 0.25])
    case("negative values", "float32", [1, 2, 2], {}, both, data=[-3, -5, -2, -7], mean=[1, 0.5], scale=[-1, 2], bias=[0.5, -1])
    case("large values", "float32", [2, 2], data=[3e38, 1e38, 2e38, 3e38], mean=[1, 2], variance=[1e30, 1e36])
    case("special values", "float32", [2, 2], data=[inf, nan, -inf, 1], mean=[1, 2], variance=[1, 4], **{"source": "IEEE 754 arithmetic"})
    case("options.epsilon that is rounded to the type", "float16", [1, 2], {"epsilon": 6e-8}, data=[0.0005, 0.001], mean=[0.0, 0.0], variance=[0.0, 6e-8],
         note="epsilon is the smallest subnormal of float16")

    def refused(name, step, data_type="float32", shape=(2, 3, 2), mean=("float32", [3]), variance=("float32", [3]), scale=None, bias=None, **options):
        inputs = {"input": tensor(data_type, list(shape), 1), "mean": tensor(*mean, 1), "variance": tensor(*variance, 1)}
        for key, operand in (("scale", scale), ("bias", bias)):
            if operand:
                inputs[key] = tensor(*operand, 1)
                options[key] = key
        s.throws(f"batchNormalization {name}", "batchNormalization", inputs,
                 {"input": "input", "mean": "mean", "variance": "variance", **({"options": options} if options else {})}, ALGORITHM, step)

    refused("of int32", "3", "int32", mean=("int32", [3]), variance=("int32", [3]))
    refused("with an axis equal to the rank", "4", axis=3)
    refused("of rank 1 with the default axis", "4", shape=(3,))
    refused("of a scalar", "4", shape=(), axis=0)
    refused("with a mean of another type", "5", mean=("float16", [3]))
    refused("with a mean of another size", "6", mean=("float32", [2]))
    refused("with a mean of rank 2", "6", mean=("float32", [1, 3]))
    refused("with a scalar mean", "6", mean=("float32", []))
    refused("with a variance of another type", "7", variance=("float16", [3]))
    refused("with a variance of another size", "8", variance=("float32", [2]))
    refused("with a variance of rank 2", "8", variance=("float32", [3, 1]))
    refused("with a scale of another type", "10.1", scale=("float16", [3]))
    refused("with a scale of another size", "10.2", scale=("float32", [2]))
    refused("with a scale of rank 3", "10.2", scale=("float32", [1, 3, 1]))
    refused("with a bias of another type", "11.1", bias=("float16", [3]))
    refused("with a bias of another size", "11.2", bias=("float32", [2]))
    refused("with a scalar bias", "11.2", bias=("float32", []))
    refused("with sizes of another axis", "6", axis=2)
    names = {key: ("float32", [2]) for key in ("mean", "variance", "scale", "bias")}
    s.refusals("batchNormalization", {"input": "input", "mean": "mean", "variance": "variance", "options": {"scale": "scale", "bias": "bias"}},
               {"input": ("float32", [1, 2]), **names}, (ALGORITHM, "1"), {key: (ALGORITHM, "2") for key in ("input", *names)})
    return s
