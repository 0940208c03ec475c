"""scatterElements."""

from sections.indices import INDEX_TYPES, OUT_OF_RANGE
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("scatterElements(input, indices, updates, options)")


def section():
    s = Section("scatterelements", EXACT)

    def case(name, data_type, shape, indices, index_shape, axis=None, index_type="int32", data=None, updates=None, constants=(), options=None, **members):
        data = data if data is not None else [x + 0.5 if data_type.startswith("f") else x for x in range(size(shape))]
        updates = updates if updates is not None else [100 + x for x in range(size(index_shape))]
        options = {**({} if axis is None else {"axis": axis}), **(options or {})}
        s.case(f"scatterElements {data_type} {name}", "scatterElements", {
            "input": tensor(data_type, shape, data, "input" in constants), "indices": tensor(index_type, index_shape, indices, "indices" in constants),
            "updates": tensor(data_type, index_shape, updates, "updates" in constants)},
            {"input": "input", "indices": "indices", "updates": "updates", **({"options": options} if options else {})}, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [4, 3], [3, 1, 1, 2, 0, 3], [2, 3], data=values, updates=values[::-1][:6])
        case("2D options.axis 1", data_type, [3, 4], [2, 1, 0, 3, 3, 0], [3, 2], 1, data=values, updates=values[::-1][:6])
    for index_type in INDEX_TYPES:
        case(f"indices of {index_type}", "float32", [2, 3], [2, 0, 0, 1], [2, 2], 1, index_type)
    for index_type in ("int32", "int64"):
        case(f"negative indices of {index_type}", "float32", [3, 2], [-1, -3, 1, -2], [2, 2], 0, index_type, note="counted from the end")
    for data_type in ("float32", "float16", "int32"):
        case("1D", data_type, [4], [3, 0, 2], [3])
        case("3D options.axis 0", data_type, [4, 2, 2], [0, 2, 1, 3], [1, 2, 2], 0)
        case("3D options.axis 1", data_type, [2, 3, 2], [2, 0, 1, 1, 0, 2, 2, 1], [2, 2, 2], 1)
        case("4D options.axis 3", data_type, [1, 2, 2, 3], [2, 0, 1, 1], [1, 2, 2, 1], 3)
        case("5D options.axis 1", data_type, [1, 3, 1, 2, 2], [2, 0, 1, 1], [1, 1, 1, 2, 2], 1)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [5, 4, 3, 2, 1, 0], [6], updates=SPECIAL)
        case("special values of the input", data_type, [6], [5], [1], data=SPECIAL)
    case("indices of the input's shape", "float32", [2, 2], [1, 0, 0, 1], [2, 2], 1)
    case("constants", "float32", [3, 2], [2, 0], [1, 2], constants=("input", "indices", "updates"))
    case("options.label", "float32", [3], [2], [1], options={"label": "scattered"})
    case("one place twice", "float32", [3], [1, 1], [2], implementationDefined="Which of two updates of one place stays is left open; here it is the last.")
    case("indices out of range", "float32", [4], [5, -6], [2], implementationDefined=OUT_OF_RANGE)

    def refused(name, step, input=("float32", [2, 3]), indices=("int32", [2, 3]), updates=None, axis=None):
        updates = updates or (input[0], indices[1])
        options = {} if axis is None else {"options": {"axis": axis}}
        s.throws(f"scatterElements {name}", "scatterElements",
                 {"input": tensor(*input, 1), "indices": tensor(*indices, 1), "updates": tensor(*updates, 1)},
                 {"input": "input", "indices": "indices", "updates": "updates", **options}, ALGORITHM, step)

    for data_type in ("float32", "uint64", "int8", "uint8"):
        refused(f"with indices of {data_type}", "3", indices=(data_type, [2, 3]))
    refused("with updates of another type", "4", updates=("float16", [2, 3]))
    refused("of a scalar", "5", ("float32", []), ("int32", []))
    refused("with indices and updates of a lower rank", "5", indices=("int32", [3]))
    refused("with indices of a higher rank", "5", indices=("int32", [1, 2, 3]), updates=("float32", [2, 3]))
    refused("with updates of another rank", "5", updates=("float32", [6]))
    refused("with an axis equal to the rank", "7", axis=2)
    refused("with indices of another size beside the axis", "10", indices=("int32", [1, 2]))
    refused("with indices that would broadcast", "10", indices=("int32", [2, 1]))
    refused("with indices of another size beside options.axis", "10", indices=("int32", [1, 3]), axis=1)
    refused("with updates of another shape than the indices", "11", indices=("int32", [1, 3]), updates=("float32", [2, 3]))
    refused("with updates that would broadcast", "11", updates=("float32", [1, 3]))
    names = {"input": ("float32", [2]), "indices": ("int32", [1]), "updates": ("float32", [1])}
    s.refusals("scatterElements", {key: key for key in names}, names, (ALGORITHM, "1"), {key: (ALGORITHM, "2") for key in names})
    return s
