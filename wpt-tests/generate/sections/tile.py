"""tile."""

from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("tile(input, repetitions, options)")
SIZE = {"issue": "output-size-unchecked", "outcome": "passes"}


def section():
    s = Section("tile", EXACT)

    def case(name, data_type, shape, repetitions, data=None, constant=False, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        s.case(f"tile {data_type} {name}", "tile", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", "repetitions": repetitions, **members.pop("more", {})}, **members)

    for data_type, values in VALUES.items():
        case("2D", data_type, [2, 3], [2, 2], data=values[:6])
        case("2D of the last axis", data_type, [3, 2], [1, 3], data=values[6:])
    for data_type in ("float32", "float16", "int32"):
        case("0D", data_type, [], [])
        case("1D", data_type, [3], [3])
        case("3D of the middle axis", data_type, [2, 2, 2], [1, 3, 1])
        case("4D", data_type, [1, 2, 1, 2], [2, 1, 3, 1])
        case("5D", data_type, [1, 2, 1, 1, 2], [2, 1, 2, 1, 2])
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [2], data=SPECIAL)
    case("once", "float32", [2, 3], [1, 1])
    case("of the first axis", "float32", [2, 3], [2, 1], note="rows repeat as a whole")
    case("of single elements", "float32", [1, 1], [3, 4])
    case("of a constant", "float32", [2], [2], constant=True)
    case("options.label", "float32", [2], [2], more={"options": {"label": "tiles"}})
    case("subnormal", "float32", [2], [2], data=[1e-45, -1e-40])

    def refused(name, step, shape=(2, 3), repetitions=(1, 2), **members):
        s.throws(f"tile {name}", "tile", {"input": tensor("float32", list(shape), 1)}, {"input": "input", "repetitions": list(repetitions)},
                 ALGORITHM if step else None, step, **members)

    refused("with one repetition", "3", repetitions=(2,))
    refused("with three repetitions", "3", repetitions=(1, 1, 2))
    refused("of a scalar with a repetition", "3", (), (2,))
    refused("with a repetition of zero", "4", repetitions=(2, 0))
    refused("with a repetition above the range of unsigned long", None, repetitions=(1, 4294967298),
            literal={"issue": "tile-repetitions-without-range", "outcome": "passes"},
            note="without [EnforceRange], which every other number has, Web IDL takes it modulo 2^32")
    refused("to a size above the range of long", None, repetitions=(1, 1073741824), literal=SIZE,
            note="the specification has no step that checks the dimensions of this output")
    refused("to too many elements", None, (1, 1), (65536, 65536), literal=SIZE,
            note="the specification has no step that checks the size of this output")
    s.refusals("tile", {"input": "input", "repetitions": [2]}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
