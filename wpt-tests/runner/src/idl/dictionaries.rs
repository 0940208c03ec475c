//! The dictionaries that script passes.

use super::{DATA_TYPE, Dictionary, Member, OPERAND, SIZES, Type};

const ENFORCED: Type = Type::EnforcedUnsignedLong;
const INPUT_LAYOUT: Type = Type::Enumeration("MLInputOperandLayout");
const ACTIVATIONS: Type = Type::Sequence(&Type::Enumeration("MLRecurrentNetworkActivation"));
const DIRECTION: Type = Type::Enumeration("MLRecurrentNetworkDirection");
const GRU_LAYOUT: Type = Type::Enumeration("MLGruWeightLayout");
const LSTM_LAYOUT: Type = Type::Enumeration("MLLstmWeightLayout");

const fn member(name: &'static str, kind: Type) -> Member {
    Member { name, kind, required: false }
}

const fn required(name: &'static str, kind: Type) -> Member {
    Member { name, kind, required: true }
}

const fn dictionary(name: &'static str, members: &'static [Member]) -> Dictionary {
    Dictionary { name, inherits: None, members }
}

/// A dictionary of options: it inherits the label.
const fn options(name: &'static str, members: &'static [Member]) -> Dictionary {
    Dictionary { name, inherits: Some("MLOperatorOptions"), members }
}

/// All dictionaries that script passes.
pub(super) const DICTIONARIES: &[Dictionary] = &[
    dictionary(
        "MLContextOptions",
        &[member("powerPreference", Type::Enumeration("MLPowerPreference")), member("accelerated", Type::Boolean)],
    ),
    dictionary("MLOperandDescriptor", &[required("dataType", DATA_TYPE), required("shape", SIZES)]),
    Dictionary {
        name: "MLTensorDescriptor",
        inherits: Some("MLOperandDescriptor"),
        members: &[member("readable", Type::Boolean), member("writable", Type::Boolean)],
    },
    dictionary("MLOperatorOptions", &[member("label", Type::UsvString)]),
    options("MLArgMinMaxOptions", &[member("keepDimensions", Type::Boolean), member("outputDataType", DATA_TYPE)]),
    options(
        "MLBatchNormalizationOptions",
        &[member("scale", OPERAND), member("bias", OPERAND), member("axis", ENFORCED), member("epsilon", Type::Double)],
    ),
    options("MLClampOptions", &[member("minValue", Type::Number), member("maxValue", Type::Number)]),
    options(
        "MLConv2dOptions",
        &[
            member("padding", SIZES),
            member("strides", SIZES),
            member("dilations", SIZES),
            member("groups", ENFORCED),
            member("inputLayout", INPUT_LAYOUT),
            member("filterLayout", Type::Enumeration("MLConv2dFilterOperandLayout")),
            member("bias", OPERAND),
        ],
    ),
    options(
        "MLConvTranspose2dOptions",
        &[
            member("padding", SIZES),
            member("strides", SIZES),
            member("dilations", SIZES),
            member("outputPadding", SIZES),
            member("outputSizes", SIZES),
            member("groups", ENFORCED),
            member("inputLayout", INPUT_LAYOUT),
            member("filterLayout", Type::Enumeration("MLConvTranspose2dFilterOperandLayout")),
            member("bias", OPERAND),
        ],
    ),
    options("MLCumulativeSumOptions", &[member("exclusive", Type::Boolean), member("reversed", Type::Boolean)]),
    options("MLEluOptions", &[member("alpha", Type::Double)]),
    options("MLGatherOptions", &[member("axis", ENFORCED)]),
    options(
        "MLGemmOptions",
        &[
            member("c", OPERAND),
            member("alpha", Type::Double),
            member("beta", Type::Double),
            member("aTranspose", Type::Boolean),
            member("bTranspose", Type::Boolean),
        ],
    ),
    options(
        "MLGruOptions",
        &[
            member("bias", OPERAND),
            member("recurrentBias", OPERAND),
            member("initialHiddenState", OPERAND),
            member("resetAfter", Type::Boolean),
            member("returnSequence", Type::Boolean),
            member("direction", DIRECTION),
            member("layout", GRU_LAYOUT),
            member("activations", ACTIVATIONS),
        ],
    ),
    options(
        "MLGruCellOptions",
        &[
            member("bias", OPERAND),
            member("recurrentBias", OPERAND),
            member("resetAfter", Type::Boolean),
            member("layout", GRU_LAYOUT),
            member("activations", ACTIVATIONS),
        ],
    ),
    options("MLHardSigmoidOptions", &[member("alpha", Type::Double), member("beta", Type::Double)]),
    options(
        "MLInstanceNormalizationOptions",
        &[
            member("scale", OPERAND),
            member("bias", OPERAND),
            member("epsilon", Type::Double),
            member("layout", INPUT_LAYOUT),
        ],
    ),
    options(
        "MLLayerNormalizationOptions",
        &[member("scale", OPERAND), member("bias", OPERAND), member("axes", SIZES), member("epsilon", Type::Double)],
    ),
    options("MLLeakyReluOptions", &[member("alpha", Type::Double)]),
    options("MLLinearOptions", &[member("alpha", Type::Double), member("beta", Type::Double)]),
    options(
        "MLLstmOptions",
        &[
            member("bias", OPERAND),
            member("recurrentBias", OPERAND),
            member("peepholeWeight", OPERAND),
            member("initialHiddenState", OPERAND),
            member("initialCellState", OPERAND),
            member("returnSequence", Type::Boolean),
            member("direction", DIRECTION),
            member("layout", LSTM_LAYOUT),
            member("activations", ACTIVATIONS),
        ],
    ),
    options(
        "MLLstmCellOptions",
        &[
            member("bias", OPERAND),
            member("recurrentBias", OPERAND),
            member("peepholeWeight", OPERAND),
            member("layout", LSTM_LAYOUT),
            member("activations", ACTIVATIONS),
        ],
    ),
    options("MLPadOptions", &[member("mode", Type::Enumeration("MLPaddingMode")), member("value", Type::Number)]),
    options(
        "MLPool2dOptions",
        &[
            member("windowDimensions", SIZES),
            member("padding", SIZES),
            member("strides", SIZES),
            member("dilations", SIZES),
            member("layout", INPUT_LAYOUT),
            member("outputShapeRounding", Type::Enumeration("MLRoundingType")),
            member("outputSizes", SIZES),
        ],
    ),
    options("MLReduceOptions", &[member("axes", SIZES), member("keepDimensions", Type::Boolean)]),
    options(
        "MLResample2dOptions",
        &[
            member("mode", Type::Enumeration("MLInterpolationMode")),
            member("scales", Type::Sequence(&Type::Float)),
            member("sizes", SIZES),
            member("axes", SIZES),
        ],
    ),
    options("MLReverseOptions", &[member("axes", SIZES)]),
    options("MLScatterOptions", &[member("axis", ENFORCED)]),
    options("MLSliceOptions", &[member("strides", SIZES)]),
    options("MLSplitOptions", &[member("axis", ENFORCED)]),
    options("MLTransposeOptions", &[member("permutation", SIZES)]),
    options("MLTriangularOptions", &[member("upper", Type::Boolean), member("diagonal", Type::EnforcedLong)]),
];
