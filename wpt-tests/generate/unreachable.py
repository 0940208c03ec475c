"""The throwing steps that no vector can reach, and why."""

PLATFORM = "only a platform that fails gets there, and no vector can make one fail (reference/tests/failing_platform.rs does)"
DOCUMENT = "needs a document that may not use the feature, and a vector has no document"
ANY_TYPE = "the table allows every data type"
ANY_RANK = "the table allows every rank"
READ = "losing the context destroys the tensor, and that rejects the promise first (MLTensor.destroy() step 2.2)"
HIDDEN = "the recurrent weights have at least 3 * hiddenSize * hiddenSize elements, which is no valid dimension long before this product is none"

GRU = "gru(input, weight, recurrentWeight, steps, hiddenSize, options)"
GRU_CELL = "gruCell(input, weight, recurrentWeight, hiddenState, hiddenSize, options)"
LSTM = "lstm(input, weight, recurrentWeight, steps, hiddenSize, options)"
LSTM_CELL = "lstmCell(input, weight, recurrentWeight, hiddenState, cellState, hiddenSize, options)"

UNREACHABLE = {
    ("ML.createContext(options)", "3"): DOCUMENT,
    ("ML.createContext(gpuDevice)", "3"): DOCUMENT,
    ("ML.createContext(options)", "5.1"): PLATFORM,
    ("MLContext.createConstantTensor(descriptor, inputData)", "10.1.4"): PLATFORM,
    ("MLContext.readTensor(tensor)", "8.2"): READ,
    ("MLContext.readTensor(tensor, outputData)", "9.2"): READ,
    ("MLGraphBuilder.MLGraphBuilder(context)", "1"): DOCUMENT,
    ("MLGraphBuilder.build(outputs)", "4.4"): "an operand made from a constant tensor is one of the constants, which step 4.3 refuses",
    ("MLGraphBuilder/create an argMin/argMax operation", "6"): "the largest valid dimension is the largest int32, and int64 is the other type",
    ("MLGraphBuilder/create an argMin/argMax operation", "7"): "the sizes can only be wrong for an axis beyond the rank, which step 4 refuses",
    ("MLGraphBuilder.cast(input, dataType, options)", "3"): ANY_TYPE,
    ("MLGraphBuilder.dequantizeLinear(input, scale, zeroPoint, options)", "6"): "the table's type for zeroPoint is the input's, so step 5 refuses it",
    ("MLGraphBuilder.dequantizeLinear(input, scale, zeroPoint, options)", "10"): "zeroPoint has the shape of the scale, which step 9 has checked",
    ("MLGraphBuilder.quantizeLinear(input, scale, zeroPoint, options)", "5"): "the table's type for scale is the input's, so step 4 refuses it",
    ("MLGraphBuilder.quantizeLinear(input, scale, zeroPoint, options)", "10"): "zeroPoint has the shape of the scale, which step 9 has checked",
    ("MLGraphBuilder.expand(input, newShape, options)", "4"): ANY_RANK,
    ("MLGraphBuilder.gatherND(input, indices, options)", "7"): "it is step 4 once more",
    (f"MLGraphBuilder.{GRU}", "11"): HIDDEN,
    (f"MLGraphBuilder.{GRU_CELL}", "10"): HIDDEN,
    ("MLGraphBuilder.layerNormalization(input, options)", "9.2"): "step 5 has checked the axes, and the default ones are in range",
    (f"MLGraphBuilder.{LSTM}", "12"): HIDDEN,
    (f"MLGraphBuilder.{LSTM_CELL}", "11"): HIDDEN,
    ("MLGraphBuilder/create a pooling operation", "15.2"): "it is there in the text as written only (pool2d-output-sizes-smaller-than-strides)",
    ("MLGraphBuilder.reshape(input, newShape, options)", "3"): ANY_RANK,
    ("MLGraphBuilder.reverse(input, options)", "3"): ANY_TYPE,
    ("MLGraphBuilder.slice(input, starts, sizes, options)", "9.4"): "step 3 refuses a size of zero",
}
