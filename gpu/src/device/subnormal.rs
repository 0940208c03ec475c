//! Does arithmetic keep float32 subnormals?
//!
//! WGSL lets an implementation flush them to zero, in operands and in results, and hardware differs: lavapipe
//! keeps them, an H200 flushes them in every add, multiply and compare. Loading, storing and bit operations keep
//! them everywhere. The numeric library is written so that its results do not depend on this; plain `+`, `-` and
//! `*` on tensors do, and whoever judges results needs to know. So the device is asked once, by one dispatch
//! whose operands come from memory, where no compiler can work the answer out in advance.

use std::sync::Arc;

use super::Device;
use crate::batch::Batch;
use crate::error::Result;
use crate::wgsl::{Binding, Form, Input, Kernel, Lane, Params};

/// What becomes of float32 subnormals in arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subnormals {
    /// A subnormal operand counts as its value, not as zero.
    pub kept_as_operands: bool,
    /// A result too small to be normal is kept, not zeroed.
    pub kept_as_results: bool,
}

impl Subnormals {
    /// Whether any of it is flushed.
    pub fn flushed(self) -> bool {
        !(self.kept_as_operands && self.kept_as_results)
    }
}

/// 2^-140 and 2^100; 2^-100 and 2^-40; 2^-140 and itself.
const OPERANDS: [u32; 6] = [1 << 9, 227 << 23, 27 << 23, 87 << 23, 1 << 9, 1 << 9];

pub(super) fn probe(device: &Arc<Device>) -> Result<Subnormals> {
    let kernel = Kernel {
        name: "subnormal probe".to_owned(),
        inputs: vec![Input::new("a", Lane::F32)],
        output: Lane::F32,
        params: Params::new(),
        body: "fn element(i: u32) -> f32 {\n    \
                   if (i < 2u) { return a(2u * i) * a(2u * i + 1u); }\n    \
                   return a(4u) + a(5u);\n\
               }"
        .to_owned(),
    };
    let batch = Batch::new(Arc::clone(device));
    let operands = device.buffer_with("probe", bytemuck::cast_slice(&OPERANDS))?;
    let results = device.buffer("probe", 12)?;
    let module = kernel.module(3, Form::Dynamic, Binding::Separate);
    batch.run(&module, &[(&operands).into(), (&results).into()])?;
    let bytes = batch.read(&results, 0, 12).wait()?;
    let [product, small, sum] =
        [0, 4, 8].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
    Ok(Subnormals { kept_as_operands: product == 87 << 23, kept_as_results: small == 1 << 9 && sum == 2 << 9 })
}
