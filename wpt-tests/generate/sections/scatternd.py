"""scatterND."""

from sections.indices import INDEX_TYPES, OUT_OF_RANGE
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("scatterND(input, indices, updates, options)")


def section():
    s = Section("scatternd", EXACT)

    def case(name, data_type, shape, indices, index_shape, index_type="int32", data=None, updates=None, constants=(), **members):
        data = data if data is not None else [x + 0.5 if data_type.startswith("f") else x for x in range(size(shape))]
        update_shape = index_shape[:-1] + shape[index_shape[-1]:]
        updates = updates if updates is not None else [100 + x for x in range(size(update_shape))]
        s.case(f"scatterND {data_type} {name}", "scatterND", {
            "input": tensor(data_type, shape, data, "input" in constants), "indices": tensor(index_type, index_shape, indices, "indices" in constants),
            "updates": tensor(data_type, update_shape, updates, "updates" in constants)}, **members)

    for data_type, values in VALUES.items():
        case("elements of 2D", data_type, [3, 4], [0, 0, 2, 1, 1, 3], [3, 2], data=values, updates=values[::-1][:3])
        case("rows of 2D", data_type, [3, 4], [2, 0], [2, 1], data=values, updates=values[::-1][:8])
    for index_type in INDEX_TYPES:
        case(f"indices of {index_type}", "float32", [2, 3], [1, 2, 0, 1], [2, 2], index_type)
    for index_type in ("int32", "int64"):
        case(f"negative indices of {index_type}", "float32", [2, 3], [-1, -3, 1, -1, -2, 0], [3, 2], index_type, note="counted from the end of each dimension")
    for data_type in ("float32", "float16", "int32"):
        case("elements of 1D", data_type, [5], [4, 0, 2], [3, 1])
        case("one element", data_type, [2, 3], [1, 2], [2], note="the updates are a scalar")
        case("one row", data_type, [2, 3], [1], [1])
        case("matrices of 3D", data_type, [3, 2, 2], [2, 0], [2, 1])
        case("rows of 3D", data_type, [2, 2, 3], [1, 0, 0, 1], [2, 2])
        case("elements of 3D", data_type, [2, 2, 3], [1, 0, 2, 0, 1, 1], [2, 3])
        case("rows of 3D by 3D", data_type, [2, 3, 2], [1, 0, 0, 1, 1, 2, 0, 0], [2, 2, 2])
        case("elements of 4D", data_type, [2, 1, 2, 3], [1, 0, 1, 2, 0, 0, 0, 1], [2, 4])
        case("elements of 5D", data_type, [1, 2, 1, 2, 3], [0, 1, 0, 1, 2, 0, 0, 0, 1, 1], [2, 5])
        case("elements of 2D by 5D", data_type, [2, 3], [1, 2, 0, 1], [1, 2, 1, 1, 2])
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [5, 4, 3, 2, 1, 0], [6, 1], updates=SPECIAL)
    case("constants", "float32", [3, 2], [2, 0], [2, 1], constants=("input", "indices", "updates"))
    case("one place twice", "float32", [3], [1, 1], [2, 1], implementationDefined="Which of two updates of one place stays is left open; here it is the last.")
    case("indices out of range", "float32", [2, 3], [2, 0, 1, -4], [2, 2], implementationDefined=OUT_OF_RANGE)

    def refused(name, step, input=("float32", [2, 3]), indices=("int32", [4, 1]), updates=("float32", [4, 3])):
        s.throws(f"scatterND {name}", "scatterND", {"input": tensor(*input, 1), "indices": tensor(*indices, 1), "updates": tensor(*updates, 1)},
                 {"input": "input", "indices": "indices", "updates": "updates"}, ALGORITHM, step)

    for data_type in ("float32", "uint64", "int8", "uint8"):
        refused(f"with indices of {data_type}", "3", indices=(data_type, [4, 1]))
    refused("with updates of another type", "4", updates=("int32", [4, 3]))
    refused("of a scalar", "5", ("float32", []), ("int32", [1]), ("float32", []))
    refused("with scalar indices", "5", indices=("int32", []))
    refused("with coordinates longer than the rank", "10", indices=("int32", [4, 3]), updates=("float32", [4]))
    refused("with updates of another shape", "14", updates=("float32", [4, 2]))
    refused("with updates of fewer coordinates", "14", updates=("float32", [3, 3]))
    refused("with updates that would broadcast", "14", updates=("float32", [3]))
    refused("with updates of elements for rows", "14", updates=("float32", [4]))
    names = {"input": ("float32", [2]), "indices": ("int32", [1, 1]), "updates": ("float32", [1])}
    s.refusals("scatterND", {key: key for key in names}, names, (ALGORITHM, "1"), {key: (ALGORITHM, "2") for key in names})
    return s
