//! Activations, sums along an axis, indices of extremes, normalizations, resampling and transposed convolution, against
//! values worked out by hand.

mod session;

use session::{
    Data, Float16, Float32, Int8, Int32, Int64, Session, Uint8, assert_same, data, f32s, none, of_bytes, session, small,
};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLInputOperandLayout::Nhwc;
use webnn_reference::ops::argminmax::MLArgMinMaxOptions;
use webnn_reference::ops::batchnormalization::MLBatchNormalizationOptions;
use webnn_reference::ops::convtranspose2d::MLConvTranspose2dOptions;
use webnn_reference::ops::cumulativesum::MLCumulativeSumOptions;
use webnn_reference::ops::elu::MLEluOptions;
use webnn_reference::ops::hardsigmoid::MLHardSigmoidOptions;
use webnn_reference::ops::instancenormalization::MLInstanceNormalizationOptions;
use webnn_reference::ops::layernormalization::MLLayerNormalizationOptions;
use webnn_reference::ops::leakyrelu::MLLeakyReluOptions;
use webnn_reference::ops::linear::MLLinearOptions;
use webnn_reference::ops::resample2d::{MLInterpolationMode, MLResample2dOptions};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;

#[track_caller]
fn assert_near(got: &[f32], wanted: &[f64]) {
    let near = |(got, wanted): (&f32, &f64)| (f64::from(*got) - wanted).abs() <= wanted.abs() / f64::from(1 << 23);
    assert!(got.len() == wanted.len() && got.iter().zip(wanted).all(near), "got {got:?}, wanted {wanted:?}");
}

fn of(session: &Session, x: &[f32], build: impl FnOnce(&MLGraphBuilder, &MLOperand) -> Result<MLOperand>) -> Vec<f32> {
    session.run_f32(&[f32s(&[x.len() as u32], x)], |b, x| build(b, &x[0]))
}

#[test]
fn activations() {
    let Some(session) = session() else { return };
    let x = [-INF, -1.0, -0.0, 2.0, INF, NAN];
    let elu = MLEluOptions { alpha: 2.0, ..MLEluOptions::default() };
    let e = -2.0 * (1.0 - (-1f32).exp());
    assert_same(&of(&session, &x, |b, x| b.elu(x, &elu)), &[-2.0, e, -0.0, 2.0, INF, NAN]);
    let leaky = MLLeakyReluOptions { alpha: 0.5, ..MLLeakyReluOptions::default() };
    assert_same(&of(&session, &x, |b, x| b.leaky_relu(x, &leaky)), &[-INF, -0.5, -0.0, 2.0, INF, NAN]);
    let linear = MLLinearOptions { alpha: 3.0, beta: 1.0, ..MLLinearOptions::default() };
    assert_same(&of(&session, &x, |b, x| b.linear(x, &linear)), &[-INF, -2.0, 1.0, 7.0, INF, NAN]);
    let hard = MLHardSigmoidOptions { alpha: 0.5, beta: 0.75, ..MLHardSigmoidOptions::default() };
    assert_same(&of(&session, &x, |b, x| b.hard_sigmoid(x, &hard)), &[0.0, 0.25, 0.75, 1.0, 1.0, NAN]);
    let third = -1.0 / 3.0;
    assert_same(&of(&session, &x, |b, x| b.hard_swish(x, &none())), &[NAN, third, -0.0, 10.0 / 6.0, INF, NAN]);
    assert_same(&of(&session, &x, |b, x| b.softsign(x, &none())), &[NAN, -0.5, -0.0, 2.0 / 3.0, NAN, NAN]);
    assert_same(&of(&session, &x, |b, x| b.tanh(x, &none()))[..1], &[-1.0]);
    let softplus = of(&session, &x, |b, x| b.softplus(x, &none()));
    assert_same(&[softplus[0], softplus[4], softplus[5]], &[0.0, INF, NAN]);
    let gelu = of(&session, &x, |b, x| b.gelu(x, &none()));
    assert_same(&[gelu[0], gelu[2], gelu[4], gelu[5]], &[NAN, -0.0, INF, NAN]);
    assert_near(&[gelu[1], gelu[3]], &[-0.158_655_253_931_457, 1.954_499_736_103_64]);
}

#[test]
fn prelu_of_integers_wraps() {
    let Some(session) = session() else { return };
    let x = small(Int8, &[2, 2], &[-100, -2, 3, -1]);
    let slope = small(Int8, &[2], &[3, 4]);
    let got = session.run(&[x, slope], |b, x| b.prelu(&x[0], &x[1], &none()));
    assert_eq!(got, [-300_i32 as u8, -8_i32 as u8, 3, -4_i32 as u8]);
}

fn indices(session: &Session, x: Data, axis: u32, greatest: bool) -> Vec<i32> {
    let options = MLArgMinMaxOptions::default();
    let got = session.run(&[x], |b, x| match greatest {
        true => b.arg_max(&x[0], axis, &options),
        false => b.arg_min(&x[0], axis, &options),
    });
    of_bytes(&got, i32::from_le_bytes)
}

#[test]
fn indices_of_extremes() {
    let Some(session) = session() else { return };
    // The first of equals, both zeros being equal; the first NaN before all.
    let x = f32s(&[3, 3], &[0.0, -0.0, -1.0, 2.0, NAN, NAN, -INF, -INF, -INF]);
    assert_eq!(indices(&session, x.clone(), 1, true), [0, 1, 0]);
    assert_eq!(indices(&session, x.clone(), 1, false), [2, 1, 0]);
    assert_eq!(indices(&session, x, 0, true), [1, 1, 1]);
    let bytes = data(Uint8, &[4], vec![3, 200, 7, 200]);
    assert_eq!(indices(&session, bytes.clone(), 0, true), [1]);
    assert_eq!(indices(&session, bytes, 0, false), [0]);
    assert_eq!(indices(&session, small(Int8, &[3], &[3, -100, 7]), 0, false), [1]);
    let mut long = vec![1.0; 100_000];
    long[98_765] = 2.0;
    long[99_999] = 2.0;
    assert_eq!(indices(&session, f32s(&[100_000], &long), 0, true), [98_765]);
    assert_eq!(indices(&session, f32s(&[100_000], &long), 0, false), [0]);
    if session.has_int64() {
        // They differ in the low word only.
        let long = [i64::MIN, i64::MAX - 1, i64::MAX, -1].iter().flat_map(|n| n.to_le_bytes()).collect();
        let x = data(Int64, &[4], long);
        assert_eq!(indices(&session, x.clone(), 0, true), [2]);
        assert_eq!(indices(&session, x, 0, false), [0]);
    }
}

fn sums(session: &Session, x: Data, axis: u32, exclusive: bool, reversed: bool) -> Vec<u8> {
    let options = MLCumulativeSumOptions { exclusive, reversed, ..MLCumulativeSumOptions::default() };
    session.run(&[x], |b, x| b.cumulative_sum(&x[0], axis, &options))
}

#[test]
fn cumulative_sums() {
    let Some(session) = session() else { return };
    let x = || small(Int32, &[2, 3], &[1, 2, 3, 4, 5, 6]);
    let ints = |bytes: Vec<u8>| of_bytes(&bytes, i32::from_le_bytes);
    assert_eq!(ints(sums(&session, x(), 1, false, false)), [1, 3, 6, 4, 9, 15]);
    assert_eq!(ints(sums(&session, x(), 1, true, false)), [0, 1, 3, 0, 4, 9]);
    assert_eq!(ints(sums(&session, x(), 1, false, true)), [6, 5, 3, 15, 11, 6]);
    assert_eq!(ints(sums(&session, x(), 0, true, true)), [4, 5, 6, 0, 0, 0]);
}

/// 50,000 elements are 391 chunks, and those are 4.
#[test]
fn long_cumulative_sums() {
    let Some(session) = session() else { return };
    let n = 50_000;
    for (exclusive, reversed) in [(false, false), (true, false), (false, true), (true, true)] {
        let x = small(Float32, &[n, 2], &vec![1; 2 * n as usize]);
        let got = of_bytes(&sums(&session, x, 0, exclusive, reversed), f32::from_le_bytes);
        let sum = |i: u32| if reversed { n - 1 - i } else { i } + u32::from(!exclusive);
        let wanted = (0..n).flat_map(|i| [sum(i) as f32; 2]).collect::<Vec<_>>();
        assert!(got == wanted, "exclusive {exclusive}, reversed {reversed}");
    }
}

#[test]
fn normalizations() {
    let Some(session) = session() else { return };
    // 1 and 3: the mean is 2 and the variance 1.
    let x = || f32s(&[1, 2, 2, 1], &[1.0, 3.0, 10.0, 30.0]);
    let numbers = |numbers: &[f32]| f32s(&[2], numbers);
    let options = MLInstanceNormalizationOptions { epsilon: 0.0, ..MLInstanceNormalizationOptions::default() };
    let got = session.run_f32(&[x()], |b, x| b.instance_normalization(&x[0], &options));
    assert_same(&got, &[-1.0, 1.0, -1.0, 1.0]);
    let got = session.run_f32(&[f32s(&[1, 2, 1, 2], &[1.0, 10.0, 3.0, 30.0]), numbers(&[5.0, 7.0])], |b, x| {
        let options = MLInstanceNormalizationOptions { layout: Nhwc, bias: Some(x[1].clone()), ..options.clone() };
        b.instance_normalization(&x[0], &options)
    });
    assert_same(&got, &[4.0, 6.0, 6.0, 8.0]);
    // Scale and bias have the axes' order: 2, then 1.
    let got = session.run_f32(&[f32s(&[1, 1, 2], &[1.0, 3.0]), f32s(&[2, 1], &[3.0, 4.0])], |b, x| {
        let (axes, scale) = (Some(vec![2, 1]), Some(x[1].clone()));
        let options =
            MLLayerNormalizationOptions { axes, scale, epsilon: 0.0, ..MLLayerNormalizationOptions::default() };
        b.layer_normalization(&x[0], &options)
    });
    assert_same(&got, &[-3.0, 4.0]);
    let got = session.run_f32(&[x(), numbers(&[1.0, 20.0]), numbers(&[4.0, 96.0])], |b, x| {
        let options = MLBatchNormalizationOptions { epsilon: 4.0, ..MLBatchNormalizationOptions::default() };
        b.batch_normalization(&x[0], &x[1], &x[2], &options)
    });
    assert_near(&got, &[0.0, 2.0 / 8f64.sqrt(), -1.0, 1.0]);
}

/// Squares beyond float32, a variance that is lost beside the mean, and more elements than one invocation adds up.
#[test]
fn normalizations_at_the_edges() {
    let Some(session) = session() else { return };
    let options =
        MLLayerNormalizationOptions { axes: Some(vec![0]), epsilon: 0.0, ..MLLayerNormalizationOptions::default() };
    let normalized = |x: &[f32]| of(&session, x, |b, x| b.layer_normalization(x, &options));
    assert_same(&normalized(&[-3e38, 3e38]), &[-1.0, 1.0]);
    assert_same(&normalized(&[-1e-30, 1e-30]), &[-1.0, 1.0]);
    assert_same(&normalized(&[16_777_214.0, 16_777_216.0]), &[-1.0, 1.0]);
    assert_same(&normalized(&[2.0, 2.0]), &[NAN, NAN]);
    assert_same(&normalized(&[1.0, INF]), &[NAN, NAN]);
    let long = (0..100_000).map(|n| if n % 2 == 0 { 1000.0 } else { 1002.0 }).collect::<Vec<_>>();
    assert!(normalized(&long).iter().zip(&long).all(|(y, x)| *y == x - 1001.0));
    let halves = small(Float16, &[2], &[1, 3]);
    let got = session.run(&[halves], |b, x| b.layer_normalization(&x[0], &options));
    assert_eq!(of_bytes(&got, u16::from_le_bytes), [0xbc00, 0x3c00]);
}

fn resampled(session: &Session, x: Data, mode: MLInterpolationMode, sizes: [u32; 2]) -> Vec<u8> {
    let options = MLResample2dOptions { mode, sizes: Some(sizes.to_vec()), ..MLResample2dOptions::default() };
    session.run(&[x], |b, x| b.resample2d(&x[0], &options))
}

#[test]
fn resampling() {
    let Some(session) = session() else { return };
    let linear = MLInterpolationMode::Linear;
    let x = || f32s(&[1, 1, 1, 2], &[1.0, 5.0]);
    let got = of_bytes(&resampled(&session, x(), linear, [2, 4]), f32::from_le_bytes);
    assert_same(&got, &[1.0, 2.0, 4.0, 5.0, 1.0, 2.0, 4.0, 5.0]);
    let got = resampled(&session, x(), MLInterpolationMode::NearestNeighbor, [1, 4]);
    assert_same(&of_bytes(&got, f32::from_le_bytes), &[1.0, 1.0, 5.0, 5.0]);
    // A third of the way from 1 to -2 is 0 to the last bit.
    let got = of_bytes(&resampled(&session, f32s(&[1, 1, 1, 2], &[1.0, -2.0]), linear, [1, 6]), f32::from_le_bytes);
    assert_same(&got[2..3], &[0.0]);
    // 2.5 and 3.5 are rounded to even.
    let bytes = |numbers: &[i8]| small(Int8, &[1, 1, 1, 2], numbers);
    assert_eq!(resampled(&session, bytes(&[2, 3]), linear, [1, 1]), [2]);
    assert_eq!(resampled(&session, bytes(&[3, 4]), linear, [1, 1]), [4]);
    assert_eq!(resampled(&session, bytes(&[-3, -4]), linear, [1, 1]), [-4_i32 as u8]);
    assert_eq!(resampled(&session, data(Uint8, &[1, 1, 1, 2], vec![255, 0]), linear, [1, 4]), [255, 191, 64, 0]);
}

fn spread(session: &Session, shape: &[u32], options: &MLConvTranspose2dOptions) -> Vec<f32> {
    let input = small(Float32, &[1, 1, 1, 2], &[1, 10]);
    let numbers = (1..=shape.iter().product::<u32>() as i8).collect::<Vec<_>>();
    session.run_f32(&[input, small(Float32, shape, &numbers)], |b, x| b.conv_transpose2d(&x[0], &x[1], options))
}

#[test]
fn transposed_convolutions() {
    let Some(session) = session() else { return };
    let options = MLConvTranspose2dOptions::default();
    assert_same(&spread(&session, &[1, 1, 1, 3], &options), &[1.0, 12.0, 23.0, 30.0]);
    let strided = MLConvTranspose2dOptions { strides: Some(vec![1, 2]), ..options.clone() };
    assert_same(&spread(&session, &[1, 1, 1, 3], &strided), &[1.0, 2.0, 13.0, 20.0, 30.0]);
    let padded = MLConvTranspose2dOptions { padding: Some(vec![0, 0, 1, 1]), ..strided.clone() };
    assert_same(&spread(&session, &[1, 1, 1, 3], &padded), &[2.0, 13.0, 20.0]);
    let further = MLConvTranspose2dOptions { output_padding: Some(vec![0, 1]), ..strided };
    assert_same(&spread(&session, &[1, 1, 1, 3], &further), &[1.0, 2.0, 13.0, 20.0, 30.0, 0.0]);
    let dilated = MLConvTranspose2dOptions { dilations: Some(vec![1, 3]), ..options.clone() };
    assert_same(&spread(&session, &[1, 1, 1, 2], &dilated), &[1.0, 10.0, 0.0, 2.0, 20.0]);
    // Two output channels.
    assert_same(&spread(&session, &[1, 2, 1, 1], &options), &[1.0, 10.0, 2.0, 20.0]);
    // Two groups: each input channel makes one output channel.
    let grouped = MLConvTranspose2dOptions { groups: 2, ..options };
    let inputs = [small(Float32, &[1, 2, 1, 1], &[1, 10]), small(Float32, &[2, 1, 1, 2], &[1, 2, 3, 4])];
    let got = session.run_f32(&inputs, |b, x| b.conv_transpose2d(&x[0], &x[1], &grouped));
    assert_same(&got, &[1.0, 2.0, 30.0, 40.0]);
}
