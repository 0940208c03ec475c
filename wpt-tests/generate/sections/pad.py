"""pad."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, WEB_IDL, Section, method, size, tensor

ALGORITHM = method("pad(input, beginningPadding, endingPadding, options)")
NUM, BIG = "$num", "$bigint"


def section():
    s = Section("pad", EXACT)

    def case(name, data_type, shape, beginning, ending, options=None, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        arguments = {"input": "input", "beginningPadding": beginning, "endingPadding": ending, **({"options": options} if options else {})}
        s.case(f"pad {data_type} {name}", "pad", {"input": tensor(data_type, shape, data, constant)}, arguments, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [2, 3], [1, 0], [0, 2], data=values[:6])
        case("2D options.mode edge", data_type, [2, 3], [1, 2], [0, 1], {"mode": "edge"}, values[:6])
        case("2D options.mode reflection", data_type, [2, 3], [1, 2], [0, 1], {"mode": "reflection"}, values[:6])
        case("options.value", data_type, [2], [1], [2], {"value": 7}, values[:2])
    for data_type in ("float32", "float16"):
        for mode in ("constant", "edge", "reflection"):
            options = {"mode": mode}
            case(f"0D {mode}", data_type, [], [], [], options)
            case(f"1D {mode}", data_type, [4], [3], [2], options)
            case(f"1D {mode} at the end only", data_type, [3], [0], [2], options)
            case(f"3D {mode}", data_type, [2, 2, 2], [1, 0, 1], [0, 1, 1], options)
            case(f"4D {mode}", data_type, [1, 2, 3, 2], [0, 1, 2, 0], [0, 0, 1, 1], options)
            case(f"5D {mode}", data_type, [1, 2, 1, 2, 2], [0, 1, 0, 0, 1], [0, 0, 0, 1, 0], options)
            case(f"no padding, {mode}", data_type, [2, 2], [0, 0], [0, 0], options)
        case("special values, edge", data_type, [2, 3], [0, 2], [0, 2], {"mode": "edge"}, SPECIAL)
        case("special values, reflection", data_type, [6], [5], [5], {"mode": "reflection"}, SPECIAL)
        for value in ("NaN", "Infinity", "-Infinity", "-0"):
            case(f"options.value {value}", data_type, [2], [1], [1], {"value": {NUM: value}})
        case("options.value that is rounded to the type", data_type, [2], [1], [0], {"value": 0.1})
        case("options.value beyond the range of the type", data_type, [2], [1], [0], {"value": 1e39})
    case("edge of padding larger than the input", "float32", [2], [5], [4], {"mode": "edge"})
    case("constant padding larger than the input", "float32", [1, 2], [2, 3], [1, 4], {"value": -1})
    case("reflection in both dimensions", "float32", [3, 3], [2, 1], [1, 2], {"mode": "reflection"})
    case("reflection of the whole input", "float32", [4], [3], [3], {"mode": "reflection"}, note="the edge itself is not repeated")
    case("options.value with a mode that takes none", "float32", [2], [1], [1], {"mode": "edge", "value": 9})
    case("all options", "float32", [2], [1], [1], {"mode": "constant", "value": 2.5, "label": "everything"})
    case("of a constant", "float32", [2], [1], [1], constant=True)
    # the specification's cast clamps to the range and rounds to nearest even
    case("options.value of halves", "int32", [1], [1], [0], {"value": 2.5})
    case("options.value of halves, odd", "int32", [1], [1], [0], {"value": -3.5})
    case("options.value beyond the range", "int8", [1], [1], [0], {"value": 1000})
    case("options.value below the range", "uint8", [1], [1], [0], {"value": -1})
    case("options.value NaN", "int32", [1], [1], [0], {"value": {NUM: "NaN"}})
    case("options.value of many digits", "int64", [1], [1], [0], {"value": {BIG: "9007199254740993"}})
    case("options.value of many digits", "uint64", [1], [1], [0], {"value": {BIG: "18446744073709551615"}})
    case("options.value beyond the range of int32", "uint32", [1], [1], [0], {"value": 4294967295},
         literal={"issue": "cast-uint32-signed", "outcome": "differs"})

    def refused(name, step, shape=(2, 3), beginning=(1, 1), ending=(1, 1), mode=None, algorithm=ALGORITHM, **members):
        options = {} if mode is None else {"options": {"mode": mode}}
        s.throws(f"pad {name}", "pad", {"input": tensor(members.pop("data_type", "float32"), list(shape), 1)},
                 {"input": "input", "beginningPadding": list(beginning), "endingPadding": list(ending), **options}, algorithm if step else None,
                 step, **members)

    refused("with one beginning padding", "3", beginning=(1,))
    refused("with three ending paddings", "3", ending=(1, 1, 1))
    refused("with one padding on either side", "3", beginning=(1,), ending=(1,))
    refused("of a scalar with padding", "3", shape=(), beginning=(0,), ending=(0,))
    refused("with no paddings", "3", beginning=(), ending=())
    refused("reflection with a beginning equal to the size", "6.1.1", beginning=(2, 1), mode="reflection")
    refused("reflection with a beginning above the size", "6.1.1", beginning=(1, 5), mode="reflection")
    refused("reflection with an ending equal to the size", "6.1.2", ending=(1, 3), mode="reflection")
    refused("reflection of a size of one", "6.1.2", shape=(2, 1), beginning=(0, 0), ending=(0, 1), mode="reflection")
    refused("to a size above the range of long", "7", beginning=(2147483647, 1))
    refused("to a size above the range of unsigned long", "7", beginning=(4294967295, 1), ending=(4294967295, 1))
    refused("with a mode that there is not", "conversion", mode="symmetric", algorithm=WEB_IDL, note="an enumeration value that Web IDL refuses")
    refused("with an output of too many elements", None, beginning=(65535, 65535), literal={"issue": "output-size-unchecked", "outcome": "passes"},
            note="the specification has no step that checks the size of this output")
    s.refusals("pad", {"input": "input", "beginningPadding": [1], "endingPadding": [0]}, {"input": ("float32", [2])}, (ALGORITHM, "1"),
               {"input": (ALGORITHM, "2")})
    return s
