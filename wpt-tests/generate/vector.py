"""Vectors as data, and the files that hold them. See ../README.md for the format."""

import json
import math
import random

import numpy

from operators import Tensor, evaluate
from rounding import FLOATS, round_float
from tolerance import of_graph, tolerance as rule

EXACT = "exact arithmetic in Python, rounded once"
MPMATH = "mpmath 1.4.1 at 50 digits, rounded once"
STEPS = "the specification's steps"

BUILDER = "MLGraphBuilder"


def method(signature, interface=BUILDER):
    return f"{interface}.{signature}"


def concept(name, interface=BUILDER):
    return f"{interface}/{name}"


def tensor(data_type, shape, data, constant=False):
    """A tensor of `data`: a list, or one number that fills it."""
    if isinstance(data, list):
        return Tensor(data_type, shape, data, constant)
    result = Tensor(data_type, [], [data], constant)
    result.shape, result.values, result.fill = list(shape), numpy.full(shape, result.values[()], dtype=object), data
    return result


def randoms(seed, count, low, high, digits=2):
    """Decimals from low to high. `random.Random.random` is the same on every platform and version."""
    generator = random.Random(seed)
    return [round(low + (high - low) * generator.random(), digits) for _ in range(count)]


def random_integers(seed, count, low, high):
    generator = random.Random(seed)
    return [low + int(generator.random() * (high - low + 1)) for _ in range(count)]


def size(shape):
    return math.prod(shape)


# --- vectors -------------------------------------------------------------------------------------------------------


class Section:
    """The vectors of one section of the specification, and the file they go to."""

    def __init__(self, name, source):
        self.name, self.source, self.tests = name, source, []

    def add(self, name, body, members):
        order = ("source", "note", "implementationDefined", "literal", "tolerance", "throws")
        unknown = set(members) - set(order)
        assert not unknown, unknown
        test = {"name": name}
        test.update((key, members[key]) for key in order if members.get(key) is not None)
        test.update(body)
        self.tests.append(test)

    def graph(self, name, inputs, operators, outputs=None, **members):
        """A graph vector. The expected values are computed here, unless `outputs` gives them by name.

        An operator is (name, arguments, output), with a list of outputs where it returns a sequence. The outputs of the graph
        are those of its last operator; `expect` among the members names others.
        """
        tensors, rules = dict(inputs), []
        for operator, arguments, output in operators if outputs is None else ():
            call = resolve(arguments, tensors)
            results = evaluate(operator, call)
            names, results = ([output], [results]) if isinstance(output, str) else (output, results)
            assert len(names) == len(results), (name, names, len(results))
            tensors.update(zip(names, results))
            rules.append(rule(operator, call, results[0].data_type))
        members.setdefault("tolerance", of_graph(rules))
        expect = members.pop("expect", named(operators[-1][2]))
        expected = outputs or {key: tensors[key] for key in expect}
        self.add(name, {"graph": {
            "inputs": {key: described(value) for key, value in inputs.items()},
            "operators": [called(*operator) for operator in operators],
            "expectedOutputs": {key: described(value) for key, value in expected.items()},
        }}, members)

    def case(self, name, operator, inputs, arguments=None, **members):
        """A graph vector of one operator. Without `arguments`, each input is the argument of its own name."""
        if arguments is None:
            arguments = {key: key for key in inputs}
        self.graph(name, inputs, [(operator, arguments, members.pop("output", "output"))], **members)

    def judged_case(self, name, operator, inputs, arguments, expected, **members):
        """A graph vector of one operator whose answer is given: where the specification leaves it open."""
        self.graph(name, inputs, [(operator, arguments, "output")], {"output": expected}, **members)

    def throws(self, name, operator, inputs, arguments, algorithm, step, exception="TypeError", **members):
        """A negative vector of one operator."""
        at = {} if algorithm is None else {"at": {"algorithm": algorithm, "step": step}}
        self.add(name, {"graph": {
            "inputs": {key: described(value) for key, value in inputs.items()},
            "operators": [called(operator, arguments, members.pop("output", "output"))],
        }}, {**members, "throws": {"name": exception, **at}})

    def scenario(self, name, steps, **members):
        self.add(name, {"scenario": steps}, members)

    def refusals(self, operator, arguments, operands, built, foreign):
        """What a graph vector cannot say: the call after build(), and with each operand of another builder.

        `operands` has a descriptor for each name in `arguments`; `built` and `foreign` are (algorithm, step).
        """
        def inputs_of(builder, names):
            return [input_step(builder, key, *operands[key]) for key in names]

        start = [step("context", None, "createContext"), step("builder", None, "MLGraphBuilder", context="context")]
        if built:
            first = next(iter(operands))
            self.scenario(f"{operator} after build", start + inputs_of("builder", operands) + [
                step("identity", "builder", "identity", input=first),
                step("graph", "builder", "build", outputs={"output": "identity"}),
                step(None, "builder", operator, throws=thrown("InvalidStateError", *built), **arguments),
            ])
        for key, (algorithm, path) in foreign.items():
            own = [other for other in operands if other != key]
            self.scenario(f"{operator} {key} of another builder", start + [
                step("other", None, "MLGraphBuilder", context="context"),
                *inputs_of("builder", own), *inputs_of("other", [key]),
                step(None, "builder", operator, throws=thrown("TypeError", algorithm, path), **arguments),
            ])


def named(output):
    return [output] if isinstance(output, str) else output


def called(operator, arguments, output):
    return {"name": operator, "arguments": [{key: value} for key, value in arguments.items()], "outputs": output}


def resolve(arguments, tensors):
    """The arguments with operands in place of their names."""
    def value_of(value):
        if isinstance(value, str):
            return tensors.get(value, value)
        if isinstance(value, list):
            return [value_of(item) for item in value]
        if isinstance(value, dict):
            if "$num" in value:
                return float(value["$num"])
            if "$bigint" in value:
                return int(value["$bigint"])
            return {key: value_of(item) for key, item in value.items()}
        return value
    return {key: value_of(value) for key, value in arguments.items()}


def described(value):
    """A tensor as the format writes it."""
    entry = {"descriptor": {"dataType": value.data_type, "shape": value.shape}}
    if value.constant:
        entry["constant"] = True
    entry["data"] = number(value.fill, value.data_type) if value.fill is not None else [number(x, value.data_type) for x in value.data]
    return entry


def number(x, data_type):
    """A stored value as JSON: the shortest decimal that reads back as it, 64-bit integers beyond 2^53 as "123n"."""
    if data_type not in FLOATS:
        return f"{x}n" if abs(x) >= 2**53 else int(x)
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "Infinity" if x > 0 else "-Infinity"
    if x == 0:
        return "-0" if math.copysign(1, x) < 0 else 0
    shortest = float(str({"float32": numpy.float32, "float16": numpy.float16}[data_type](x)))
    # a reader may go through float32 on its way to float16
    if round_float(shortest, data_type) != x or round_float(round_float(shortest, "float32"), data_type) != x:
        shortest = x
    return int(shortest) if shortest.is_integer() and abs(shortest) < 2**53 else shortest


# --- scenarios -----------------------------------------------------------------------------------------------------


def step(let, on, call, throws=None, returns=None, pending=False, **arguments):
    result = {}
    if let is not None:
        result["let"] = let
    if on is not None:
        result["on"] = on
    result.update({"call": call, "arguments": arguments})
    if pending:
        result["pending"] = True
    if throws is not None:
        result["throws"] = throws
    if returns is not None:
        result["returns"] = returns
    return result


# Where Web IDL throws, before a method is called: only there may a value be of another kind than the method takes.
WEB_IDL = "Web IDL"


def thrown(name, algorithm=None, path=None):
    return {"name": name} if algorithm is None else {"name": name, "at": {"algorithm": algorithm, "step": path}}


def descriptor(data_type, shape, **members):
    return {"dataType": data_type, "shape": list(shape), **members}


def input_step(builder, name, data_type, shape):
    return step(name, builder, "input", name=name, descriptor=descriptor(data_type, shape))


# --- files ---------------------------------------------------------------------------------------------------------


def line(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def members(items, indent, last):
    """`key: value` lines, one a member, closed on the last line."""
    return (",\n" + indent).join(f"{line(key)}: {line(value)}" for key, value in items) + last


def written(test):
    """One vector: one line an input, an operator, an output or a step."""
    head = [(key, value) for key, value in test.items() if key not in ("graph", "scenario")]
    text = "    { " + members(head, "      ", ",\n")
    if "scenario" in test:
        return text + '      "scenario": [\n        ' + ",\n        ".join(map(line, test["scenario"])) + " ] }"
    graph = test["graph"]
    text += '      "graph": {\n        "inputs": {'
    text += ("\n          " + members(graph["inputs"].items(), "          ", "")) * bool(graph["inputs"]) + " },\n"
    text += '        "operators": [\n          ' + ",\n          ".join(map(line, graph["operators"])) + " ]"
    if "expectedOutputs" in graph:
        text += ',\n        "expectedOutputs": {\n          ' + members(graph["expectedOutputs"].items(), "          ", " }")
    return text + " } }"


def write(section, folder):
    text = f'{{ "source": {line(section.source)},\n  "section": {line(section.name)},\n  "tests": [\n'
    text += ",\n".join(map(written, section.tests)) + " ] }\n"
    (folder / f"{section.name}.json").write_text(text, encoding="utf-8")
    return len(text)
