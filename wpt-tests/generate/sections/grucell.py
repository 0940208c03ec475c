"""gruCell."""

from sections.networks import BATCH, HIDDEN, INPUT, Network
from vector import MPMATH, Section, method

ALGORITHM = method("gruCell(input, weight, recurrentWeight, hiddenState, hiddenSize, options)")
BOTH = ("bias", "recurrentBias")


def shapes(batch=BATCH, inputs=INPUT, hidden=HIDDEN):
    return {"input": [batch, inputs], "weight": [3 * hidden, inputs], "recurrentWeight": [3 * hidden, hidden], "hiddenState": [batch, hidden],
            "bias": [3 * hidden], "recurrentBias": [3 * hidden]}


def section():
    n = Network(Section("grucell", MPMATH), "gruCell", ALGORITHM, shapes, BOTH, ["sigmoid", "tanh"])
    for data_type in ("float32", "float16"):
        n.case("default options", data_type)
        n.case("options.bias", data_type, ("bias",))
        n.case("options.recurrentBias", data_type, ("recurrentBias",))
        n.case("both biases", data_type, BOTH)
        n.case("options.resetAfter false", data_type, resetAfter=False)
        n.case("options.resetAfter false and both biases", data_type, BOTH, resetAfter=False)
        n.case("options.resetAfter true", data_type, BOTH, resetAfter=True)
        n.case("options.layout rzn", data_type, BOTH, layout="rzn")
        n.case("options.layout zrn", data_type, BOTH, layout="zrn")
        n.case("options.layout rzn and options.resetAfter false", data_type, BOTH, layout="rzn", resetAfter=False)
        n.case("options.activations sigmoid and relu", data_type, BOTH, activations=["sigmoid", "relu"])
        n.case("options.activations tanh and sigmoid", data_type, BOTH, activations=["tanh", "sigmoid"])
        n.case("all options", data_type, BOTH, resetAfter=False, layout="rzn", activations=["tanh", "tanh"], label="everything")
    # with relu and halves, every partial sum is exact in float32
    for layout in ("zrn", "rzn"):
        for after in (True, False):
            n.case(f"of exact values, {layout}, resetAfter {str(after).lower()}", "float32", BOTH, True, 3, layout=layout, resetAfter=after,
                   activations=["relu", "relu"])
    n.case("of exact values, default layout", "float32", BOTH, True, 5, activations=["relu", "relu"])
    n.case("of one unit", "float32", BOTH, sizes={"hidden": 1})
    n.case("of as many units as inputs", "float32", BOTH, sizes={"hidden": 3, "inputs": 3, "batch": 3})
    n.case("of one sample and one input", "float32", sizes={"batch": 1, "inputs": 1, "hidden": 3})
    n.case("constant weights", "float32", BOTH, constants=("weight", "recurrentWeight", *BOTH))

    n.wrong_types_and_ranks("3", "4")
    n.refused("with a weight of another input size", "7", {"weight": ("float32", [3 * HIDDEN, INPUT + 1])})
    n.refused("with a weight of two gates", "7", {"weight": ("float32", [2 * HIDDEN, INPUT])})
    n.refused("with a hiddenSize of zero", "7", hidden_size=0)
    n.refused("with a hiddenSize that overflows when it is multiplied", "7", {"weight": ("float32", [2, INPUT])}, hidden_size=1431655766)
    n.refused("with a recurrentWeight of another size", "8", {"recurrentWeight": ("float32", [3 * HIDDEN, INPUT])})
    n.refused("with a hiddenState of another batch size", "9", {"hiddenState": ("float32", [BATCH + 1, HIDDEN])})
    n.refused("with a hiddenState of another size", "9", {"hiddenState": ("float32", [BATCH, HIDDEN + 1])})
    n.wrong_options(11)
    return n.refusals()
