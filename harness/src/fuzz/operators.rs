//! How a call of each operator is proposed: its operands, and every option that it has.
//!
//! A proposal is meant to be valid, but nothing depends on it: the builder refuses what is not.

mod elementwise;
mod indexing;
mod matrices;
mod movement;
mod normalization;
mod quantization;
mod recurrent;
mod reduction;
mod window;

use webnn_reference::ops::OperatorRow;

use super::draft::{Call, Draft};

/// Proposes a call.
pub(crate) type Propose = fn(&mut Draft, &'static OperatorRow) -> Call;

/// How a call of the operator is proposed; `None` for an operator that nobody has thought of here.
pub(crate) fn proposal(operator: &str) -> Option<Propose> {
    Some(match operator {
        "abs" | "ceil" | "cos" | "erf" | "exp" | "floor" | "gelu" | "hardSwish" | "identity" | "log" | "logicalNot"
        | "neg" | "reciprocal" | "relu" | "roundEven" | "sigmoid" | "sign" | "sin" | "softplus" | "softsign"
        | "sqrt" | "tan" | "tanh" => elementwise::unary,
        "isInfinite" | "isNaN" => elementwise::of_floats,
        "elu" | "leakyRelu" => elementwise::alpha,
        "hardSigmoid" | "linear" => elementwise::alpha_and_beta,
        "clamp" => elementwise::clamp,
        "cast" => elementwise::cast,
        "add" | "div" | "equal" | "greater" | "greaterOrEqual" | "lesser" | "lesserOrEqual" | "logicalAnd"
        | "logicalOr" | "logicalXor" | "max" | "min" | "mul" | "notEqual" | "pow" | "sub" => elementwise::binary,
        "prelu" => elementwise::prelu,
        "where" => elementwise::where_,
        "concat" => movement::concat,
        "expand" => movement::expand,
        "pad" => movement::pad,
        "reshape" => movement::reshape,
        "reverse" => movement::reverse,
        "slice" => movement::slice,
        "split" => movement::split,
        "tile" => movement::tile,
        "transpose" => movement::transpose,
        "triangular" => movement::triangular,
        "gather" => indexing::gather,
        "gatherElements" => indexing::gather_elements,
        "gatherND" => indexing::gather_nd,
        "scatterElements" => indexing::scatter_elements,
        "scatterND" => indexing::scatter_nd,
        "argMax" | "argMin" => reduction::arg_min_max,
        "cumulativeSum" => reduction::cumulative_sum,
        "reduceL1" | "reduceL2" | "reduceLogSum" | "reduceLogSumExp" | "reduceMax" | "reduceMean" | "reduceMin"
        | "reduceProduct" | "reduceSum" | "reduceSumSquare" => reduction::reduce,
        "softmax" => reduction::softmax,
        "gemm" => matrices::gemm,
        "matmul" => matrices::matmul,
        "averagePool2d" | "l2Pool2d" | "maxPool2d" => window::pool2d,
        "conv2d" => window::conv2d,
        "convTranspose2d" => window::conv_transpose2d,
        "resample2d" => window::resample2d,
        "batchNormalization" => normalization::batch,
        "instanceNormalization" => normalization::instance,
        "layerNormalization" => normalization::layer,
        "dequantizeLinear" => quantization::dequantize,
        "quantizeLinear" => quantization::quantize,
        "gru" => recurrent::gru,
        "gruCell" => recurrent::gru_cell,
        "lstm" => recurrent::lstm,
        "lstmCell" => recurrent::lstm_cell,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use webnn_reference::ops::OPERATORS;

    use super::*;

    #[test]
    fn every_operator_can_be_proposed() {
        let missing: Vec<_> = OPERATORS.iter().map(|row| row.name).filter(|name| proposal(name).is_none()).collect();
        assert_eq!(missing, [""; 0], "say in harness/src/fuzz/operators.rs how they are proposed");
    }
}
