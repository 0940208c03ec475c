"""The protocol of PROTOCOL.md: reads a vector, has its graph computed, writes the answer."""

import json
import sys
import traceback

import onnxruntime
from graph import compute
from model import WEBNN_TYPES, Unsupported, state
from operators import OPERATORS
from tensors import encoded, with_numbers

READY = {
    "answer": "ready", "protocol": 1, "name": "onnxruntime", "version": onnxruntime.__version__, "language": "C++",
    "homepage": "https://onnxruntime.ai", "issues": "https://github.com/microsoft/onnxruntime/issues", "adapter": "CPUExecutionProvider",
    "dataTypes": WEBNN_TYPES, "operators": sorted(OPERATORS), "validation": False,
}


def serve(optimization, threads):
    """Answers commands until there are no more."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever prints by mistake does not disturb the conversation
    for line in sys.stdin:
        command = json.loads(line)
        if command["command"] == "start":
            answer = READY
        elif command["command"] == "run":
            answer = {"seq": command["seq"], **run(command["vector"], optimization, threads)}
        else:
            return
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def run(vector, optimization, threads):
    try:
        outputs = compute(with_numbers(vector["graph"]), optimization, threads)
        return {"answer": "result", "outputs": {name: encoded(array) for name, array in outputs.items()}}
    except Unsupported as reason:
        return {"answer": "skipped", "reason": str(reason)}
    except state.NotImplemented as error:
        return {"answer": "skipped", "reason": f"the CPU provider has no such kernel: {one_line(error)}"}
    except Exception as error:  # a defect of this adapter, or of ONNX Runtime: the harness tells a person
        return {"answer": "errored", "message": f"{type(error).__name__}: {one_line(error)}", "details": traceback.format_exc()}


def one_line(error):
    return " ".join(str(error).split())
