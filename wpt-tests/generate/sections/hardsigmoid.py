"""hardSigmoid."""

from sections.activation import ALL, EXACT, VALUES, Activation


def section():
    a = Activation("hardSigmoid", EXACT)
    # Next to -2.5 the sum cancels, and float32 arithmetic can not keep the tolerance.
    a.common([-2 if value == -2.25 else value for value in VALUES])
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("options.alpha", data_type, [6], [-3, -1, -0.25, 0, 0.25, 3], {"alpha": 0.75})
        a.case("options.beta", data_type, [6], [-3, -1, -0.25, 0, 0.25, 5], {"beta": 0.25})
        a.case("options.alpha negative", data_type, [6], [-3, -1, -0.25, 0, 0.25, 3], {"alpha": -0.5})
        a.case("options.beta outside of the range", data_type, [4], [-20, 0, 5, -5.5], {"beta": 2})
        a.case("options.alpha zero", data_type, [3], [-3, 0, 7], {"alpha": 0, "beta": 0.125})
        a.case("all options", data_type, [4], [-2, -0.5, 0.5, 2], {"alpha": 0.25, "beta": 0.75, "label": "everything"})
        a.case("at the bounds", data_type, [4], [-2, 2, -2.0625, 2.0625], {"alpha": 0.25, "beta": 0.5})
    a.case("large values", "float32", [4], [3.4028235e38, -3.4028235e38, 1e10, -1e10])
    a.case("large values and alpha", "float32", [2], [3e38, -3e38], {"alpha": 1e10}, note="the product is beyond the range of float32")
    a.case("options.beta beyond the range of the type", "float16", [2], [-2, 1], {"beta": 1e6}, note="beta becomes Infinity")
    a.case("small results", "float32", [2], [1e-40, -1e-45], {"alpha": 1, "beta": 0})
    return a.refusals()
