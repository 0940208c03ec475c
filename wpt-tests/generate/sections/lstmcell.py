"""lstmCell."""

from sections.networks import BATCH, HIDDEN, INPUT, Network
from vector import MPMATH, Section, method

ALGORITHM = method("lstmCell(input, weight, recurrentWeight, hiddenState, cellState, hiddenSize, options)")
ALL = ("bias", "recurrentBias", "peepholeWeight")
RELU = ["relu", "relu", "relu"]


def shapes(batch=BATCH, inputs=INPUT, hidden=HIDDEN):
    return {"input": [batch, inputs], "weight": [4 * hidden, inputs], "recurrentWeight": [4 * hidden, hidden], "hiddenState": [batch, hidden],
            "cellState": [batch, hidden], "bias": [4 * hidden], "recurrentBias": [4 * hidden], "peepholeWeight": [3 * hidden]}


def section():
    n = Network(Section("lstmcell", MPMATH), "lstmCell", ALGORITHM, shapes, ALL, ["sigmoid", "tanh", "tanh"])
    for data_type in ("float32", "float16"):
        n.case("default options", data_type)
        for name in ALL:
            n.case(f"options.{name}", data_type, (name,))
        n.case("every operand", data_type, ALL)
        n.case("options.layout iofg", data_type, ALL, layout="iofg")
        n.case("options.layout ifgo", data_type, ALL, layout="ifgo")
        n.case("options.layout ifgo without peepholes", data_type, ALL[:2], layout="ifgo")
        n.case("options.activations tanh, sigmoid, relu", data_type, ALL, activations=["tanh", "sigmoid", "relu"])
        n.case("options.activations relu, tanh, sigmoid", data_type, ALL, activations=["relu", "tanh", "sigmoid"])
        n.case("options.activations sigmoid, relu, tanh", data_type, ALL, activations=["sigmoid", "relu", "tanh"])
        n.case("all options", data_type, ALL, layout="ifgo", activations=["sigmoid", "sigmoid", "tanh"], label="everything")
    # with relu and halves, every partial sum is exact in float32
    for layout in ("iofg", "ifgo"):
        n.case(f"of exact values, {layout}", "float32", ALL, True, 3, layout=layout, activations=RELU)
    for name in ALL:
        n.case(f"of exact values, options.{name}", "float32", (name,), True, 5, activations=RELU)
    n.case("of exact values, without options", "float32", (), True, 6, activations=RELU)
    n.case("of one unit", "float32", ALL, sizes={"hidden": 1})
    n.case("of as many units as inputs", "float32", ALL, sizes={"hidden": 3, "inputs": 3, "batch": 3})
    n.case("of one sample and one input", "float32", sizes={"batch": 1, "inputs": 1, "hidden": 3})
    n.case("constant weights", "float32", ALL, constants=("weight", "recurrentWeight", *ALL))

    n.wrong_types_and_ranks("3", "4")
    n.refused("with a weight of another input size", "7", {"weight": ("float32", [4 * HIDDEN, INPUT + 1])})
    n.refused("with a weight of three gates", "7", {"weight": ("float32", [3 * HIDDEN, INPUT])})
    n.refused("with a hiddenSize of zero", "7", hidden_size=0)
    n.refused("with a hiddenSize that overflows when it is multiplied", "7", {"weight": ("float32", [4, INPUT])}, hidden_size=1073741825)
    n.refused("with a recurrentWeight of another size", "8", {"recurrentWeight": ("float32", [4 * HIDDEN, INPUT])})
    n.refused("with a hiddenState of another batch size", "9", {"hiddenState": ("float32", [BATCH + 1, HIDDEN])})
    n.refused("with a cellState of another batch size", "10", {"cellState": ("float32", [BATCH + 1, HIDDEN])})
    n.refused("with a cellState of another size", "10", {"cellState": ("float32", [BATCH, HIDDEN + 1])})
    n.wrong_options(12)
    n.refused("with a peepholeWeight of four gates", "14.2", {"peepholeWeight": ("float32", [4 * HIDDEN])})
    return n.refusals()
