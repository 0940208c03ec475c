"""dequantizeLinear."""

from vector import EXACT, Section, method, random_integers, randoms, size, tensor
from sections.quantizelinear import lost, not_an_input

ALGORITHM = method("dequantizeLinear(input, scale, zeroPoint, options)")
RANGES = {"uint8": (0, 255), "int8": (-128, 127), "int32": (-5000, 5000), "uint32": (0, 10000)}


def section():
    s = Section("dequantizelinear", EXACT)

    def case(name, data_type, scale_type, shape, blocks, data=None, scales=None, points=None, constants=True, **members):
        low, high = RANGES[data_type]
        members.setdefault("literal", not_an_input())
        s.case(f"dequantizeLinear {data_type} {scale_type} {name}", "dequantizeLinear", {
            "input": tensor(data_type, shape, data or random_integers(size(shape), size(shape), low, high)),
            "scale": tensor(scale_type, blocks, scales or randoms(size(blocks) + 5, size(blocks), 0.01, 0.9, 3), constants),
            "zeroPoint": tensor(data_type, blocks, points or random_integers(size(blocks) + 9, size(blocks), low // 2, high // 2), constants)},
            **members)

    for data_type in RANGES:
        for scale_type in ("float32", "float16"):
            case("2D per tensor", data_type, scale_type, [2, 3], [1, 1])
            case("2D per row", data_type, scale_type, [2, 3], [2, 1])
            case("2D in blocks", data_type, scale_type, [4, 6], [2, 3])
    for scale_type in ("float32", "float16"):
        case("0D", "uint8", scale_type, [], [], [200], [0.125], [100])
        case("1D", "int8", scale_type, [5], [1])
        case("1D one scale for each element", "int8", scale_type, [5], [5])
        case("1D in blocks", "uint8", scale_type, [6], [2], note="a scale serves its neighbours: a a a b b b, not a b a b a b")
        case("3D in blocks of the middle axis", "uint8", scale_type, [2, 4, 2], [1, 2, 1])
        case("4D per channel", "int8", scale_type, [1, 3, 2, 2], [1, 3, 1, 1])
        case("4D per last axis", "uint8", scale_type, [1, 2, 2, 3], [1, 1, 1, 3])
        case("5D in blocks", "int8", scale_type, [1, 2, 1, 4, 2], [1, 1, 1, 2, 2])
        case("extremes", "uint8", scale_type, [4], [4], [0, 255, 0, 255], [1, 0.5, 0.25, 2], [255, 0, 0, 255])
        case("extremes", "int8", scale_type, [4], [4], [-128, 127, -128, 127], [1, 0.5, 0.25, 2], [127, -128, -128, 127],
             note="the differences need more than 8 bits")
    case("extremes", "int32", "float32", [3], [3], [-2147483648, 2147483647, 7], [0.5, 0.5, 0.5], [2147483647, -2147483648, 7],
         note="the differences need more than 32 bits")
    case("extremes", "uint32", "float32", [3], [3], [0, 4294967295, 4294967295], [0.5, 0.5, 1], [4294967295, 0, 4294967294],
         implementationDefined="The decomposition casts to float32 before it subtracts, which loses the last digits.")
    case("values that float32 does not have", "int32", "float32", [3], [1], [16777217, 16777219, -16777217], [1], [16777216],
         implementationDefined="The decomposition casts to float32 before it subtracts, which loses the last digits.")
    case("subnormal", "uint8", "float32", [2], [1], [3, 200], [1e-42], [1])
    case("overflow", "uint8", "float16", [2], [1], [255, 3], [600], [0])
    case("scale and zero point of the inputs", "uint8", "float32", [2, 2], [1, 2], constants=False)
    s.case("dequantizeLinear uint8 of a constant", "dequantizeLinear", {
        "input": tensor("uint8", [3], [1, 2, 200], True), "scale": tensor("float32", [1], [0.5], True), "zeroPoint": tensor("uint8", [1], [128], True)},
        literal=not_an_input(), note="a quantized weight")
    s.case("dequantizeLinear options.label", "dequantizeLinear", {
        "input": tensor("uint8", [2], [1, 2]), "scale": tensor("float32", [1], [0.5], True), "zeroPoint": tensor("uint8", [1], [1], True)},
        {"input": "input", "scale": "scale", "zeroPoint": "zeroPoint", "options": {"label": "weights"}}, literal=not_an_input())

    def refused(name, step, input=("uint8", [4, 6]), scale=("float32", [2, 3]), point=("uint8", [2, 3])):
        s.throws(f"dequantizeLinear {name}", "dequantizeLinear", {"input": tensor(*input, 1), "scale": tensor(*scale, 1), "zeroPoint": tensor(*point, 1)},
                 {"input": "input", "scale": "scale", "zeroPoint": "zeroPoint"}, ALGORITHM, step)

    for data_type in ("float32", "float16", "int64", "uint64"):
        refused(f"of {data_type}", "3", (data_type, [4, 6]), point=(data_type, [2, 3]))
    refused("with a scale of int32", "4", scale=("int32", [2, 3]))
    refused("with a zero point of another type", "5", point=("int8", [2, 3]))
    refused("with a scale and a zero point of a lower rank", "7", scale=("float32", [3]), point=("uint8", [3]))
    refused("with a scale of a higher rank", "7", scale=("float32", [1, 2, 3]))
    refused("with a zero point of another rank", "7", point=("uint8", []))
    refused("with scalars for a tensor", "7", scale=("float32", []), point=("uint8", []))
    refused("with a zero point of another shape", "8", point=("uint8", [2, 1]))
    refused("with a scale that does not divide", "9", scale=("float32", [3, 3]), point=("uint8", [3, 3]))
    refused("with a scale larger than the input", "9", scale=("float32", [4, 12]), point=("uint8", [4, 12]))
    operands = {"input": ("uint8", [2]), "scale": ("float32", [1]), "zeroPoint": ("uint8", [1])}
    arguments = {key: key for key in operands}
    s.refusals("dequantizeLinear", arguments, operands, (ALGORITHM, "1"), {key: (ALGORITHM, "2") for key in operands})
    lost(s, "dequantizeLinear", arguments, operands, ALGORITHM)
    return s
