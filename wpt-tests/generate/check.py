"""Checks the generated vectors: python check.py [--spec WEBNN.bs] [--algorithms ALGORITHMS.json] [--limits LIMITS.json].

Always: form, unique names, data that match their descriptors, operands that exist. With the specification's source:
operators, arguments and options exist in its IDL. With the list of its algorithms: `at` names an algorithm and a step.
With the list of its tensor limits: which (operator, operand, type) cells have a vector. With both the source and the list
of algorithms: the throwing steps that no vector reaches, but for those of unreachable.py.
"""

import argparse
import json
import math
import pathlib
import re
from collections import Counter

from generate import SECTIONS
from rounding import DATA_TYPES, FLOATS, INTEGERS
from scene import VIEWS
from unreachable import UNREACHABLE
from vector import WEB_IDL, named

KINDS = ("graph", "negative", "scenario")
MEMBERS = {"name", "source", "note", "implementationDefined", "literal", "tolerance", "throws", "graph", "scenario"}
EXCEPTIONS = {"TypeError", "InvalidStateError", "SecurityError", "NotSupportedError", "OperationError", "UnknownError",
              "NotFoundError", "QuotaExceededError"}
FREE_CALLS = {"createContext": {"powerPreference", "accelerated", "gpuDevice"}, "MLGraphBuilder": {"context"},
              "buffer": {"view", "data", "dataType", "length"}, "blob": {"bytes"}, "stream": {"bytes", "chunk", "failsAt"},
              "await": {"promise"}, "requestDevice": set()}
OBJECT_CALLS = {
    "createTensor": {"descriptor"}, "createConstantTensor": {"descriptor", "inputData", "tensor"}, "readTensor": {"tensor", "outputData"},
    "writeTensor": {"tensor", "inputData"}, "dispatch": {"graph", "inputs", "outputs"}, "destroy": set(), "lose": {"message"}, "pump": {"steps"},
    "opSupportLimits": set(), "lost": set(), "input": {"name", "descriptor"}, "constant": {"descriptor", "buffer", "dataType", "value", "tensor"},
    "build": {"outputs"}, "setConstantData": {"constant", "data", "byteOffset"}, "offload": {"to"}, "reload": set(),
    "setPinned": {"pinned"}, "pinned": set(), "setMemoryBudget": {"bytes"}, "ledger": {"figure"}, "vanish": set(), "truncate": {"bytes"},
    "reappear": set(), "fill": {"data"}, "detach": set(),
    "createExportableTensor": {"descriptor", "gpuDevice", "usage"}, "exportToGPU": {"tensor"}, "writeBuffer": {"buffer", "bufferOffset", "data"},
    "readBuffer": {"buffer", "descriptor"}, "listGraphs": set(), "loadGraph": {"key"}, "saveGraph": {"key", "graph", "constants"},
    "deleteGraph": {"key"}, "spoilGraph": {"key", "how"}, "storage": {"state"}, "inputs": set(), "outputs": set(), "constants": {"name"},
}
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# The algorithms of proposals are not in the list; `spec-diff check` holds their steps.
PROPOSED = {name for path in (REPOSITORY / "reference/src/proposals").glob("*.rs")
            for name in re.findall(r'algorithm!\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))}
SPECIAL = {"NaN", "Infinity", "-Infinity", "-0"}


class Idl:
    """The methods of MLGraphBuilder and the dictionaries, as the specification's IDL has them."""

    def __init__(self, text):
        idl = "\n".join(re.findall(r"<script type=\"?idl\"?>(.*?)</script>", text, re.S))
        idl = re.sub(r"//[^\n]*|\[[A-Z]\w*\]", "", idl)
        self.dictionaries = {}
        for name, parent, body in re.findall(r"dictionary (\w+)\s*(?::\s*(\w+))?\s*\{(.*?)\};", idl, re.S):
            fields = {re.split(r"\s*=", field)[0].split()[-1] for field in body.split(";") if field.strip()}
            self.dictionaries.setdefault(name, set()).update(fields | ({f":{parent}"} if parent else set()))
        self.methods = {}
        for body in re.findall(r"interface MLGraphBuilder\s*\{(.*?)\};", idl, re.S):
            # a parameter may be a union, in parentheses
            for method, parameters in re.findall(r"(?:MLOperand|sequence<MLOperand>)\s+(\w+)\(((?:[^()]|\([^()]*\))*)\)", body):
                arguments = {}
                for parameter in re.sub(r"<[^<>]*>|\([^()]*\)", "union", parameters).split(","):
                    words = parameter.split("=")[0].split()
                    arguments[words[-1]] = words[-2]
                self.methods.setdefault(method, arguments)

    def options(self, name):
        fields = self.dictionaries[name]
        return {field for field in fields if not field.startswith(":")}.union(
            *(self.options(field[1:]) for field in fields if field.startswith(":")))


def key(algorithm):
    name = re.sub(r"[{}]", "", algorithm["name"])
    if not algorithm["for"]:
        return name
    return f"{algorithm['for']}{'/' if algorithm['kind'] == 'concept' else '.'}{name}"


def operands(value, known):
    """The operand names in an argument."""
    if isinstance(value, str):
        return [value] if value in known else []
    if isinstance(value, list):
        return [name for item in value for name in operands(item, known)]
    if isinstance(value, dict):
        return [name for item in value.values() for name in operands(item, known)]
    return []


def output_row(operator, name):
    """The row of an output in the operator's table."""
    if isinstance(operator["outputs"], str):
        return "output"
    return "outputs" if operator["name"] == "split" else f"output{operator['outputs'].index(name)}"


class Checker:
    def __init__(self, idl, algorithms):
        self.idl, self.algorithms = idl, algorithms
        self.problems, self.reached, self.cells = [], set(), set()

    def problem(self, place, text):
        self.problems.append(f"{place}: {text}")

    def data(self, place, descriptor, data):
        data_type, shape = descriptor["dataType"], descriptor["shape"]
        if data_type not in DATA_TYPES:
            self.problem(place, f"data type {data_type}")
        if isinstance(data, list) and len(data) != math.prod(shape):
            self.problem(place, f"{len(data)} elements for shape {shape}")
        for x in data if isinstance(data, list) else [data]:
            if isinstance(x, str) and data_type in FLOATS:
                valid = x in SPECIAL
            elif isinstance(x, str):
                valid = x.endswith("n") and INTEGERS[data_type][0] <= int(x[:-1]) <= INTEGERS[data_type][1]
            elif data_type in INTEGERS:
                valid = isinstance(x, int) and abs(x) < 2**53 and INTEGERS[data_type][0] <= x <= INTEGERS[data_type][1]
            else:
                valid = isinstance(x, (int, float))
            if not valid:
                self.problem(place, f"{x!r} is no value of {data_type}")

    def call(self, place, operator, arguments):
        if not self.idl:
            return
        if operator not in self.idl.methods:
            return self.problem(place, f"no operator {operator}")
        parameters = self.idl.methods[operator]
        order = [name for name in parameters if name in arguments]
        if list(arguments) != order:
            self.problem(place, f"arguments {list(arguments)} of {operator}{tuple(parameters)}")
        options = arguments.get("options", {})
        if options:
            unknown = set(options) - self.idl.options(parameters["options"])
            if unknown:
                self.problem(place, f"no options {unknown} of {operator}")

    def throws(self, place, throws):
        if throws["name"] not in EXCEPTIONS:
            self.problem(place, f"exception {throws['name']}")
        at = throws.get("at")
        if at is None:
            return
        self.reached.add((at["algorithm"], at["step"]))
        if self.algorithms is not None and at["algorithm"] not in (*PROPOSED, WEB_IDL) and at["step"] not in self.algorithms.get(at["algorithm"], ()):
            self.problem(place, f"no step {at['step']} of {at['algorithm']}")

    def graph(self, place, test):
        graph = test["graph"]
        known = dict.fromkeys(graph["inputs"])
        for name, tensor in graph["inputs"].items():
            self.data(f"{place}/{name}", tensor["descriptor"], tensor["data"])
            known[name] = tensor["descriptor"]["dataType"]
        for operator in graph["operators"]:
            arguments = {}
            for argument in operator["arguments"]:
                if len(argument) != 1:
                    self.problem(place, f"argument {argument}")
                arguments.update(argument)
            self.call(place, operator["name"], arguments)
            for output in named(operator["outputs"]):
                if output in known:
                    self.problem(place, f"{output} is made twice")
            if "throws" not in test:
                for parameter, value in list(arguments.items()) + list(arguments.get("options", {}).items()):
                    for name in operands(value, known) if parameter != "options" else ():
                        self.cells.add((operator["name"], parameter, known[name]))
            known.update(dict.fromkeys(named(operator["outputs"])))
        for name, tensor in graph.get("expectedOutputs", {}).items():
            if name not in known:
                self.problem(place, f"{name} is not made")
            self.data(f"{place}/{name}", tensor["descriptor"], tensor["data"])
            for operator in graph["operators"]:
                if name in named(operator["outputs"]):
                    self.cells.add((operator["name"], output_row(operator, name), tensor["descriptor"]["dataType"]))
        if "throws" in test:
            self.throws(place, test["throws"])

    def source(self, place, source):
        elements = dict(zip(VIEWS.values(), VIEWS), Uint8ClampedArray="uint8")
        data_type = source.get("dataType") or elements[source["view"]]
        self.data(place, {"dataType": data_type, "shape": [len(source["data"])]}, source["data"])

    def scenario(self, place, steps):
        known = set()
        for index, step in enumerate(steps):
            at, call, arguments = f"{place}/{index}", step["call"], step["arguments"]
            if set(step) - {"let", "on", "call", "arguments", "pending", "throws", "returns", "note"}:
                self.problem(at, f"members {list(step)}")
            if (call in FREE_CALLS) == ("on" in step) or "on" in step and step["on"] not in known:
                self.problem(at, f"{call} on {step.get('on')}")
            if call in FREE_CALLS or call in OBJECT_CALLS:
                unknown = set(arguments) - {**FREE_CALLS, **OBJECT_CALLS}[call]
                if unknown:
                    self.problem(at, f"arguments {unknown} of {call}")
            else:
                self.call(at, call, arguments)
            for parameter in ("context", "graph", "tensor", "promise", "constant", "buffer", "inputData", "outputData", "gpuDevice"):
                if isinstance(arguments.get(parameter), str) and arguments[parameter] not in known:
                    self.problem(at, f"{arguments[parameter]} is not made")
            if call in ("dispatch", "build"):
                for name in [*arguments.get("inputs", {}).values(), *arguments["outputs"].values()]:
                    if name not in known:
                        self.problem(at, f"{name} is not made")
            for value in (arguments, *arguments.values()):
                if isinstance(value, dict) and "view" in value:
                    self.source(at, value)
            if "throws" in step:
                self.throws(at, step["throws"])
                if "let" in step or "returns" in step:
                    self.problem(at, "a call that throws has a result")
            if "descriptor" in step.get("returns", {}):
                self.data(at, step["returns"]["descriptor"], step["returns"]["data"])
            if "let" in step:
                for name in named(step["let"]):
                    if name in known:
                        self.problem(at, f"{name} is made twice")
                    known.add(name)

    def file(self, path):
        contents = json.loads(path.read_text(encoding="utf-8"))
        if contents["section"] != path.stem or not contents["source"]:
            self.problem(path.name, "section or source")
        counts = Counter()
        names = Counter(test["name"] for test in contents["tests"])
        for name in (name for name, count in names.items() if count > 1):
            self.problem(path.name, f"{name!r} is there twice")
        for test in contents["tests"]:
            place = f"{path.stem}/{test['name']}"
            if set(test) - MEMBERS:
                self.problem(place, f"members {list(test)}")
            if test.get("literal", {}).get("outcome", "passes") not in ("passes", "throws", "differs"):
                self.problem(place, "literal outcome")
            if "scenario" in test:
                counts["scenario"] += 1
                self.scenario(place, test["scenario"])
            else:
                counts["negative" if "throws" in test else "graph"] += 1
                self.graph(place, test)
        return counts


def allowed_types(rows, allowed):
    """The data types that a table allows: a list, "any", or those of another operand."""
    if isinstance(allowed, str) and allowed.startswith("same as"):
        return allowed_types(rows, rows[re.match(r"same as (\w+)", allowed)[1]]["allowed"])
    return DATA_TYPES if allowed == "any" else allowed


def throwing_steps(lines, algorithms):
    """The steps whose text throws or rejects, but for those that re-throw."""
    pattern = re.compile(r"\[=exception/throw=\] an? |\[=rejected?=\] |\[=reject=\] ", re.I)
    for algorithm in algorithms:
        for path, number in algorithm["steps"]:
            text = lines[number - 1]
            if pattern.search(text) and re.search(r"\{\{\w+(Error)\}\}", text):
                yield key(algorithm), path, text.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for option in ("--spec", "--algorithms", "--limits"):
        parser.add_argument(option, type=pathlib.Path)
    parser.add_argument("--vectors", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent / "vectors")
    options = parser.parse_args()
    spec = options.spec.read_text(encoding="utf-8") if options.spec else None
    algorithms = json.loads(options.algorithms.read_text()) if options.algorithms else None
    steps = {key(algorithm): [path for path, _ in algorithm["steps"]] for algorithm in algorithms} if algorithms else None
    checker = Checker(Idl(spec) if spec else None, steps)
    total = Counter()
    for path in (options.vectors / f"{name.replace('_', '-')}.json" for name in sorted(SECTIONS)):
        counts = checker.file(path)
        total.update(counts)
        print(f"{path.stem:16}" + "".join(f"{counts[kind]:6} {kind}" for kind in KINDS) + f"{path.stat().st_size:9} bytes")
    print(f"{'':16}" + "".join(f"{total[kind]:6} {kind}" for kind in KINDS))
    # steps allow fewer types to these two than their table does
    checker.cells.update((operator, "a", data_type) for operator in ("isNaN", "isInfinite") for data_type in DATA_TYPES if data_type not in FLOATS)
    if options.limits:
        limits = json.loads(options.limits.read_text())
        required = {(operator, operand, data_type) for operator, rows in limits.items() for operand, row in rows.items()
                    for data_type in row["required"]}
        print(f"{len(required & checker.cells)} of the {len(required)} required (operator, operand, data type) have a vector")
        for operator, rows in limits.items():
            for operand, row in rows.items():
                for name, types in (("required", row["required"]), ("allowed", allowed_types(rows, row["allowed"]))):
                    missing = [data_type for data_type in types if (operator, operand, data_type) not in checker.cells]
                    if missing:
                        print(f"no vector for {name} {operator} {operand}: {', '.join(missing)}")
    if spec and algorithms:
        throwing = {(algorithm, path) for algorithm, path, _ in throwing_steps(spec.split("\n"), algorithms)}
        print(f"{len(throwing & checker.reached)} of the {len(throwing)} throwing steps have a vector, {len(UNREACHABLE)} can not be reached")
        for algorithm, path in sorted(throwing - checker.reached - set(UNREACHABLE)):
            print(f"no vector reaches {algorithm} step {path}")
        for algorithm, path in sorted(set(UNREACHABLE) & checker.reached | set(UNREACHABLE) - throwing):
            checker.problem("unreachable.py", f"{algorithm} step {path} is reached, or does not throw")
    for problem in checker.problems:
        print(problem)
    raise SystemExit(bool(checker.problems))


if __name__ == "__main__":
    main()
