"""leakyRelu."""

from sections.activation import ALL, EXACT, Activation


def section():
    a = Activation("leakyRelu", EXACT)
    a.common()
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("options.alpha", data_type, [6], [-3, -1, -0.25, 0, 0.25, 3], {"alpha": 0.375})
        a.case("options.alpha negative", data_type, [4], [-3, -1, 1, 3], {"alpha": -2})
        a.case("options.alpha zero", data_type, [3], [-3, 0, 3], {"alpha": 0})
        a.case("options.alpha above one", data_type, [4], [-3, -1, 1, 3], {"alpha": 2.5}, note="the larger of x and alpha * x would be wrong")
        a.case("large values", data_type, [3], [-60000, 60000, -1000], {"alpha": 0.5})
    a.case("overflow", "float32", [2], [-3e38, 3e38], {"alpha": 100})
    a.case("small results", "float32", [2], [-1e-36, -1e-44], note="the results are subnormal")
    a.case("subnormal", "float32", [3], [1e-45, 1e-40, 5.877472e-39])
    return a.refusals()
