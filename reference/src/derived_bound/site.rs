//! What a rule is given: an operator, its operands with their ranges, and the outputs that the interpreter computed.

use std::collections::BTreeMap;
use std::rc::Rc;

use ndarray::{ArrayD, IxDyn};

use super::precision::{Precision, of_whole_numbers};
use super::range::Range;
use super::{Allowance, Ranges};
use crate::data_type::MLOperandDataType;
use crate::descriptor::MLOperandDescriptor;
use crate::for_each_type;
use crate::number::{Element, MLNumber, Number};
use crate::operand::OperandId;
use crate::ops::Bound;
use crate::ops::matmul::dimension_of;
use crate::value::{Computed, Value, broadcast, reserved};

/// One operator at work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<'a> {
    bound: &'a Bound<'a>,
    ranges: &'a BTreeMap<OperandId, Rc<Ranges>>,
    outputs: &'a [Value],
    allowance: Allowance,
    /// Whether the sign of a zero that the operator gives is known.
    has_signed_zeros: bool,
}

impl<'a> Site<'a> {
    pub(super) fn new(
        bound: &'a Bound<'a>,
        ranges: &'a BTreeMap<OperandId, Rc<Ranges>>,
        outputs: &'a [Value],
        allowance: Allowance,
        has_signed_zeros: bool,
    ) -> Self {
        Self { bound, ranges, outputs, allowance, has_signed_zeros }
    }

    /// The operands and their values.
    pub(super) fn bound(&self) -> &'a Bound<'a> {
        self.bound
    }

    /// The ranges of an input, by its place in the operator's inputs; `Exact` if it is what it was given as.
    pub(super) fn ranges(&self, place: usize) -> &'a Ranges {
        self.ranges.get(&self.bound.input_id(place)).map_or(&Ranges::Exact, Rc::as_ref)
    }

    /// The places of all inputs.
    pub(super) fn all_inputs(&self) -> Vec<usize> {
        (0..self.bound.input_count()).collect()
    }

    /// Whether an input is exact.
    pub(super) fn is_exact(&self, place: usize) -> bool {
        matches!(self.ranges(place), Ranges::Exact)
    }

    /// Whether all inputs are exact.
    pub(super) fn are_all_exact(&self) -> bool {
        (0..self.bound.input_count()).all(|place| self.is_exact(place))
    }

    /// Whether the outputs are of an integer type.
    pub(super) fn are_integers(&self) -> bool {
        !self.computed(0).data_type().is_float()
    }

    /// Outputs that are what the interpreter says.
    pub(super) fn exact(&self) -> Vec<Ranges> {
        self.bound.outputs().map(|_| Ranges::Exact).collect()
    }

    /// The range of each element of an input.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn input(&self, place: usize) -> Computed<Vec<Range>> {
        match self.ranges(place) {
            Ranges::Exact => points(self.bound.input(place)),
            Ranges::Each(ranges) => collected(ranges.iter().copied().cycle(), self.bound.input(place).shape()),
        }
    }

    /// The ranges of an input as operands of arithmetic, one by one.
    pub(super) fn operands(&self, place: usize) -> Box<dyn Iterator<Item = Range> + 'a> {
        let precision = Precision::of(self.bound.input_descriptor(place).data_type, self.allowance);
        let value = self.bound.input(place);
        match self.ranges(place) {
            Ranges::Exact => Box::new(each_operand(value).map(move |range| precision.flushed(range))),
            // The value may have been laid out since, where it repeats.
            Ranges::Each(ranges) => {
                let count = value.shape().iter().product();
                let ranges = ranges.iter().copied().cycle().take(count);
                match limits(value.data_type()) {
                    None => Box::new(ranges.map(move |range| precision.flushed(range))),
                    Some([least, greatest]) => Box::new(ranges.map(move |range| {
                        let range = of_whole_numbers(range);
                        Range { least: range.least.max(least), greatest: range.greatest.min(greatest), ..range }
                    })),
                }
            }
        }
    }

    /// The ranges of an input as operands of arithmetic.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn operand(&self, place: usize) -> Computed<Vec<Range>> {
        collected(self.operands(place), self.bound.input(place).shape())
    }

    /// The ranges of an optional operand, as operands of arithmetic.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn optional(&self, operand: Option<OperandId>) -> Computed<Option<Vec<Range>>> {
        let place = operand
            .and_then(|operand| (0..self.bound.input_count()).find(|place| self.bound.input_id(*place) == operand));
        place.map(|place| self.operand(place)).transpose()
    }

    /// An input as an array of ranges.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(super) fn array(&self, place: usize) -> Computed<ArrayD<Range>> {
        let shape = self.bound.input(place).shape();
        Ok(ArrayD::from_shape_vec(IxDyn(shape), self.operand(place)?).expect("as many ranges as elements"))
    }

    /// The ranges of an input, broadcast to the shape of the output.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn broadcast(&self, place: usize) -> Computed<Box<dyn Iterator<Item = Range> + 'a>> {
        let shape = self.computed(0).shape();
        if self.bound.input(place).shape() == shape {
            return Ok(self.operands(place));
        }
        let array = self.array(place)?;
        let shape: Vec<u32> = shape.iter().copied().map(dimension_of).collect();
        let view = broadcast(&array, &shape)?;
        Ok(Box::new(collected(view.iter().copied(), view.shape())?.into_iter()))
    }

    /// The descriptor of the only output.
    pub(super) fn output(&self) -> &'a MLOperandDescriptor {
        self.bound.output()
    }

    /// What the interpreter computed for an output.
    pub(super) fn computed(&self, output: usize) -> &'a Value {
        &self.outputs[output]
    }

    /// The precision in which the operator computes: that of its output, or where that is of integers, of its input.
    pub(super) fn precision(&self) -> Precision {
        let output = self.computed(0).data_type();
        let data_type = if output.is_float() { output } else { self.bound.input_descriptor(0).data_type };
        Precision::of(data_type, self.allowance)
    }

    /// The ranges of the only output, each stored in its type.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn stored(&self, ranges: impl Iterator<Item = Range>) -> Computed<Vec<Ranges>> {
        Ok(vec![self.stored_as(0, ranges)?])
    }

    /// The ranges of the only output, of numbers that its type has.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn kept(&self, ranges: impl Iterator<Item = Range>) -> Computed<Vec<Ranges>> {
        let computed = self.computed(0);
        Ok(vec![Ranges::of(collected(ranges, computed.shape())?, computed)])
    }

    /// The ranges of an output, each stored in its type.
    ///
    /// # Errors
    /// If there is no memory for them.
    pub(super) fn stored_as(&self, output: usize, ranges: impl Iterator<Item = Range>) -> Computed<Ranges> {
        let computed = self.computed(output);
        let precision = Precision::of(computed.data_type(), self.allowance);
        let limits = limits(computed.data_type());
        let stored = |range| match limits {
            Some(limits) => wrapped(range, limits),
            None if self.has_signed_zeros => precision.stored(range),
            None => precision.stored(range).with_zero_of_either_sign(),
        };
        Ok(Ranges::of(collected(ranges.map(stored), computed.shape())?, computed))
    }
}

/// The least and the greatest integer of an integer type; none for the others.
pub(super) fn limits(data_type: MLOperandDataType) -> Option<[f64; 2]> {
    let limits = |bits: i32, is_signed: bool| {
        let values = f64::powi(2.0, bits);
        Some(if is_signed { [-values / 2.0, values / 2.0 - 1.0] } else { [0.0, values - 1.0] })
    };
    match data_type {
        MLOperandDataType::Float32 | MLOperandDataType::Float16 => None,
        MLOperandDataType::Int32 => limits(32, true),
        MLOperandDataType::Uint32 => limits(32, false),
        MLOperandDataType::Int64 => limits(64, true),
        MLOperandDataType::Uint64 => limits(64, false),
        MLOperandDataType::Int8 => limits(8, true),
        MLOperandDataType::Uint8 => limits(8, false),
    }
}

/// A range of integers: all that there are, where one of them wraps. (Of 64 bits binary64 can not tell the greatest from the
/// next one, which wraps.)
fn wrapped(range: Range, [least, greatest]: [f64; 2]) -> Range {
    let is_next_too = greatest + 1.0 == greatest;
    let is_below = range.greatest < greatest || (range.greatest == greatest && !is_next_too);
    if range.least >= least && is_below {
        return Range { nan: false, ..range };
    }
    Range { nan: false, ..Range::between(least, greatest) }.doubtful()
}

/// The elements of a value, each exactly.
///
/// # Errors
/// If there is no memory for them.
pub(super) fn points(value: &Value) -> Computed<Vec<Range>> {
    collected(each_point(value), value.shape())
}

/// The elements of a value, each exactly, one by one.
pub(super) fn each_point(value: &Value) -> Box<dyn Iterator<Item = Range> + '_> {
    for_each_type!(value, array => Box::new(array.iter().map(|element| Range::point(element.number().to_f64()))))
}

/// The elements of a value as operands of arithmetic, one by one: each exactly, but for integers that binary64 does not
/// have.
fn each_operand(value: &Value) -> Box<dyn Iterator<Item = Range> + '_> {
    fn of<N: Number + PartialEq>(number: N) -> Range {
        let nearest = number.to_f64();
        let is_nearest = N::from_option(MLNumber::Double(nearest)) == number;
        if is_nearest { Range::point(nearest) } else { of_whole_numbers(Range::point(nearest)) }
    }
    for_each_type!(value, array => Box::new(array.iter().map(|element| of(element.number()))))
}

/// The ranges of a tensor of this shape.
fn collected(ranges: impl Iterator<Item = Range>, shape: &[usize]) -> Computed<Vec<Range>> {
    let count = shape.iter().product();
    listed(ranges.take(count), count)
}

/// A list of no more than `count` items.
///
/// # Errors
/// If there is no memory for it.
pub(super) fn listed<T>(items: impl Iterator<Item = T>, count: usize) -> Computed<Vec<T>> {
    let mut list = reserved(count)?;
    list.extend(items);
    Ok(list)
}
