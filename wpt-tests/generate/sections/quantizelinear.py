"""quantizeLinear."""

from math import inf

from scene import builder, context, invalid_state
from vector import EXACT, Section, input_step, method, random_integers, randoms, size, step, tensor

ALGORITHM = method("quantizeLinear(input, scale, zeroPoint, options)")
RANGES = {"uint8": (60, 190), "int8": (-60, 60), "int32": (-5000, 5000), "uint32": (3000, 10000)}
NO_TOLERANCE = {"tolerance": {"metricType": "ULP", "value": 0}}


def not_an_input():
    """Under the text as written, the scale and the zero point are no inputs of the operator, and the graph does not reach them."""
    return {"issue": "quantize-scale-not-an-input", "outcome": "throws"}


def lost(s, operator, arguments, operands, algorithm):
    s.scenario(f"{operator} on a lost context", [
        context(), builder(), *(input_step("builder", key, *operands[key]) for key in operands), step(None, "context", "destroy"),
        step(None, "builder", operator, throws=invalid_state(algorithm, "1"), **arguments)],
        literal={"issue": "quantize-on-a-lost-context", "outcome": "passes"},
        note="under the text as written, only a builder that has built is refused")


def section():
    s = Section("quantizelinear", EXACT)

    def case(name, data_type, point_type, shape, blocks, data=None, scales=None, points=None, constants=True, **members):
        low, high = RANGES[point_type]
        members.setdefault("literal", not_an_input())
        # tenths that are no ties
        s.case(f"quantizeLinear {data_type} {point_type} {name}", "quantizeLinear", {
            "input": tensor(data_type, shape, data or randoms(size(shape), size(shape), -20, 20)),
            "scale": tensor(data_type, blocks, scales or [0.25 + 0.25 * (x % 4) for x in random_integers(size(blocks) + 5, size(blocks), 0, 9)], constants),
            "zeroPoint": tensor(point_type, blocks, points or random_integers(size(blocks) + 9, size(blocks), low, high), constants)}, **members)

    for point_type in RANGES:
        for data_type in ("float32", "float16"):
            case("2D per tensor", data_type, point_type, [2, 3], [1, 1])
            case("2D per row", data_type, point_type, [2, 3], [2, 1])
            case("2D in blocks", data_type, point_type, [4, 6], [2, 3])
            # ties: even wins before the zero point is added; multiples of the scale in every type
            case("ties", data_type, point_type, [8], [1], [0.25, 0.75, 1.25, 1.75, -0.25, -0.75, -1.25, -1.75], [0.5],
                 [10 if point_type in ("uint8", "uint32") else -5], **NO_TOLERANCE)
            case("ties and an odd zero point", data_type, point_type, [4], [1], [0.5, 1.5, 2.5, 3.5], [1], [7],
                 **NO_TOLERANCE, note="rounded before the zero point is added, not after")
    for data_type in ("float32", "float16"):
        case("0D", data_type, "uint8", [], [], [10.5], [0.25], [100], **NO_TOLERANCE)
        case("1D", data_type, "int8", [5], [1])
        case("1D one scale for each element", data_type, "int8", [5], [5])
        case("1D in blocks", data_type, "uint8", [6], [2], [1, 2, 3, 4, 5, 6], [1, 0.25], [0, 100], **NO_TOLERANCE,
             note="a scale serves its neighbours: a a a b b b, not a b a b a b")
        case("3D in blocks of the middle axis", data_type, "uint8", [2, 4, 2], [1, 2, 1])
        case("4D per channel", data_type, "int8", [1, 3, 2, 2], [1, 3, 1, 1])
        case("4D per last axis", data_type, "uint8", [1, 2, 2, 3], [1, 1, 1, 3])
        case("5D in blocks", data_type, "int8", [1, 2, 1, 4, 2], [1, 1, 1, 2, 2])
        case("beyond the range", data_type, "uint8", [6], [1], [-100, -129, 127, 128, 500, -10000], [1], [128], **NO_TOLERANCE)
        case("beyond the range", data_type, "int8", [6], [1], [-100, -140, 120, 117, 500, -10000], [1], [10], **NO_TOLERANCE)
        case("infinities", data_type, "uint8", [2], [1], [inf, -inf], [0.5], [128], **NO_TOLERANCE)
        case("infinities", data_type, "int8", [2], [1], [inf, -inf], [0.5], [3], **NO_TOLERANCE)
        case("zeros", data_type, "int8", [2], [1], [0.0, -0.0], [0.5], [-3], **NO_TOLERANCE)
    case("a scale that is no power of two", "float32", "uint8", [6], [1], [0.1, 0.25, -0.35, 1.234, -1.99, 3], [0.1], [30])
    case("a quotient beyond the type", "float16", "int8", [2], [1], [60000, -60000], [0.0001], [0], **NO_TOLERANCE)
    case("beyond the range", "float32", "int32", [3], [1], [1e10, -1e10, 5], [0.5], [1], **NO_TOLERANCE)
    case("beyond the range", "float32", "uint32", [3], [1], [1e10, -1e10, 5], [0.5], [1], **NO_TOLERANCE)
    case("large values", "float32", "int32", [3], [1], [16777216, -16777216, 8388608], [1], [3],
         implementationDefined="The decomposition adds the zero point in float32, which loses the last digits.")
    case("subnormal", "float32", "uint8", [2], [1], [3e-42, 2e-40], [1e-42], [1])
    case("scale and zero point of the inputs", "float32", "uint8", [2, 2], [1, 2], constants=False)
    s.case("quantizeLinear float32 options.label", "quantizeLinear", {
        "input": tensor("float32", [2], [1, 2]), "scale": tensor("float32", [1], [0.5], True), "zeroPoint": tensor("uint8", [1], [1], True)},
        {"input": "input", "scale": "scale", "zeroPoint": "zeroPoint", "options": {"label": "activations"}}, literal=not_an_input())

    def refused(name, step_, input=("float32", [4, 6]), scale=("float32", [2, 3]), point=("uint8", [2, 3])):
        s.throws(f"quantizeLinear {name}", "quantizeLinear", {"input": tensor(*input, 1), "scale": tensor(*scale, 1), "zeroPoint": tensor(*point, 1)},
                 {"input": "input", "scale": "scale", "zeroPoint": "zeroPoint"}, ALGORITHM, step_)

    refused("of int32", "3", ("int32", [4, 6]), ("int32", [2, 3]))
    refused("of uint8", "3", ("uint8", [4, 6]))
    refused("with a scale of another type", "4", scale=("float16", [2, 3]))
    for data_type in ("float32", "int64", "uint64"):
        refused(f"with a zero point of {data_type}", "6", point=(data_type, [2, 3]))
    refused("with a scale and a zero point of a lower rank", "7", scale=("float32", [3]), point=("uint8", [3]))
    refused("with a scale of a higher rank", "7", scale=("float32", [1, 2, 3]))
    refused("with a zero point of another rank", "7", point=("uint8", []))
    refused("with scalars for a tensor", "7", scale=("float32", []), point=("uint8", []))
    refused("with a zero point of another shape", "8", point=("uint8", [2, 1]))
    refused("with a scale that does not divide", "9", scale=("float32", [3, 3]), point=("uint8", [3, 3]))
    refused("with a scale larger than the input", "9", scale=("float32", [4, 12]), point=("uint8", [4, 12]))
    operands = {"input": ("float32", [2]), "scale": ("float32", [1]), "zeroPoint": ("uint8", [1])}
    arguments = {key: key for key in operands}
    s.refusals("quantizeLinear", arguments, operands, (ALGORITHM, "1"), {key: (ALGORITHM, "2") for key in operands})
    lost(s, "quantizeLinear", arguments, operands, ALGORITHM)
    return s
