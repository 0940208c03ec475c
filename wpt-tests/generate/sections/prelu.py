"""prelu."""

from sections.activation import inf, nan
from vector import EXACT, Section, method, randoms, size, tensor

ALGORITHM = method("prelu(input, slope, options)")


def section():
    s = Section("prelu", EXACT)

    def case(name, data_type, shape, slope, data=None, slopes=None, constant=False, **members):
        data = data if data is not None else randoms(size(shape), size(shape), -4, 4)
        slopes = slopes if slopes is not None else randoms(size(slope) + 40, size(slope), -1, 2)
        s.case(f"prelu {data_type} {name}", "prelu", {"input": tensor(data_type, shape, data), "slope": tensor(data_type, slope, slopes, constant)},
               **members)

    for data_type in ("float32", "float16"):
        case("0D", data_type, [], [], [-2.5], [0.25])
        case("1D", data_type, [4], [4])
        case("2D", data_type, [2, 3], [2, 3])
        case("3D", data_type, [2, 1, 3], [2, 1, 3])
        case("4D", data_type, [2, 1, 2, 2], [2, 1, 2, 2])
        case("5D", data_type, [1, 2, 1, 2, 2], [1, 2, 1, 2, 2])
        case("slope of one value for the last axis", data_type, [2, 2, 3], [3])
        case("slope of one value for a middle axis", data_type, [2, 3, 2], [3, 1])
        case("scalar slope", data_type, [5], [], slopes=[0.125])
        case("slope of 5D for an input of 3D", data_type, [2, 1, 2], [1, 2, 1, 2, 1], note="the output has the slope's rank")
        case("scalar input", data_type, [], [4], [-1.5])
        case("broadcast of both", data_type, [2, 1], [1, 3])
        case("special values", data_type, [8], [8], [0.0, -0.0, inf, -inf, nan, -inf, 1, -2], [2, 2, -1, 0.5, 1, -2, inf, -inf])
    case("slope above one", "float32", [4], [4], [-3, -1, 1, 3], [2, 1.5, 3, 4], note="the larger of x and slope * x would be wrong")
    case("of a constant slope", "float32", [4], [4], constant=True)
    case("subnormal", "float32", [3], [3], [1e-45, -1e-40, -1e-38], [1, 1, 0.25])
    case("overflow", "float32", [2], [2], [-3e38, 3e38], [100, 100])
    # integers, with products that a detour through floats would round
    case("2D", "int32", [2, 3], [2, 3], [-7, 5, -46341, 0, -1, 2147483647], [3, 9, 46340, 5, 2147483647, 2])
    case("2D", "int64", [2, 3], [2, 3], [-7, 5, -3037000499, 0, -1, 9223372036854775807], [3, 9, 3037000499, 5, 9007199254740993, 2])
    case("2D", "int8", [2, 3], [2, 3], [-7, 5, -11, 0, -1, 127], [3, 9, -11, 5, 127, 2])
    case("broadcast", "int32", [2, 2], [2], [-7, 5, -8, -9], [3, -2])
    case("scalar slope", "int8", [3], [], [-128, 127, -1], [1])

    def refused(name, step, input=("float32", [2, 3]), slope=("float32", [2, 3]), **members):
        s.throws(f"prelu {name}", "prelu", {"input": tensor(*input, 1), "slope": tensor(*slope, 1)}, {"input": "input", "slope": "slope"},
                 ALGORITHM if step else None, step, **members)

    refused("of uint32", "3", ("uint32", [2]), ("uint32", [2]))
    refused("of uint8", "3", ("uint8", [2]), ("uint8", [2]))
    refused("of uint64", "3", ("uint64", [2]), ("uint64", [2]))
    refused("with a slope of another type", "3", slope=("float16", [2, 3]))
    refused("with a slope that does not broadcast", "4.1", slope=("float32", [2]))
    refused("with an output of too many elements", None, ("float32", [65536, 1]), ("float32", [1, 65536]),
            literal={"issue": "output-size-unchecked", "outcome": "passes"}, note="the specification has no step that checks the size of this output")
    s.refusals("prelu", {"input": "input", "slope": "slope"}, {"input": ("float32", [2]), "slope": ("float32", [2])}, (ALGORITHM, "1"),
               {"input": (ALGORITHM, "2"), "slope": (ALGORITHM, "2")})
    return s
