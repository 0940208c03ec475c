"""What the sections of the activation functions share: the shapes, the values, and what each of them refuses."""

from math import inf, nan

from vector import EXACT, MPMATH, Section, method, randoms, tensor

VALUES = [-6.5, -4, -3, -2.25, -1.5, -1, -0.7, -0.3, 0, 0.2, 0.5, 0.9, 1.25, 2, 3.75, 5]
OPEN = "The precision of the expression is left open; evaluated as it is written, in the type of the input, it {}; here it does not."


class Activation:
    """One section: `case` adds a vector, `common` those that every activation function has."""

    def __init__(self, operator, source=MPMATH):
        self.operator, self.section = operator, Section(operator.lower(), source)

    def case(self, name, data_type, shape, data, options=None, constant=False, **members):
        arguments = {"input": "input", **({"options": options} if options else {})}
        self.section.case(f"{self.operator} {data_type} {name}", self.operator, {"input": tensor(data_type, shape, data, constant)}, arguments,
                          **members)

    def common(self, values=VALUES, seed=0):
        for data_type in ("float32", "float16"):
            self.case("0D", data_type, [], [values[5]])
            self.case("1D", data_type, [4], values[1:9:2])
            self.case("2D", data_type, [4, 4], values)
            self.case("3D", data_type, [2, 1, 3], values[10:])
            self.case("4D", data_type, [2, 2, 2, 2], values[::-1])
            self.case("5D", data_type, [1, 2, 1, 3, 2], values[2:14])
        self.case("random values", "float32", [3, 4], randoms(seed, 12, -4, 4))
        self.case("of a constant", "float32", [3], values[6:9], constant=True)
        self.case("options.label", "float32", [2], values[4:6], {"label": "activation"})

    def special(self, data, **members):
        for data_type in ("float32", "float16"):
            self.case("special values", data_type, [len(data)], data, **members)

    def refusals(self, types=("int32", "uint8")):
        s, operator = self.section, self.operator
        signature = method(f"{operator}(input, options)")
        for data_type in types:
            s.throws(f"{operator} of {data_type}", operator, {"input": tensor(data_type, [2], 1)}, {"input": "input"}, signature, "3")
        s.refusals(operator, {"input": "input"}, {"input": ("float32", [2])}, (signature, "1"), {"input": (signature, "2")})
        return s


ALL = [0.0, -0.0, inf, -inf, nan]
__all__ = ["ALL", "EXACT", "MPMATH", "OPEN", "VALUES", "Activation", "inf", "nan"]
