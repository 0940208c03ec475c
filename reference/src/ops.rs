//! The operators, one file per section of the specification.
//!
//! This file has the two lists in which an operator stands: [`Operation`], what a platform computes, and
//! [`OPERATORS`], how a method is called and what its operands may be. Neither has a wildcard anywhere it is matched,
//! so that the compiler lists what a new operator still lacks.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::builder::MLGraphBuilder;
use crate::descriptor::MLOperandDescriptor;
use crate::exception::Result;
use crate::idl::{Arguments, Members, Options, Value as IdlValue};
use crate::idl_enumeration;
use crate::limits::TensorLimits;
use crate::operand::{MLOperand, OperandId};
use crate::value::{Computed, Value};

pub mod argminmax;
pub mod batchnormalization;
pub mod binary;
pub mod cast;
pub mod clamp;
pub mod concat;
pub mod conv2d;
pub mod convtranspose2d;
pub mod cumulativesum;
pub mod dequantizelinear;
pub mod elu;
pub mod expand;
pub mod gather;
pub mod gatherelements;
pub mod gathernd;
pub mod gelu;
pub mod gemm;
pub mod gru;
pub mod grucell;
pub mod hardsigmoid;
pub mod hardswish;
pub mod instancenormalization;
pub mod layernormalization;
pub mod leakyrelu;
pub mod linear;
pub mod logical;
pub mod lstm;
pub mod lstmcell;
pub mod matmul;
pub mod pad;
pub mod pool2d;
pub mod prelu;
pub mod quantizelinear;
pub mod reduce;
pub mod relu;
pub mod resample2d;
pub mod reshape;
pub mod reverse;
pub mod scatterelements;
pub mod scatternd;
pub mod sigmoid;
pub mod slice;
pub mod softmax;
pub mod softplus;
pub mod softsign;
pub mod split;
pub mod tanh;
pub mod tile;
pub mod transpose;
pub mod triangular;
pub mod unary;
#[path = "ops/where.rs"]
pub mod where_;

/// <https://www.w3.org/TR/webnn/#dictdef-mloperatoroptions>
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MLOperatorOptions {
    /// The operator's label in diagnostics.
    pub label: String,
}

impl Options for MLOperatorOptions {
    fn from_members(members: &Members<'_>) -> Result<Self> {
        Ok(Self { label: members.label()? })
    }
}

/// <https://www.w3.org/TR/webnn/#enumdef-mlinputoperandlayout>
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MLInputOperandLayout {
    /// Batches, channels, height, width.
    #[default]
    Nchw,
    /// Batches, height, width, channels.
    Nhwc,
}

impl MLInputOperandLayout {
    /// All layouts, in the order of the IDL.
    pub const ALL: [Self; 2] = [Self::Nchw, Self::Nhwc];

    /// The enumeration value as script writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nchw => "nchw",
            Self::Nhwc => "nhwc",
        }
    }

    /// What belongs to the axes of an operand in this layout, in the order batches, channels, height, width.
    pub fn to_nchw<T>(self, of_axes: [T; 4]) -> [T; 4] {
        match (self, of_axes) {
            (Self::Nchw, [n, c, h, w]) | (Self::Nhwc, [n, h, w, c]) => [n, c, h, w],
        }
    }

    /// What belongs to batches, channels, height and width, in the order of the axes of an operand in this layout.
    pub fn from_nchw<T>(self, [n, c, h, w]: [T; 4]) -> [T; 4] {
        match self {
            Self::Nchw => [n, c, h, w],
            Self::Nhwc => [n, h, w, c],
        }
    }
}

idl_enumeration!(MLInputOperandLayout);

/// An [operator](https://www.w3.org/TR/webnn/#operators) of a computational graph.
#[derive(Clone, Debug)]
pub struct Operator {
    /// What it computes.
    pub operation: Operation,
    /// Its label, for diagnostics.
    pub label: String,
    /// Its inputs, the optional ones last.
    pub inputs: Vec<OperandId>,
    /// Its outputs.
    pub outputs: Vec<OperandId>,
}

impl Operator {
    /// The operator with all its inputs: by the literal text, `build()` has not found the scale and the zero point of
    /// quantizeLinear and dequantizeLinear among them.
    pub(crate) fn with_all_inputs(mut self) -> Self {
        let mut given = Vec::new();
        if let Operation::DequantizeLinear(operation) = &self.operation {
            given.extend([operation.scale, operation.zero_point]);
        }
        if let Operation::QuantizeLinear(operation) = &self.operation {
            given.extend([operation.scale, operation.zero_point]);
        }
        if self.inputs.len() == 1 {
            self.inputs.append(&mut given);
        }
        self
    }
}

/// What an operator computes, with its parameters validated and their defaults filled in.
#[derive(Clone, Debug)]
pub enum Operation {
    /// One of the argMin/argMax operations.
    ArgMinMax(argminmax::ArgMinMax),
    /// batchNormalization.
    BatchNormalization(batchnormalization::BatchNormalization),
    /// One of the element-wise binary operations.
    Binary(binary::Binary),
    /// cast, to the type of the output.
    Cast,
    /// clamp.
    Clamp(clamp::Clamp),
    /// concat.
    Concat(concat::Concat),
    /// conv2d.
    Conv2d(conv2d::Conv2d),
    /// convTranspose2d.
    ConvTranspose2d(convtranspose2d::ConvTranspose2d),
    /// cumulativeSum.
    CumulativeSum(cumulativesum::CumulativeSum),
    /// dequantizeLinear.
    DequantizeLinear(dequantizelinear::DequantizeLinear),
    /// elu.
    Elu(elu::Elu),
    /// expand, to the shape of the output.
    Expand,
    /// gather.
    Gather(gather::Gather),
    /// gatherElements.
    GatherElements(gatherelements::GatherElements),
    /// gatherND.
    GatherNd,
    /// gelu.
    Gelu,
    /// gemm.
    Gemm(gemm::Gemm),
    /// gru.
    Gru(gru::Gru),
    /// gruCell.
    GruCell(grucell::GruCell),
    /// hardSigmoid.
    HardSigmoid(hardsigmoid::HardSigmoid),
    /// hardSwish.
    HardSwish,
    /// instanceNormalization.
    InstanceNormalization(instancenormalization::InstanceNormalization),
    /// layerNormalization.
    LayerNormalization(layernormalization::LayerNormalization),
    /// leakyRelu.
    LeakyRelu(leakyrelu::LeakyRelu),
    /// linear.
    Linear(linear::Linear),
    /// One of the element-wise logical operations.
    Logical(logical::Logical),
    /// lstm.
    Lstm(lstm::Lstm),
    /// lstmCell.
    LstmCell(lstmcell::LstmCell),
    /// matmul.
    Matmul,
    /// pad.
    Pad(pad::Pad),
    /// One of the pooling operations.
    Pool2d(pool2d::Pool2d),
    /// prelu.
    Prelu,
    /// quantizeLinear.
    QuantizeLinear(quantizelinear::QuantizeLinear),
    /// One of the reduction operations.
    Reduce(reduce::Reduce),
    /// relu.
    Relu,
    /// resample2d.
    Resample2d(resample2d::Resample2d),
    /// reshape, to the shape of the output.
    Reshape,
    /// reverse.
    Reverse(reverse::Reverse),
    /// scatterElements.
    ScatterElements(scatterelements::ScatterElements),
    /// scatterND.
    ScatterNd,
    /// sigmoid.
    Sigmoid,
    /// slice.
    Slice(slice::Slice),
    /// softmax.
    Softmax(softmax::Softmax),
    /// softplus.
    Softplus,
    /// softsign.
    Softsign,
    /// split.
    Split(split::Split),
    /// tanh.
    Tanh,
    /// tile, to the shape of the output.
    Tile,
    /// transpose.
    Transpose(transpose::Transpose),
    /// triangular.
    Triangular(triangular::Triangular),
    /// One of the element-wise unary operations.
    Unary(unary::Unary),
    /// where.
    Where,
}

impl Operation {
    /// The name of the builder's method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ArgMinMax(operation) => operation.extreme.as_str(),
            Self::BatchNormalization(_) => "batchNormalization",
            Self::Binary(operation) => operation.as_str(),
            Self::Cast => "cast",
            Self::Clamp(_) => "clamp",
            Self::Concat(_) => "concat",
            Self::Conv2d(_) => "conv2d",
            Self::ConvTranspose2d(_) => "convTranspose2d",
            Self::CumulativeSum(_) => "cumulativeSum",
            Self::DequantizeLinear(_) => "dequantizeLinear",
            Self::Elu(_) => "elu",
            Self::Expand => "expand",
            Self::Gather(_) => "gather",
            Self::GatherElements(_) => "gatherElements",
            Self::GatherNd => "gatherND",
            Self::Gelu => "gelu",
            Self::Gemm(_) => "gemm",
            Self::Gru(_) => "gru",
            Self::GruCell(_) => "gruCell",
            Self::HardSigmoid(_) => "hardSigmoid",
            Self::HardSwish => "hardSwish",
            Self::InstanceNormalization(_) => "instanceNormalization",
            Self::LayerNormalization(_) => "layerNormalization",
            Self::LeakyRelu(_) => "leakyRelu",
            Self::Linear(_) => "linear",
            Self::Logical(operation) => operation.as_str(),
            Self::Lstm(_) => "lstm",
            Self::LstmCell(_) => "lstmCell",
            Self::Matmul => "matmul",
            Self::Pad(_) => "pad",
            Self::Pool2d(operation) => operation.pooling.as_str(),
            Self::Prelu => "prelu",
            Self::QuantizeLinear(_) => "quantizeLinear",
            Self::Reduce(operation) => operation.reduction.as_str(),
            Self::Relu => "relu",
            Self::Resample2d(_) => "resample2d",
            Self::Reshape => "reshape",
            Self::Reverse(_) => "reverse",
            Self::ScatterElements(_) => "scatterElements",
            Self::ScatterNd => "scatterND",
            Self::Sigmoid => "sigmoid",
            Self::Slice(_) => "slice",
            Self::Softmax(_) => "softmax",
            Self::Softplus => "softplus",
            Self::Softsign => "softsign",
            Self::Split(_) => "split",
            Self::Tanh => "tanh",
            Self::Tile => "tile",
            Self::Transpose(_) => "transpose",
            Self::Triangular(_) => "triangular",
            Self::Unary(operation) => operation.as_str(),
            Self::Where => "where",
        }
    }

    /// Whether an element of the output depends on the elements at its place only, after broadcasting: then a dimension
    /// along which the operands repeat is one along which the output does.
    pub fn is_element_wise(&self) -> bool {
        matches!(
            self,
            Self::Binary(_)
                | Self::Elu(_)
                | Self::Gelu
                | Self::HardSigmoid(_)
                | Self::HardSwish
                | Self::LeakyRelu(_)
                | Self::Linear(_)
                | Self::Logical(_)
                | Self::Prelu
                | Self::Relu
                | Self::Sigmoid
                | Self::Softplus
                | Self::Softsign
                | Self::Tanh
                | Self::Unary(_)
        )
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let output = match self {
            Self::ArgMinMax(operation) => operation.compute(bound),
            Self::BatchNormalization(operation) => operation.compute(bound),
            Self::Binary(operation) => operation.compute(bound),
            Self::Cast => cast::compute(bound),
            Self::Clamp(operation) => operation.compute(bound),
            Self::Concat(operation) => operation.compute(bound),
            Self::Conv2d(operation) => operation.compute(bound),
            Self::ConvTranspose2d(operation) => operation.compute(bound),
            Self::CumulativeSum(operation) => operation.compute(bound),
            Self::DequantizeLinear(operation) => operation.compute(bound),
            Self::Elu(operation) => operation.compute(bound),
            Self::Expand => expand::compute(bound),
            Self::Gather(operation) => operation.compute(bound),
            Self::GatherElements(operation) => operation.compute(bound),
            Self::GatherNd => gathernd::compute(bound),
            Self::Gelu => gelu::compute(bound),
            Self::Gemm(operation) => operation.compute(bound),
            Self::Gru(operation) => return operation.compute(bound),
            Self::GruCell(operation) => operation.compute(bound),
            Self::HardSigmoid(operation) => operation.compute(bound),
            Self::HardSwish => hardswish::compute(bound),
            Self::InstanceNormalization(operation) => operation.compute(bound),
            Self::LayerNormalization(operation) => operation.compute(bound),
            Self::LeakyRelu(operation) => operation.compute(bound),
            Self::Linear(operation) => operation.compute(bound),
            Self::Logical(operation) => operation.compute(bound),
            Self::Lstm(operation) => return operation.compute(bound),
            Self::LstmCell(operation) => return operation.compute(bound),
            Self::Matmul => matmul::compute(bound),
            Self::Pad(operation) => operation.compute(bound),
            Self::Pool2d(operation) => operation.compute(bound),
            Self::Prelu => prelu::compute(bound),
            Self::QuantizeLinear(operation) => operation.compute(bound),
            Self::Reduce(operation) => operation.compute(bound),
            Self::Relu => relu::compute(bound),
            Self::Resample2d(operation) => operation.compute(bound),
            Self::Reshape => reshape::compute(bound),
            Self::Reverse(operation) => operation.compute(bound),
            Self::ScatterElements(operation) => operation.compute(bound),
            Self::ScatterNd => scatternd::compute(bound),
            Self::Sigmoid => sigmoid::compute(bound),
            Self::Slice(operation) => operation.compute(bound),
            Self::Softmax(operation) => operation.compute(bound),
            Self::Softplus => softplus::compute(bound),
            Self::Softsign => softsign::compute(bound),
            Self::Split(operation) => return operation.compute(bound),
            Self::Tanh => tanh::compute(bound),
            Self::Tile => tile::compute(bound),
            Self::Transpose(operation) => operation.compute(bound),
            Self::Triangular(operation) => operation.compute(bound),
            Self::Unary(operation) => operation.compute(bound),
            Self::Where => where_::compute(bound),
        };
        Ok(vec![output?])
    }
}

/// The values to which the operands of one operator are bound.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    operator: &'a Operator,
    descriptors: &'a [MLOperandDescriptor],
    values: &'a BTreeMap<OperandId, Rc<Value>>,
}

impl<'a> Bound<'a> {
    /// The operands of `operator`, given the descriptors and values of all operands of its graph.
    pub fn new(
        operator: &'a Operator,
        descriptors: &'a [MLOperandDescriptor],
        values: &'a BTreeMap<OperandId, Rc<Value>>,
    ) -> Self {
        Self { operator, descriptors, values }
    }

    /// The value of an input, by its place in the operator's inputs.
    ///
    /// # Panics
    /// If the operator has no such input, which validation excludes.
    pub fn input(&self, place: usize) -> &'a Value {
        self.operand(self.operator.inputs[place])
    }

    /// Which operand an input is, by its place in the operator's inputs.
    pub(crate) fn input_id(&self, place: usize) -> OperandId {
        self.operator.inputs[place]
    }

    /// The same operands with other values.
    pub(crate) fn with_values(self, values: &'a BTreeMap<OperandId, Rc<Value>>) -> Self {
        Self { values, ..self }
    }

    /// How many inputs there are.
    pub fn input_count(&self) -> usize {
        self.operator.inputs.len()
    }

    /// The value of an optional operand, if it was given.
    pub fn optional(&self, operand: Option<OperandId>) -> Option<&'a Value> {
        operand.map(|operand| self.operand(operand))
    }

    fn operand(&self, operand: OperandId) -> &'a Value {
        self.values.get(&operand).expect("an operand is bound before the operators that take it")
    }

    /// The descriptor of an input, by its place in the operator's inputs.
    pub fn input_descriptor(&self, place: usize) -> &'a MLOperandDescriptor {
        &self.descriptors[self.operator.inputs[place].0]
    }

    /// The descriptors of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &'a MLOperandDescriptor> {
        self.operator.outputs.iter().map(|output| &self.descriptors[output.0])
    }

    /// The descriptor of the only output.
    pub fn output(&self) -> &'a MLOperandDescriptor {
        &self.descriptors[self.operator.outputs[0].0]
    }
}

/// How a builder's method is called, and the limits of its operands.
#[derive(Debug)]
pub struct OperatorRow {
    /// The name of the method.
    pub name: &'static str,
    /// The anchor of its section.
    pub section: &'static str,
    /// Its parameters, in order.
    pub parameters: &'static [&'static str],
    /// Calls it.
    pub call: fn(&MLGraphBuilder, &Arguments<'_>) -> Result<Vec<MLOperand>>,
    /// Its table of tensor limits.
    pub limits: &'static TensorLimits,
}

/// All operators, in alphabetical order.
pub const OPERATORS: &[OperatorRow] = &[
    unary::ABS,
    binary::ADD,
    argminmax::ARG_MAX,
    argminmax::ARG_MIN,
    pool2d::AVERAGE_POOL2D,
    batchnormalization::BATCH_NORMALIZATION,
    cast::CAST,
    unary::CEIL,
    clamp::CLAMP,
    concat::CONCAT,
    conv2d::CONV2D,
    convtranspose2d::CONV_TRANSPOSE2D,
    unary::COS,
    cumulativesum::CUMULATIVE_SUM,
    dequantizelinear::DEQUANTIZE_LINEAR,
    binary::DIV,
    elu::ELU,
    logical::EQUAL,
    unary::ERF,
    unary::EXP,
    expand::EXPAND,
    unary::FLOOR,
    gather::GATHER,
    gatherelements::GATHER_ELEMENTS,
    gathernd::GATHER_ND,
    gelu::GELU,
    gemm::GEMM,
    logical::GREATER,
    logical::GREATER_OR_EQUAL,
    gru::GRU,
    grucell::GRU_CELL,
    hardsigmoid::HARD_SIGMOID,
    hardswish::HARD_SWISH,
    unary::IDENTITY,
    instancenormalization::INSTANCE_NORMALIZATION,
    logical::IS_INFINITE,
    logical::IS_NAN,
    pool2d::L2_POOL2D,
    layernormalization::LAYER_NORMALIZATION,
    leakyrelu::LEAKY_RELU,
    logical::LESSER,
    logical::LESSER_OR_EQUAL,
    linear::LINEAR,
    unary::LOG,
    logical::LOGICAL_AND,
    logical::LOGICAL_NOT,
    logical::LOGICAL_OR,
    logical::LOGICAL_XOR,
    lstm::LSTM,
    lstmcell::LSTM_CELL,
    matmul::MATMUL,
    binary::MAX,
    pool2d::MAX_POOL2D,
    binary::MIN,
    binary::MUL,
    unary::NEG,
    logical::NOT_EQUAL,
    pad::PAD,
    binary::POW,
    prelu::PRELU,
    quantizelinear::QUANTIZE_LINEAR,
    unary::RECIPROCAL,
    reduce::REDUCE_L1,
    reduce::REDUCE_L2,
    reduce::REDUCE_LOG_SUM,
    reduce::REDUCE_LOG_SUM_EXP,
    reduce::REDUCE_MAX,
    reduce::REDUCE_MEAN,
    reduce::REDUCE_MIN,
    reduce::REDUCE_PRODUCT,
    reduce::REDUCE_SUM,
    reduce::REDUCE_SUM_SQUARE,
    relu::RELU,
    resample2d::RESAMPLE2D,
    reshape::RESHAPE,
    reverse::REVERSE,
    unary::ROUND_EVEN,
    scatterelements::SCATTER_ELEMENTS,
    scatternd::SCATTER_ND,
    sigmoid::SIGMOID,
    unary::SIGN,
    unary::SIN,
    slice::SLICE,
    softmax::SOFTMAX,
    softplus::SOFTPLUS,
    softsign::SOFTSIGN,
    split::SPLIT,
    unary::SQRT,
    binary::SUB,
    unary::TAN,
    tanh::TANH,
    tile::TILE,
    transpose::TRANSPOSE,
    triangular::TRIANGULAR,
    where_::WHERE,
];

/// The row of the operator of this name.
pub fn operator(name: &str) -> Option<&'static OperatorRow> {
    OPERATORS.iter().find(|row| row.name == name)
}

impl OperatorRow {
    /// Calls the method with values as script passes them.
    ///
    /// # Errors
    /// Those of the method, and a TypeError where Web IDL can not convert a value.
    pub fn call(&self, builder: &MLGraphBuilder, values: &[IdlValue]) -> Result<Vec<MLOperand>> {
        (self.call)(builder, &Arguments::new(self.parameters, values))
    }
}

#[cfg(test)]
pub(crate) mod trial;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_alphabetical_order_and_names_each_operator_once() {
        let names: Vec<_> = OPERATORS.iter().map(|row| row.name.to_lowercase()).collect();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn every_same_as_names_a_row() {
        for row in OPERATORS {
            for operand in row.limits.rows {
                assert!(!row.limits.data_types(operand.operand).is_empty(), "{}: {}", row.name, operand.operand);
                let (first, last) = row.limits.rank_range(operand.operand, 8);
                assert!(first <= last);
            }
        }
    }
}
