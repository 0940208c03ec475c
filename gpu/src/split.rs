//! Tensors larger than a binding.
//!
//! A device's largest binding may be far below its largest buffer: 128 MiB against 2 GiB on lavapipe. A tensor
//! beyond it is bound in parts. Where it is an input, its accessor finds the part; where it is the output, each part
//! is a dispatch of its own, whose kernel counts from the part's first element. Kernels do not notice either way, and
//! where everything fits in one binding each, which is nearly always, their text is what it would be without this.

use std::fmt::Write as _;

use webnn_reference::platform::PlatformError;

use crate::lower::{Bounds, Lowered, Range, Step, Tensor};
use crate::wgsl::{Binding, Form, Input, Kernel};

/// Parts begin at multiples of this many bytes: any device's offset alignment, in whole elements of every lane.
const PART_ALIGNMENT: u64 = 4096;

/// The dispatches of a kernel over these tensors.
pub(crate) fn steps(kernel: &Kernel, inputs: &[&Tensor], output: &Tensor, bounds: Bounds) -> Lowered<Vec<Step>> {
    let part_bytes = part_bytes(bounds);
    let mut split = Split { kernel: kernel.clone(), bound: Vec::new() };
    split.kernel.inputs.clear();
    for (input, tensor) in kernel.inputs.iter().zip(inputs) {
        split.input(input, tensor, part_bytes);
    }
    // The output and the parameters come after the inputs.
    if split.bound.len() + 2 > bounds.bindings {
        let wanted = split.bound.len() + 2;
        let limit = bounds.bindings;
        let message = format!("{} needs {wanted} bindings of {part_bytes} bytes, and there are {limit}", kernel.name);
        return Err(PlatformError::Unsupported(message));
    }
    Ok(split.outputs(output, part_bytes))
}

/// In how many parts a tensor is bound.
pub(crate) fn parts(tensor: &Tensor, bounds: Bounds) -> usize {
    ranges(tensor, part_bytes(bounds)).len()
}

fn part_bytes(bounds: Bounds) -> u64 {
    bounds.binding_bytes / PART_ALIGNMENT * PART_ALIGNMENT
}

/// A kernel whose inputs are being split.
struct Split {
    kernel: Kernel,
    bound: Vec<Range>,
}

impl Split {
    fn input(&mut self, input: &Input, tensor: &Tensor, part_bytes: u64) {
        let parts = ranges(tensor, part_bytes);
        if parts.len() == 1 {
            self.kernel.inputs.push(input.clone());
        } else {
            let elements = part_bytes / u64::from(input.lane.bytes());
            self.kernel.body.push_str(&accessor(input, parts.len(), elements));
            let names = (0..parts.len()).map(|part| Input::new(&part_name(input, part), input.lane));
            self.kernel.inputs.extend(names);
        }
        self.bound.extend(parts);
    }

    fn outputs(mut self, output: &Tensor, part_bytes: u64) -> Vec<Step> {
        let parts = ranges(output, part_bytes);
        let form = Form::Dynamic;
        if let [whole] = parts[..] {
            let module = self.kernel.module(output.count(), form, Binding::Separate);
            self.bound.push(whole);
            return vec![Step { module, bound: self.bound }];
        }
        let elements = (part_bytes / u64::from(output.lane.bytes())) as u32;
        let starts = (0..output.count()).step_by(elements as usize);
        let steps = starts.zip(parts).map(|(first, part)| {
            let kernel = counting_from(&self.kernel, first);
            let module = kernel.module(elements.min(output.count() - first), form, Binding::Separate);
            let mut bound = self.bound.clone();
            bound.push(part);
            Step { module, bound }
        });
        steps.collect()
    }
}

/// A tensor's memory, in parts that can be bound.
fn ranges(tensor: &Tensor, part_bytes: u64) -> Vec<Range> {
    let all = tensor.bytes();
    let parts = (0..all).step_by(part_bytes as usize).map(|first| Range {
        slot: tensor.slot,
        offset: tensor.start + first,
        bytes: part_bytes.min(all - first),
    });
    parts.collect()
}

fn part_name(input: &Input, part: usize) -> String {
    format!("{}_part{part}", input.name)
}

/// `fn name(i: u32) -> T`, which finds the part that element `i` is in.
fn accessor(input: &Input, parts: usize, elements: u64) -> String {
    let mut text = format!("\nfn {}(i: u32) -> {} {{\n", input.name, input.lane.arithmetic());
    let _ = writeln!(text, "    let at = i % {elements}u;");
    let _ = writeln!(text, "    switch i / {elements}u {{");
    for part in 1..parts {
        let _ = writeln!(text, "        case {part}u: {{ return {}(at); }}", part_name(input, part));
    }
    let _ = writeln!(text, "        default: {{ return {}(at); }}\n    }}\n}}", part_name(input, 0));
    text
}

/// The kernel whose element 0 is the element `first` of this one.
fn counting_from(kernel: &Kernel, first: u32) -> Kernel {
    let mut counting = kernel.clone();
    counting.params = counting.params.number("first_of_part", first);
    counting.body = kernel.body.replace("fn element(", "fn element_of_all(");
    let result = kernel.output.arithmetic();
    let _ =
        write!(counting.body, "\nfn element(i: u32) -> {result} {{ return element_of_all(first_of_part() + i); }}\n");
    counting
}
