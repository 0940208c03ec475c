//! Operators that run over many terms, against values worked out by hand: sums that cancel, overflow half-way, meet
//! infinities, or are longer than one invocation may run.

mod session;

use half::f16;
use session::{
    Data, Float16, Float32, Int8, Int32, Int64, Session, Uint8, Uint32, assert_same, data, f32s, none, of_bytes,
    session, small,
};
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::exception::Result;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::MLInputOperandLayout::Nhwc;
use webnn_reference::ops::conv2d::{MLConv2dFilterOperandLayout::Ohwi, MLConv2dOptions};
use webnn_reference::ops::gemm::MLGemmOptions;
use webnn_reference::ops::pool2d::{MLPool2dOptions, MLRoundingType};
use webnn_reference::ops::reduce::MLReduceOptions;

type Reduction = fn(&MLGraphBuilder, &MLOperand, &MLReduceOptions) -> Result<MLOperand>;

fn reduced(session: &Session, x: &[f32], reduction: Reduction) -> f32 {
    let input = f32s(&[x.len() as u32], x);
    session.run_f32(&[input], |b, x| reduction(b, &x[0], &MLReduceOptions::default()))[0]
}

fn along(axes: &[u32]) -> MLReduceOptions {
    MLReduceOptions { axes: Some(axes.to_vec()), ..MLReduceOptions::default() }
}

#[track_caller]
fn assert_near(got: f32, wanted: f32) {
    let ulps = i64::from(got.to_bits()).abs_diff(i64::from(wanted.to_bits()));
    assert!(ulps <= 1, "{got} is not {wanted}");
}

#[test]
fn every_reduction_of_a_few() {
    let Some(session) = session() else { return };
    let x = [1.0, -2.0, 3.0, -4.0];
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_l1)], &[10.0]);
    assert_near(reduced(&session, &x, MLGraphBuilder::reduce_l2), 30.0f32.sqrt());
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_max)], &[3.0]);
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_mean)], &[-0.5]);
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_min)], &[-4.0]);
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_product)], &[24.0]);
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_sum)], &[-2.0]);
    assert_same(&[reduced(&session, &x, MLGraphBuilder::reduce_sum_square)], &[30.0]);
    assert_near(reduced(&session, &[1.0, 2.0], MLGraphBuilder::reduce_log_sum), 3.0f32.ln());
    // 1000 + ln 2, where exp(1000) is beyond every float.
    assert_near(reduced(&session, &[1000.0, 1000.0], MLGraphBuilder::reduce_log_sum_exp), 1_000.693_1);
}

#[test]
fn reductions_along_some_axes() {
    let Some(session) = session() else { return };
    let x = f32s(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let x = std::slice::from_ref(&x);
    assert_same(&session.run_f32(x, |b, x| b.reduce_sum(&x[0], &along(&[0]))), &[5.0, 7.0, 9.0]);
    assert_same(&session.run_f32(x, |b, x| b.reduce_sum(&x[0], &along(&[1]))), &[6.0, 15.0]);
    assert_same(&session.run_f32(x, |b, x| b.reduce_sum(&x[0], &along(&[]))), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let cube = [small(Float32, &[2, 2, 2], &[1, 2, 3, 4, 5, 6, 7, 8])];
    assert_same(&session.run_f32(&cube, |b, x| b.reduce_sum(&x[0], &along(&[0, 2]))), &[14.0, 22.0]);
    let scalar = [f32s(&[], &[-3.0])];
    assert_same(&session.run_f32(&scalar, |b, x| b.reduce_l1(&x[0], &along(&[]))), &[3.0]);
}

#[test]
fn reductions_of_integers_wrap() {
    let Some(session) = session() else { return };
    let bytes = [data(Uint8, &[3], vec![3, 200, 7])];
    assert_eq!(session.run(&bytes, |b, x| b.reduce_max(&x[0], &along(&[0]))), [200]);
    assert_eq!(session.run(&[small(Int8, &[3], &[3, -100, 7])], |b, x| b.reduce_min(&x[0], &along(&[0]))), [156]);
    let words = [data(Uint32, &[2], [u32::MAX, 3].iter().flat_map(|n| n.to_le_bytes()).collect())];
    let sum = session.run(&words, |b, x| b.reduce_sum(&x[0], &along(&[0])));
    assert_eq!(of_bytes(&sum, u32::from_le_bytes), [2]);
    let ints = [data(Int32, &[2], [i32::MIN, -1].iter().flat_map(|n| n.to_le_bytes()).collect())];
    let sum = session.run(&ints, |b, x| b.reduce_l1(&x[0], &along(&[0])));
    assert_eq!(of_bytes(&sum, i32::from_le_bytes), [i32::MIN + 1]);
    if session.has_int64() {
        let long = [data(Int64, &[2], [i64::MAX, 2].iter().flat_map(|n| n.to_le_bytes()).collect())];
        let product = session.run(&long, |b, x| b.reduce_product(&x[0], &along(&[0])));
        assert_eq!(of_bytes(&product, i64::from_le_bytes), [-2]);
        let least = session.run(&long, |b, x| b.reduce_min(&x[0], &along(&[0])));
        assert_eq!(of_bytes(&least, i64::from_le_bytes), [2]);
    }
}

#[test]
fn long_reductions() {
    let Some(session) = session() else { return };
    let n = 200_000;
    let tenths = vec![0.1f32; n];
    // 200,000 times the float nearest to 0.1, rounded once.
    let exact = f64::from(0.1f32) * n as f64;
    assert_same(&[reduced(&session, &tenths, MLGraphBuilder::reduce_sum)], &[exact as f32]);
    assert_same(&[reduced(&session, &tenths, MLGraphBuilder::reduce_mean)], &[0.1]);
    assert_near(reduced(&session, &tenths, MLGraphBuilder::reduce_l2), (f64::from(0.1f32) * (n as f64).sqrt()) as f32);
    assert_near(reduced(&session, &tenths, MLGraphBuilder::reduce_log_sum), exact.ln() as f32);
    let wanted = f64::from(0.1f32) + (n as f64).ln();
    assert_near(reduced(&session, &tenths, MLGraphBuilder::reduce_log_sum_exp), wanted as f32);
    // Factors whose product is 1, though half of them are 1e-30.
    let factors = (0..n).map(|k| if k < n / 2 { 2f32.powi(-100) } else { 2f32.powi(100) }).collect::<Vec<_>>();
    assert_same(&[reduced(&session, &factors, MLGraphBuilder::reduce_product)], &[1.0]);
    let mut peaks = vec![1.0; n];
    peaks[123_456] = 7.0;
    peaks[199_999] = -7.0;
    assert_same(&[reduced(&session, &peaks, MLGraphBuilder::reduce_max)], &[7.0]);
    assert_same(&[reduced(&session, &peaks, MLGraphBuilder::reduce_min)], &[-7.0]);
}

#[test]
fn very_long_reductions_and_many_of_them() {
    let Some(session) = session() else { return };
    // Three levels: chunks of chunks of chunks.
    let n = 2_000_000;
    let ones = data(Int8, &[n], vec![1; n as usize]);
    let sum = session.run(&[ones], |b, x| {
        let wide = b.cast(&x[0], Int32, &none())?;
        b.reduce_sum(&wide, &MLReduceOptions::default())
    });
    assert_eq!(of_bytes(&sum, i32::from_le_bytes), [2_000_000]);
    // More terms than one invocation may run over, for many elements; halves, which share words.
    let x = data(Float16, &[3, 70_000], (0..210_000).flat_map(|_| f16::from_f32(0.5).to_le_bytes()).collect());
    let means = session.run(&[x], |b, x| b.reduce_mean(&x[0], &along(&[1])));
    assert_eq!(of_bytes(&means, f16::from_le_bytes), [f16::from_f32(0.5); 3]);
    let x = data(Uint8, &[2048, 1], (0..2048_u32).map(|n| n as u8).collect());
    let greatest = session.run(std::slice::from_ref(&x), |b, x| {
        let stretched = b.expand(&x[0], &[2048, 8000], &none())?;
        b.reduce_max(&stretched, &along(&[1]))
    });
    assert_eq!(greatest, x.bytes);
}

#[test]
fn sums_that_cancel_or_overflow_half_way() {
    let Some(session) = session() else { return };
    let sum = |x: &[f32]| reduced(&session, x, MLGraphBuilder::reduce_sum);
    assert_same(&[sum(&[1e8, 1.0, -1e8])], &[1.0]);
    assert_same(&[sum(&[3e38, 3e38, -3e38])], &[3e38]);
    assert_same(&[sum(&[3e38, 1.0, 3e38, -3e38, -3e38])], &[1.0]);
    assert_same(&[sum(&[3e38, 3e38])], &[f32::INFINITY]);
    assert_same(&[reduced(&session, &[3e38, 3e38, 3e38], MLGraphBuilder::reduce_mean)], &[3e38]);
    assert_near(reduced(&session, &[3e38, 3e38], MLGraphBuilder::reduce_log_sum), (6e38f64).ln() as f32);
    assert_near(reduced(&session, &[3e30, 4e30], MLGraphBuilder::reduce_l2), 5e30);
    assert_near(reduced(&session, &[3e-30, 4e-30], MLGraphBuilder::reduce_l2), 5e-30);
    // Between chunks too.
    let mut long = vec![0.0; 100_000];
    (long[3], long[50_000], long[99_000]) = (3e38, 3e38, -3e38);
    assert_same(&[sum(&long)], &[3e38]);
}

#[test]
fn infinities_and_nan_in_sums_give_what_ieee_says() {
    let Some(session) = session() else { return };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for padding in [0, 10_000] {
        let sum = |x: &[f32]| {
            let mut x = x.to_vec();
            x.resize(x.len() + padding, 0.0);
            reduced(&session, &x, MLGraphBuilder::reduce_sum)
        };
        assert_same(&[sum(&[1.0, inf, 2.0])], &[inf]);
        assert_same(&[sum(&[1.0, -inf, 3e38])], &[-inf]);
        assert_same(&[sum(&[inf, 1.0, -inf])], &[nan]);
        assert_same(&[sum(&[1.0, nan, inf])], &[nan]);
        assert_same(&[sum(&[inf, 3e38, 3e38])], &[inf]);
    }
    assert_same(&[reduced(&session, &[1.0, -inf], MLGraphBuilder::reduce_l2)], &[inf]);
    assert_same(&[reduced(&session, &[nan, -inf], MLGraphBuilder::reduce_l2)], &[nan]);
    assert_same(&[reduced(&session, &[0.0, inf], MLGraphBuilder::reduce_product)], &[nan]);
    assert_same(&[reduced(&session, &[-2.0, inf], MLGraphBuilder::reduce_product)], &[-inf]);
    assert_same(&[reduced(&session, &[1.0, inf], MLGraphBuilder::reduce_log_sum_exp)], &[inf]);
    assert_same(&[reduced(&session, &[-inf, -inf], MLGraphBuilder::reduce_log_sum_exp)], &[-inf]);
    assert_same(&[reduced(&session, &[-inf, 5.0], MLGraphBuilder::reduce_log_sum_exp)], &[5.0]);
    assert_same(&[reduced(&session, &[nan, 5.0], MLGraphBuilder::reduce_max)], &[nan]);
    assert_same(&[reduced(&session, &[5.0, nan], MLGraphBuilder::reduce_min)], &[nan]);
    assert_same(&[reduced(&session, &[-1.0, -1.0], MLGraphBuilder::reduce_log_sum)], &[nan]);
    assert_same(&[reduced(&session, &[1.0, -1.0], MLGraphBuilder::reduce_log_sum)], &[-inf]);
}

fn product(session: &Session, a: &Data, b: &Data) -> Vec<f32> {
    session.run_f32(&[a.clone(), b.clone()], |builder, x| builder.matmul(&x[0], &x[1], &none()))
}

#[test]
fn products_of_matrices() {
    let Some(session) = session() else { return };
    let a = f32s(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let b = f32s(&[3, 2], &[7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    assert_same(&product(&session, &a, &b), &[58.0, 64.0, 139.0, 154.0]);
    // A stack of one broadcast to a stack of two.
    let stack = f32s(&[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    let column = f32s(&[1, 2, 1], &[10.0, 100.0]);
    assert_same(&product(&session, &stack, &column), &[210.0, 430.0]);
    let inf = f32::INFINITY;
    let row = |x: &[f32]| f32s(&[1, x.len() as u32], x);
    let column = |x: &[f32]| f32s(&[x.len() as u32, 1], x);
    assert_same(&product(&session, &row(&[inf, 1.0]), &column(&[1e-30, 1.0])), &[inf]);
    assert_same(&product(&session, &row(&[inf, 1.0]), &column(&[0.0, 1.0])), &[f32::NAN]);
    assert_same(&product(&session, &row(&[inf, -inf]), &column(&[1.0, 1.0])), &[f32::NAN]);
    // Products beyond float32 that cancel, and what is left.
    assert_same(&product(&session, &row(&[1e30, -1e30, 2.0]), &column(&[1e30, 1e30, 3.0])), &[6.0]);
    assert_same(&product(&session, &row(&[1e30]), &column(&[1e30])), &[inf]);
}

#[test]
fn a_long_inner_dimension() {
    let Some(session) = session() else { return };
    let n = 150_001_u32;
    let alternating = (0..n).map(|k| if k % 2 == 0 { 1e5 } else { -1e5 }).collect::<Vec<_>>();
    let a = f32s(&[1, n], &alternating);
    let b = f32s(&[n, 1], &vec![0.1; n as usize]);
    // All but one cancel.
    assert_same(&product(&session, &a, &b), &[(1e5 * f64::from(0.1f32)) as f32]);
}

#[test]
fn gemm_scales_and_adds() {
    let Some(session) = session() else { return };
    let a = f32s(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let b = f32s(&[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    let c = f32s(&[2], &[10.0, 20.0]);
    let scaled = session.run_f32(&[a.clone(), b.clone(), c], |builder, x| {
        let options =
            MLGemmOptions { c: Some(x[2].clone()), alpha: 2.0, beta: 0.5, a_transpose: true, ..Default::default() };
        builder.gemm(&x[0], &x[1], &options)
    });
    assert_same(&scaled, &[7.0, 16.0, 9.0, 18.0]);
    let plain = session.run_f32(&[a, b], |builder, x| {
        builder.gemm(&x[0], &x[1], &MLGemmOptions { b_transpose: true, alpha: 0.5, ..Default::default() })
    });
    assert_same(&plain, &[0.5, 1.0, 1.5, 2.0]);
    // A sum beyond float32 that alpha brings back.
    let large = [f32s(&[1, 1], &[2f32.powi(70)]), f32s(&[1, 1], &[2f32.powi(80)])];
    let small = session.run_f32(&large, |builder, x| {
        builder.gemm(&x[0], &x[1], &MLGemmOptions { alpha: 2f64.powi(-100), ..Default::default() })
    });
    assert_same(&small, &[2f32.powi(50)]);
}

#[test]
fn convolutions() {
    let Some(session) = session() else { return };
    let image = small(Float32, &[1, 1, 3, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let filter = f32s(&[1, 1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let operands = [image, filter, f32s(&[1], &[100.0])];
    let plain = session.run_f32(&operands[..2], |b, x| b.conv2d(&x[0], &x[1], &MLConv2dOptions::default()));
    assert_same(&plain, &[37.0, 47.0, 67.0, 77.0]);
    let padded = session.run_f32(&operands, |b, x| {
        let options = MLConv2dOptions {
            padding: Some(vec![1, 0, 1, 0]),
            strides: Some(vec![2, 2]),
            bias: Some(x[2].clone()),
            ..Default::default()
        };
        b.conv2d(&x[0], &x[1], &options)
    });
    assert_same(&padded, &[104.0, 118.0, 100.0 + 2.0 * 4.0 + 4.0 * 7.0, 177.0]);
    // Two groups of one channel each, channels last.
    let image = small(Float32, &[1, 1, 2, 2], &[1, 10, 2, 20]);
    let filter = small(Float32, &[2, 1, 2, 1], &[1, 2, 3, 4]);
    let grouped = session.run_f32(&[image, filter], |b, x| {
        let options = MLConv2dOptions { groups: 2, input_layout: Nhwc, filter_layout: Ohwi, ..Default::default() };
        b.conv2d(&x[0], &x[1], &options)
    });
    assert_same(&grouped, &[5.0, 110.0]);
    let dilated = session.run_f32(&operands[..2], |b, x| {
        b.conv2d(&x[0], &x[1], &MLConv2dOptions { dilations: Some(vec![2, 2]), ..Default::default() })
    });
    assert_same(&dilated, &[1.0 + 2.0 * 3.0 + 3.0 * 7.0 + 4.0 * 9.0]);
}

#[test]
fn pooling() {
    let Some(session) = session() else { return };
    let image = [small(Float32, &[1, 1, 3, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9])];
    let window = MLPool2dOptions { window_dimensions: Some(vec![2, 2]), ..Default::default() };
    let run = |build: fn(&MLGraphBuilder, &MLOperand, &MLPool2dOptions) -> Result<MLOperand>,
               options: &MLPool2dOptions| { session.run_f32(&image, |b, x| build(b, &x[0], options)) };
    assert_same(&run(MLGraphBuilder::average_pool2d, &window), &[3.0, 4.0, 6.0, 7.0]);
    assert_same(&run(MLGraphBuilder::max_pool2d, &window), &[5.0, 6.0, 8.0, 9.0]);
    let roots = [46.0f32, 74.0, 154.0, 206.0].map(f32::sqrt);
    assert_same(&run(MLGraphBuilder::l2_pool2d, &window), &roots);
    // Partial windows: only what is inside the input counts.
    let partial =
        MLPool2dOptions { strides: Some(vec![2, 2]), output_shape_rounding: MLRoundingType::Ceil, ..window.clone() };
    assert_same(&run(MLGraphBuilder::average_pool2d, &partial), &[3.0, 4.5, 7.5, 9.0]);
    // Windows of which nothing is inside.
    let outside = MLPool2dOptions { padding: Some(vec![2, 0, 0, 0]), strides: Some(vec![3, 1]), ..window };
    assert_same(&run(MLGraphBuilder::average_pool2d, &outside), &[f32::NAN, f32::NAN, 6.0, 7.0]);
    assert_same(&run(MLGraphBuilder::l2_pool2d, &outside)[..2], &[0.0, 0.0]);
    assert_same(&run(MLGraphBuilder::max_pool2d, &outside)[..2], &[f32::NEG_INFINITY; 2]);
    let all = MLPool2dOptions::default();
    assert_same(&run(MLGraphBuilder::average_pool2d, &all), &[5.0]);
    for each in session.context.limits().data_types.clone() {
        let image = [small(each, &[1, 1, 1, 3], &[3, 9, 4])];
        let window = MLPool2dOptions { window_dimensions: Some(vec![1, 2]), ..Default::default() };
        let greatest = session.run(&image, |b, x| b.max_pool2d(&x[0], &window));
        assert_eq!(greatest, small(each, &[2], &[9, 9]).bytes, "{each}");
    }
}

#[test]
fn pooling_over_a_large_image() {
    let Some(session) = session() else { return };
    let image = f32s(&[1, 1, 400, 500], &vec![0.1; 200_000]);
    let mean = session.run_f32(&[image], |b, x| b.average_pool2d(&x[0], &MLPool2dOptions::default()));
    assert_same(&mean, &[0.1]);
}

#[test]
fn softmax() {
    let Some(session) = session() else { return };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let run =
        |shape: &[u32], x: &[f32], axis| session.run_f32(&[f32s(shape, x)], |b, x| b.softmax(&x[0], axis, &none()));
    assert_same(&run(&[1, 4], &[5.0; 4], 1), &[0.25; 4]);
    assert_same(&run(&[2, 2], &[1.0, 7.0, 1.0, 7.0], 0), &[0.5; 4]);
    assert_same(&run(&[1, 3], &[1000.0, -1000.0, 1000.0], 1), &[0.5, 0.0, 0.5]);
    assert_same(&run(&[1, 2], &[-inf, 3.0], 1), &[0.0, 1.0]);
    assert_same(&run(&[1, 2], &[-inf, -inf], 1), &[nan, nan]);
    assert_same(&run(&[1, 2], &[inf, 3.0], 1), &[nan, nan]);
    assert_same(&run(&[1, 2], &[nan, 3.0], 1), &[nan, nan]);
    let n = 200_000;
    assert_same(&run(&[1, n], &vec![-3.0; n as usize], 1)[..2], &[5e-6, 5e-6]);
}
