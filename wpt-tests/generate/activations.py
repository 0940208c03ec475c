"""Element-wise functions with parameters, and those that are written so that nothing overflows or cancels."""

import math

import mpmath

from values import elementwise, finite, fraction, high, option

# beyond it, exp(-x) is less than the last of the 50 digits, and vanishes in every type
FAR = 200


def elu(x, alpha):
    if x < -FAR:
        return -alpha
    return x if x >= 0 else high(alpha) * mpmath.expm1(high(x))


def gelu(x):
    """0.5 x (1 + erf(x / sqrt(2))), with 1 + erf(y) as erfc(-y)."""
    assert x != -math.inf, "the expression gives NaN there, and its limit is 0"
    if abs(x) > FAR:
        return x if x > 0 else 0
    return x if x == 0 else high(x) * mpmath.erfc(-high(x) / mpmath.sqrt(2)) / 2


def hard_sigmoid(x, alpha, beta):
    value = linear(x, alpha, beta)
    assert not math.isnan(value)
    return max(0, min(1, value))


def hard_swish(x):
    assert x != -math.inf, "the expression gives NaN there, and its limit is 0"
    return x if math.isinf(x) else fraction(x) * max(0, min(6, fraction(x) + 3)) / 6


def leaky_relu(x, alpha):
    if not finite(x, alpha):
        return x if x > 0 else alpha * x
    return x if x >= 0 else fraction(alpha) * fraction(x)


def linear(x, alpha, beta):
    return fraction(alpha) * fraction(x) + fraction(beta) if finite(x, alpha, beta) else alpha * x + beta


def prelu(x, slope):
    """The slope where x is negative; integers are exact."""
    return leaky_relu(x, slope)


def softplus(x):
    """ln(1 + exp(x)), with the larger of 0 and x taken out of it."""
    if abs(x) > FAR:
        return x if x > 0 else 0
    return max(high(x), high(0)) + mpmath.log1p(mpmath.exp(-abs(high(x))))


def softsign(x):
    assert math.isfinite(x), "the expression gives NaN there, and its limit is 1 or -1"
    return fraction(x) / (1 + abs(fraction(x)))


def tanh(x):
    return math.copysign(1, x) if abs(x) > FAR else x if x == 0 else mpmath.tanh(high(x))


def of_input(function, **parameters):
    """The operator that applies `function` to each element, with the options `parameters` and their defaults."""
    def operator(call):
        input = call["input"]
        values = [option(call, name, default, input.data_type) for name, default in parameters.items()]
        return input.data_type, elementwise(lambda x: x if math.isnan(x) else function(x, *values), input.values)
    return operator


OPERATORS = {
    "elu": of_input(elu, alpha=1),
    "gelu": of_input(gelu),
    "hardSigmoid": of_input(hard_sigmoid, alpha=0.2, beta=0.5),
    "hardSwish": of_input(hard_swish),
    "leakyRelu": of_input(leaky_relu, alpha=0.01),
    "linear": of_input(linear, alpha=1, beta=0),
    "prelu": lambda call: (call["input"].data_type, elementwise(prelu, call["input"].values, call["slope"].values)),
    "softplus": of_input(softplus),
    "softsign": of_input(softsign),
    "tanh": of_input(tanh),
}
