"""softplus."""

from sections.activation import ALL, OPEN, Activation


def section():
    a = Activation("softplus")
    # Below -2.5, log(1 + exp(x)) as it is written loses more digits than the tolerance has.
    a.common([-2.25, -2.5, -2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2.5, 4, 8])
    a.special(ALL)
    for data_type in ("float32", "float16"):
        a.case("large values", data_type, [4], [12, 20, 100, 60000] if data_type == "float16" else [89, 100, 1000, 3.4028235e38],
               implementationDefined=OPEN.format("overflows"))
        a.case("below the digits of one", data_type, [4], [-8, -9, -7.5, -10] if data_type == "float16" else [-17, -20, -50, -80],
               implementationDefined=OPEN.format("loses the digits of 1 + exp()"))
        a.case("negative values that end in zero", data_type, [2], [-30, -60000],
               implementationDefined=OPEN.format("loses the digits of 1 + exp()"))
    a.case("moderately large values", "float32", [4], [15, 20, 50, 80])
    a.case("subnormal results", "float32", [2], [-88, -103], implementationDefined=OPEN.format("loses the digits of 1 + exp()"))
    a.case("subnormal", "float32", [2], [1e-45, -1e-40])
    return a.refusals()
