"""gelu."""

from sections.activation import OPEN, Activation, inf, nan


def section():
    a = Activation("gelu")
    a.common([-2, -1.75, -1.5, -1.25, -1, -0.8, -0.6, -0.4, -0.2, 0, 0.2, 0.5, 1, 1.5, 2.5, 4])
    a.special([0.0, -0.0, inf, nan])
    for data_type in ("float32", "float16"):
        a.case("large values", data_type, [4], [6, 10, 100, 60000])
        a.case("small values", data_type, [4], [0.0001, -0.0001, 0.001, -0.002])
        a.case("negative tail", data_type, [4], [-3, -3.5, -4, -4.5], implementationDefined=OPEN.format("loses the digits of 1 + erf()"))
    a.case("far negative tail", "float32", [5], [-5.5, -6, -8, -12, -14], implementationDefined=OPEN.format("loses the digits of 1 + erf()"))
    a.case("negative values that end in zero", "float32", [3], [-20, -100, -3.4028235e38])
    a.case("the tanh approximation is no gelu", "float32", [4], [-1.9, -0.75, 1.1, 2.2], note="it differs by up to 0.0005")
    a.case("subnormal", "float32", [3], [1e-45, -1e-40, 5.877472e-39])
    return a.refusals()
