"""The smallest adapter: an implementation that has relu of float32, and nothing else. Start yours from it; see ../PROTOCOL.md.

    webnn smoke "cmd:python harness/adapters/template.py"
    webnn run -i reference -i "cmd:python harness/adapters/template.py"
"""

import base64
import json
import struct
import sys

READY = {
    "answer": "ready", "protocol": 1, "name": "template", "version": "0.1.0",
    "dataTypes": ["float32"], "operators": ["relu"],
    # What follows computes, and refuses nothing. An adapter of a WebNN implementation leaves this out, and answers `exception`.
    "validation": False,
}


def decoded(tensor):
    """The elements of an input: `bytes` are little-endian, and repeated where there is `times`."""
    data = base64.b64decode(tensor["bytes"]) * tensor.get("times", 1)
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def encoded(elements, shape):
    data = struct.pack(f"<{len(elements)}f", *elements)
    return {"dataType": "float32", "shape": shape, "bytes": base64.b64encode(data).decode()}


def relu(elements):
    return [0.0 if x < 0 else x for x in elements]  # so that NaN stays NaN


def run(graph):
    """The outputs of a graph. Here stands what your implementation does."""
    operands = {name: (decoded(tensor), tensor["shape"]) for name, tensor in graph["inputs"].items()}
    for operator in graph["operators"]:  # all of them are relu, for READY says that there is no other
        elements, shape = operands[operator["arguments"]["input"]["$operand"]]
        operands[operator["outputs"][0]] = relu(elements), shape
    return {name: encoded(*operands[name]) for name in graph["outputs"]}


for line in sys.stdin:
    command = json.loads(line)
    if command["command"] == "stop":
        break
    if command["command"] == "start":
        answer = READY
    else:
        try:
            answer = {"answer": "result", "seq": command["seq"], "outputs": run(command["vector"]["graph"])}
        except Exception as error:  # something broke here; had WebNN refused a call, the answer would be `exception`
            answer = {"answer": "errored", "seq": command["seq"], "message": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
