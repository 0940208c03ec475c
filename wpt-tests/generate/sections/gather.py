"""gather."""

from sections.indices import INDEX_TYPES, OUT_OF_RANGE, SIZE, UNCHECKED
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, method, size, tensor

ALGORITHM = method("gather(input, indices, options)")


def section():
    s = Section("gather", EXACT)

    def case(name, data_type, shape, indices, index_shape, axis=None, index_type="int32", data=None, constants=(), options=None, **members):
        data = data if data is not None else [x + 0.5 if data_type.startswith("f") else x for x in range(size(shape))]
        options = {**({} if axis is None else {"axis": axis}), **(options or {})}
        # under the text as written, no dimension behind the axis gets to the output
        if (axis or 0) < len(shape) - 1:
            members.setdefault("literal", {"issue": "gather-dimensions-after-axis", "outcome": "differs"})
        s.case(f"gather {data_type} {name}", "gather", {
            "input": tensor(data_type, shape, data, "input" in constants), "indices": tensor(index_type, index_shape, indices, "indices" in constants)},
            {"input": "input", "indices": "indices", **({"options": options} if options else {})}, **members)

    for data_type, values in VALUES.items():
        case("2D default options", data_type, [4, 3], [3, 1], [2], data=values)
        case("2D options.axis 1", data_type, [3, 4], [2, 1, 1], [3], 1, data=values)
        case("1D", data_type, [12], [11, 0, 2, 2], [4], data=values)
    for index_type in INDEX_TYPES:
        case(f"indices of {index_type}", "float32", [3, 4], [2, 0, 1, 3], [2, 2], 1, index_type)
        case(f"indices of {index_type}, scalar", "float32", [5], [3], [], 0, index_type)
    for index_type in ("int32", "int64"):
        case(f"negative indices of {index_type}", "float32", [4, 2], [-1, -4, 3, -2], [4], 0, index_type, note="counted from the end")
    for data_type in ("float32", "float16"):
        case("1D by scalar", data_type, [4], [2], [], note="the output is a scalar")
        case("2D by scalar", data_type, [2, 3], [1], [])
        case("2D by scalar, options.axis 1", data_type, [2, 3], [1], [], 1)
        case("1D by 5D", data_type, [3], [2, 0, 1, 1], [1, 2, 1, 2, 1])
        case("2D by 2D, options.axis 0", data_type, [3, 2], [2, 0, 1, 1], [2, 2], 0)
        case("3D by 2D, options.axis 1", data_type, [2, 3, 2], [2, 0, 1, 1, 0, 2], [3, 2], 1, note="the shape of the indices stands where the axis stood")
        case("3D by 1D, options.axis 2", data_type, [2, 2, 3], [2, 0], [2], 2)
        case("4D by 2D, options.axis 1", data_type, [1, 3, 2, 2], [2, 0], [1, 2], 1)
        case("5D by 1D, options.axis 3", data_type, [1, 2, 1, 3, 2], [2, 2, 0], [3], 3)
        case("5D by scalar, options.axis 0", data_type, [2, 1, 2, 1, 2], [1], [], 0)
        case("special values", data_type, [6], [5, 4, 3, 2, 1, 0], [6], data=SPECIAL)
    case("more indices than elements", "float32", [2], [0, 1, 1, 0, 0, 1, 0], [7])
    case("constant indices", "float32", [3, 2], [2, 0], [2], constants=("indices",))
    case("constant input", "float32", [3, 2], [2, 0], [2], constants=("input",), note="an embedding")
    case("options.label", "float32", [3], [2], [1], options={"label": "embedding"})
    case("subnormal", "float32", [2], [1, 0], [2], data=[1e-45, -1e-40])
    case("indices out of range", "float32", [3, 2], [3, -4, 100, -100, 2147483647, -2147483648], [6], implementationDefined=OUT_OF_RANGE)
    case("indices out of range of int32", "float32", [3], [4294967296, -9223372036854775808, 9223372036854775807, 1], [4], 0, "int64",
         implementationDefined=OUT_OF_RANGE)
    case("indices out of range of int32", "float16", [3], [4294967295, 2147483648, 1], [3], 0, "uint32", implementationDefined=OUT_OF_RANGE)

    def refused(name, step, input=("float32", [2, 3]), indices=("int32", [2]), axis=None, **members):
        options = {} if axis is None else {"options": {"axis": axis}}
        s.throws(f"gather {name}", "gather", {"input": tensor(*input, 1), "indices": tensor(*indices, 1)},
                 {"input": "input", "indices": "indices", **options}, ALGORITHM if step else None, step, **members)

    for data_type in ("float32", "float16", "uint64", "int8", "uint8"):
        refused(f"with indices of {data_type}", "3", indices=(data_type, [2]))
    refused("with an axis equal to the rank", "7", axis=2)
    refused("with an axis above the rank", "7", axis=5)
    refused("of a scalar", "7", ("float32", []))
    refused("with an output of too many elements", None, ("float32", [1, 65536]), ("int32", [65536]), 0, note=UNCHECKED, literal=SIZE)
    s.refusals("gather", {"input": "input", "indices": "indices"}, {"input": ("float32", [2]), "indices": ("int32", [1])}, (ALGORITHM, "1"),
               {"input": (ALGORITHM, "2"), "indices": (ALGORITHM, "2")})
    return s
