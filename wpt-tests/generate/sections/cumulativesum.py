"""cumulativeSum."""

from math import inf, nan

from vector import EXACT, Section, method, randoms, size, tensor

ALGORITHM = method("cumulativeSum(input, axis, options)")
INTEGERS = {"int32": [-7, 3, -2, 2000000000, 5, 1], "uint32": [7, 3, 2, 4000000000, 5, 1], "int64": [-70000, 3, -2, 9007199254740993, 5, 1],
            "uint64": [70000, 3, 2, 18446744073709551000, 5, 1]}


def section():
    s = Section("cumulativesum", EXACT)

    def case(name, data_type, shape, axis, data=None, options=None, constant=False, **members):
        data = data if data is not None else randoms(size(shape) + axis, size(shape), 0.1, 4)
        arguments = {"input": "input", "axis": axis, **({"options": options} if options else {})}
        s.case(f"cumulativeSum {data_type} {name}", "cumulativeSum", {"input": tensor(data_type, shape, data, constant)}, arguments, **members)

    modes = {"": {}, " exclusive": {"exclusive": True}, " reversed": {"reversed": True},
             " exclusive and reversed": {"exclusive": True, "reversed": True}}
    for mode, options in modes.items():
        for data_type in ("float32", "float16"):
            case(f"2D axis 1{mode}", data_type, [2, 4], 1, options=options)
            case(f"3D middle axis{mode}", data_type, [2, 3, 2], 1, options=options)
        for data_type, values in INTEGERS.items():
            case(f"2D axis 1{mode}", data_type, [2, 3], 1, values, options)
            case(f"2D axis 0{mode}", data_type, [3, 2], 0, values, options)
    for data_type in ("float32", "float16", "int32"):
        data = None if data_type != "int32" else list(range(-5, 19))
        case("1D", data_type, [6], 0, data and data[:6])
        case("4D axis 0", data_type, [3, 1, 2, 2], 0, data and data[:12])
        case("5D axis 4", data_type, [1, 2, 1, 2, 3], 4, data and data[:12])
        case("5D axis 1", data_type, [1, 3, 1, 2, 2], 1, data and data[:12])
    case("options that are false", "float32", [4], 0, options={"exclusive": False, "reversed": False})
    case("all options", "float32", [3, 2], 0, options={"exclusive": True, "reversed": True, "label": "everything"})
    case("axis of size 1", "float32", [3, 1], 1)
    case("axis of size 1, exclusive", "float32", [3, 1], 1, options={"exclusive": True})
    case("of a constant", "float32", [4], 0, constant=True)
    case("of mixed signs", "float32", [6], 0, [1, -2.5, 4, -0.25, 3, -8], note="every partial sum is exact")
    case("long axis", "float32", [40], 0)
    case("sums that need more than float16", "float16", [4], 0, [2048, 1, 1, 1])
    case("overflow", "float16", [3], 0, [65504, 65504, -65504],
         implementationDefined="The precision of the sum is left open; here the last sum is finite.")
    case("overflow of every sum behind it", "float32", [3], 0, [3e38, 3e38, 1])
    case("subnormal", "float32", [3], 0, [1e-45, 1e-40, -1e-45])
    case("special values", "float32", [5], 0, [1, inf, 2, -inf, 3], source="IEEE 754 arithmetic")
    case("NaN", "float32", [4], 0, [1, nan, 2, 3], source="IEEE 754 arithmetic")
    case("NaN, reversed", "float16", [4], 0, [1, nan, 2, 3], {"reversed": True}, source="IEEE 754 arithmetic")
    case("infinity, exclusive", "float32", [4], 0, [1, inf, 2, 3], {"exclusive": True}, source="IEEE 754 arithmetic")

    def refused(name, step, data_type="float32", shape=(2, 3), axis=1, **members):
        s.throws(f"cumulativeSum {name}", "cumulativeSum", {"input": tensor(data_type, list(shape), 1)}, {"input": "input", "axis": axis},
                 ALGORITHM if step else None, step, **members)

    refused("of int8", "3", "int8")
    refused("of uint8", "3", "uint8")
    refused("with an axis equal to the rank", "4", axis=2)
    refused("with an axis above the rank", "4", axis=7)
    refused("of a scalar", "4", shape=(), axis=0)
    refused("with a negative axis", None, axis=-1)
    refused("with an axis above the range of unsigned long", None, axis=4294967296,
            literal={"issue": "cumulative-sum-axis-without-range", "outcome": "passes"},
            note="without [EnforceRange], which every other axis has, Web IDL takes it modulo 2^32")
    s.refusals("cumulativeSum", {"input": "input", "axis": 0}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
