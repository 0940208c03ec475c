"""resample2d."""

from math import inf, nan

from vector import EXACT, Section, method, randoms, size, tensor

ALGORITHM = method("resample2d(input, options)")
ROUNDING = "How the interpolation of integers is rounded is left open; here to the nearest integer, ties to even."


def section():
    s = Section("resample2d", EXACT)

    def case(name, data_type, shape, options=None, data=None, constant=False, **members):
        data = data if data is not None else randoms(size(shape), size(shape), 0.5, 9)
        s.case(f"resample2d {data_type} {name}", "resample2d", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", **({"options": options} if options else {})}, **members)

    integers = {"uint8": [0, 255, 128, 7, 200, 31], "int8": [-128, 127, -1, 7, 100, -31]}
    for data_type in ("float32", "float16"):
        case("default options", data_type, [1, 2, 2, 3])
        for mode in ("nearest-neighbor", "linear"):
            def resample(name, shape, members=None, **options):
                case(f"{mode} {name}", data_type, shape, {"mode": mode, **options}, **(members or {}))

            resample("options.scales", [1, 1, 2, 3], scales=[2, 2])
            resample("options.scales of two sizes", [1, 2, 2, 2], scales=[3, 2])
            resample("options.scales below one", [1, 1, 4, 6], scales=[0.5, 0.5])
            resample("options.scales that leave a rest", [1, 1, 3, 5], {"note": "the ratio of the sizes counts, which is not the scale"}, scales=[1.5, 0.75])
            resample("options.sizes", [1, 1, 2, 3], sizes=[4, 5])
            resample("options.sizes below and above", [1, 1, 4, 2], sizes=[3, 5])
            resample("options.sizes over scales", [1, 1, 2, 2], sizes=[3, 3], scales=[5, 5])
            resample("options.axes of the first", [2, 3, 1, 2], axes=[0, 1], sizes=[4, 5])
            resample("options.axes of the middle", [1, 3, 2, 2], axes=[1, 2], scales=[2, 3])
            resample("options.axes in falling order", [1, 1, 2, 3], axes=[3, 2], sizes=[5, 4])
            resample("options.axes apart", [2, 1, 1, 3], axes=[0, 3], sizes=[3, 4])
            resample("to one element", [1, 1, 3, 4], sizes=[1, 1])
            resample("from one element", [1, 1, 1, 1], sizes=[2, 3])
            resample("to the same sizes", [1, 1, 2, 3], sizes=[2, 3])
            resample("options.scales of one", [1, 1, 2, 2], scales=[1, 1])
            resample("all options", [2, 2, 2, 1], scales=[1.5, 2], axes=[1, 2], label="everything")
        # the specification's own figures
        case("linear of the specification", data_type, [1, 1, 4, 4], {"mode": "linear", "sizes": [8, 8]},
             [0, 1, 2, 3, 0, 1, 2, 3, 12, 13, 14, 15, 12, 13, 14, 15], tolerance={"metricType": "ULP", "value": 0})
        case("nearest-neighbor at a tie", data_type, [1, 1, 1, 4], {"sizes": [1, 2]}, [1, 2, 3, 4],
             note="coordinates of 0.5 and 2.5: the lower neighbour each time")
        case("nearest-neighbor at a tie, of odd ratio", data_type, [1, 1, 2, 6], {"sizes": [1, 3]})
        case("nearest-neighbor of thirds", data_type, [1, 1, 1, 3], {"sizes": [1, 7]}, [1, 2, 3])
        case("nearest-neighbor of special values", data_type, [1, 1, 1, 3], {"sizes": [2, 6]}, [nan, inf, -inf])
    for data_type, data in integers.items():
        case("nearest-neighbor", data_type, [1, 1, 2, 3], {"sizes": [3, 5]}, data)
        case("nearest-neighbor options.scales", data_type, [1, 1, 2, 3], {"scales": [2, 2]}, data)
        case("linear", data_type, [1, 1, 2, 3], {"mode": "linear", "sizes": [3, 5]}, data, implementationDefined=ROUNDING)
        case("linear of exact results", data_type, [1, 1, 1, 3], {"mode": "linear", "sizes": [1, 6]}, [0, 8, 100] if data_type == "uint8" else [-100, -8, 40],
             tolerance={"metricType": "ULP", "value": 0})
    case("linear of mixed signs", "float32", [1, 1, 2, 2], {"mode": "linear", "sizes": [4, 4]}, [1, -2, -4, 8], note="every product is exact")
    case("linear of large values", "float32", [1, 1, 1, 2], {"mode": "linear", "sizes": [1, 4]}, [3e38, 2e38])
    case("options.scales are floats of 32 bits", "float32", [1, 1, 10, 1], {"scales": [0.7, 1]},
         implementationDefined="0.7 as a float is below 0.7, and ten of it below 7; rounded to a float the product is 7. Here it is exact, and the size 6.")
    case("of a constant", "float32", [1, 1, 1, 2], {"sizes": [1, 4]}, constant=True)

    def refused(name, step, data_type="float32", shape=(1, 1, 2, 3), members=None, **options):
        s.throws(f"resample2d {name}", "resample2d", {"input": tensor(data_type, list(shape), 1)},
                 {"input": "input", **({"options": options} if options else {})}, ALGORITHM if step else None, step, **(members or {}))

    axes = {"literal": {"issue": "resample2d-axes-size-unchecked", "outcome": "passes"}, "note": "the specification has no step that checks the number of axes"}
    refused("of int32", "3", "int32")
    refused("of rank 3", "4", shape=(1, 2, 3))
    refused("of rank 5", "4", shape=(1, 1, 1, 2, 3))
    refused("with a scale of zero", "6", scales=[0, 1])
    refused("with a negative scale", "6", scales=[1, -1])
    refused("with one scale", "6", scales=[2])
    refused("with three scales", "6", scales=[1, 1, 1])
    refused("with a scale of zero beside sizes", "6", scales=[0, 1], sizes=[2, 2])
    refused("with one size", "7", sizes=[2])
    refused("with three sizes", "7", sizes=[1, 2, 3])
    refused("with a size of zero", "7", sizes=[2, 0])
    refused("with an axis twice", "9", axes=[2, 2])
    refused("with an axis equal to the rank", "9", axes=[2, 4])
    refused("with scales that leave nothing", "10.3.3", scales=[0.25, 1])
    refused("with scales beyond the range of a dimension", "10.3.3", scales=[1, 1e9])
    refused("with sizes beyond the range of a dimension", "10.3.3", sizes=[2147483648, 2])
    refused("with one axis", None, axes=[2], members=axes)
    refused("with no axes", None, axes=[], members=axes)
    refused("with three axes", None, axes=[1, 2, 3], members={"note": "there is neither a scale nor a size for the third"})
    refused("with three axes and their scales", "6", axes=[1, 2, 3], scales=[1, 1, 1])
    refused("with an output of too many elements", None, sizes=[65536, 65536],
            members={"literal": {"issue": "output-size-unchecked", "outcome": "passes"},
                     "note": "the specification has no step that checks the size of this output"})
    s.refusals("resample2d", {"input": "input"}, {"input": ("float32", [1, 1, 1, 1])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
