"""batchNormalization, instanceNormalization and layerNormalization. A scale that is not given is 1, a bias 0."""

from tensors import cast_number
from windows import LAYOUT, from_layout, to_layout


def epsilon(input, options):
    return float(cast_number(options.get("epsilon", 1e-5), input.data_type))


def scale_and_bias(model, input, options, shape):
    return [
        options[name] if name in options else model.filled(value, input.data_type, shape) for name, value in (("scale", 1), ("bias", 0))]


def batch_normalization(model, input, mean, variance, options={}):
    axis = options.get("axis", 1)
    scale, bias = scale_and_bias(model, input, options, mean.shape)
    # ONNX normalizes the second dimension
    others = [other for other in range(input.rank) if other != axis]
    permutation = [*others[:1], axis, *others[1:]]
    moved = model.reshape(input, (1, *input.shape)) if input.rank == 1 else model.transpose(input, permutation)
    output = model.node("BatchNormalization", moved, scale, bias, mean, variance, epsilon=epsilon(input, options))
    if input.rank == 1:
        return model.reshape(output, input.shape)
    return model.transpose(output, [permutation.index(place) for place in range(input.rank)])


def instance_normalization(model, input, options={}):
    layout = options.get("layout", LAYOUT)
    moved = to_layout(model, input, layout)
    scale, bias = scale_and_bias(model, input, options, moved.shape[1:2])
    return from_layout(model, model.node("InstanceNormalization", moved, scale, bias, epsilon=epsilon(input, options)), layout)


def layer_normalization(model, input, options={}):
    axes = options.get("axes", list(range(1, input.rank)))
    scale, bias = scale_and_bias(model, input, options, [input.shape[axis] for axis in axes])
    if not axes:  # each element by itself: along a last dimension of 1
        apart = model.reshape(input, (*input.shape, 1))
        scale, bias = (model.reshape(operand, (1,)) for operand in (scale, bias))
        return model.reshape(normalized_last(model, apart, scale, bias, input.rank, options), input.shape)
    # ONNX normalizes the last dimensions; the axes go there, with scale and bias in the order of the axes
    permutation = [axis for axis in range(input.rank) if axis not in axes] + list(axes)
    output = normalized_last(model, model.transpose(input, permutation), scale, bias, input.rank - len(axes), options)
    return model.transpose(output, [permutation.index(axis) for axis in range(input.rank)])


def normalized_last(model, input, scale, bias, first, options):
    return model.node("LayerNormalization", input, scale, bias, axis=first, epsilon=epsilon(input, options))


OPERATORS = {
    "batchNormalization": batch_normalization, "instanceNormalization": instance_normalization,
    "layerNormalization": layer_normalization,
}
