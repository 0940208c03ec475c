"""gatherND."""

from sections.indices import INDEX_TYPES, OUT_OF_RANGE, SIZE, UNCHECKED
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("gatherND(input, indices, options)")


def section():
    s = Section("gathernd", EXACT)

    def case(name, data_type, shape, indices, index_shape, index_type="int32", data=None, constants=(), **members):
        data = data if data is not None else [x + 0.5 if data_type.startswith("f") else x for x in range(size(shape))]
        s.case(f"gatherND {data_type} {name}", "gatherND", {
            "input": tensor(data_type, shape, data, "input" in constants), "indices": tensor(index_type, index_shape, indices, "indices" in constants)},
            **members)

    for data_type, values in VALUES.items():
        case("elements of 2D", data_type, [3, 4], [0, 0, 2, 1, 1, 3], [3, 2], data=values)
        case("rows of 2D", data_type, [3, 4], [2, 0], [2, 1], data=values)
    for index_type in INDEX_TYPES:
        case(f"indices of {index_type}", "float32", [2, 3], [1, 2, 0, 1], [2, 2], index_type)
    for index_type in ("int32", "int64"):
        case(f"negative indices of {index_type}", "float32", [2, 3], [-1, -3, 1, -1, -2, 0], [3, 2], index_type, note="counted from the end of each dimension")
    for data_type in ("float32", "float16"):
        case("elements of 1D", data_type, [5], [4, 0, 2], [3, 1])
        case("one element", data_type, [2, 3], [1, 2], [2], note="the output is a scalar")
        case("one row", data_type, [2, 3], [1], [1])
        case("matrices of 3D", data_type, [2, 2, 2], [1, 0], [2, 1])
        case("rows of 3D", data_type, [2, 2, 3], [1, 0, 0, 1], [2, 2])
        case("elements of 3D", data_type, [2, 2, 3], [1, 0, 2, 0, 1, 1], [2, 3])
        case("rows of 3D by 3D", data_type, [2, 2, 2], [1, 0, 0, 1, 1, 1, 0, 0], [2, 2, 2])
        case("elements of 4D", data_type, [2, 1, 2, 3], [1, 0, 1, 2, 0, 0, 0, 1], [2, 4])
        case("elements of 5D", data_type, [1, 2, 1, 2, 3], [0, 1, 0, 1, 2, 0, 0, 0, 1, 1], [2, 5])
        case("rows of 5D", data_type, [1, 2, 1, 2, 3], [0, 1, 0, 1, 0, 0, 0, 0], [2, 4])
        case("elements of 2D by 5D", data_type, [2, 3], [1, 2, 0, 1], [1, 2, 1, 1, 2])
        case("special values", data_type, [6], [5, 4, 3, 2, 1, 0], [6, 1], data=SPECIAL)
    case("constant indices", "float32", [3, 2], [2, 0], [2, 1], constants=("indices",))
    case("constant input", "float32", [3, 2], [2, 0], [1, 2], constants=("input",))
    case("indices out of range", "float32", [2, 3], [2, 0, -3, 3, 1, -4], [3, 2], implementationDefined=OUT_OF_RANGE)

    def refused(name, step, input=("float32", [2, 3]), indices=("int32", [2, 2]), **members):
        s.throws(f"gatherND {name}", "gatherND", {"input": tensor(*input, 1), "indices": tensor(*indices, 1)},
                 {"input": "input", "indices": "indices"}, ALGORITHM if step else None, step, **members)

    for data_type in ("float32", "uint64", "int8", "uint8"):
        refused(f"with indices of {data_type}", "3", indices=(data_type, [2, 2]))
    refused("of a scalar", "4", ("float32", []), ("int32", [1]))
    refused("with scalar indices", "4", indices=("int32", []))
    refused("with coordinates longer than the rank", "10", indices=("int32", [2, 3]))
    refused("with an output of too many elements", None, ("float32", [1, 65536]), ("int32", [65536, 1]), note=UNCHECKED, literal=SIZE)
    s.refusals("gatherND", {"input": "input", "indices": "indices"}, {"input": ("float32", [2]), "indices": ("int32", [1, 1])}, (ALGORITHM, "1"),
               {"input": (ALGORITHM, "2"), "indices": (ALGORITHM, "2")})
    return s
