"""Operators on tensors of rank 6, 7 and 8."""

from sections.gatherelements import SHAPE
from sections.quantizelinear import not_an_input
from vector import EXACT, MPMATH, Section, randoms, size, tensor

TRANSPOSED = {"issue": "transpose-shape", "outcome": "differs"}
GATHERED = {"issue": "gather-dimensions-after-axis", "outcome": "differs"}
SHARED = {"issue": "split-shared-descriptor", "outcome": "throws"}

# with dimensions of one at the ends and in between
SHAPES = {6: [2, 1, 3, 2, 1, 2], 7: [1, 2, 2, 1, 3, 1, 2], 8: [2, 1, 2, 3, 1, 2, 1, 2]}
# what such a tensor can be broadcast from: each keeps other dimensions
PARTS = {6: [3, 1, 1, 2], 7: [2, 1, 1, 3, 1, 1], 8: [2, 1, 1, 1, 1, 2, 1, 1]}
PERMUTATIONS = {6: [3, 5, 0, 4, 2, 1], 7: [4, 0, 6, 2, 5, 1, 3], 8: [5, 0, 3, 7, 2, 6, 1, 4]}
# of 8 and of 16 bits too, of which several share a word
DATA_TYPES = {6: ("float32",), 7: ("float16",), 8: ("float32", "int8")}
FLOATS = {6: "float32", 7: "float16", 8: "float32"}


def counted(data_type, shape, start=1):
    """Numbers that tell every element from every other."""
    return tensor(data_type, shape, [start + index for index in range(size(shape))])


def section():
    s = Section("ranks", EXACT)
    for rank, shape in SHAPES.items():
        moved(s, rank, shape)
        broadcast(s, rank, shape)
        indexed(s, rank, shape)
        along_axes(s, rank, shape)
    return s


def named(rank, data_type, name=""):
    return f"{data_type} {rank}D{' ' if name else ''}{name}"


def moved(s, rank, shape):
    axes = range(rank)
    for data_type in DATA_TYPES[rank]:
        def case(operator, arguments, name="", **members):
            s.case(f"{operator} {named(rank, data_type, name)}", operator, {"input": counted(data_type, shape)}, {"input": "input", **arguments}, **members)

        case("transpose", {}, literal=TRANSPOSED if shape != shape[::-1] else None)
        case("transpose", {"options": {"permutation": PERMUTATIONS[rank]}}, "options.permutation", literal=TRANSPOSED)
        case("slice", {"starts": [size // 2 for size in shape], "sizes": [size - size // 2 for size in shape]})
        case("slice", {"starts": [0] * rank, "sizes": shape, "options": {"strides": [2 if axis % 2 else 1 for axis in axes]}}, "options.strides")
        case("pad", {"beginningPadding": [axis % 2 for axis in axes], "endingPadding": [int(axis == rank - 2) for axis in axes],
                     "options": {"value": 7}})
        case("pad", {"beginningPadding": [int(axis in (0, rank - 1)) for axis in axes], "endingPadding": [axis % 2 for axis in axes],
                     "options": {"mode": "edge"}}, "edge")
        case("tile", {"repetitions": [2 if axis in (1, rank - 1) else 1 for axis in axes]})
        case("reverse", {"options": {"axes": [axis for axis in axes if axis % 2 or shape[axis] == 3]}})
        case("reshape", {"newShape": [shape[0], *shape[:0:-1]]})
        case("expand", {"newShape": [3 if size == 1 else size for size in shape]})
        case("split", {"splits": 2, "options": {"axis": shape.index(2)}}, output=["output0", "output1"], literal=SHARED)
        s.case(f"concat {named(rank, data_type)}", "concat", {"a": counted(data_type, shape), "b": counted(data_type, shape, -50)},
               {"inputs": ["a", "b"], "axis": rank - 2})
    s.case(f"triangular {named(rank, 'float32')}", "triangular", {"input": counted("float32", shape)})
    s.case(f"identity {named(rank, 'uint8')}", "identity", {"input": counted("uint8", shape)})


def broadcast(s, rank, shape):
    for data_type in (FLOATS[rank], "int32"):
        operands = {"a": counted(data_type, shape), "b": counted(data_type, PARTS[rank], 3)}
        s.case(f"sub {named(rank, data_type, 'with a tensor of lower rank')}", "sub", operands)
        others = {"a": counted(data_type, [size if axis % 2 else 1 for axis, size in enumerate(shape)]),
                  "b": counted(data_type, [1 if axis % 2 else size for axis, size in enumerate(shape)], 20)}
        s.case(f"mul {named(rank, data_type, 'both ways')}", "mul", others)
        s.case(f"lesser {named(rank, data_type)}", "lesser", operands)
    condition = tensor("uint8", shape[1:], [index % 2 for index in range(size(shape[1:]))])
    s.case(f"where {named(rank, 'int32')}", "where", {
        "condition": condition, "trueValue": counted("int32", shape), "falseValue": counted("int32", PARTS[rank], -9)})
    s.case(f"prelu {named(rank, 'float32')}", "prelu", {"input": counted("float32", shape, -15), "slope": counted("float32", PARTS[rank], 2)})
    s.case(f"matmul {named(rank, 'float32')}", "matmul", {
        "a": counted("float32", [*shape[:-2], 2, 3]), "b": counted("float32", [*[1] * (rank - 3), shape[-3], 3, 2], -4)})


def indexed(s, rank, shape):
    axis = shape.index(3)
    for data_type in DATA_TYPES[rank]:
        input = counted(data_type, shape)
        s.case(f"gather {named(rank, data_type)}", "gather", {"input": input, "indices": tensor("int32", [2], [2, 0])},
               {"input": "input", "indices": "indices", "options": {"axis": axis}}, literal=GATHERED)
        picked = [1 if place == axis else size for place, size in enumerate(shape)]
        indices = tensor("int32", picked, [index % 3 for index in range(size(picked))])
        s.case(f"gatherElements {named(rank, data_type)}", "gatherElements", {"input": input, "indices": indices},
               {"input": "input", "indices": "indices", "options": {"axis": axis}}, literal=SHAPE)
        s.case(f"scatterElements {named(rank, data_type)}", "scatterElements",
               {"input": input, "indices": indices, "updates": counted(data_type, picked, -60)},
               {"input": "input", "indices": "indices", "updates": "updates", "options": {"axis": axis}})
        last = [size - 1 for size in shape]
        places = tensor("uint32", [2, rank], last + [0] * rank)
        s.case(f"gatherND {named(rank, data_type, 'elements')}", "gatherND", {"input": input, "indices": places})
        rows = tensor("uint32", [1, rank - 2], last[:-2])
        s.case(f"scatterND {named(rank, data_type, 'matrices')}", "scatterND",
               {"input": input, "indices": rows, "updates": counted(data_type, [1, *shape[-2:]], -60)})


def along_axes(s, rank, shape):
    """Reductions, normalizations and what runs along an axis. The numbers are such that nothing cancels."""
    some = [axis for axis in range(rank) if axis % 3]
    numbers = tensor(FLOATS[rank], shape, randoms(rank, size(shape), 1.1, 3))

    def case(operator, arguments, name="", **members):
        s.case(f"{operator} {named(rank, FLOATS[rank], name)}", operator, {"input": numbers}, {"input": "input", **arguments}, **members)

    for operator in ("reduceSum", "reduceMax"):
        case(operator, {"options": {"axes": some}})
        case(operator, {"options": {"axes": some[::-1][:2], "keepDimensions": True}}, "kept")
    case("reduceL2", {"options": {"axes": some}}, source=MPMATH)
    case("argMax", {"axis": shape.index(3)})
    case("cumulativeSum", {"axis": shape.index(3), "options": {"exclusive": True}})
    case("softmax", {"axis": shape.index(3)}, source=MPMATH)
    case("layerNormalization", {"options": {"axes": [shape.index(3), rank - 1]}}, source=MPMATH)
    scale = tensor("float32", [size if axis % 2 else 1 for axis, size in enumerate(shape)], 0.5, True)
    zero = tensor("int8", scale.shape, 3, True)
    s.case(f"dequantizeLinear {named(rank, 'int8')}", "dequantizeLinear", {"input": counted("int8", shape), "scale": scale, "zeroPoint": zero},
           literal=not_an_input())
    s.case(f"quantizeLinear {named(rank, 'float32')}", "quantizeLinear", {"input": counted("float32", shape), "scale": scale, "zeroPoint": zero},
           literal=not_an_input())
