"""Derives the polynomial coefficients of src/wgsl/*.wgsl.

Each row below is a function, an interval and a weight. A weighted fit on a Chebyshev grid finds the polynomial;
then coefficients are rounded to float32 from the lowest order up, and the rest is fitted again after each rounding
so that later ones absorb the earlier ones' rounding. Printed: the coefficients
and log2 of the worst weighted error with all of them rounded.

Needs mpmath. Run: python3 coefficients.py
"""

import struct

from mpmath import mp, mpf, matrix, lu_solve, exp, log, sin, cos, tanh, erf, erfc, sqrt, pi

mp.prec = 300


def float32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def horner(coefficients, x):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def fit(f, weight, low, high, fixed, count):
    """The polynomial with first coefficients `fixed`, `count` in all, of least weighted squares on a Chebyshev
    grid: within a factor of two of the best worst case, and never fails to converge."""
    free = count - len(fixed)
    middle, reach = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    nodes = 12 * count
    a, b = matrix(free, free), matrix(free, 1)
    for i in range(nodes):
        x = middle + reach * cos(pi * (i + mpf(0.5)) / nodes)
        w = weight(x) ** 2
        powers = [x ** (k + len(fixed)) for k in range(free)]
        value = f(x) - horner(fixed, x)
        for row in range(free):
            b[row] += w * powers[row] * value
            for column in range(free):
                a[row, column] += w * powers[row] * powers[column]
    solved = lu_solve(a, b)
    return list(fixed) + [solved[k] for k in range(free)]


def derive(name, f, weight, low, high, count):
    fixed = []
    while len(fixed) < count:
        coefficients = fit(f, weight, low, high, fixed, count)
        fixed.append(float32(coefficients[len(fixed)]))
    grid = [mpf(low) + (mpf(high) - low) * i / 1000 for i in range(1001)]
    worst = max(abs((f(x) - horner(fixed, x)) * weight(x)) for x in grid)
    print(f"{name}: worst 2^{float(log(worst, 2)):.2f}")
    for k, c in enumerate(fixed):
        bits = struct.unpack("I", struct.pack("f", float(c)))[0]
        print(f"    c{k} = {float(c)!r}  0x{bits:08x}")


def nonzero(x):
    return x if x != 0 else mpf(2) ** -80


def taylor(terms):
    """A function of z given by its power series, for where the closed form cancels."""
    return lambda z: sum(t * z**k for k, t in enumerate(terms))


def constants():
    """Constants as a float32 and the float32 nearest to what it leaves, and the binary digits of 2/pi."""
    ln2 = log(mpf(2))
    rows = {"ln 2": ln2, "2/ln 2": 2 / ln2, "2/(3 ln 2)": 2 / ln2 / 3, "1/sqrt(pi)": 1 / sqrt(pi), "erf(3/4)": erf(mpf(3) / 4), "-log(erfc(1))": -log(erfc(mpf(1)))}
    for name, value in rows.items():
        high = float32(value)
        print(f"{name} = {float(high)!r} + {float(float32(value - high))!r}")
    short = mpf(int(ln2 * 2**16)) / 2**16
    print(f"ln 2 = {float(short)!r} (16 bits) + {float(float32(ln2 - short))!r}")
    print("2/pi =", [f"0x{int(2 / pi * 2**(32 * k + 32)) % 2**32:08x}" for k in range(7)])


def main():
    constants()
    half_ln2 = log(2) / 2 * mpf("1.001")
    f = lambda r: (exp(nonzero(r)) - 1 - nonzero(r) - nonzero(r) ** 2 / 2) / nonzero(r) ** 3
    derive("exp, r^3 and up", f, lambda r: abs(r) ** 3, -half_ln2, half_ln2, 5)

    f = lambda x: (log(1 + nonzero(x)) - nonzero(x) + nonzero(x) ** 2 / 2) / nonzero(x) ** 3
    derive("log, f^3 and up", f, lambda x: x**2, sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, 9)

    ln2 = log(mpf(2))
    top = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.001")
    f = taylor([2 / ln2 / (2 * k + 5) for k in range(24)])
    derive("log2, s^5 and up", f, lambda z: z**2, 0, top, 4)

    top = (pi / 4) ** 2 * mpf("1.001")
    factorial = mp.factorial
    f = taylor([(-1) ** (k + 1) / factorial(2 * k + 3) for k in range(24)])
    derive("sin, r^3 and up", f, lambda z: z, 0, top, 4)
    f = taylor([(-1) ** k / factorial(2 * k + 4) for k in range(24)])
    derive("cos, r^4 and up", f, lambda z: z**2, 0, top, 3)
    f = lambda z: (tanh(sqrt(nonzero(z))) / sqrt(nonzero(z)) - 1) / nonzero(z)
    derive("tanh, x^3 and up, |x| < 0.35", f, lambda z: z, 0, mpf("0.35") ** 2, 4)

    f = lambda z: erf(sqrt(nonzero(z))) / sqrt(nonzero(z)) - 1
    derive("erf, x and up, |x| < 1/2", f, lambda z: mpf(1), 0, mpf(1) / 4, 6)
    middle = mpf(3) / 4
    f = lambda u: (erf(middle + nonzero(u)) - erf(middle)) / nonzero(u)
    derive("erf, x - 3/4 and up, 1/2 to 1", f, abs, mpf(-1) / 4, mpf(1) / 4, 8)
    f = lambda x: -log(erfc(x))
    derive("-log(erfc), x - 1 and up, 1 to 4", lambda u: f(u + 1), lambda u: erfc(u + 1), 0, 3, 9)


if __name__ == "__main__":
    main()
