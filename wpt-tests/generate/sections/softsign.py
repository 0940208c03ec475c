"""softsign."""

from sections.activation import EXACT, Activation, nan


def section():
    a = Activation("softsign", EXACT)
    a.common()
    a.special([0.0, -0.0, nan])
    for data_type in ("float32", "float16"):
        a.case("large values", data_type, [4], [-60000, 60000, -1000, 4096])
        a.case("small values", data_type, [4], [-0.001, 0.001, 0.0001, -0.0001])
    a.case("the largest values", "float32", [3], [3.4028235e38, -3.4028235e38, 1e20])
    a.case("subnormal", "float32", [3], [1e-45, -1e-40, 5.877472e-39])
    return a.refusals()
