"""Element-wise operators: arithmetic, comparisons, cast, where, and activations."""

import math

from model import CARRIERS, refuse_uint64
from tensors import cast_number


def scalar(model, value, like):
    """A number that script passes, as a constant of the type of an operand."""
    return model.constant(cast_number(value, like.data_type))


def unary(op_type):
    return lambda model, input, options={}: model.widened(op_type, input)


def binary(op_type):
    return lambda model, a, b, options={}: model.widened(op_type, a, b, carried=2)


def power(model, a, b, options={}):
    refuse_uint64("Pow", a)
    return model.widened("Pow", a, b, carried=2)


def truth(model, operand):
    """WebNN's truth values are uint8, ONNX's bool: whatever is not zero is true."""
    return model.cast(operand, "bool")


def comparison(op_type):
    def operator(model, a, b, options={}):
        return model.cast(model.node(op_type, a, b), "uint8")
    return operator


def not_equal(model, a, b, options={}):
    return model.cast(model.node("Not", model.node("Equal", a, b)), "uint8")


def logical(op_type):
    return lambda model, a, b, options={}: model.cast(model.node(op_type, truth(model, a), truth(model, b)), "uint8")


def logical_not(model, a, options={}):
    return model.cast(model.node("Not", truth(model, a)), "uint8")


def classification(op_type):
    return lambda model, a, options={}: model.cast(model.node(op_type, a), "uint8")


def cast(model, input, dataType, options={}):
    return model.node("Identity", input) if input.data_type == dataType else model.cast(input, dataType)


def where(model, condition, trueValue, falseValue, options={}):
    # Where's first operand has a type of its own, so `widened`, which casts the first ones, does not fit
    condition, data_type = truth(model, condition), trueValue.data_type
    for carrier in CARRIERS.get(data_type, [data_type]):
        true, false = model.cast(trueValue, carrier), model.cast(falseValue, carrier)
        if model.has_kernel("Where", condition, true, false):
            return model.cast(model.node("Where", condition, true, false), data_type)
    return model.node("Where", condition, trueValue, falseValue)


def clamp(model, input, options={}):
    # a bound that Clip is not given is the greatest finite number, which would clamp an infinity
    bounds = options.get("minValue", -math.inf), options.get("maxValue", math.inf)
    return model.node("Clip", input, *(scalar(model, bound, input) for bound in bounds))


def relu(model, input, options={}):
    if model.has_kernel("Relu", input):
        return model.node("Relu", input)
    return model.node("Max", input, model.filled(0, input.data_type))


def attributes_of(input, options, **defaults):
    """Options that are numbers, as attributes, which ONNX keeps as float32. WebNN casts them to the input's type first."""
    return {name: float(cast_number(options.get(name, default), input.data_type)) for name, default in defaults.items()}


def elu(model, input, options={}):
    return model.node("Elu", input, **attributes_of(input, options, alpha=1.0))


def leaky_relu(model, input, options={}):
    return model.node("LeakyRelu", input, **attributes_of(input, options, alpha=0.01))


def hard_sigmoid(model, input, options={}):
    return model.node("HardSigmoid", input, **attributes_of(input, options, alpha=0.2, beta=0.5))


def linear(model, input, options={}):
    """alpha * x + beta, by its formula: ONNX has no such operator."""
    scaled = model.node("Mul", input, scalar(model, options.get("alpha", 1), input))
    return model.node("Add", scaled, scalar(model, options.get("beta", 0), input))


def prelu(model, input, slope, options={}):
    if model.has_kernel("PRelu", input, slope):
        # PRelu broadcasts the slope only
        return model.node("PRelu", model.expand(input, broadcast_shape(input.shape, slope.shape)), slope)
    # WebNN's formula, for integers: max(0, x) + slope * min(0, x)
    zero = model.filled(0, input.data_type)
    scaled = model.node("Mul", slope, model.node("Min", input, zero))
    return model.node("Add", model.node("Max", input, zero), scaled)


def broadcast_shape(a, b):
    """The shape to which two operands are broadcast."""
    rank = max(len(a), len(b))
    pairs = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b)
    return tuple(max(pair) for pair in pairs)


OPERATORS = {
    "add": binary("Add"), "sub": binary("Sub"), "mul": binary("Mul"), "div": binary("Div"), "max": binary("Max"), "min": binary("Min"),
    "pow": power,
    "equal": comparison("Equal"), "notEqual": not_equal, "greater": comparison("Greater"),
    "greaterOrEqual": comparison("GreaterOrEqual"), "lesser": comparison("Less"), "lesserOrEqual": comparison("LessOrEqual"),
    "logicalNot": logical_not, "logicalAnd": logical("And"), "logicalOr": logical("Or"), "logicalXor": logical("Xor"),
    "isNaN": classification("IsNaN"), "isInfinite": classification("IsInf"),
    "abs": unary("Abs"), "ceil": unary("Ceil"), "cos": unary("Cos"), "erf": unary("Erf"), "exp": unary("Exp"), "floor": unary("Floor"),
    "identity": unary("Identity"), "log": unary("Log"), "neg": unary("Neg"), "reciprocal": unary("Reciprocal"),
    "roundEven": unary("Round"), "sign": unary("Sign"), "sin": unary("Sin"), "sqrt": unary("Sqrt"), "tan": unary("Tan"),
    "cast": cast, "where": where, "clamp": clamp, "linear": linear, "prelu": prelu, "relu": relu,
    "elu": elu, "gelu": unary("Gelu"), "hardSigmoid": hard_sigmoid, "hardSwish": unary("HardSwish"), "leakyRelu": leaky_relu,
    "sigmoid": unary("Sigmoid"), "softplus": unary("Softplus"), "softsign": unary("Softsign"), "tanh": unary("Tanh"),
}
