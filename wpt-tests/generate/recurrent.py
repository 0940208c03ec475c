"""gru, gruCell, lstm, lstmCell: the decompositions that the specification gives, at 50 digits and with no rounding between steps."""

import mpmath
import numpy
from mpmath import mpf

from values import elementwise, high

ACTIVATIONS = {"relu": lambda x: max(x, mpf(0)), "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)), "tanh": mpmath.tanh}


def activated(name, values):
    return elementwise(ACTIVATIONS[name], values)


def exactly(operand):
    return None if operand is None else elementwise(high, operand.values)


def gates(operand, layout, hidden_size):
    """The rows of each gate, by its letter; zero for an operand that is not there."""
    if operand is None:
        return dict.fromkeys(layout, 0)
    return {gate: operand[index * hidden_size:(index + 1) * hidden_size] for index, gate in enumerate(layout)}


def gru_step(x, hidden, weight, recurrent, bias, recurrent_bias, hidden_size, options):
    layout = options.get("layout", "zrn")
    first, second = options.get("activations", ["sigmoid", "tanh"])
    w, r, b, c = (gates(operand, layout, hidden_size) for operand in (weight, recurrent, bias, recurrent_bias))

    def gate(name):
        return activated(first, x.dot(w[name].T) + hidden.dot(r[name].T) + b[name] + c[name])

    update, reset = gate("z"), gate("r")
    if options.get("resetAfter", True):
        inner = reset * (hidden.dot(r["n"].T) + c["n"])
    else:
        inner = (reset * hidden).dot(r["n"].T) + c["n"]
    new = activated(second, x.dot(w["n"].T) + b["n"] + inner)
    return update * hidden + new * (1 - update)


def lstm_step(x, hidden, cell, weight, recurrent, bias, recurrent_bias, peephole, hidden_size, options):
    first, second, third = options.get("activations", ["sigmoid", "tanh", "tanh"])
    layout = options.get("layout", "iofg")
    w, r, b, c = (gates(operand, layout, hidden_size) for operand in (weight, recurrent, bias, recurrent_bias))
    p = gates(peephole, "iof", hidden_size)

    def sums(name):
        return x.dot(w[name].T) + hidden.dot(r[name].T) + b[name] + c[name]

    i, o, f = (activated(first, sums(name) + p[name] * cell) for name in "iof")
    cell = f * cell + i * activated(second, sums("g"))
    return o * activated(third, cell), cell


def sequence(call, state_names, advance):
    """(last states, every first state) over the steps and directions of a network."""
    options, x = call.get("options", {}), exactly(call["input"])
    direction = options.get("direction", "forward")
    shape = [2 if direction == "both" else 1, x.shape[1], call["hiddenSize"]]
    states = [exactly(options.get(name)) for name in state_names]
    states = [numpy.full(shape, mpf(0), dtype=object) if state is None else state.copy() for state in states]
    every = numpy.empty([x.shape[0], *shape], dtype=object)
    for index in range(shape[0]):
        steps = range(x.shape[0])
        for step in reversed(steps) if index == 1 or direction == "backward" else steps:
            for state, value in zip(states, advance(index, x[step], *(state[index] for state in states))):
                state[index] = value
            every[step, index] = states[0][index]
    return call["input"].data_type, states + [every] if options.get("returnSequence") else states


def weights(call, names):
    """The weights and biases of one direction, or all of them where there are no directions."""
    options = call.get("options", {})
    operands = [exactly(call[name] if name in call else options.get(name)) for name in names]
    return operands, lambda index: [None if operand is None else operand[index] for operand in operands]


GRU = ("weight", "recurrentWeight", "bias", "recurrentBias")
LSTM = GRU + ("peepholeWeight",)


def gru(call):
    _, of = weights(call, GRU)
    return sequence(call, ["initialHiddenState"], lambda index, x, hidden: [
        gru_step(x, hidden, *of(index), call["hiddenSize"], call.get("options", {}))])


def lstm(call):
    _, of = weights(call, LSTM)
    return sequence(call, ["initialHiddenState", "initialCellState"], lambda index, x, hidden, cell: lstm_step(
        x, hidden, cell, *of(index), call["hiddenSize"], call.get("options", {})))


def gru_cell(call):
    operands, _ = weights(call, GRU)
    return call["input"].data_type, gru_step(
        exactly(call["input"]), exactly(call["hiddenState"]), *operands, call["hiddenSize"], call.get("options", {}))


def lstm_cell(call):
    operands, _ = weights(call, LSTM)
    return call["input"].data_type, list(lstm_step(
        exactly(call["input"]), exactly(call["hiddenState"]), exactly(call["cellState"]), *operands, call["hiddenSize"], call.get("options", {})))


OPERATORS = {"gru": gru, "gruCell": gru_cell, "lstm": lstm, "lstmCell": lstm_cell}
