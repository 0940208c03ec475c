//! What the derived bound must itself pass: every honest computation is inside, and every fault outside.

use std::rc::Rc;

use half::f16;
use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::derived_bound::{Allowance, Bounding, Range, Ranges};
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::Result;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::number::{Element, Number};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLOperatorOptions;
use webnn_reference::ops::argminmax::MLArgMinMaxOptions;
use webnn_reference::ops::batchnormalization::MLBatchNormalizationOptions;
use webnn_reference::ops::conv2d::MLConv2dOptions;
use webnn_reference::ops::gemm::MLGemmOptions;
use webnn_reference::ops::instancenormalization::MLInstanceNormalizationOptions;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::pool2d::MLPool2dOptions;
use webnn_reference::ops::reduce::MLReduceOptions;
use webnn_reference::ops::resample2d::{MLInterpolationMode, MLResample2dOptions};
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;
use webnn_reference::value::Value;

/// An output: what the interpreter computes, and the range of each element.
struct Output {
    numbers: Vec<f64>,
    ranges: Rc<Ranges>,
}

impl Output {
    fn range(&self, index: usize) -> Range {
        self.ranges.get(index).copied().unwrap_or_else(|| Range::point(self.numbers[index]))
    }

    fn holds(&self, index: usize, number: impl Into<f64>) -> bool {
        self.range(index).contains(number.into())
    }

    fn radius(&self, index: usize) -> f64 {
        self.range(index).radius(self.numbers[index])
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    fn of<T: Element>(elements: impl IntoIterator<Item = T>) -> Vec<f64> {
        elements.into_iter().map(|element| element.number().to_f64()).collect()
    }
    match value {
        Value::Float32(array) => of(array.iter().copied()),
        Value::Float16(array) => of(array.iter().copied()),
        Value::Int32(array) => of(array.iter().copied()),
        Value::Uint32(array) => of(array.iter().copied()),
        Value::Int64(array) => of(array.iter().copied()),
        Value::Uint64(array) => of(array.iter().copied()),
        Value::Int8(array) => of(array.iter().copied()),
        Value::Uint8(array) => of(array.iter().copied()),
    }
}

/// The outputs of a graph of constants.
fn outputs(allowance: Allowance, build: impl FnOnce(&MLGraphBuilder) -> Result<Vec<MLOperand>>) -> Result<Vec<Output>> {
    let provider = Rc::new(Bounding::new(allowance));
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::clone(&provider) as _);
    let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
    let builder = MLGraphBuilder::new(&context)?;
    let operands = build(&builder)?;
    let name = |index: usize| format!("output{index}");
    let named: Vec<_> = operands.iter().enumerate().map(|(index, operand)| (name(index), operand.clone())).collect();
    let graph = global.settle(&builder.build(&named))?;
    let mut tensors = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let descriptor = MLTensorDescriptor { operand: operand.descriptor(), readable: true, writable: false };
        tensors.push((name(index), global.settle(&context.create_tensor(&descriptor))?));
    }
    context.dispatch(&graph, &[], &tensors)?;
    let mut outputs = Vec::new();
    for (operand, (_, tensor)) in operands.iter().zip(&tensors) {
        let bytes = global.settle(&context.read_tensor(tensor))?.to_vec();
        let value = Value::from_bytes(&operand.descriptor(), &bytes).expect("memory");
        outputs.push(Output { numbers: numbers(&value), ranges: provider.ranges(tensor) });
    }
    Ok(outputs)
}

fn output(build: impl FnOnce(&MLGraphBuilder) -> Result<MLOperand>) -> Result<Output> {
    Ok(outputs(Allowance::default(), |b| Ok(vec![build(b)?]))?.remove(0))
}

fn constant<T: Element>(b: &MLGraphBuilder, shape: &[u32], elements: &[T]) -> MLOperand {
    let mut bytes = Vec::new();
    T::write(elements, &mut bytes);
    let descriptor = MLOperandDescriptor::create(T::DATA_TYPE, shape);
    b.constant(&descriptor, &BufferSource::typed(T::DATA_TYPE, bytes)).expect("as many elements as the shape has")
}

fn o() -> MLOperatorOptions {
    MLOperatorOptions::default()
}

/// A floating point type in which is computed as hardware does: each operation rounded once.
trait Hardware: Element<Number = f64> {
    fn round(number: f64) -> Self {
        Self::rounded(number)
    }
    fn add(self, other: Self) -> Self {
        Self::round(self.number() + other.number())
    }
    fn mul(self, other: Self) -> Self {
        Self::round(self.number() * other.number())
    }
    fn fused(self, other: Self, third: Self) -> Self {
        Self::round(self.number() * other.number() + third.number())
    }
}
impl Hardware for f32 {}
impl Hardware for f16 {}

/// Numbers that look random and are always the same: a linear congruential generator (Knuth's MMIX).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next()).expect("31 bits") % count
    }

    /// A number of the type, of either sign and below 4.
    fn number<T: Hardware>(&mut self) -> T {
        let fraction = f64::from(u32::try_from(self.next()).expect("31 bits")) / f64::powi(2.0, 31);
        T::round((fraction - 0.5) * 8.0)
    }

    fn numbers<T: Hardware>(&mut self, count: usize) -> Vec<T> {
        (0..count).map(|_| self.number()).collect()
    }

    fn shuffled<T: Clone>(&mut self, all: &[T]) -> Vec<T> {
        let mut all = all.to_vec();
        for index in (1..all.len()).rev() {
            all.swap(index, self.below(index + 1));
        }
        all
    }

    /// The number of float32 next to a number, above it or below it; the number itself, if it is one.
    fn neighbour(&mut self, number: f64) -> f64 {
        let nearest = f32::rounded(number);
        let difference = number - f64::from(nearest);
        if difference == 0.0 || self.below(2) == 0 {
            return f64::from(nearest);
        }
        let is_beyond = (difference > 0.0) == (nearest > 0.0);
        f64::from(f32::from_bits(if is_beyond { nearest.to_bits() + 1 } else { nearest.to_bits() - 1 }))
    }

    /// The sum of the terms, in an order and a grouping by chance.
    fn tree<T: Hardware>(&mut self, terms: &[T]) -> T {
        let mut terms = terms.to_vec();
        while terms.len() > 1 {
            let a = terms.swap_remove(self.below(terms.len()));
            let b = terms.swap_remove(self.below(terms.len()));
            terms.push(a.add(b));
        }
        terms[0]
    }
}

fn sums_are_inside<T: Hardware>(count: usize) -> Result<()> {
    let mut chance = Chance(7);
    let terms: Vec<T> = chance.numbers(count);
    let shape = [u32::try_from(count).expect("small")];
    let sum = output(|b| b.reduce_sum(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    let squares = output(|b| b.reduce_sum_square(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    let mean = output(|b| b.reduce_mean(&constant(b, &shape, &terms), &MLReduceOptions::default()))?;
    for _ in 0..1000 {
        let order = chance.shuffled(&terms);
        let one_by_one = order.iter().copied().reduce(Hardware::add).expect("some");
        let tree = chance.tree(&terms);
        assert!(sum.holds(0, one_by_one.number()) && sum.holds(0, tree.number()), "{one_by_one:?} {tree:?}");
        let divided = T::round(tree.number() / f64::from(shape[0]));
        assert!(mean.holds(0, divided.number()), "{divided:?}");
        let fused = order.iter().fold(T::round(0.0), |sum, x| x.fused(*x, sum));
        let separate = order.iter().fold(T::round(0.0), |sum, x| sum.add(x.mul(*x)));
        assert!(squares.holds(0, fused.number()) && squares.holds(0, separate.number()), "{fused:?} {separate:?}");
    }
    Ok(())
}

#[test]
fn sums_in_any_order_are_inside() -> Result<()> {
    sums_are_inside::<f32>(100)?;
    sums_are_inside::<f16>(40)
}

fn products_are_inside<T: Hardware>(inner: usize) -> Result<()> {
    let mut chance = Chance(11);
    let (a, b): (Vec<T>, Vec<T>) = (chance.numbers(inner), chance.numbers(inner));
    let inner = u32::try_from(inner).expect("small");
    let product = output(|g| g.matmul(&constant(g, &[1, inner], &a), &constant(g, &[inner, 1], &b), &o()))?;
    let pairs: Vec<(T, T)> = a.into_iter().zip(b).collect();
    for _ in 0..1000 {
        let order = chance.shuffled(&pairs);
        let fused = order.iter().fold(T::round(0.0), |sum, (a, b)| a.fused(*b, sum));
        let products: Vec<T> = order.iter().map(|(a, b)| a.mul(*b)).collect();
        let tree = chance.tree(&products);
        assert!(product.holds(0, fused.number()) && product.holds(0, tree.number()), "{fused:?} {tree:?}");
    }
    Ok(())
}

#[test]
fn products_in_any_order_are_inside() -> Result<()> {
    products_are_inside::<f32>(64)?;
    products_are_inside::<f16>(24)
}

/// As a tensor core of 19 bits has it.
fn truncated(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & !0x1fff)
}

#[test]
fn a_fault_in_a_sum_of_products_is_outside() -> Result<()> {
    let mut chance = Chance(13);
    for _ in 0..100 {
        let (a, b): (Vec<f32>, Vec<f32>) = (chance.numbers(32), chance.numbers(32));
        let product = output(|g| g.matmul(&constant(g, &[1, 32], &a), &constant(g, &[32, 1], &b), &o()))?;
        let exact = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        assert!(product.holds(0, f64::from(f32::rounded(exact(&a, &b)))));
        assert!(!product.holds(0, exact(&a[1..], &b[1..])), "a term left out");
        let mut swapped = b.clone();
        swapped.swap(3, 4);
        assert!(!product.holds(0, exact(&a, &swapped)), "a wrong index");
        let of = |numbers: &[f32]| numbers.iter().copied().map(truncated).collect::<Vec<f32>>();
        assert!(!product.holds(0, exact(&of(&a), &of(&b))), "operands of 11 bits");
    }
    Ok(())
}

#[test]
fn a_fault_in_a_convolution_is_outside() -> Result<()> {
    let mut chance = Chance(17);
    let (x, w): (Vec<f32>, Vec<f32>) = (chance.numbers(25), chance.numbers(9));
    let y = output(|b| {
        b.conv2d(&constant(b, &[1, 1, 5, 5], &x), &constant(b, &[1, 1, 3, 3], &w), &MLConv2dOptions::default())
    })?;
    for place in 0..9 {
        let (row, column) = (place / 3, place % 3);
        let product = |index: usize| {
            let from = (row + index / 3) * 5 + column + index % 3;
            f64::from(x[from]) * f64::from(w[index])
        };
        assert!(y.holds(place, f64::from(f32::rounded((0..9).map(product).sum()))));
        assert!(!y.holds(place, (1..9).map(product).sum::<f64>()), "a term left out");
    }
    Ok(())
}

#[test]
fn a_normalization_needs_its_epsilon_and_two_passes() -> Result<()> {
    let mut chance = Chance(19);
    let small: Vec<f32> = chance.numbers::<f32>(16).into_iter().map(|x| x / 64.0).collect();
    let options = || MLLayerNormalizationOptions { axes: Some(vec![0]), ..MLLayerNormalizationOptions::default() };
    let of = |x: &[f32]| output(|b| b.layer_normalization(&constant(b, &[16], x), &options()));
    let normalized = of(&small)?;
    let wide: Vec<f64> = small.iter().map(|x| f64::from(*x)).collect();
    let mean = wide.iter().sum::<f64>() / 16.0;
    let variance = wide.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 16.0;
    for (index, x) in wide.iter().enumerate() {
        assert!(normalized.holds(index, f64::from(f32::rounded((x - mean) / (variance + f64::from(1e-5f32)).sqrt()))));
        assert!(!normalized.holds(index, (x - mean) / variance.sqrt()), "epsilon left out");
    }

    let far: Vec<f32> = small.iter().map(|x| x + 1000.0).collect();
    let normalized = of(&far)?;
    let sum = far.iter().copied().reduce(Hardware::add).expect("some");
    let squares = far.iter().fold(0.0, |sum: f32, x| x.fused(*x, sum));
    let mean = sum / 16.0;
    let variance = squares / 16.0 - mean * mean;
    let outside = (0..16).filter(|index| !normalized.holds(*index, (far[*index] - mean) / (variance + 1e-5).sqrt()));
    assert!(outside.count() > 8, "a variance in one pass");
    Ok(())
}

/// The bounds of a graph of one operator, whose inputs are multiplied by a number.
fn scaled(factor: f32, build: fn(&MLGraphBuilder, f32) -> Result<MLOperand>) -> Result<Vec<f64>> {
    let y = output(|b| build(b, factor))?;
    Ok((0..y.numbers.len()).map(|index| y.radius(index)).collect())
}

#[test]
fn a_power_of_two_scales_the_bound_exactly() -> Result<()> {
    fn numbers(factor: f32, count: usize) -> Vec<f32> {
        Chance(23).numbers::<f32>(count).into_iter().map(|x| x * factor).collect()
    }
    let graphs: [fn(&MLGraphBuilder, f32) -> Result<MLOperand>; 4] = [
        |b, factor| b.reduce_sum(&constant(b, &[20], &numbers(factor, 20)), &MLReduceOptions::default()),
        |b, factor| {
            b.matmul(&constant(b, &[4, 5], &numbers(factor, 20)), &constant(b, &[5, 2], &numbers(1.0, 10)), &o())
        },
        |b, factor| b.reduce_l2(&constant(b, &[20], &numbers(factor, 20)), &MLReduceOptions::default()),
        |b, factor| {
            let (x, y) = (constant(b, &[20], &numbers(factor, 20)), constant(b, &[20], &numbers(1.0, 20)));
            let quotient = b.div(&x, &y, &o())?;
            b.add(&quotient, &x, &o())
        },
    ];
    for graph in graphs {
        let bounds = scaled(1.0, graph)?;
        assert!(bounds.iter().all(|bound| *bound > 0.0));
        for exponent in [-20, 3, 30] {
            let factor = f32::powi(2.0, exponent);
            let expected: Vec<f64> = bounds.iter().map(|bound| bound * f64::from(factor)).collect();
            assert_eq!(scaled(factor, graph)?, expected);
        }
    }
    Ok(())
}

#[test]
fn a_graph_of_exact_operators_has_no_bound() -> Result<()> {
    let mut chance = Chance(29);
    let x: Vec<f32> = chance.numbers(24);
    let outputs = outputs(Allowance { flushes_subnormals: true }, |b| {
        let x = constant(b, &[2, 3, 4], &x);
        let y = b.transpose(&b.relu(&b.neg(&x, &o())?, &o())?, &Default::default())?;
        let z = b.concat(&[b.reshape(&y, &[24], &o())?, b.floor(&b.reshape(&x, &[24], &o())?, &o())?], 0, &o())?;
        let index = b.arg_max(&z, 0, &MLArgMinMaxOptions::default())?;
        let gathered = b.gather(&z, &index, &Default::default())?;
        let greater = b.greater(&x, &constant(b, &[], &[0.5f32]), &o())?;
        let chosen = b.where_(&greater, &x, &b.abs(&x, &o())?, &o())?;
        let integers = b.cast(&x, webnn_reference::data_type::MLOperandDataType::Int32, &o())?;
        let sum = b.reduce_sum(&integers, &MLReduceOptions::default())?;
        Ok(vec![gathered, chosen, sum, b.reduce_max(&x, &MLReduceOptions::default())?])
    })?;
    for output in outputs {
        assert!(matches!(*output.ranges, Ranges::Exact));
    }
    Ok(())
}

#[test]
fn results_that_the_type_holds_are_exact() -> Result<()> {
    let y = output(|b| b.mul(&constant(b, &[2], &[3f32, 0.5]), &constant(b, &[2], &[7f32, -4.0]), &o()))?;
    assert!(matches!(*y.ranges, Ranges::Exact));
    let y = output(|b| b.add(&constant(b, &[1], &[1f32]), &constant(b, &[1], &[1e-9f32]), &o()))?;
    assert!(y.holds(0, 1.0) && !y.holds(0, 1.0 + f64::powi(2.0, -22)));
    Ok(())
}

#[test]
fn nan_and_infinities_are_matched_by_kind_and_sign() -> Result<()> {
    let numbers = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.0];
    let y = output(|b| b.reciprocal(&b.exp(&constant(b, &[4], &numbers), &o())?, &o()))?;
    assert_eq!((y.radius(0), y.radius(1)), (0.0, 0.0));
    assert!(y.holds(0, 0.0) && y.holds(1, f64::INFINITY) && !y.holds(1, f64::MAX) && !y.holds(1, f64::NAN));
    assert!(y.holds(2, f64::NAN) && !y.holds(2, 1.0) && !y.holds(3, f64::NAN) && !y.holds(3, f64::INFINITY));
    Ok(())
}

#[test]
fn what_may_be_zero_makes_nan_by_zero() -> Result<()> {
    let y = output(|b| {
        // The logarithm of 1 may be a little off 0, on either side.
        let (x, zero) = (constant(b, &[2], &[1f32, 2.0]), constant(b, &[], &[0f32]));
        b.div(&b.log(&x, &o())?, &zero, &o())
    })?;
    assert!(y.holds(0, f64::NAN) && y.holds(0, f64::INFINITY) && y.holds(0, f64::NEG_INFINITY));
    assert!(y.holds(1, f64::INFINITY) && !y.holds(1, f64::NAN) && !y.holds(1, f64::NEG_INFINITY));
    Ok(())
}

#[test]
fn what_gemm_scales_may_leave_the_range_of_the_type() -> Result<()> {
    let gemm = |factor: f32| {
        output(|b| {
            let (a, large) = (constant(b, &[1, 1], &[-1f32]), constant(b, &[1, 1], &[-f32::MAX]));
            let options = MLGemmOptions { alpha: factor.into(), c: Some(large.clone()), ..MLGemmOptions::default() };
            b.gemm(&a, &large, &options)
        })
    };
    // 1.2 times the greatest number, less the greatest number: the interpreter has a fifth of it.
    let y = gemm(1.2)?;
    assert!(y.holds(0, f64::INFINITY));
    let y = gemm(0.5)?;
    assert!(!y.holds(0, f64::INFINITY));
    Ok(())
}

#[test]
fn near_the_greatest_number_there_may_be_an_infinity() -> Result<()> {
    let y = output(|b| {
        let (x, y) =
            (constant(b, &[2], &[f32::MAX, f32::MAX / 2.0]), constant(b, &[2], &[f32::MAX / 2f32.powi(24), 0.0]));
        b.add(&x, &y, &o())
    })?;
    assert!(y.holds(0, f64::INFINITY) && y.holds(0, f32::MAX) && !y.holds(0, f64::NEG_INFINITY));
    assert!(!y.holds(1, f64::INFINITY));
    Ok(())
}

#[test]
fn subnormals_may_be_lost_where_that_is_granted() -> Result<()> {
    let small = f32::MIN_POSITIVE / 4.0;
    let product = |flushes_subnormals| {
        outputs(Allowance { flushes_subnormals }, |b| {
            Ok(vec![b.mul(&constant(b, &[2], &[small, 1.0]), &constant(b, &[2], &[1f32, 1.0]), &o())?])
        })
    };
    let (kept, flushed) = (product(false)?.remove(0), product(true)?.remove(0));
    assert!(!kept.holds(0, 0.0) && flushed.holds(0, 0.0) && flushed.holds(0, small) && !flushed.holds(0, 2.0 * small));
    assert!(!flushed.holds(1, 0.0));
    Ok(())
}

#[test]
fn a_subnormal_that_is_taken_for_zero_makes_nan_of_an_infinity() -> Result<()> {
    let products = |flushes_subnormals| {
        outputs(Allowance { flushes_subnormals }, |b| {
            let (small, infinite) = (constant(b, &[1, 1], &[1e-45f32]), constant(b, &[1, 1], &[f32::NEG_INFINITY]));
            Ok(vec![b.matmul(&small, &infinite, &o())?, b.gemm(&small, &infinite, &Default::default())?])
        })
    };
    for (kept, flushed) in products(false)?.iter().zip(products(true)?.iter()) {
        assert!(kept.holds(0, f64::NEG_INFINITY) && !kept.holds(0, f64::NAN));
        assert!(flushed.holds(0, f64::NEG_INFINITY) && flushed.holds(0, f64::NAN));
    }
    Ok(())
}

#[test]
fn what_lies_across_a_jump_is_in_doubt() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        // 0.1 + 0.2 is computed, and 0.3 is not.
        let of = |numbers: &[f32]| constant(b, &[1], numbers);
        let sum = b.add(&of(&[0.1]), &of(&[0.2]), &o())?;
        let near = of(&[0.1f32 + 0.2f32]);
        let is_equal = b.equal(&sum, &near, &o())?;
        let is_less = b.lesser(&sum, &of(&[0.5]), &o())?;
        let chosen = b.where_(&is_equal, &of(&[1.0]), &of(&[5.0]), &o())?;
        let ratio = b.div(&of(&[6.0]), &of(&[3.0]), &o())?;
        let third = b.div(&of(&[1.0]), &of(&[3.0]), &o())?;
        let floor = b.floor(&b.mul(&third, &of(&[3.0]), &o())?, &o())?;
        let both = b.concat(&[sum, near], 0, &o())?;
        let index = b.arg_max(&both, 0, &MLArgMinMaxOptions::default())?;
        let gathered = b.gather(&of(&[7.0]), &index, &Default::default())?;
        Ok(vec![is_equal, is_less, chosen, ratio, floor, index, gathered])
    })?;
    let [is_equal, is_less, chosen, ratio, floor, index, gathered] = &outputs[..] else { panic!("seven outputs") };
    assert!(is_equal.range(0).doubt && is_equal.holds(0, 0.0) && is_equal.holds(0, 1.0));
    assert!(!is_less.range(0).doubt && is_less.radius(0) == 0.0);
    assert!(chosen.range(0).doubt && chosen.holds(0, 1.0) && chosen.holds(0, 5.0) && !chosen.holds(0, 6.0));
    assert!(!ratio.range(0).doubt);
    assert!(floor.range(0).doubt && floor.holds(0, 0.0) && floor.holds(0, 1.0) && !floor.holds(0, 2.0));
    assert!(index.range(0).doubt && index.holds(0, 0.0) && index.holds(0, 1.0));
    assert!(gathered.range(0).doubt && gathered.holds(0, 7.0));
    Ok(())
}

#[test]
fn a_quotient_between_two_integers_is_quantized_to_either() -> Result<()> {
    let quantized = output(|b| {
        let (x, scale) = (constant(b, &[3], &[0.75f32, 0.8, 0.3]), constant(b, &[1], &[0.3f32]));
        b.quantize_linear(&x, &scale, &constant(b, &[1], &[10u8]), &o())
    })?;
    // 0.75 / 0.3 is 2.5, but for the rounding of 0.3.
    assert!(quantized.holds(0, 12.0) && quantized.holds(0, 13.0) && !quantized.holds(0, 11.0));
    assert!(quantized.radius(1) == 0.0 && quantized.radius(2) == 0.0);
    assert!(!quantized.range(0).doubt);
    Ok(())
}

/// A way to compute an operator from others, as the specification's decompositions do.
type Way = fn(&MLGraphBuilder, &MLOperand) -> Result<MLOperand>;

/// A scalar of the type of an operand.
fn scalar(b: &MLGraphBuilder, like: &MLOperand, number: f64) -> Result<MLOperand> {
    b.constant_scalar(like.data_type(), number.into())
}

/// The number of an operator is inside the bound if it was made of others, each of them rounded to the type.
fn decompositions_are_inside<T: Hardware>(pairs: &[(&str, Way, Way)]) -> Result<()> {
    let mut chance = Chance(31);
    for (name, operator, decomposed) in pairs {
        for _ in 0..20 {
            let x: Vec<T> = chance.numbers(24);
            let bounded = output(|b| operator(b, &constant(b, &[4, 6], &x)))?;
            let other = output(|b| decomposed(b, &constant(b, &[4, 6], &x)))?;
            for (index, number) in other.numbers.iter().enumerate() {
                let (own, range) = (bounded.numbers[index], bounded.range(index));
                assert!(range.contains(own), "{name} {}: {own} is not in its own {range:?}", T::DATA_TYPE);
                assert!(range.contains(*number), "{name} {}: {number}, and not {own}, of {range:?}", T::DATA_TYPE);
            }
        }
    }
    Ok(())
}

/// The mean along the last axis, kept.
fn mean(b: &MLGraphBuilder, x: &MLOperand) -> Result<MLOperand> {
    b.reduce_mean(x, &along())
}

fn along() -> MLReduceOptions {
    MLReduceOptions { axes: Some(vec![1]), keep_dimensions: true, ..MLReduceOptions::default() }
}

#[test]
fn decompositions_into_other_operators_are_inside() -> Result<()> {
    let pairs: [(&str, Way, Way); 14] = [
        (
            "sigmoid",
            |b, x| b.sigmoid(x, &o()),
            |b, x| {
                let one = scalar(b, x, 1.0)?;
                b.div(&one, &b.add(&one, &b.exp(&b.neg(x, &o())?, &o())?, &o())?, &o())
            },
        ),
        (
            "tanh",
            |b, x| b.tanh(x, &o()),
            |b, x| {
                let (one, two) = (scalar(b, x, 1.0)?, scalar(b, x, 2.0)?);
                let exp = b.exp(&b.mul(&two, x, &o())?, &o())?;
                b.div(&b.sub(&exp, &one, &o())?, &b.add(&exp, &one, &o())?, &o())
            },
        ),
        (
            "gelu",
            |b, x| b.gelu(x, &o()),
            |b, x| {
                let (one, half) = (scalar(b, x, 1.0)?, scalar(b, x, 0.5)?);
                let erf = b.erf(&b.div(x, &scalar(b, x, std::f64::consts::SQRT_2)?, &o())?, &o())?;
                b.mul(&b.mul(x, &half, &o())?, &b.add(&erf, &one, &o())?, &o())
            },
        ),
        (
            "elu",
            |b, x| b.elu(x, &Default::default()),
            |b, x| {
                let (one, zero) = (scalar(b, x, 1.0)?, scalar(b, x, 0.0)?);
                let below = b.sub(&b.exp(&b.min(&zero, x, &o())?, &o())?, &one, &o())?;
                b.add(&b.max(&zero, x, &o())?, &below, &o())
            },
        ),
        (
            "hardSwish",
            |b, x| b.hard_swish(x, &o()),
            |b, x| {
                let (three, six, zero) = (scalar(b, x, 3.0)?, scalar(b, x, 6.0)?, scalar(b, x, 0.0)?);
                let gate = b.max(&zero, &b.min(&six, &b.add(x, &three, &o())?, &o())?, &o())?;
                b.div(&b.mul(x, &gate, &o())?, &six, &o())
            },
        ),
        (
            "softplus",
            |b, x| b.softplus(x, &o()),
            |b, x| b.log(&b.add(&scalar(b, x, 1.0)?, &b.exp(x, &o())?, &o())?, &o()),
        ),
        (
            "softsign",
            |b, x| b.softsign(x, &o()),
            |b, x| b.div(x, &b.add(&scalar(b, x, 1.0)?, &b.abs(x, &o())?, &o())?, &o()),
        ),
        (
            "softmax",
            |b, x| b.softmax(x, 1, &o()),
            |b, x| {
                let exp = b.exp(&b.sub(x, &b.reduce_max(x, &along())?, &o())?, &o())?;
                b.div(&exp, &b.reduce_sum(&exp, &along())?, &o())
            },
        ),
        (
            "reduceLogSumExp",
            |b, x| b.reduce_log_sum_exp(x, &along()),
            |b, x| b.log(&b.reduce_sum(&b.exp(x, &o())?, &along())?, &o()),
        ),
        (
            "reduceL2",
            |b, x| b.reduce_l2(x, &along()),
            |b, x| b.sqrt(&b.reduce_sum(&b.mul(x, x, &o())?, &along())?, &o()),
        ),
        ("reduceL1", |b, x| b.reduce_l1(x, &along()), |b, x| b.reduce_sum(&b.abs(x, &o())?, &along())),
        (
            "linear",
            |b, x| {
                b.linear(
                    x,
                    &webnn_reference::ops::linear::MLLinearOptions { alpha: 0.3, beta: 0.7, ..Default::default() },
                )
            },
            |b, x| b.add(&b.mul(x, &scalar(b, x, 0.3)?, &o())?, &scalar(b, x, 0.7)?, &o()),
        ),
        (
            "layerNormalization",
            |b, x| b.layer_normalization(x, &MLLayerNormalizationOptions { axes: Some(vec![1]), ..Default::default() }),
            |b, x| {
                let deviation = b.sub(x, &mean(b, x)?, &o())?;
                let variance = mean(b, &b.mul(&deviation, &deviation, &o())?)?;
                b.div(&deviation, &b.sqrt(&b.add(&variance, &scalar(b, x, 1e-5)?, &o())?, &o())?, &o())
            },
        ),
        ("tan", |b, x| b.tan(x, &o()), |b, x| b.div(&b.sin(x, &o())?, &b.cos(x, &o())?, &o())),
    ];
    decompositions_are_inside::<f32>(&pairs)?;
    decompositions_are_inside::<f16>(&pairs)
}

#[test]
fn whole_graphs_are_inside_wherever_each_operator_rounds() -> Result<()> {
    // Each operator's result is rounded to either neighbour by chance, as another honest implementation may have it.
    let mut chance = Chance(37);
    for _ in 0..200 {
        let x: Vec<f32> = chance.numbers(1);
        let bounded = output(|b| {
            let x = constant(b, &[1], &x);
            let y = b.exp(&b.div(&x, &scalar(b, &x, 3.0)?, &o())?, &o())?;
            let y = b.log(&b.add(&y, &b.mul(&x, &x, &o())?, &o())?, &o())?;
            let y = b.gelu(&b.sub(&y, &scalar(b, &x, 0.7)?, &o())?, &o())?;
            b.sqrt(&b.abs(&b.sin(&y, &o())?, &o())?, &o())
        })?;
        let x = f64::from(x[0]);
        for _ in 0..50 {
            let third = chance.neighbour(x / 3.0);
            let exp = chance.neighbour(third.exp());
            let square = chance.neighbour(x * x);
            let sum = chance.neighbour(exp + square);
            let log = chance.neighbour(sum.ln());
            let shifted = chance.neighbour(log - f64::from(0.7f32));
            let gelu = chance.neighbour(0.5 * shifted * (1.0 + erf(shifted * std::f64::consts::FRAC_1_SQRT_2)));
            let sin = chance.neighbour(gelu.sin());
            let y = chance.neighbour(sin.abs().sqrt());
            assert!(bounded.holds(0, y), "{y}, and not {}, of {:?} from {x}", bounded.numbers[0], bounded.range(0));
        }
    }
    Ok(())
}

/// The error function by its power series, which is enough below 4.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..80 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

#[test]
fn what_may_be_nan_may_be_so_further_on() -> Result<()> {
    let outputs = outputs(Allowance::default(), |b| {
        // 1/3 * 3 - 1 may be a little below 0, of which there is no root.
        let third = b.div(&constant(b, &[1, 1], &[1f32]), &constant(b, &[1], &[3f32]), &o())?;
        let rest = b.sub(&b.mul(&third, &constant(b, &[1], &[3f32]), &o())?, &constant(b, &[1], &[1f32]), &o())?;
        let root = b.sqrt(&rest, &o())?;
        let product = b.matmul(&root, &constant(b, &[1, 1], &[2f32]), &o())?;
        let sum = b.reduce_sum(&root, &MLReduceOptions::default())?;
        let softmax = b.softmax(&b.concat(&[root.clone(), constant(b, &[1, 1], &[2f32])], 1, &o())?, 1, &o())?;
        Ok(vec![root, product, sum, softmax])
    })?;
    for output in outputs {
        assert!(output.holds(0, f64::NAN) && output.holds(0, output.numbers[0]) && output.range(0).doubt);
    }
    Ok(())
}

/// A number as an adapter has it that takes subnormal numbers for 0: each operand and each result.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Flushing(f32);

impl Flushing {
    fn of(number: f32) -> Self {
        Self(if number.is_subnormal() { 0.0 } else { number })
    }
    fn add(self, other: Self) -> Self {
        Self::of(self.0 + other.0)
    }
    fn sub(self, other: Self) -> Self {
        Self::of(self.0 - other.0)
    }
    fn mul(self, other: Self) -> Self {
        Self::of(self.0 * other.0)
    }
    fn div(self, other: Self) -> Self {
        Self::of(self.0 / other.0)
    }
    fn sqrt(self) -> Self {
        Self::of(self.0.sqrt())
    }
}

/// The sum of numbers, one by one.
fn flushing_sum(terms: impl IntoIterator<Item = Flushing>) -> Flushing {
    terms.into_iter().reduce(Flushing::add).expect("some")
}

/// (x - mean) / sqrt(variance + epsilon), and what is made of that by a factor in three places, and a bias.
fn flushing_normalization(x: &[Flushing], [scale, bias]: [Flushing; 2], epsilon: f32) -> [Vec<Flushing>; 3] {
    let count = Flushing(f32::from(u16::try_from(x.len()).expect("few")));
    let mean = flushing_sum(x.iter().copied()).div(count);
    let deviations: Vec<Flushing> = x.iter().map(|x| x.sub(mean)).collect();
    let variance = flushing_sum(deviations.iter().map(|x| x.mul(*x))).div(count);
    let divisor = variance.add(Flushing::of(epsilon)).sqrt();
    let each = |way: fn(Flushing, Flushing, Flushing) -> Flushing| {
        deviations.iter().map(|deviation| way(scale, *deviation, divisor).add(bias)).collect()
    };
    [
        each(|scale, deviation, divisor| scale.mul(deviation.div(divisor))),
        each(|scale, deviation, divisor| scale.mul(deviation).div(divisor)),
        each(|scale, deviation, divisor| scale.div(divisor).mul(deviation)),
    ]
}

/// How honest computations that lose subnormal numbers fare with bounds.
#[derive(Default)]
struct Lost {
    /// How many elements are outside if nothing of it is granted.
    outside: usize,
}

impl Lost {
    /// Each of these computations is inside where it is granted that subnormal numbers are lost.
    fn holds(&mut self, ways: &[Vec<Flushing>], build: impl Fn(&MLGraphBuilder) -> Result<MLOperand>) -> Result<()> {
        let of = |flushes_subnormals| outputs(Allowance { flushes_subnormals }, |b| Ok(vec![build(b)?]));
        let (kept, granted) = (of(false)?.remove(0), of(true)?.remove(0));
        for way in ways {
            assert_eq!(way.len(), granted.numbers.len());
            for (index, Flushing(number)) in way.iter().enumerate() {
                let range = granted.range(index);
                assert!(
                    granted.holds(index, *number),
                    "{number:e}, and not {:e}, of {range:?}",
                    granted.numbers[index]
                );
                self.outside += usize::from(!kept.holds(index, *number));
            }
        }
        Ok(())
    }
}

/// Numbers of either sign, next to the least normal number.
fn small(chance: &mut Chance, count: usize) -> Vec<f32> {
    chance.numbers::<f32>(count).into_iter().map(|number| number * f32::MIN_POSITIVE).collect()
}

fn flushing(numbers: &[f32]) -> Vec<Flushing> {
    numbers.iter().copied().map(Flushing::of).collect()
}

#[test]
fn normalizations_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(41), Lost::default());
    for round in 0..200u8 {
        let (x, epsilon) = (small(&mut chance, 5), f32::powi(10.0, -i32::from(round % 12)));
        let bias = small(&mut chance, 1);
        let scale = if round % 2 == 0 { small(&mut chance, 1) } else { chance.numbers(1) };
        let ways = flushing_normalization(&flushing(&x), [Flushing::of(scale[0]), Flushing::of(bias[0])], epsilon);
        let repeated = |b: &MLGraphBuilder, number: &[f32]| constant(b, &[5], &[number[0]; 5]);
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(repeated(b, &scale)), Some(repeated(b, &bias)));
            let options = MLLayerNormalizationOptions {
                axes: Some(vec![0]),
                scale,
                bias,
                epsilon: epsilon.into(),
                ..Default::default()
            };
            b.layer_normalization(&constant(b, &[5], &x), &options)
        })?;
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(constant(b, &[1], &scale)), Some(constant(b, &[1], &bias)));
            let options = MLInstanceNormalizationOptions { scale, bias, epsilon: epsilon.into(), ..Default::default() };
            b.instance_normalization(&constant(b, &[1, 1, 5, 1], &x), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn a_batch_normalization_may_lose_a_subnormal_in_any_of_its_products() -> Result<()> {
    let (mut chance, mut lost) = (Chance(43), Lost::default());
    for round in 0..200u8 {
        let (x, mean, bias) = (small(&mut chance, 4), small(&mut chance, 1), small(&mut chance, 1));
        let scale: Vec<f32> = chance.numbers(1);
        let (variance, epsilon) = (f32::powi(10.0, -2 * i32::from(round % 20)), 0.0);
        let divisor = Flushing::of(variance).add(Flushing::of(epsilon)).sqrt();
        let scaled = |way: fn(Flushing, Flushing, Flushing) -> Flushing| -> Vec<Flushing> {
            let deviations = flushing(&x).into_iter().map(|x| x.sub(Flushing::of(mean[0])));
            deviations.map(|x| way(Flushing::of(scale[0]), x, divisor).add(Flushing::of(bias[0]))).collect()
        };
        let ways = [
            scaled(|scale, deviation, divisor| scale.mul(deviation.div(divisor))),
            scaled(|scale, deviation, divisor| scale.mul(deviation).div(divisor)),
            scaled(|scale, deviation, divisor| scale.div(divisor).mul(deviation)),
        ];
        lost.holds(&ways, |b| {
            let (scale, bias) = (Some(constant(b, &[1], &scale)), Some(constant(b, &[1], &bias)));
            let options =
                MLBatchNormalizationOptions { scale, bias, axis: 0, epsilon: epsilon.into(), ..Default::default() };
            let (mean, variance) = (constant(b, &[1], &mean), constant(b, &[1], &[variance]));
            b.batch_normalization(&constant(b, &[1, 4], &x), &mean, &variance, &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn sums_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(47), Lost::default());
    for _ in 0..200 {
        let x = small(&mut chance, 6);
        let terms = flushing(&x);
        let shuffled = chance.shuffled(&terms);
        let along = MLReduceOptions::default;
        let sums = [vec![flushing_sum(terms.clone())], vec![flushing_sum(shuffled)]];
        lost.holds(&sums, |b| b.reduce_sum(&constant(b, &[6], &x), &along()))?;
        let means = sums.map(|sum| vec![sum[0].div(Flushing(6.0))]);
        lost.holds(&means, |b| b.reduce_mean(&constant(b, &[6], &x), &along()))?;
        let growing = (1..=6).map(|count| flushing_sum(terms[..count].iter().copied())).collect();
        lost.holds(&[growing], |b| b.cumulative_sum(&constant(b, &[6], &x), 0, &Default::default()))?;
        let averages = vec![
            flushing_sum(terms[..3].iter().copied()).div(Flushing(3.0)),
            flushing_sum(terms[3..].iter().copied()).div(Flushing(3.0)),
        ];
        lost.holds(&[averages], |b| {
            let options = MLPool2dOptions { window_dimensions: Some(vec![1, 3]), ..Default::default() };
            b.average_pool2d(&constant(b, &[1, 1, 2, 3], &x), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn sums_of_products_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(53), Lost::default());
    for _ in 0..200 {
        // Numbers whose products are next to the least normal number, though they are not.
        let root = f32::powi(2.0, -63);
        let mut factors = || -> Vec<f32> { chance.numbers::<f32>(4).into_iter().map(|number| number * root).collect() };
        let (a, b) = (factors(), factors());
        let products = flushing(&a).into_iter().zip(flushing(&b)).map(|(a, b)| a.mul(b));
        let product = flushing_sum(products);
        lost.holds(&[vec![product]], |g| g.matmul(&constant(g, &[1, 4], &a), &constant(g, &[4, 1], &b), &o()))?;
        lost.holds(&[vec![product]], |g| {
            g.conv2d(&constant(g, &[1, 4, 1, 1], &a), &constant(g, &[1, 4, 1, 1], &b), &MLConv2dOptions::default())
        })?;

        // Products that are normal, and a sum of them on the way that is not.
        let (alpha, far) = (f32::powi(2.0, -40), f32::powi(2.0, 30));
        let scaled = |numbers: &[f32], factor: f32| -> Vec<f32> { numbers.iter().map(|x| x * factor).collect() };
        let (a, b) = (scaled(&a, far), scaled(&b, 1.0 / alpha / far));
        let dot = |a: &[Flushing], b: &[Flushing]| flushing_sum(a.iter().zip(b).map(|(a, b)| a.mul(*b)));
        let by_alpha = |x: &[f32]| flushing(x).into_iter().map(|x| x.mul(Flushing(alpha))).collect::<Vec<_>>();
        let ways = [
            vec![dot(&by_alpha(&a), &flushing(&b))],
            vec![dot(&flushing(&a), &by_alpha(&b))],
            vec![dot(&flushing(&a), &flushing(&b)).mul(Flushing(alpha))],
        ];
        lost.holds(&ways, |g| {
            let options = MLGemmOptions { alpha: alpha.into(), ..Default::default() };
            g.gemm(&constant(g, &[1, 4], &a), &constant(g, &[4, 1], &b), &options)
        })?;
    }
    assert!(lost.outside > 100, "{}", lost.outside);
    Ok(())
}

#[test]
fn what_is_between_elements_may_lose_each_subnormal_on_the_way() -> Result<()> {
    let (mut chance, mut lost) = (Chance(59), Lost::default());
    for _ in 0..100 {
        let x = small(&mut chance, 4);
        let [upper_left, upper_right, lower_left, lower_right] = [0, 1, 2, 3].map(|index| Flushing::of(x[index]));
        // From two places to four: at -1/4, 1/4, 3/4 and 5/4 of the way.
        let between = |a: Flushing, b: Flushing, place: u8| match place {
            0 => a,
            3 => b,
            1 => a.mul(Flushing(0.75)).add(b.mul(Flushing(0.25))),
            _ => a.mul(Flushing(0.25)).add(b.mul(Flushing(0.75))),
        };
        let places = (0..4).flat_map(|row| (0..4).map(move |column| (row, column)));
        let rows_last = places.map(|(row, column)| {
            between(between(upper_left, upper_right, column), between(lower_left, lower_right, column), row)
        });
        lost.holds(&[rows_last.collect()], |b| {
            let options = MLResample2dOptions {
                mode: MLInterpolationMode::Linear,
                sizes: Some(vec![4, 4]),
                ..Default::default()
            };
            b.resample2d(&constant(b, &[1, 1, 2, 2], &x), &options)
        })?;
    }
    assert!(lost.outside > 50, "{}", lost.outside);
    Ok(())
}

#[test]
fn no_more_is_lost_than_there_are_subnormals_on_the_way() -> Result<()> {
    let granted = |x: &[f32]| {
        outputs(Allowance { flushes_subnormals: true }, |b| {
            Ok(vec![b.reduce_sum(&constant(b, &[3], x), &MLReduceOptions::default())?])
        })
    };
    let least = f32::MIN_POSITIVE;
    // Numbers of one sign that are not subnormal have no sum that is.
    let normal = granted(&[least, 1.5 * least, 2.0 * least])?.remove(0);
    assert!(normal.holds(0, 4.5 * least) && !normal.holds(0, 4.0 * least) && !normal.holds(0, 0.0));
    // Two that cancel may lose one number, and there are two additions.
    let cancelling = granted(&[1.5 * least, -least, 8.0 * least])?.remove(0);
    assert!(cancelling.holds(0, 8.0 * least) && !cancelling.holds(0, 6.0 * least));
    Ok(())
}
