//! Every operator's kernels, for every data type and size, without an adapter: they pass naga's validator, they bind
//! what they declare, and their text does not depend on shapes.

mod lowering;

use std::collections::BTreeSet;

use lowering::{Shapes, TIGHT, WIDE, programs};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use webnn_gpu::lower::{Program, Slot};
use webnn_gpu::wgsl::Module;

fn validate(module: &Module) {
    let parsed = naga::front::wgsl::parse_str(&module.text)
        .unwrap_or_else(|error| panic!("{}: {}\n{}", module.name, error.emit_to_string(&module.text), module.text));
    // 64-bit integers are the one optional feature; halves packed in words are core WGSL.
    let capabilities = Capabilities::SHADER_INT64 | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if let Err(error) = validator.validate(&parsed) {
        panic!("{}: {}\n{}", module.name, error.emit_to_string(&module.text), module.text);
    }
}

fn texts(program: &Program) -> BTreeSet<&str> {
    program.steps.iter().map(|step| step.module.text.as_str()).collect()
}

#[test]
fn every_kernel_is_valid() {
    let mut seen = BTreeSet::new();
    for shapes in [Shapes::Few, Shapes::Many] {
        for bounds in [WIDE, TIGHT] {
            for (_, program) in programs(shapes, bounds) {
                for step in &program.steps {
                    if seen.insert(step.module.text.clone()) {
                        validate(&step.module);
                    }
                }
            }
        }
    }
    assert!(seen.len() > 300, "{} texts", seen.len());
}

#[test]
fn a_step_binds_what_its_module_declares_within_bounds() {
    for bounds in [WIDE, TIGHT] {
        for (name, program) in programs(Shapes::Many, bounds) {
            for step in &program.steps {
                let params = usize::from(!step.module.params.is_empty());
                assert_eq!(step.bound.len() + params, step.module.read_only.len(), "{name}");
                assert!(step.module.read_only.len() <= bounds.bindings, "{name}");
                assert!(step.bound.iter().all(|range| range.bytes <= bounds.binding_bytes), "{name}");
                assert!(step.bound.iter().all(|range| range.bytes.is_multiple_of(4)), "{name}");
                // An output is no input of the same dispatch.
                let (output, inputs) = step.bound.split_last().unwrap();
                assert!(inputs.iter().all(|input| input.slot != output.slot), "{name}");
                assert!(!matches!(output.slot, Slot::Table(_)), "{name}");
            }
        }
    }
}

#[test]
fn texts_do_not_depend_on_shapes_or_attributes() {
    let few = programs(Shapes::Few, WIDE);
    let others = programs(Shapes::Others, WIDE);
    assert_eq!(few.len(), others.len());
    for ((name, few), (_, others)) in few.iter().zip(&others) {
        assert_eq!(texts(few), texts(others), "{name}");
    }
}

/// What a scratch tensor holds is written before it is read.
#[test]
fn scratch_is_written_before_it_is_read() {
    for (name, program) in programs(Shapes::Many, WIDE) {
        let mut written = BTreeSet::new();
        for step in &program.steps {
            let (output, inputs) = step.bound.split_last().unwrap();
            for input in inputs {
                assert!(!matches!(input.slot, Slot::Scratch(_)) || written.contains(&input.slot), "{name}");
            }
            written.insert(output.slot);
        }
        assert!(program.inner.keys().all(|slot| written.contains(slot)), "{name}");
    }
}
