"""split."""

from scene import builder, context, type_error
from sections.movement import SPECIAL, VALUES
from vector import EXACT, Section, input_step, method, size, step, tensor

ALGORITHM = method("split(input, splits, options)")
SHARED = {"issue": "split-shared-descriptor", "outcome": "throws"}


def outputs_of(splits):
    return [f"output{index}" for index in range(len(splits) if isinstance(splits, list) else splits)]


def section():
    s = Section("split", EXACT)

    def case(name, data_type, shape, splits, axis=None, data=None, constant=False, label=None, **members):
        data = data if data is not None else list(range(1, 1 + size(shape)))
        options = {**({} if axis is None else {"axis": axis}), **({} if label is None else {"label": label})}
        if splits != 1 and len(outputs_of(splits)) > 1:
            members.setdefault("literal", SHARED)
        s.case(f"split {data_type} {name}", "split", {"input": tensor(data_type, shape, data, constant)},
               {"input": "input", "splits": splits, **({"options": options} if options else {})}, output=outputs_of(splits), **members)

    for data_type, values in VALUES.items():
        case("2D in three", data_type, [3, 4], 3, data=values)
        case("2D in two, options.axis 1", data_type, [3, 4], 2, 1, values)
        case("2D by sizes, options.axis 1", data_type, [3, 4], [1, 3], 1, values)
    for data_type in ("float32", "float16", "int32"):
        case("1D in two", data_type, [6], 2)
        case("1D by sizes", data_type, [6], [1, 3, 2])
        case("3D in two, options.axis 1", data_type, [2, 4, 2], 2, 1)
        case("4D by sizes, options.axis 3", data_type, [1, 2, 2, 3], [2, 1], 3)
        case("5D by sizes, options.axis 2", data_type, [1, 2, 4, 1, 2], [1, 2, 1], 2)
        case("5D in two, options.axis 4", data_type, [2, 1, 2, 1, 2], 2, 4)
    for data_type in ("float32", "float16"):
        case("special values", data_type, [6], [2, 4], data=SPECIAL)
    case("in one", "float32", [2, 3], 1)
    case("by one size", "float32", [2, 3], [3], 1)
    case("into single elements", "float32", [4], 4)
    case("by equal sizes", "float32", [4, 2], [2, 2])
    case("options.axis 0", "float32", [2, 3], 2, 0)
    case("of a constant", "float32", [4], 2, constant=True)
    case("options.label", "float32", [4], [3, 1], label="parts")
    s.graph("split float32 of which one output is used", {"input": tensor("float32", [6], [1, -2, 3, -4, 5, -6])},
            [("split", {"input": "input", "splits": [1, 2, 3]}, ["a", "b", "c"]), ("neg", {"input": "b"}, "output")], literal=SHARED,
            tolerance={"metricType": "ULP", "value": 0})
    s.graph("split float32 put together in another order", {"input": tensor("float32", [2, 3], [1, 2, 3, 4, 5, 6])},
            [("split", {"input": "input", "splits": [1, 2], "options": {"axis": 1}}, ["a", "b"]),
             ("concat", {"inputs": ["b", "a"], "axis": 1}, "output")], literal=SHARED)
    s.graph("split float32 leaves its input alone", {"input": tensor("float32", [4], [1, -2, 3, -4])},
            [("split", {"input": "input", "splits": 2}, ["a", "b"]), ("abs", {"input": "input"}, "whole")], expect=["a", "b", "whole"],
            tolerance={"metricType": "ULP", "value": 0}, literal=SHARED, note="under the text as written, the input's own shape changes")

    def refused(name, step_, splits, shape=(2, 6), axis=1):
        s.throws(f"split {name}", "split", {"input": tensor("float32", list(shape), 1)}, {"input": "input", "splits": splits, "options": {"axis": axis}},
                 ALGORITHM, step_, output=["output0", "output1"])

    refused("with an axis equal to the rank", "4", 2, axis=2)
    refused("of a scalar", "4", 1, (), 0)
    refused("in none", "5.1", 0)
    refused("in more than 8192", "5.1", 8193, (1, 8193))
    refused("in a number that does not divide", "5.2", 4)
    refused("in more than there is", "5.2", 12)
    refused("by no sizes", "6.1", [])
    refused("by a size of zero", "6.2", [6, 0])
    refused("by sizes that are too small", "6.3", [2, 3])
    refused("by sizes that are too large", "6.3", [4, 4])
    refused("by sizes of another axis", "6.3", [2, 4], axis=0)
    refused("by sizes that overflow together", "6.3", [4294967295, 7])
    start = [context(), builder(), input_step("builder", "x", "float32", [8193])]
    s.scenario("split by more than 8192 sizes", start + [
        step(None, "builder", "split", input="x", splits=[1] * 8193, throws=type_error(ALGORITHM, "6.1"))])
    s.refusals("split", {"input": "input", "splits": 2}, {"input": ("float32", [2])}, (ALGORITHM, "1"), {"input": (ALGORITHM, "2")})
    return s
