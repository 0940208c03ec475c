//! The operators of the builder.

use super::{DATA_TYPE, OPERAND, OPERANDS, Operation, SIZES, Signature, Type, options, required};

const ENFORCED: Type = Type::EnforcedUnsignedLong;
/// How many parts there are, or how large each is.
const SPLITS: Type = Type::Either(&ENFORCED, &SIZES);

const OF_ONE: &[Signature] =
    &[Signature { parameters: &[required("input", OPERAND), options("MLOperatorOptions")], returns: OPERAND }];
const OF_TWO: &[Signature] = &[Signature {
    parameters: &[required("a", OPERAND), required("b", OPERAND), options("MLOperatorOptions")],
    returns: OPERAND,
}];
const OF_A: &[Signature] =
    &[Signature { parameters: &[required("a", OPERAND), options("MLOperatorOptions")], returns: OPERAND }];
const ARG_MIN_MAX: &[Signature] = &[Signature {
    parameters: &[required("input", OPERAND), required("axis", ENFORCED), options("MLArgMinMaxOptions")],
    returns: OPERAND,
}];
const POOL_2D: &[Signature] =
    &[Signature { parameters: &[required("input", OPERAND), options("MLPool2dOptions")], returns: OPERAND }];
const REDUCE: &[Signature] =
    &[Signature { parameters: &[required("input", OPERAND), options("MLReduceOptions")], returns: OPERAND }];
const QUANTIZE: &[Signature] = &[Signature {
    parameters: &[
        required("input", OPERAND),
        required("scale", OPERAND),
        required("zeroPoint", OPERAND),
        options("MLOperatorOptions"),
    ],
    returns: OPERAND,
}];
const GATHER: &[Signature] = &[Signature {
    parameters: &[required("input", OPERAND), required("indices", OPERAND), options("MLGatherOptions")],
    returns: OPERAND,
}];
const TO_SHAPE: &[Signature] = &[Signature {
    parameters: &[required("input", OPERAND), required("newShape", SIZES), options("MLOperatorOptions")],
    returns: OPERAND,
}];

const fn operator(name: &'static str, overloads: &'static [Signature]) -> Operation {
    Operation { name, overloads }
}

/// All operators. Those that are called alike share their signature.
pub(super) const OPERATORS: &[Operation] = &[
    operator("abs", OF_ONE),
    operator("add", OF_TWO),
    operator("argMax", ARG_MIN_MAX),
    operator("argMin", ARG_MIN_MAX),
    operator("averagePool2d", POOL_2D),
    operator(
        "batchNormalization",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("mean", OPERAND),
                required("variance", OPERAND),
                options("MLBatchNormalizationOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator(
        "cast",
        &[Signature {
            parameters: &[required("input", OPERAND), required("dataType", DATA_TYPE), options("MLOperatorOptions")],
            returns: OPERAND,
        }],
    ),
    operator("ceil", OF_ONE),
    operator(
        "clamp",
        &[Signature { parameters: &[required("input", OPERAND), options("MLClampOptions")], returns: OPERAND }],
    ),
    operator(
        "concat",
        &[Signature {
            parameters: &[required("inputs", OPERANDS), required("axis", ENFORCED), options("MLOperatorOptions")],
            returns: OPERAND,
        }],
    ),
    operator(
        "conv2d",
        &[Signature {
            parameters: &[required("input", OPERAND), required("filter", OPERAND), options("MLConv2dOptions")],
            returns: OPERAND,
        }],
    ),
    operator(
        "convTranspose2d",
        &[Signature {
            parameters: &[required("input", OPERAND), required("filter", OPERAND), options("MLConvTranspose2dOptions")],
            returns: OPERAND,
        }],
    ),
    operator("cos", OF_ONE),
    operator(
        "cumulativeSum",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("axis", Type::UnsignedLong),
                options("MLCumulativeSumOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator("dequantizeLinear", QUANTIZE),
    operator("div", OF_TWO),
    operator(
        "elu",
        &[Signature { parameters: &[required("input", OPERAND), options("MLEluOptions")], returns: OPERAND }],
    ),
    operator("equal", OF_TWO),
    operator("erf", OF_ONE),
    operator("exp", OF_ONE),
    operator("expand", TO_SHAPE),
    operator("floor", OF_ONE),
    operator("gather", GATHER),
    operator("gatherElements", GATHER),
    operator(
        "gatherND",
        &[Signature {
            parameters: &[required("input", OPERAND), required("indices", OPERAND), options("MLOperatorOptions")],
            returns: OPERAND,
        }],
    ),
    operator("gelu", OF_ONE),
    operator(
        "gemm",
        &[Signature {
            parameters: &[required("a", OPERAND), required("b", OPERAND), options("MLGemmOptions")],
            returns: OPERAND,
        }],
    ),
    operator("greater", OF_TWO),
    operator("greaterOrEqual", OF_TWO),
    operator(
        "gru",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("weight", OPERAND),
                required("recurrentWeight", OPERAND),
                required("steps", ENFORCED),
                required("hiddenSize", ENFORCED),
                options("MLGruOptions"),
            ],
            returns: OPERANDS,
        }],
    ),
    operator(
        "gruCell",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("weight", OPERAND),
                required("recurrentWeight", OPERAND),
                required("hiddenState", OPERAND),
                required("hiddenSize", ENFORCED),
                options("MLGruCellOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator(
        "hardSigmoid",
        &[Signature { parameters: &[required("input", OPERAND), options("MLHardSigmoidOptions")], returns: OPERAND }],
    ),
    operator("hardSwish", OF_ONE),
    operator("identity", OF_ONE),
    operator(
        "instanceNormalization",
        &[Signature {
            parameters: &[required("input", OPERAND), options("MLInstanceNormalizationOptions")],
            returns: OPERAND,
        }],
    ),
    operator("isInfinite", OF_A),
    operator("isNaN", OF_A),
    operator("l2Pool2d", POOL_2D),
    operator(
        "layerNormalization",
        &[Signature {
            parameters: &[required("input", OPERAND), options("MLLayerNormalizationOptions")],
            returns: OPERAND,
        }],
    ),
    operator(
        "leakyRelu",
        &[Signature { parameters: &[required("input", OPERAND), options("MLLeakyReluOptions")], returns: OPERAND }],
    ),
    operator("lesser", OF_TWO),
    operator("lesserOrEqual", OF_TWO),
    operator(
        "linear",
        &[Signature { parameters: &[required("input", OPERAND), options("MLLinearOptions")], returns: OPERAND }],
    ),
    operator("log", OF_ONE),
    operator("logicalAnd", OF_TWO),
    operator("logicalNot", OF_A),
    operator("logicalOr", OF_TWO),
    operator("logicalXor", OF_TWO),
    operator(
        "lstm",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("weight", OPERAND),
                required("recurrentWeight", OPERAND),
                required("steps", ENFORCED),
                required("hiddenSize", ENFORCED),
                options("MLLstmOptions"),
            ],
            returns: OPERANDS,
        }],
    ),
    operator(
        "lstmCell",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("weight", OPERAND),
                required("recurrentWeight", OPERAND),
                required("hiddenState", OPERAND),
                required("cellState", OPERAND),
                required("hiddenSize", ENFORCED),
                options("MLLstmCellOptions"),
            ],
            returns: OPERANDS,
        }],
    ),
    operator("matmul", OF_TWO),
    operator("max", OF_TWO),
    operator("maxPool2d", POOL_2D),
    operator("min", OF_TWO),
    operator("mul", OF_TWO),
    operator("neg", OF_ONE),
    operator("notEqual", OF_TWO),
    operator(
        "pad",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("beginningPadding", SIZES),
                required("endingPadding", SIZES),
                options("MLPadOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator("pow", OF_TWO),
    operator(
        "prelu",
        &[Signature {
            parameters: &[required("input", OPERAND), required("slope", OPERAND), options("MLOperatorOptions")],
            returns: OPERAND,
        }],
    ),
    operator("quantizeLinear", QUANTIZE),
    operator("reciprocal", OF_ONE),
    operator("reduceL1", REDUCE),
    operator("reduceL2", REDUCE),
    operator("reduceLogSum", REDUCE),
    operator("reduceLogSumExp", REDUCE),
    operator("reduceMax", REDUCE),
    operator("reduceMean", REDUCE),
    operator("reduceMin", REDUCE),
    operator("reduceProduct", REDUCE),
    operator("reduceSum", REDUCE),
    operator("reduceSumSquare", REDUCE),
    operator("relu", OF_ONE),
    operator(
        "resample2d",
        &[Signature { parameters: &[required("input", OPERAND), options("MLResample2dOptions")], returns: OPERAND }],
    ),
    operator("reshape", TO_SHAPE),
    operator(
        "reverse",
        &[Signature { parameters: &[required("input", OPERAND), options("MLReverseOptions")], returns: OPERAND }],
    ),
    operator("roundEven", OF_ONE),
    operator(
        "scatterElements",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("indices", OPERAND),
                required("updates", OPERAND),
                options("MLScatterOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator(
        "scatterND",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("indices", OPERAND),
                required("updates", OPERAND),
                options("MLOperatorOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator("sigmoid", OF_ONE),
    operator("sign", OF_ONE),
    operator("sin", OF_ONE),
    operator(
        "slice",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("starts", SIZES),
                required("sizes", SIZES),
                options("MLSliceOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator(
        "softmax",
        &[Signature {
            parameters: &[required("input", OPERAND), required("axis", ENFORCED), options("MLOperatorOptions")],
            returns: OPERAND,
        }],
    ),
    operator("softplus", OF_ONE),
    operator("softsign", OF_ONE),
    operator(
        "split",
        &[Signature {
            parameters: &[required("input", OPERAND), required("splits", SPLITS), options("MLSplitOptions")],
            returns: OPERANDS,
        }],
    ),
    operator("sqrt", OF_ONE),
    operator("sub", OF_TWO),
    operator("tan", OF_ONE),
    operator("tanh", OF_ONE),
    operator(
        "tile",
        &[Signature {
            parameters: &[
                required("input", OPERAND),
                required("repetitions", Type::Sequence(&Type::UnsignedLong)),
                options("MLOperatorOptions"),
            ],
            returns: OPERAND,
        }],
    ),
    operator(
        "transpose",
        &[Signature { parameters: &[required("input", OPERAND), options("MLTransposeOptions")], returns: OPERAND }],
    ),
    operator(
        "triangular",
        &[Signature { parameters: &[required("input", OPERAND), options("MLTriangularOptions")], returns: OPERAND }],
    ),
    operator(
        "where",
        &[Signature {
            parameters: &[
                required("condition", OPERAND),
                required("trueValue", OPERAND),
                required("falseValue", OPERAND),
                options("MLOperatorOptions"),
            ],
            returns: OPERAND,
        }],
    ),
];
