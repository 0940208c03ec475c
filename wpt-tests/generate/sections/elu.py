"""elu."""

from sections.activation import ALL, OPEN, Activation

CANCELS = OPEN.format("loses the digits of small values")


def section():
    a = Activation("elu")
    a.common()
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("options.alpha", data_type, [6], [-3, -1, -0.5, 0, 0.5, 3], {"alpha": 0.5})
        a.case("options.alpha negative", data_type, [4], [-2, -0.5, 0, 2], {"alpha": -1.5})
        a.case("options.alpha zero", data_type, [4], [-2, -0.5, 0, 2], {"alpha": 0})
        a.case("options.alpha that is rounded to the type", data_type, [2], [-1, 1], {"alpha": 1.0003})
        a.case("large values", data_type, [4], [-1000, -30, 1000, 60000], {"alpha": 2})
        a.case("small values", data_type, [4], [-0.0001, -0.001, 0.0001, -0.01], implementationDefined=CANCELS)
    a.case("options.alpha beyond the range of the type", "float32", [2], [-2, 1], {"alpha": 1e39}, note="alpha becomes Infinity")
    a.case("the largest values", "float32", [3], [3.4028235e38, -3.4028235e38, 100])
    a.case("tiny values", "float32", [4], [-1e-20, 1e-20, -1e-38, -3e-8], implementationDefined=CANCELS)
    a.case("subnormal", "float32", [3], [1e-45, 1e-40, 5.877472e-39])
    return a.refusals()
