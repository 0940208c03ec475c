//! Every module's text passes naga's validator. No adapter is needed.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use webnn_gpu::wgsl::{Binding, Form, Input, Kernel, Lane, Module, Params, Scalar, View, functions};

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

/// A kernel that copies element by element, so that its text is all accessors and stores.
fn copy(lane: Lane) -> Kernel {
    Kernel {
        name: format!("copy {lane:?}"),
        inputs: vec![Input::new("a", lane)],
        output: lane,
        params: Params::new().view("at", View::contiguous(&[2, 3])),
        body: format!("fn element(i: u32) -> {} {{ return a(at(i)); }}", lane.arithmetic()),
    }
}

#[test]
fn every_lane_in_every_form_is_valid() {
    for lane in Lane::ALL {
        for form in [Form::Dynamic, Form::Baked] {
            for binding in [Binding::Separate, Binding::Arena] {
                validate(&copy(lane).module(6, form, binding));
            }
        }
    }
}

#[test]
fn every_kind_of_parameter_is_valid_in_both_forms() {
    let params = Params::new()
        .number("axis", 3)
        .signed("step", i32::MIN)
        .list("sizes", 8, &[5, 6, 7])
        .view("at", View::new(&[2, 3, 4], &[-12, 0, 1], 12))
        .scalar("alpha", Scalar::F32(f32::NAN))
        .scalar("beta", Scalar::I32(-1))
        .scalar("gamma", Scalar::U32(7))
        .scalar("delta", Scalar::I64(i64::MIN))
        .scalar("epsilon", Scalar::U64(u64::MAX));
    let body = "fn element(i: u32) -> f32 {\n    \
                    let n = axis() + u32(step()) + sizes(1u) + sizes_len() + at(i) + gamma();\n    \
                    return alpha() + f32(n) + f32(beta()) + i64_to_f32(delta()) + u64_to_f32(epsilon());\n\
                }";
    let kernel =
        Kernel { name: "parameters".to_owned(), inputs: Vec::new(), output: Lane::F32, params, body: body.to_owned() };
    for form in [Form::Dynamic, Form::Baked] {
        validate(&kernel.module(24, form, Binding::Separate));
    }
}

/// The whole library at once: a body that names every function.
#[test]
fn every_library_function_is_valid() {
    let mentions = functions().into_iter().collect::<Vec<_>>().join(" ");
    let kernel = Kernel {
        name: "the library".to_owned(),
        inputs: Vec::new(),
        output: Lane::F32,
        params: Params::new(),
        // Mentions in a comment are enough for the linker, and call nothing.
        body: format!("// {mentions}\nfn element(i: u32) -> f32 {{ return 0.0; }}"),
    };
    let module = kernel.module(1, Form::Baked, Binding::Separate);
    assert!(functions().is_subset(&module.defines()), "the linker dropped something");
    validate(&module);
}

#[test]
fn a_dynamic_module_has_one_text_for_all_shapes() {
    let text = |shape: &[u32]| {
        let mut kernel = copy(Lane::F32);
        kernel.params = Params::new().view("at", View::contiguous(shape));
        kernel.module(shape.iter().product(), Form::Dynamic, Binding::Separate).text
    };
    assert_eq!(text(&[2, 3]), text(&[7, 1, 5, 3]));
}
