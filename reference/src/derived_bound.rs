//! The derived bound: how far an honest implementation may be from what the interpreter returns, on these very inputs.
//!
//! A tolerance that is fixed for an operator can not know its inputs: a sum that cancels may be far off without a fault,
//! and a sum that does not may be within the tolerance in spite of one. So the interpreter can make a second pass
//! ([`Bounding`]): beside each element it keeps the [`Range`] of the numbers that may stand in its place. An input is
//! exact. Each operator has a rule, which takes the ranges of its operands to those of its outputs; a graph has them by
//! composition. A number outside its range is wrong, whatever the order of summation. A number inside it may be right.
//!
//! **Granted** is arithmetic in the type of the operand or a wider one, in the order and the grouping of the formula or
//! any other for a sum or a product of many; multiplication and addition fused or one after the other; functions with the
//! errors of the table in `precision.rs`; and one rounding to the output's type. **Not granted** are fewer bits than the
//! type has, a variance in one pass (the mean of the squares less the square of the mean), terms left out, a product
//! distributed over a difference, and to leave the range of the type on the way to a number that is in it. That
//! subnormal numbers are taken for 0 is granted where the [`Allowance`] says so: at each operation, also of those on the
//! way to an element.
//!
//! Errors of sums are bounded after Jeannerod and Rump, "Improved error bounds for inner products in floating-point
//! arithmetic", SIAM Journal on Matrix Analysis and Applications 34 (2013): a sum of n terms, in any order, is off by no
//! more than (n - 1) u times the sum of their absolute values, and one of n products by no more than n u.
//!
//! **The sign of a zero** is kept where elements are moved or chosen, and by operators that never give what is below 0. It
//! is open elsewhere, which shows where something is divided by that zero: the result may be any.
//!
//! **Integers** are exact. A comparison, a rounding or an index is exact too, unless the ranges of its operands hold
//! numbers on both sides of a jump: then the range of the output holds both results, with a
//! [doubt](Range::doubt), which is passed on to all that depends on it. What is quantized or cast to an integer may be
//! either neighbour there, without a doubt.
//!
//! The ranges themselves are computed in binary64, whose own error is 2^-29 of that of float32, and is left out.

mod decisions;
mod elementwise;
mod movement;
mod normalization;
mod platform;
mod precision;
mod range;
mod recurrent;
mod site;
mod sums;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::operand::OperandId;
use crate::ops::reduce::Reduction;
use crate::ops::unary::Unary;
use crate::ops::{Bound, Operation};
use crate::value::{Computed, Value};

pub use platform::Bounding;
pub(crate) use platform::RangesOfTensors;
pub use range::Range;
use site::{Site, each_point};

/// What an implementation is granted beyond the arithmetic of its types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Whether each operation may take subnormal numbers for 0, as an operand and as a result: for adapters that are seen
    /// to.
    pub flushes_subnormals: bool,
}

impl Allowance {
    /// What is granted by either.
    pub fn or(self, other: Self) -> Self {
        Self { flushes_subnormals: self.flushes_subnormals || other.flushes_subnormals }
    }
}

/// The ranges of a tensor's elements.
#[derive(Clone, Debug)]
pub enum Ranges {
    /// Every element is what it is, to the last bit.
    Exact,
    /// The range of each element, in row-major order; of a tensor that repeats along its leading dimensions, once.
    Each(Vec<Range>),
}

impl Ranges {
    /// These ranges; `Exact` if there is nothing else in them than what was computed, without a doubt.
    fn of(ranges: Vec<Range>, computed: &Value) -> Self {
        let is_exact = |(range, computed): (&Range, Range)| {
            range.is_point() && !range.is_zero_of_either_sign() && !range.doubt && range.contains(computed.least)
        };
        if ranges.iter().zip(each_point(computed)).all(is_exact) { Self::Exact } else { Self::Each(ranges) }
    }

    /// The range of an element, by its index in row-major order; `None` if it is exact.
    pub fn get(&self, index: usize) -> Option<&Range> {
        match self {
            Self::Exact => None,
            Self::Each(ranges) => ranges.get(index.checked_rem(ranges.len())?),
        }
    }
}

/// The ranges of an operator's outputs, given the values of its operands, their ranges, and its outputs.
///
/// # Errors
/// If there is no memory for them.
pub(crate) fn ranges(
    operation: &Operation,
    bound: &Bound<'_>,
    ranges: &BTreeMap<OperandId, Rc<Ranges>>,
    outputs: &[Value],
    allowance: Allowance,
) -> Computed<Vec<Ranges>> {
    let site = Site::new(bound, ranges, outputs, allowance, has_signed_zeros(operation));
    rule(operation, &site)
}

/// Whether an operator gives zeros of a known sign: what is never below 0, the root of a zero, and what is chosen as it is.
/// Of any other the sign is open, which is never wrong, only less sharp.
fn has_signed_zeros(operation: &Operation) -> bool {
    match operation {
        Operation::Unary(unary) => matches!(unary, Unary::Abs | Unary::Exp | Unary::Sqrt),
        Operation::Reduce(reduce) => {
            matches!(reduce.reduction, Reduction::L1 | Reduction::L2 | Reduction::SumSquare)
        }
        other => matches!(other, Operation::Sigmoid | Operation::Softmax(_) | Operation::Where),
    }
}

/// The rule of each operator.
fn rule(operation: &Operation, site: &Site<'_>) -> Computed<Vec<Ranges>> {
    match operation {
        // Elements are moved; indices say where to.
        Operation::Concat(_)
        | Operation::Expand
        | Operation::Pad(_)
        | Operation::Reshape
        | Operation::Reverse(_)
        | Operation::Slice(_)
        | Operation::Split(_)
        | Operation::Tile
        | Operation::Transpose(_)
        | Operation::Triangular(_) => movement::moved(operation, site, &site.all_inputs()),
        Operation::Gather(_) | Operation::GatherElements(_) | Operation::GatherNd => {
            movement::moved(operation, site, &[0])
        }
        Operation::ScatterElements(_) | Operation::ScatterNd => movement::moved(operation, site, &[0, 2]),

        // Each element by itself.
        Operation::Binary(binary) => {
            elementwise::of_two(site, |precision, a, b| elementwise::binary(*binary, precision, a, b))
        }
        Operation::Clamp(clamp) => elementwise::of_one(site, |_, x| elementwise::clamp(clamp, x)),
        Operation::Elu(elu) => elementwise::of_one(site, |precision, x| elementwise::elu(precision, x, elu.alpha)),
        Operation::Gelu => elementwise::of_one(site, elementwise::gelu),
        Operation::HardSigmoid(it) => {
            elementwise::of_one(site, |precision, x| elementwise::hard_sigmoid(precision, x, it.alpha, it.beta))
        }
        Operation::HardSwish => elementwise::of_one(site, elementwise::hard_swish),
        Operation::LeakyRelu(it) => {
            let slope = Range::point(it.alpha);
            elementwise::of_one(site, |precision, x| elementwise::rectified(precision, x, slope))
        }
        Operation::Linear(it) => {
            elementwise::of_one(site, |precision, x| elementwise::linear(precision, x, it.alpha, it.beta))
        }
        Operation::Prelu => elementwise::of_two(site, elementwise::rectified),
        Operation::Relu => elementwise::of_one(site, |_, x| elementwise::relu(x)),
        Operation::Sigmoid => elementwise::of_one(site, elementwise::sigmoid),
        Operation::Softplus => elementwise::of_one(site, elementwise::softplus),
        Operation::Softsign => elementwise::of_one(site, elementwise::softsign),
        Operation::Tanh => elementwise::of_one(site, |precision, x| precision.tanh(x)),
        Operation::Unary(unary) => elementwise::of_one(site, |precision, x| elementwise::unary(*unary, precision, x)),

        // Something is decided, or made an integer.
        Operation::ArgMinMax(arg_min_max) => decisions::arg_min_max(arg_min_max, site),
        Operation::Cast => decisions::cast(site),
        Operation::DequantizeLinear(_) => decisions::dequantize(site),
        Operation::Logical(logical) => decisions::logical(*logical, site),
        Operation::QuantizeLinear(_) => decisions::quantize(site),
        Operation::Where => decisions::select(site),

        // Sums.
        Operation::Conv2d(conv2d) => sums::conv2d(conv2d, site),
        Operation::ConvTranspose2d(conv_transpose2d) => sums::conv_transpose2d(conv_transpose2d, site),
        Operation::CumulativeSum(cumulative_sum) => sums::cumulative_sum(cumulative_sum, site),
        Operation::Gemm(gemm) => sums::gemm(gemm, site),
        Operation::Matmul => sums::matmul(site),
        Operation::Pool2d(pool2d) => sums::pool2d(pool2d, site),
        Operation::Reduce(reduce) => sums::reduce(reduce, site),
        Operation::Resample2d(resample2d) => sums::resample2d(resample2d, site),

        // Normalizations.
        Operation::BatchNormalization(it) => normalization::batch(it, site),
        Operation::InstanceNormalization(it) => normalization::instance(it, site),
        Operation::LayerNormalization(it) => normalization::layer(it, site),
        Operation::Softmax(softmax) => normalization::softmax(softmax, site),

        // Recurrent networks.
        Operation::Gru(gru) => recurrent::gru(gru, site),
        Operation::GruCell(gru_cell) => recurrent::gru_cell(gru_cell, site),
        Operation::Lstm(lstm) => recurrent::lstm(lstm, site),
        Operation::LstmCell(lstm_cell) => recurrent::lstm_cell(lstm_cell, site),
    }
}
