//! What the tests with an adapter share: a device or a printed reason, and one-line kernels over arrays.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use std::sync::Arc;

use webnn_gpu::batch::Batch;
use webnn_gpu::device::Device;
use webnn_gpu::error::Error;
use webnn_gpu::wgsl::{Binding, Form, Input, Kernel, Lane, Params};

/// The shared device, or `None` after printing why there is none.
pub(crate) fn device() -> Option<Arc<Device>> {
    match Device::shared() {
        Ok(device) => Some(device),
        Err(error @ Error::NoAdapter { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The shared device, if it also computes in 64-bit integers.
pub(crate) fn device_with_int64() -> Option<Arc<Device>> {
    let device = device()?;
    if !device.has_int64() {
        eprintln!("skipped: {} has no 64-bit integers", device.info().name);
        return None;
    }
    Some(device)
}

/// A kernel whose `element(i)` is one expression over `a(i)`, `b(i)`, ...
pub(crate) fn kernel(inputs: &[Lane], output: Lane, expression: &str) -> Kernel {
    let names = ["a", "b", "c"];
    Kernel {
        name: expression.to_owned(),
        inputs: names.iter().zip(inputs).map(|(name, lane)| Input::new(name, *lane)).collect(),
        output,
        params: Params::new(),
        body: format!("fn element(i: u32) -> {} {{ return {expression}; }}", output.arithmetic()),
    }
}

/// Runs a kernel over these operands and returns its output's bytes.
pub(crate) fn run(device: &Arc<Device>, kernel: &Kernel, operands: &[&[u8]], count: usize) -> Vec<u8> {
    run_as(device, kernel, operands, count, Form::Dynamic)
}

pub(crate) fn run_as(device: &Arc<Device>, kernel: &Kernel, operands: &[&[u8]], count: usize, form: Form) -> Vec<u8> {
    let batch = Batch::new(Arc::clone(device));
    let module = kernel.module(count as u32, form, Binding::Separate);
    let bytes = count as u64 * u64::from(kernel.output.bytes());
    let inputs = operands.iter().map(|bytes| device.buffer_with("operand", bytes).unwrap());
    let mut buffers = inputs.collect::<Vec<_>>();
    buffers.push(device.buffer("output", bytes).unwrap());
    let bound = buffers.iter().map(Into::into).collect::<Vec<_>>();
    batch.run(&module, &bound).unwrap();
    batch.read(&buffers[buffers.len() - 1], 0, bytes).wait().unwrap()
}

/// `expression` of `a(i)` over float32.
pub(crate) fn unary(device: &Arc<Device>, expression: &str, a: &[f32]) -> Vec<f32> {
    let kernel = kernel(&[Lane::F32], Lane::F32, expression);
    words(&run(device, &kernel, &[bytemuck::cast_slice(a)], a.len()))
}

/// `expression` of `a(i)` and `b(i)` over float32.
pub(crate) fn binary(device: &Arc<Device>, expression: &str, a: &[f32], b: &[f32]) -> Vec<f32> {
    let kernel = kernel(&[Lane::F32, Lane::F32], Lane::F32, expression);
    let operands: [&[u8]; 2] = [bytemuck::cast_slice(a), bytemuck::cast_slice(b)];
    words(&run(device, &kernel, &operands, a.len()))
}

/// Bytes as numbers.
pub(crate) fn words<T: bytemuck::Pod>(bytes: &[u8]) -> Vec<T> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// A reproducible stream of bits (Marsaglia's xorshift64*).
pub(crate) struct Bits(u64);

impl Bits {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Any float32, each bit pattern equally likely.
    pub(crate) fn any_f32(&mut self) -> f32 {
        f32::from_bits((self.next_u64() >> 32) as u32)
    }

    /// A float32 from an interval, evenly.
    pub(crate) fn f32_in(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (f64::from(low) + unit * (f64::from(high) - f64::from(low))) as f32
    }
}

/// Values at which float functions change their mind.
pub(crate) fn special() -> Vec<f32> {
    let positive = [
        0.0,
        f32::from_bits(1),
        f32::from_bits(2),
        1e-40,
        f32::from_bits(0x007f_ffff),
        f32::MIN_POSITIVE,
        1e-30,
        1e-10,
        f32::EPSILON / 2.0,
        f32::EPSILON,
        0.1,
        0.25,
        0.499_999_97,
        0.5,
        0.75,
        0.999_999_94,
        1.0,
        1.000_000_1,
        1.5,
        2.0,
        2.5,
        3.0,
        std::f32::consts::PI,
        4.0,
        10.5,
        88.72,
        100.0,
        8_388_607.5,
        8_388_608.0,
        16_777_216.0,
        16_777_218.0,
        2_147_483_648.0,
        4_294_967_296.0,
        1e10,
        1e20,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    positive.iter().flat_map(|x| [*x, -*x]).collect()
}

/// Every pair from two lists.
pub(crate) fn pairs(a: &[f32], b: &[f32]) -> (Vec<f32>, Vec<f32>) {
    a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y))).unzip()
}

/// How far a float32 is from the true value, in units in the last place of the true value's float32.
pub(crate) fn ulps(got: f32, truth: f64) -> f64 {
    let nearest = truth as f32;
    if nearest.is_nan() || got.is_nan() {
        return if nearest.is_nan() == got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if nearest.is_infinite() || got.is_infinite() {
        return if nearest.to_bits() == got.to_bits() { 0.0 } else { f64::INFINITY };
    }
    // The spacing of floats at the truth, a power of two.
    let exponent = (((truth.abs().to_bits() >> 52) as i32) - 1023).max(-126);
    (f64::from(got) - truth).abs() / 2.0_f64.powi(exponent - 23)
}
