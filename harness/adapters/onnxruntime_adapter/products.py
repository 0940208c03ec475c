"""matmul, gemm, conv2d and convTranspose2d."""

from elementwise import attributes_of
from windows import LAYOUT, from_layout, options_of_windows, to_layout


def matmul(model, a, b, options={}):
    return model.node("MatMul", a, b)


def gemm(model, a, b, options={}):
    transposed = {"transA": int(options.get("aTranspose", False)), "transB": int(options.get("bTranspose", False))}
    return model.node("Gemm", a, b, options.get("c"), **transposed, **attributes_of(a, options, alpha=1.0, beta=1.0))


def convolution_attributes(options):
    return {"group": options.get("groups", 1), **options_of_windows(options)}


def conv2d(model, input, filter, options={}):
    layout = options.get("inputLayout", LAYOUT)
    filter = to_layout(model, filter, options.get("filterLayout", "oihw"), "oihw")
    output = model.node("Conv", to_layout(model, input, layout), filter, options.get("bias"), **convolution_attributes(options))
    return from_layout(model, output, layout)


def conv_transpose2d(model, input, filter, options={}):
    layout = options.get("inputLayout", LAYOUT)
    input = to_layout(model, input, layout)
    filter = to_layout(model, filter, options.get("filterLayout", "iohw"), "iohw")
    attributes = convolution_attributes(options)
    attributes["output_padding"] = options.get("outputPadding", [0, 0])
    if "outputSizes" in options:
        attributes["output_padding"] = missing_rows(input.shape[2:], filter.shape[2:], options)
    output = model.node("ConvTranspose", input, filter, options.get("bias"), **attributes)
    return from_layout(model, output, layout)


def missing_rows(sizes, window, options):
    """The output padding that gives the output its sizes. (ONNX's `output_shape` would choose the padding anew.)"""
    padding, strides, dilations = options.get("padding", [0] * 4), options.get("strides", [1, 1]), options.get("dilations", [1, 1])
    plain = [
        (sizes[d] - 1) * strides[d] + (window[d] - 1) * dilations[d] + 1 - padding[2 * d] - padding[2 * d + 1] for d in (0, 1)]
    return [size - without for size, without in zip(options["outputSizes"], plain)]


OPERATORS = {"matmul": matmul, "gemm": gemm, "conv2d": conv2d, "convTranspose2d": conv_transpose2d}
