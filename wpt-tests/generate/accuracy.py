"""How far from correctly rounded values an implementation is: python accuracy.py FOLDER [--processes N].

FOLDER is what `webnn accuracy --dump FOLDER` writes: all float16 numbers, a sample of the float32 numbers, and what the
implementation makes of them. The true value comes from the formulas of this folder, as a fraction or with 50 digits, and
is rounded once. What the formulas leave open, such as the cast of a float that the integer type does not hold, is not
compared, and neither is the sign of a zero.
"""

import argparse
import json
import math
import multiprocessing
import pathlib

import numpy

import activations
from operators import BINARY, CLASSIFICATION, COMPARISON, UNARY, cast
from rounding import FLOATS, cast_number, store, ulp_distance


def clamp(x, minValue, maxValue):
    return max(min(x, maxValue), minValue)


def unless_nan(function):
    return lambda x, *parameters: x if math.isnan(x) else function(x, *parameters)


# the function of a number and the operator's options, and their defaults
WITH_OPTIONS = {
    "clamp": (clamp, {"minValue": -math.inf, "maxValue": math.inf}),
    "elu": (activations.elu, {"alpha": 1}),
    "gelu": (activations.gelu, {}),
    "hardSigmoid": (activations.hard_sigmoid, {"alpha": 0.2, "beta": 0.5}),
    "hardSwish": (activations.hard_swish, {}),
    "leakyRelu": (activations.leaky_relu, {"alpha": 0.01}),
    "linear": (activations.linear, {"alpha": 1, "beta": 0}),
    "softplus": (activations.softplus, {}),
    "softsign": (activations.softsign, {}),
    "tanh": (activations.tanh, {}),
}


def ordered(comparison):
    """Python's comparisons of NaN are IEEE's."""
    return lambda a, b: int(comparison(a, b))


def function_of(case):
    """What the operator computes of the elements at one place."""
    operator, data_type = case["operator"], case["operands"][0]["dataType"]
    if operator == "cast":
        target = case["output"]["dataType"]
        return lambda x: cast(x, target) if target in FLOATS or math.isfinite(x) else open_()
    if operator == "prelu":
        # a slope that is not finite makes the formula's answer for 0 and above NaN, and matters below only in others
        return lambda x, slope: x if math.isnan(x) else activations.prelu(x, slope) if x < 0 or math.isfinite(slope) else open_()
    if operator in BINARY:
        return BINARY[operator]
    if operator in COMPARISON:
        return ordered(COMPARISON[operator])
    if operator in CLASSIFICATION:
        return lambda x: int(CLASSIFICATION[operator](x))
    if operator in UNARY:
        return UNARY[operator] if operator == "sign" else unless_nan(UNARY[operator])
    function, defaults = WITH_OPTIONS[operator]
    options = [cast_number(case["options"].get(name, default), data_type) for name, default in defaults.items()]
    return unless_nan(lambda x: function(x, *options))


def open_():
    raise AssertionError("left open")


def numbers(folder, tensor):
    values = numpy.fromfile(folder / tensor["file"], dtype=numpy.dtype(tensor["dataType"]).newbyteorder("<"))
    return values.tolist()


def compare(job):
    folder, case = job
    function, data_type = function_of(case), case["output"]["dataType"]
    operands = [numbers(folder, tensor) for tensor in case["operands"]]
    compared, differing, worst, at = 0, 0, 0, ""
    for *values, actual in zip(*operands, numbers(folder, case["output"])):
        try:
            expected = store(function(*values), data_type)
        except (AssertionError, ZeroDivisionError):
            continue
        compared += 1
        distance = ulp_distance(actual, expected, data_type)
        differing += distance > 0
        if distance > worst:
            worst, at = distance, f"of {' and '.join(map(repr, values))}: {actual!r}, not {expected!r}"
    options = "".join(f" {name}={value:g}" for name, value in case["options"].items())
    target = f" to {data_type}" if case["operator"] == "cast" else ""
    name = f"{case['operator']}{target}{options}, {case['operands'][0]['dataType']}"
    return name, len(operands[0]), compared, differing, worst, at


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--processes", type=int, default=1)
    arguments = parser.parse_args()
    cases = json.loads((arguments.folder / "cases.json").read_text())
    print(f"{'':44}{'inputs':>8}{'compared':>10}{'differ':>8}{'worst':>8}", flush=True)
    with multiprocessing.Pool(arguments.processes) as pool:
        for name, inputs, compared, differing, worst, at in pool.imap(compare, [(arguments.folder, case) for case in cases]):
            print(f"{name:44}{inputs:>8}{compared:>10}{differing:>8}{worst:>8}" + (f"\n    {at}" if at else ""), flush=True)


if __name__ == "__main__":
    main()
