"""cast."""

from math import inf, nan

from rounding import DATA_TYPES, FLOATS, INTEGERS
from vector import EXACT, Section, method, tensor

ALGORITHM = method("cast(input, dataType, options)")
UNCHANGED = {"issue": "cast-data-type", "outcome": "differs"}

# values that every type holds, after truncation
SMALL = {data_type: [0, 1, 7, 100] for data_type in INTEGERS} | {data_type: [0, 0.75, 7.5, 100.99] for data_type in FLOATS}
SHAPES = ([4], [2, 2], [1, 4], [2, 1, 2], [1, 2, 1, 2], [1, 1, 2, 2], [1, 2, 1, 1, 2], [4, 1])


def section():
    s = Section("cast", EXACT)

    def case(name, source, target, shape, data, **members):
        if source != target:
            members.setdefault("literal", UNCHANGED)
        s.case(f"cast {source} to {target} {name}", "cast", {"input": tensor(source, shape, data)},
               {"input": "input", "dataType": target}, **members)

    for source in DATA_TYPES:
        for target, shape in zip(DATA_TYPES, SHAPES):
            case("in range", source, target, shape, SMALL[source])
    case("0D", "float32", "int32", [], [-7.9])
    case("0D", "int32", "float16", [], [-7])

    # between integer types: extremes, and out of range the lowest bits
    for source, (low, high) in INTEGERS.items():
        for target in INTEGERS:
            if source != target:
                middle = -1 if low < 0 else high // 2 + 1
                case("extremes", source, target, [4], [low, high, middle, high - 1],
                     note="a value out of range keeps its lowest bits")

    # floats to integers truncate toward zero
    for source in FLOATS:
        for target in INTEGERS:
            low, _ = INTEGERS[target]
            values = [0.999, 1.5, 2.5, 126.9] + ([-0.999, -1.5, -2.5, -127.5] if low < 0 else [-0.5])
            case("truncation", source, target, [len(values)], values)
    case("large values", "float32", "int32", [3], [2147483520, -2147483648, 16777217])
    case("large values", "float32", "uint32", [2], [4294967040, 2147483648])
    case("large values", "float32", "int64", [3], [9223371487098961920, -9223372036854775808, 1099511627776])
    case("large values", "float32", "uint64", [2], [18446742974197923840, 9223372036854775808])
    case("largest values", "float16", "int32", [2], [65504, -65504])
    case("zeros", "float32", "int8", [2], [0.0, -0.0])

    # integers to floats round to the nearest value
    case("rounding", "int32", "float32", [6], [16777217, 16777219, -16777217, 2147483647, -2147483648, 33554435])
    case("rounding", "uint32", "float32", [3], [4294967295, 16777217, 4294967167])
    case("rounding", "int64", "float32", [4], [1152921573326323713, 9223372036854775807, -9223372036854775808, -1152921573326323713],
         note="the first and the last lie just beyond a tie, which a detour through float64 would lose")
    case("rounding", "uint64", "float32", [2], [18446744073709551615, 9223372036854775809])
    case("rounding and overflow", "int32", "float16", [7], [2049, 2051, 65504, 65519, 65520, -65520, 2147483647])
    case("rounding and overflow", "uint32", "float16", [3], [2049, 65520, 4294967295])
    case("rounding and overflow", "int64", "float16", [4], [-2049, 65519, 65520, -9223372036854775808])
    case("rounding and overflow", "uint64", "float16", [3], [2049, 65520, 18446744073709551615])

    case("rounding and overflow", "float32", "float16", [8], [0.1, 1.00048828125, 1.00146484375, 1.0004884, 65519.996, 65520, -65520, 3e38])
    case("special values", "float32", "float16", [5], [nan, inf, -inf, 0.0, -0.0])
    case("special values", "float16", "float32", [5], [nan, inf, -inf, 0.0, -0.0])
    case("special values", "float32", "float32", [5], [nan, inf, -inf, 0.0, -0.0])
    case("subnormal results", "float32", "float16", [6], [6.1e-05, 3e-05, 5.9604645e-08, 2.9802322e-08, 2.980233e-08, 1e-10])
    case("subnormal", "float16", "float32", [3], [6e-08, 6.1e-05, -3e-05], note="they are normal numbers in float32")
    case("subnormal", "float32", "float16", [2], [1e-45, -1e-40])
    case("subnormal", "float32", "int32", [2], [1e-45, -1e-40])
    s.case("cast float32 to int32 of a constant", "cast", {"input": tensor("float32", [2], [1.5, -2.5], True)},
           {"input": "input", "dataType": "int32"}, literal=UNCHANGED)
    s.judged_case("cast float32 to int32 out of range", "cast", {"input": tensor("float32", [3], [3e9, -inf, nan])},
                  {"input": "input", "dataType": "int32"}, tensor("int32", [3], [2147483647, -2147483648, 0]), literal=UNCHANGED,
                  implementationDefined="A float out of the integer's range is implementation-defined; here it saturates, and NaN is 0.")
    s.refusals("cast", {"input": "input", "dataType": "int32"}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
