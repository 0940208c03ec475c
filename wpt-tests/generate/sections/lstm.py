"""lstm."""

from sections.networks import BATCH, HIDDEN, INPUT, Network
from vector import MPMATH, Section, method, tensor

ALGORITHM = method("lstm(input, weight, recurrentWeight, steps, hiddenSize, options)")
WEIGHTS = ("bias", "recurrentBias", "peepholeWeight")
ALL = WEIGHTS + ("initialHiddenState", "initialCellState")
RELU = ["relu", "relu", "relu"]


def shapes(steps=2, batch=BATCH, inputs=INPUT, hidden=HIDDEN, directions=1):
    return {"input": [steps, batch, inputs], "weight": [directions, 4 * hidden, inputs], "recurrentWeight": [directions, 4 * hidden, hidden],
            "bias": [directions, 4 * hidden], "recurrentBias": [directions, 4 * hidden], "peepholeWeight": [directions, 3 * hidden],
            "initialHiddenState": [directions, batch, hidden], "initialCellState": [directions, batch, hidden]}


def section():
    s = Section("lstm", MPMATH)
    n = Network(s, "lstm", ALGORITHM, shapes, ALL, ["sigmoid", "tanh", "tanh"])
    two = {"directions": 2}
    for data_type in ("float32", "float16"):
        n.case("default options", data_type)
        n.case("of one step", data_type, ALL, sizes={"steps": 1})
        for name in ALL:
            n.case(f"options.{name}", data_type, (name,))
        n.case("options.returnSequence", data_type, ALL, returnSequence=True)
        n.case("options.returnSequence false", data_type, ALL, returnSequence=False)
        n.case("options.direction forward", data_type, ALL, direction="forward", returnSequence=True)
        n.case("options.direction backward", data_type, ALL, direction="backward")
        n.case("options.direction backward and returnSequence", data_type, ALL, direction="backward", returnSequence=True,
               members={"note": "the sequence is in the order of the input"})
        n.case("options.direction both", data_type, ALL, sizes=two, direction="both")
        n.case("options.direction both and returnSequence", data_type, ALL, sizes=two, direction="both", returnSequence=True)
        n.case("options.direction both without options", data_type, sizes=two, direction="both", returnSequence=True)
        n.case("options.layout ifgo", data_type, ALL, layout="ifgo")
        n.case("options.layout iofg", data_type, ALL, layout="iofg")
        n.case("options.activations tanh, relu, sigmoid", data_type, ALL, sizes={"steps": 1}, activations=["tanh", "relu", "sigmoid"])
        n.case("all options", data_type, ALL, sizes=two, returnSequence=True, direction="both", layout="ifgo",
               activations=["sigmoid", "sigmoid", "tanh"], label="everything")
    # with relu and halves, every partial sum of the first step is exact in float32
    for direction in ("forward", "backward"):
        n.case(f"of exact values, {direction}", "float32", ALL, True, 2, {"steps": 1}, activations=RELU, direction=direction)
    n.case("of exact values, both", "float32", ALL, True, 3, {"steps": 1, "directions": 2}, activations=RELU, direction="both")
    n.case("of exact values, ifgo", "float32", ALL, True, 4, {"steps": 1}, activations=RELU, layout="ifgo")
    n.case("of three steps", "float32", ALL, sizes={"steps": 3, "batch": 1}, returnSequence=True)
    n.case("of three steps, both", "float32", ALL, sizes={"steps": 3, "batch": 1, "directions": 2, "inputs": 1}, direction="both", returnSequence=True)
    n.case("of as many units as inputs", "float32", ALL, sizes={"hidden": 2, "inputs": 2, "batch": 2, "steps": 2}, returnSequence=True)
    n.case("of one unit", "float32", ALL, sizes={"hidden": 1, "inputs": 1, "batch": 1})
    n.case("constant weights", "float32", ALL, constants=("weight", "recurrentWeight", *WEIGHTS))

    n.wrong_types_and_ranks("4", "5")
    n.refused("with no steps", "6", steps=0)
    n.refused("with steps that the input has not", "7", steps=3)
    n.refused("with a weight of another input size", "10", {"weight": ("float32", [1, 4 * HIDDEN, INPUT + 1])})
    n.refused("with a weight of two directions", "10", {"weight": ("float32", [2, 4 * HIDDEN, INPUT])})
    n.refused("with a weight of one direction for both", "10", direction="both")
    n.refused("with a hiddenSize of zero", "10", hidden_size=0)
    n.refused("with a hiddenSize that overflows when it is multiplied", "10", {"weight": ("float32", [1, 4, INPUT])}, hidden_size=1073741825)
    n.refused("with a recurrentWeight of another size", "11", {"recurrentWeight": ("float32", [1, 4 * HIDDEN, INPUT])})
    n.refused("with a recurrentWeight of one direction for both", "11", {"weight": ("float32", [2, 4 * HIDDEN, INPUT])}, direction="both")
    n.wrong_options(13)
    n.refused("with a peepholeWeight of four gates", "15.2", {"peepholeWeight": ("float32", [1, 4 * HIDDEN])})
    n.refused("with an initialHiddenState of another batch size", "16.2", {"initialHiddenState": ("float32", [1, BATCH + 1, HIDDEN])})
    n.refused("with an initialCellState of another batch size", "17.2", {"initialCellState": ("float32", [1, BATCH + 1, HIDDEN])})
    sequence_too_large(s)
    return n.refusals()


def sequence_too_large(s):
    """The sequence has steps * directions * batch * units elements, more than any operand."""
    inputs = {"input": tensor("float32", [2097152, 1, 1], 1), "weight": tensor("float32", [1, 4096, 1], 1),
              "recurrentWeight": tensor("float32", [1, 4096, 1024], 1)}
    s.throws("lstm with a sequence of too many elements", "lstm", inputs,
             {**{key: key for key in inputs}, "steps": 2097152, "hiddenSize": 1024, "options": {"returnSequence": True}}, None, None,
             output=["output0", "output1", "output2"], literal={"issue": "output-size-unchecked", "outcome": "passes"},
             note="the specification has no step that checks the size of this output")
