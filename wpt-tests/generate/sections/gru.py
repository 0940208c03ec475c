"""gru."""

from sections.networks import BATCH, HIDDEN, INPUT, Network
from vector import MPMATH, Section, method, tensor

ALGORITHM = method("gru(input, weight, recurrentWeight, steps, hiddenSize, options)")
BOTH = ("bias", "recurrentBias")
ALL = BOTH + ("initialHiddenState",)


def shapes(steps=2, batch=BATCH, inputs=INPUT, hidden=HIDDEN, directions=1):
    return {"input": [steps, batch, inputs], "weight": [directions, 3 * hidden, inputs], "recurrentWeight": [directions, 3 * hidden, hidden],
            "bias": [directions, 3 * hidden], "recurrentBias": [directions, 3 * hidden], "initialHiddenState": [directions, batch, hidden]}


def section():
    s = Section("gru", MPMATH)
    n = Network(s, "gru", ALGORITHM, shapes, ALL, ["sigmoid", "tanh"])
    two = {"directions": 2}
    for data_type in ("float32", "float16"):
        n.case("default options", data_type)
        n.case("of one step", data_type, ALL, sizes={"steps": 1})
        n.case("options.bias", data_type, ("bias",))
        n.case("options.recurrentBias", data_type, ("recurrentBias",))
        n.case("options.initialHiddenState", data_type, ("initialHiddenState",))
        n.case("options.resetAfter false", data_type, ALL, resetAfter=False)
        n.case("options.returnSequence", data_type, ALL, returnSequence=True)
        n.case("options.returnSequence false", data_type, ALL, returnSequence=False)
        n.case("options.direction forward", data_type, ALL, direction="forward", returnSequence=True)
        n.case("options.direction backward", data_type, ALL, direction="backward")
        n.case("options.direction backward and returnSequence", data_type, ALL, direction="backward", returnSequence=True,
               members={"note": "the sequence is in the order of the input"})
        n.case("options.direction both", data_type, ALL, sizes=two, direction="both")
        n.case("options.direction both and returnSequence", data_type, ALL, sizes=two, direction="both", returnSequence=True)
        n.case("options.direction both without options", data_type, sizes=two, direction="both", returnSequence=True)
        n.case("options.layout rzn", data_type, ALL, layout="rzn")
        n.case("options.activations relu and sigmoid", data_type, ALL, True, sizes={"steps": 1}, activations=["relu", "sigmoid"])
        n.case("options.activations sigmoid and relu", data_type, ALL, activations=["sigmoid", "relu"])
        n.case("all options", data_type, ALL, sizes=two, resetAfter=False, returnSequence=True, direction="both", layout="rzn",
               activations=["tanh", "sigmoid"], label="everything")
    # with relu and halves, every partial sum of the first step is exact in float32
    for direction in ("forward", "backward"):
        n.case(f"of exact values, {direction}", "float32", ALL, True, 2, {"steps": 1}, activations=["relu", "relu"], direction=direction)
    n.case("of exact values, both", "float32", ALL, True, 3, {"steps": 1, "directions": 2}, activations=["relu", "relu"], direction="both")
    n.case("of exact values, resetAfter false", "float32", ALL, True, 4, {"steps": 1}, activations=["relu", "relu"], resetAfter=False)
    n.case("of three steps", "float32", ALL, sizes={"steps": 3, "batch": 1}, returnSequence=True)
    n.case("of three steps, both", "float32", ALL, sizes={"steps": 3, "batch": 1, "directions": 2, "inputs": 1}, direction="both", returnSequence=True)
    n.case("of as many units as inputs", "float32", ALL, sizes={"hidden": 2, "inputs": 2, "batch": 2, "steps": 2}, returnSequence=True)
    n.case("of one unit", "float32", ALL, sizes={"hidden": 1, "inputs": 1, "batch": 1})
    n.case("constant weights", "float32", ALL, constants=("weight", "recurrentWeight", *BOTH))

    n.wrong_types_and_ranks("3", "4")
    n.refused("with steps that the input has not", "5", steps=3)
    n.refused("with no steps", "5", steps=0)
    n.refused("with a weight of another input size", "9", {"weight": ("float32", [1, 3 * HIDDEN, INPUT + 1])})
    n.refused("with a weight of two directions", "9", {"weight": ("float32", [2, 3 * HIDDEN, INPUT])})
    n.refused("with a weight of one direction for both", "9", direction="both")
    n.refused("with a hiddenSize of zero", "9", hidden_size=0)
    n.refused("with a hiddenSize that overflows when it is multiplied", "9", {"weight": ("float32", [1, 2, INPUT])}, hidden_size=1431655766)
    n.refused("with a recurrentWeight of another size", "10", {"recurrentWeight": ("float32", [1, 3 * HIDDEN, INPUT])})
    n.refused("with a recurrentWeight of one direction for both", "10", {"weight": ("float32", [2, 3 * HIDDEN, INPUT])}, direction="both")
    n.wrong_options(12)
    n.refused("with a bias of one direction for both", "12.2", {**{key: ("float32", shapes(directions=2)[key]) for key in ("weight", "recurrentWeight")},
                                                               "bias": ("float32", [1, 3 * HIDDEN])}, direction="both")
    n.refused("with an initialHiddenState of another batch size", "14.2", {"initialHiddenState": ("float32", [1, BATCH + 1, HIDDEN])})
    sequence_too_large(s)
    return n.refusals()


def sequence_too_large(s):
    """The sequence has steps * directions * batch * units elements, more than any operand."""
    inputs = {"input": tensor("float32", [2097152, 1, 1], 1), "weight": tensor("float32", [1, 3072, 1], 1),
              "recurrentWeight": tensor("float32", [1, 3072, 1024], 1)}
    s.throws("gru with a sequence of too many elements", "gru", inputs,
             {**{key: key for key in inputs}, "steps": 2097152, "hiddenSize": 1024, "options": {"returnSequence": True}}, None, None,
             output=["output0", "output1"], literal={"issue": "output-size-unchecked", "outcome": "passes"},
             note="the specification has no step that checks the size of this output")
