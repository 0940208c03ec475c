"""hardSwish."""

from sections.activation import EXACT, Activation, inf, nan


def section():
    a = Activation("hardSwish", EXACT)
    a.common()
    a.special([0.0, -0.0, inf, nan])
    for data_type in ("float32", "float16"):
        a.case("around the bounds", data_type, [6], [-3, 3, -2.9375, 2.9375, -3.0625, 3.0625])
        a.case("large values", data_type, [4], [-10000, 10000, -100, 100])
    a.case("the largest values", "float32", [2], [-3.4028235e38, 3e37])
    a.case("small values", "float32", [4], [1e-20, -1e-20, 1e-38, -1e-6])
    a.case("subnormal", "float32", [3], [2.8e-45, -1e-40, 5.877472e-39])
    return a.refusals()
