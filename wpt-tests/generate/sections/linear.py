"""linear."""

from sections.activation import ALL, EXACT, Activation


def section():
    a = Activation("linear", EXACT)
    a.common()
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("options.alpha", data_type, [6], [-3, -1, -0.25, 0, 0.25, 3], {"alpha": 0.375})
        a.case("options.beta", data_type, [6], [-3, -1, -0.25, 0, 0.25, 3], {"beta": -1.5})
        a.case("options.alpha negative", data_type, [4], [-3, -1, 1, 3], {"alpha": -2})
        a.case("options.alpha zero", data_type, [3], [-3, 0, 3], {"alpha": 0, "beta": 0.75})
        a.case("all options", data_type, [4], [-2, -0.5, 0.5, 2], {"alpha": 2.5, "beta": 0.75, "label": "everything"})
        a.case("special values and options", data_type, [5], ALL, {"alpha": -2, "beta": 3})
    a.case("overflow", "float32", [2], [3e38, -3e38], {"alpha": 2})
    a.case("options.beta beyond the range of the type", "float16", [2], [-2, 1], {"beta": -1e6}, note="beta becomes -Infinity")
    a.case("options.alpha zero of an infinity", "float32", [2], [float("inf"), 1], {"alpha": 0}, note="zero times infinity is NaN")
    a.case("subnormal", "float32", [3], [1e-45, -1e-40, 5.877472e-39])
    return a.refusals()
