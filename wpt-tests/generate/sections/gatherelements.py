"""gatherElements."""

from sections.indices import INDEX_TYPES, OUT_OF_RANGE
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("gatherElements(input, indices, options)")
SHAPE = {"issue": "gather-elements-shape", "outcome": "differs"}


def section():
    s = Section("gatherelements", EXACT)

    def case(name, data_type, shape, indices, index_shape, axis=None, index_type="int32", data=None, constants=(), options=None, **members):
        data = data if data is not None else [x + 0.5 if data_type.startswith("f") else x for x in range(size(shape))]
        options = {**({} if axis is None else {"axis": axis}), **(options or {})}
        if index_shape != shape:
            members.setdefault("literal", SHAPE)
        s.case(f"gatherElements {data_type} {name}", "gatherElements", {
            "input": tensor(data_type, shape, data, "input" in constants), "indices": tensor(index_type, index_shape, indices, "indices" in constants)},
            {"input": "input", "indices": "indices", **({"options": options} if options else {})}, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [4, 3], [3, 1, 1, 2, 0, 3], [2, 3], data=values)
        case("2D options.axis 1", data_type, [3, 4], [2, 1, 0, 3, 3, 0], [3, 2], 1, data=values)
    for index_type in INDEX_TYPES:
        case(f"indices of {index_type}", "float32", [2, 3], [2, 0, 0, 1], [2, 2], 1, index_type)
    for index_type in ("int32", "int64"):
        case(f"negative indices of {index_type}", "float32", [3, 2], [-1, -3, 2, -2], [2, 2], 0, index_type, note="counted from the end")
    for data_type in ("float32", "float16", "int32"):
        case("1D", data_type, [4], [3, 0, 2], [3])
        case("3D options.axis 0", data_type, [4, 2, 2], [0, 2, 1, 3], [1, 2, 2], 0)
        case("3D options.axis 1", data_type, [2, 3, 2], [2, 0, 1, 1, 0, 2, 2, 2], [2, 2, 2], 1)
        case("4D options.axis 3", data_type, [1, 2, 2, 3], [2, 0, 1, 1], [1, 2, 2, 1], 3)
        case("5D options.axis 1", data_type, [1, 3, 1, 2, 2], [2, 0, 1, 1], [1, 1, 1, 2, 2], 1)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [5, 4, 3, 2, 1, 0], [6], data=SPECIAL)
    case("indices of the input's shape", "float32", [2, 2], [1, 0, 0, 1], [2, 2], 1)
    case("more indices than elements", "float32", [2, 2], [0, 1, 1, 0, 0, 1], [3, 2])
    case("constant indices", "float32", [3, 2], [2, 0], [1, 2], constants=("indices",))
    case("constant input", "float32", [3, 2], [2, 0], [1, 2], constants=("input",))
    case("options.label", "float32", [3], [2], [1], options={"label": "picked"})
    case("indices out of range", "float32", [3], [3, -4, 100, -100], [4], implementationDefined=OUT_OF_RANGE)

    def refused(name, step, input=("float32", [2, 3]), indices=("int32", [2, 3]), axis=None):
        options = {} if axis is None else {"options": {"axis": axis}}
        s.throws(f"gatherElements {name}", "gatherElements", {"input": tensor(*input, 1), "indices": tensor(*indices, 1)},
                 {"input": "input", "indices": "indices", **options}, ALGORITHM, step)

    for data_type in ("float32", "uint64", "int8", "uint8"):
        refused(f"with indices of {data_type}", "3", indices=(data_type, [2, 3]))
    refused("of a scalar", "4", ("float32", []), ("int32", []))
    refused("with indices of a lower rank", "4", indices=("int32", [3]))
    refused("with indices of a higher rank", "4", indices=("int32", [1, 2, 3]))
    refused("with an axis equal to the rank", "6", axis=2)
    refused("with indices of another size beside the axis", "9", indices=("int32", [1, 2]))
    refused("with indices that would broadcast", "9", indices=("int32", [2, 1]))
    refused("with indices of another size beside options.axis", "9", indices=("int32", [1, 3]), axis=1)
    s.refusals("gatherElements", {"input": "input", "indices": "indices"}, {"input": ("float32", [2]), "indices": ("int32", [1])}, (ALGORITHM, "1"),
               {"input": (ALGORITHM, "2"), "indices": (ALGORITHM, "2")})
    return s
