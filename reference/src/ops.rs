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

pub mod binary;
pub mod cast;
pub mod clamp;
pub mod concat;
pub mod conv2d;
pub mod expand;
pub mod gemm;
pub mod logical;
pub mod matmul;
pub mod pool2d;
pub mod reduce;
pub mod relu;
pub mod reshape;
pub mod sigmoid;
pub mod slice;
pub mod softmax;
pub mod transpose;
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

/// What an operator computes, with its parameters validated and their defaults filled in.
#[derive(Clone, Debug)]
pub enum Operation {
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
    /// expand, to the shape of the output.
    Expand,
    /// gemm.
    Gemm(gemm::Gemm),
    /// One of the element-wise logical operations.
    Logical(logical::Logical),
    /// matmul.
    Matmul,
    /// One of the pooling operations.
    Pool2d(pool2d::Pool2d),
    /// One of the reduction operations.
    Reduce(reduce::Reduce),
    /// relu.
    Relu,
    /// reshape, to the shape of the output.
    Reshape,
    /// sigmoid.
    Sigmoid,
    /// slice.
    Slice(slice::Slice),
    /// softmax.
    Softmax(softmax::Softmax),
    /// transpose.
    Transpose(transpose::Transpose),
    /// One of the element-wise unary operations.
    Unary(unary::Unary),
    /// where.
    Where,
}

impl Operation {
    /// The name of the builder's method.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Binary(operation) => operation.as_str(),
            Self::Cast => "cast",
            Self::Clamp(_) => "clamp",
            Self::Concat(_) => "concat",
            Self::Conv2d(_) => "conv2d",
            Self::Expand => "expand",
            Self::Gemm(_) => "gemm",
            Self::Logical(operation) => operation.as_str(),
            Self::Matmul => "matmul",
            Self::Pool2d(operation) => operation.pooling.as_str(),
            Self::Reduce(operation) => operation.reduction.as_str(),
            Self::Relu => "relu",
            Self::Reshape => "reshape",
            Self::Sigmoid => "sigmoid",
            Self::Slice(_) => "slice",
            Self::Softmax(_) => "softmax",
            Self::Transpose(_) => "transpose",
            Self::Unary(operation) => operation.as_str(),
            Self::Where => "where",
        }
    }

    /// Computes the outputs.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub fn compute(&self, bound: &Bound<'_>) -> Computed<Vec<Value>> {
        let output = match self {
            Self::Binary(operation) => operation.compute(bound),
            Self::Cast => cast::compute(bound),
            Self::Clamp(operation) => operation.compute(bound),
            Self::Concat(operation) => operation.compute(bound),
            Self::Conv2d(operation) => operation.compute(bound),
            Self::Expand => expand::compute(bound),
            Self::Gemm(operation) => operation.compute(bound),
            Self::Logical(operation) => operation.compute(bound),
            Self::Matmul => matmul::compute(bound),
            Self::Pool2d(operation) => operation.compute(bound),
            Self::Reduce(operation) => operation.compute(bound),
            Self::Relu => relu::compute(bound),
            Self::Reshape => reshape::compute(bound),
            Self::Sigmoid => sigmoid::compute(bound),
            Self::Slice(operation) => operation.compute(bound),
            Self::Softmax(operation) => operation.compute(bound),
            Self::Transpose(operation) => operation.compute(bound),
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
    pool2d::AVERAGE_POOL2D,
    cast::CAST,
    unary::CEIL,
    clamp::CLAMP,
    concat::CONCAT,
    conv2d::CONV2D,
    unary::COS,
    binary::DIV,
    logical::EQUAL,
    unary::ERF,
    unary::EXP,
    expand::EXPAND,
    unary::FLOOR,
    gemm::GEMM,
    logical::GREATER,
    logical::GREATER_OR_EQUAL,
    unary::IDENTITY,
    logical::IS_INFINITE,
    logical::IS_NAN,
    pool2d::L2_POOL2D,
    logical::LESSER,
    logical::LESSER_OR_EQUAL,
    unary::LOG,
    logical::LOGICAL_AND,
    logical::LOGICAL_NOT,
    logical::LOGICAL_OR,
    logical::LOGICAL_XOR,
    matmul::MATMUL,
    binary::MAX,
    pool2d::MAX_POOL2D,
    binary::MIN,
    binary::MUL,
    unary::NEG,
    logical::NOT_EQUAL,
    binary::POW,
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
    reshape::RESHAPE,
    unary::ROUND_EVEN,
    sigmoid::SIGMOID,
    unary::SIGN,
    unary::SIN,
    slice::SLICE,
    softmax::SOFTMAX,
    unary::SQRT,
    binary::SUB,
    unary::TAN,
    transpose::TRANSPOSE,
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
