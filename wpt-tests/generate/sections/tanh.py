"""tanh."""

from sections.activation import ALL, Activation


def section():
    a = Activation("tanh")
    a.common()
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("large values", data_type, [6], [-60000, 60000, -100, 100, -45, 12], note="exp(2 * x) overflows, and the quotient would be NaN")
        a.case("small values", data_type, [4], [-0.001, 0.001, 0.0001, -0.0001], note="exp(2 * x) - 1 would lose the digits")
    a.case("near one", "float32", [4], [7.5, 8.5, 9.1, -9.5])
    a.case("tiny values", "float32", [4], [1e-6, -1e-10, 1e-30, -3e-38])
    a.case("the largest values", "float32", [2], [3.4028235e38, -3.4028235e38])
    a.case("subnormal", "float32", [3], [1e-45, -1e-40, 5.877472e-39])
    return a.refusals()
