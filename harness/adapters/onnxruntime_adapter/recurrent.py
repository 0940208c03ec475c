"""gru, gruCell, lstm and lstmCell."""

from movement import sliced

DIRECTIONS = {"forward": "forward", "backward": "reverse", "both": "bidirectional"}
ONNX_NAMES = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh"}


def network_attributes(options, hidden_size, activations):
    """The attributes that GRU and LSTM share. ONNX wants the activations once for each direction."""
    direction = options.get("direction", "forward")
    names = [ONNX_NAMES[name] for name in options.get("activations", activations)]
    return {
        "direction": DIRECTIONS[direction], "hidden_size": hidden_size, "activations": names * (2 if direction == "both" else 1)}


def gates_in_order(model, operand, layout, order, hidden_size, axis):
    """The operand with the gates of `layout` in another order along an axis."""
    if layout == order:
        return operand
    return model.node("Concat", *(gate(model, operand, layout, name, hidden_size, axis) for name in order), axis=axis)


def gate(model, operand, layout, name, hidden_size, axis):
    """The part of an operand that belongs to one gate."""
    start = layout.index(name) * hidden_size
    return sliced(model, operand, [start], [start + hidden_size], [axis], [1])


def biases(model, options, input, directions, layout, order, hidden_size):
    """ONNX's one operand for both biases; zeros for one that is not given; nothing if neither is."""
    names = ("bias", "recurrentBias")
    if not any(name in options for name in names):
        return None
    zeros = model.filled(0, input.data_type, (directions, len(layout) * hidden_size))
    both = [gates_in_order(model, options.get(name, zeros), layout, order, hidden_size, axis=1) for name in names]
    return model.node("Concat", *both, axis=1)


def gru(model, input, weight, recurrentWeight, steps, hiddenSize, options={}):
    layout, order = options.get("layout", "zrn"), "zrn"
    weights = [gates_in_order(model, operand, layout, order, hiddenSize, axis=1) for operand in (weight, recurrentWeight)]
    bias = biases(model, options, input, weight.shape[0], layout, order, hiddenSize)
    every, last = model.node(
        "GRU", input, *weights, bias, None, options.get("initialHiddenState"), outputs=2,
        linear_before_reset=int(options.get("resetAfter", True)), **network_attributes(options, hiddenSize, ["sigmoid", "tanh"]))
    return [last, every] if options.get("returnSequence") else [last]


def lstm(model, input, weight, recurrentWeight, steps, hiddenSize, options={}):
    if "peepholeWeight" in options:
        return lstm_step_by_step(model, input, weight, recurrentWeight, steps, hiddenSize, options)
    layout, order = options.get("layout", "iofg"), "iofg"
    weights = [gates_in_order(model, operand, layout, order, hiddenSize, axis=1) for operand in (weight, recurrentWeight)]
    bias = biases(model, options, input, weight.shape[0], layout, order, hiddenSize)
    states = [options.get(name) for name in ("initialHiddenState", "initialCellState")]
    every, hidden, cell = model.node(
        "LSTM", input, *weights, bias, None, *states, outputs=3,
        **network_attributes(options, hiddenSize, ["sigmoid", "tanh", "tanh"]))
    return [hidden, cell, every] if options.get("returnSequence") else [hidden, cell]


# --- LSTM with peepholes ---------------------------------------------------------------------------------------------
#
# The peephole of ONNX's output gate sees the new cell state, that of WebNN's the old one (as its decomposition of lstmCell has
# it), so LSTM would compute something else. What follows is that decomposition, in ONNX's operators.


def lstm_step_by_step(model, input, weight, recurrent_weight, steps, hidden_size, options):
    directions = [0, 1] if options.get("direction") == "both" else [0]
    results = [one_direction(model, input, weight, recurrent_weight, steps, hidden_size, options, index) for index in directions]
    # each of them: last hidden state, last cell state [1, batch, hidden], every hidden state [steps, 1, batch, hidden]
    hidden, cell, every = (
        parts[0] if len(parts) == 1 else model.node("Concat", *parts, axis=axis) for parts, axis in zip(zip(*results), (0, 0, 1)))
    return [hidden, cell, every] if options.get("returnSequence") else [hidden, cell]


def one_direction(model, input, weight, recurrent_weight, steps, hidden_size, options, index):
    def own(operand):
        """The part of an operand for this direction, without the dimension of the directions."""
        return model.reshape(sliced(model, operand, [index], [index + 1], [0], [1]), operand.shape[1:])

    names = ("bias", "recurrentBias", "peepholeWeight")
    cell_options = {**options, **{name: own(options[name]) for name in names if name in options}}
    weights = own(weight), own(recurrent_weight)
    zeros = model.filled(0, input.data_type, (input.shape[1], hidden_size))
    hidden, cell = (own(options[name]) if name in options else zeros for name in ("initialHiddenState", "initialCellState"))
    order, every = range(steps), {}
    for step in reversed(order) if index == 1 or options.get("direction") == "backward" else order:
        x = model.reshape(sliced(model, input, [step], [step + 1], [0], [1]), input.shape[1:])
        hidden, cell = cell_by_formula(model, x, *weights, hidden, cell, hidden_size, cell_options)
        every[step] = model.reshape(hidden, (1, 1, *hidden.shape))
    joined = model.node("Concat", *(every[step] for step in order), axis=0)
    return model.reshape(hidden, (1, *hidden.shape)), model.reshape(cell, (1, *cell.shape)), joined


def cell_by_formula(model, x, weight, recurrent_weight, hidden, cell, hidden_size, options):
    """One step: the gates of input, output and forgetting, then the new cell state and the new hidden state."""
    layout = options.get("layout", "iofg")
    first, second, third = (ONNX_NAMES[name] for name in options.get("activations", ["sigmoid", "tanh", "tanh"]))

    def sums(name):
        terms = [product(model, x, weight, layout, name, hidden_size), product(model, hidden, recurrent_weight, layout, name, hidden_size)]
        terms += [gate(model, options[bias], layout, name, hidden_size, 0) for bias in ("bias", "recurrentBias") if bias in options]
        if "peepholeWeight" in options and name in "iof":
            terms.append(model.node("Mul", gate(model, options["peepholeWeight"], "iof", name, hidden_size, 0), cell))
        total = terms[0]
        for term in terms[1:]:
            total = model.node("Add", total, term)
        return total

    i, o, f = (model.node(first, sums(name)) for name in "iof")
    candidate = model.node(second, sums("g"))
    new_cell = model.node("Add", model.node("Mul", f, cell), model.node("Mul", i, candidate))
    return model.node("Mul", o, model.node(third, new_cell)), new_cell


def product(model, x, weight, layout, name, hidden_size):
    return model.node("MatMul", x, model.transpose(gate(model, weight, layout, name, hidden_size, 0), [1, 0]))


# --- cells: networks of one step -------------------------------------------------------------------------------------


def with_first(model, operand):
    """The operand with a first dimension of 1: of steps, or of directions."""
    return model.reshape(operand, (1, *operand.shape))


def network_options(model, options):
    """A cell's options as those of a network in one direction."""
    names = ("bias", "recurrentBias", "peepholeWeight")
    return {**options, **{name: with_first(model, options[name]) for name in names if name in options}}


def gru_cell(model, input, weight, recurrentWeight, hiddenState, hiddenSize, options={}):
    x, w, r, h = (with_first(model, operand) for operand in (input, weight, recurrentWeight, hiddenState))
    [last] = gru(model, x, w, r, 1, hiddenSize, {**network_options(model, options), "initialHiddenState": h})
    return model.reshape(last, hiddenState.shape)


def lstm_cell(model, input, weight, recurrentWeight, hiddenState, cellState, hiddenSize, options={}):
    x, w, r, h, c = (with_first(model, operand) for operand in (input, weight, recurrentWeight, hiddenState, cellState))
    states = {"initialHiddenState": h, "initialCellState": c}
    outputs = lstm(model, x, w, r, 1, hiddenSize, {**network_options(model, options), **states})
    return [model.reshape(output, hiddenState.shape) for output in outputs]


OPERATORS = {"gru": gru, "gruCell": gru_cell, "lstm": lstm, "lstmCell": lstm_cell}
