"""Numbers as the eight data types store them.

A stored value is a Python int (integer types) or a Python float that the type holds exactly.
An exact value is an int, a Fraction, an mpf of 50 digits, or a float for NaN, infinities and signed zeros.
`store` rounds an exact value once, ties to even, straight to its type.
"""

import math
from fractions import Fraction

import mpmath
import numpy

mpmath.mp.dps = 50

FLOATS = ("float32", "float16")
INTEGERS = {
    "int32": (-(2**31), 2**31 - 1), "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1), "uint64": (0, 2**64 - 1),
    "int8": (-(2**7), 2**7 - 1), "uint8": (0, 2**8 - 1),
}
DATA_TYPES = ("float32", "float16", "int32", "uint32", "int64", "uint64", "int8", "uint8")

# precision in bits, exponent of the smallest subnormal, exponent of the overflow bound
FORMATS = {"float32": (24, -149, 128), "float16": (11, -24, 16)}
SMALLEST_NORMAL = {"float32": 2.0**-126, "float16": 2.0**-14}


def exact(x):
    """x as an int or a Fraction; floats that are not finite stay as they are."""
    if isinstance(x, mpmath.mpf):
        if mpmath.isnan(x) or mpmath.isinf(x):
            return float(x)
        sign, mantissa, exponent, _ = x._mpf_
        value = Fraction(int(mantissa)) * Fraction(2) ** exponent
        return -value if sign else value
    if isinstance(x, float) and math.isfinite(x) and x != 0:
        return Fraction(x)
    return x


def round_float(x, data_type):
    """The float nearest to the exact value x in `data_type`, ties to even, beyond its range infinite."""
    x = exact(x)
    if isinstance(x, float):
        return x  # NaN, an infinity or a signed zero
    if x == 0:
        return 0.0
    precision, smallest, bound = FORMATS[data_type]
    magnitude = abs(Fraction(x))
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    quantum = max(exponent - precision + 1, smallest)
    # round() of a Fraction chooses the even integer at a tie
    value = round(magnitude / Fraction(2) ** quantum) * Fraction(2) ** quantum
    value = math.inf if value >= Fraction(2) ** bound else float(value)
    return -value if x < 0 else value


def store(x, data_type):
    """The exact value x as `data_type` stores it. Integers have to be in range."""
    if data_type in FLOATS:
        return round_float(x, data_type)
    if isinstance(x, float) and x.is_integer():
        x = int(x)
    if isinstance(x, Fraction) and x.denominator == 1:
        x = x.numerator
    low, high = INTEGERS[data_type]
    if not isinstance(x, (int, numpy.integer)) or not low <= x <= high:
        raise ValueError(f"{x!r} is not a value of {data_type}")
    return int(x)


def cast_number(x, data_type):
    """The specification's algorithm "cast" of a number (chapter Casting): clamps, rounds to nearest even."""
    if data_type in FLOATS:
        return round_float(x, data_type)
    if isinstance(x, float) and math.isnan(x):
        return 0
    low, high = INTEGERS[data_type]
    if isinstance(x, float) and math.isinf(x):
        return high if x > 0 else low
    return round(min(max(Fraction(x), low), high))


def is_subnormal(x, data_type):
    return data_type in FLOATS and x != 0 and abs(x) < SMALLEST_NORMAL[data_type]


def ulp_distance(x, y, data_type):
    """WPT's distance: of floats by ordered bits (+0 and -0 equal, NaN equal to NaN), of integers by difference."""
    if data_type not in FLOATS:
        return abs(x - y)
    if math.isnan(x) or math.isnan(y):
        return 0 if math.isnan(x) and math.isnan(y) else math.inf

    def ordered(value):
        float_type, int_type = {"float32": (numpy.float32, numpy.uint32), "float16": (numpy.float16, numpy.uint16)}[data_type]
        bits = int(float_type(abs(value)).view(int_type))
        return -bits if value < 0 else bits

    return abs(ordered(x) - ordered(y))
