"""clamp."""

from math import inf, nan

from vector import EXACT, Section, method, tensor

ALGORITHM = method("clamp(input, options)")
VALUES = [-1000.5, -2, -1, -0.5, 0, 0.1, 0.75, 1, 1.25, 3, 6.5, 60000]
NO_BOUNDS = {"issue": "clamp-default-bounds", "outcome": "throws"}


def section():
    s = Section("clamp", EXACT)

    def case(name, data_type, shape, data, options, **members):
        # under the specification's text as written, a call without one of the bounds throws
        if not ("minValue" in options and "maxValue" in options):
            members.setdefault("literal", NO_BOUNDS)
        arguments = {"input": "input", "options": options} if options else {"input": "input"}
        s.case(f"clamp {data_type} {name}", "clamp", {"input": tensor(data_type, shape, data)}, arguments, **members)

    for data_type, shape in (("float32", [3, 4]), ("float16", [2, 1, 3, 2])):
        case("both bounds", data_type, shape, VALUES, {"minValue": -1.5, "maxValue": 2.75})
        case("no options", data_type, shape, VALUES, {})
        case("options.minValue", data_type, shape, VALUES, {"minValue": 0.5})
        case("options.maxValue", data_type, shape, VALUES, {"maxValue": 0.5})
    case("empty options", "float32", [3], [-1, 0, 1], {"label": "nothing"})
    case("equal bounds", "float32", [3], [-1, 0, 1], {"minValue": 0.5, "maxValue": 0.5})
    case("infinite bounds", "float32", [4], [-inf, -1, 1, inf], {"minValue": {"$num": "-Infinity"}, "maxValue": {"$num": "Infinity"}})
    case("infinities", "float32", [4], [-inf, -1, 1, inf], {"minValue": -3, "maxValue": 2})
    case("both bounds infinite and equal", "float32", [2], [-1, 1], {"minValue": {"$num": "Infinity"}, "maxValue": {"$num": "Infinity"}})
    case("0D", "float32", [], [7], {"minValue": 0, "maxValue": 6})
    case("5D", "float16", [1, 2, 1, 1, 2], [-7, 3, 6.5, 9], {"minValue": 0, "maxValue": 6})
    case("1D", "float32", [2], [-7, 9], {"minValue": 0, "maxValue": 6})
    case("3D", "float32", [1, 2, 1], [-7, 9], {"minValue": 0, "maxValue": 6})
    case("bounds that the type rounds", "float32", [2], [0, 1], {"minValue": 0.1, "maxValue": 0.7})
    case("bounds that the type rounds", "float16", [2], [0, 1], {"minValue": 0.1, "maxValue": 0.7})
    case("maxValue that overflows", "float16", [2], [-65504, 65504], {"minValue": -1e9, "maxValue": 1e9})
    case("bigint bounds", "float32", [3], [-10, 4, 10], {"minValue": {"$bigint": "-3"}, "maxValue": {"$bigint": "5"}})

    integers = {
        "int32": ([-2147483648, -5, 0, 7, 2147483647], -5, 6), "uint32": ([0, 4, 5, 2147483648, 4294967295], 5, 4294967290),
        "int64": ([-9223372036854775808, -5, 0, 7, 9223372036854775807], {"$bigint": "-9007199254740993"}, {"$bigint": "9007199254740993"}),
        "uint64": ([0, 4, 9007199254740993, 18446744073709551615], {"$bigint": "5"}, {"$bigint": "18446744073709551610"}),
        "int8": ([-128, -5, 0, 7, 127], -100, 100), "uint8": ([0, 4, 5, 200, 255], 5, 199),
    }
    for data_type, (data, low, high) in integers.items():
        differs = {"literal": {"issue": "cast-uint32-signed", "outcome": "differs"}} if data_type == "uint32" else {}
        case("both bounds", data_type, [len(data)], data, {"minValue": low, "maxValue": high}, **differs)
        case("options.minValue", data_type, [1, len(data)], data, {"minValue": low})
        # the largest of int32, which is what Infinity and the bound both become as if they were signed, is not above itself
        differs_too = {"literal": {**NO_BOUNDS, "outcome": "differs"}} if data_type == "uint32" else {}
        case("options.maxValue", data_type, [len(data), 1], data, {"maxValue": high}, **differs_too)
        case("no options", data_type, [len(data)], data, {})
        case("bounds out of range", data_type, [len(data)], data, {"minValue": -1e30, "maxValue": 1e30},
             note="cast() clamps the bounds to the type's range", **differs)
    case("bounds of no integer", "int32", [7], [-4, -3, -2, 0, 2, 3, 4], {"minValue": -2.5, "maxValue": 3.5},
         note="cast() rounds the bounds to the nearest even: -2 and 4")
    case("minValue of no integer", "int64", [3], [2, 3, 5], {"minValue": 3.9, "maxValue": 10}, note="cast() rounds the bound to 4")
    case("minValue above the range", "uint8", [3], [0, 100, 255], {"minValue": 1000, "maxValue": 2000}, note="both bounds become 255")
    case("minValue below the range", "uint64", [2], [0, 3], {"minValue": -1, "maxValue": 1})
    case("subnormal", "float32", [3], [1e-45, -1e-40, 1e-38], {"minValue": -1, "maxValue": 1})

    s.judged_case("clamp float32 minValue NaN", "clamp", {"input": tensor("float32", [3], [-1, 0, 1])},
                  {"input": "input", "options": {"minValue": {"$num": "NaN"}, "maxValue": 0.5}}, tensor("float32", [3], [-1, 0, 0.5]),
                  implementationDefined="What a NaN bound does is left open; here it does not clamp.")
    s.judged_case("clamp float32 of NaN", "clamp", {"input": tensor("float32", [2], [nan, 7])},
                  {"input": "input", "options": {"minValue": -1, "maxValue": 5}}, tensor("float32", [2], [nan, 5]),
                  implementationDefined="NaN in min and max is left open; here it is propagated.")

    def refused(name, data_type, options, **members):
        s.throws(f"clamp {data_type} {name}", "clamp", {"input": tensor(data_type, [2], 1)}, {"input": "input", "options": options},
                 ALGORITHM, "7", **members)

    refused("minValue above maxValue", "float32", {"minValue": 2, "maxValue": 1})
    refused("minValue above maxValue after rounding", "int32", {"minValue": 2.6, "maxValue": 2.4})
    refused("minValue above maxValue as bigints", "int64", {"minValue": {"$bigint": "9007199254740993"}, "maxValue": {"$bigint": "9007199254740992"}})
    refused("infinite minValue", "float32", {"minValue": {"$num": "Infinity"}, "maxValue": 3})
    s.refusals("clamp", {"input": "input", "options": {"minValue": 0, "maxValue": 6}}, {"input": ("float32", [2])},
               (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
