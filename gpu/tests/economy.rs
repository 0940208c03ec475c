//! What makes graphs cheaper: how many dispatches are left, that they are one pass, and that no bit of a result changes.

mod session;

use std::rc::Rc;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use session::{Data, Float16, Float32, Int8, Int32, Session, Uint8, data, f32s, gpu, none};
use webnn_gpu::Gpu;
use webnn_gpu::batch::Work;
use webnn_gpu::lower::{Bounds, Economy};
use webnn_gpu::sketch::{DEFAULTS, Drawing, Sketch};
use webnn_gpu::wgsl::Module;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::exception::{ExceptionName, Result};
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::clamp::MLClampOptions;
use webnn_reference::ops::slice::MLSliceOptions;
use webnn_reference::ops::split::{MLSplitOptions, Splits};
use webnn_reference::ops::transpose::MLTransposeOptions;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;

/// What `build` makes of an input `x0` of this shape, as dispatches. Its operands are the outputs.
fn draw(
    bounds: Bounds,
    shape: &[u32],
    build: impl FnOnce(&MLGraphBuilder, &MLOperand) -> Result<Vec<MLOperand>>,
) -> Result<Drawing> {
    let sketch = Sketch::new(bounds, Economy::ALL);
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(sketch.clone()));
    let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
    let builder = MLGraphBuilder::new(&context)?;
    let x = builder.input("x0", &MLOperandDescriptor::create(Float32, shape))?;
    let outputs = build(&builder, &x)?.into_iter().enumerate();
    let outputs = outputs.map(|(n, output)| (format!("y{n}"), output)).collect::<Vec<_>>();
    global.settle(&builder.build(&outputs))?;
    Ok(sketch.take().remove(0))
}

/// The names of the dispatches' kernels.
#[track_caller]
fn dispatches(shape: &[u32], build: impl FnOnce(&MLGraphBuilder, &MLOperand) -> Result<Vec<MLOperand>>) -> Vec<String> {
    let drawing = draw(DEFAULTS, shape, build).unwrap();
    drawing.program.steps.iter().map(|step| step.module.name.clone()).collect()
}

fn one(operand: MLOperand) -> Result<Vec<MLOperand>> {
    Ok(vec![operand])
}

#[test]
fn views_take_no_dispatch() {
    // Of an input, an intermediate tensor and what is a view itself; only the sums are computed.
    let names = dispatches(&[4, 64], |b, x| {
        let x = b.reshape(x, &[2, 2, 64], &none())?;
        let x = b.expand(&x, &[1, 2, 2, 64], &none())?;
        let halves = b.split(&x, &Splits::Count(2), &MLSplitOptions { axis: 1, ..MLSplitOptions::default() })?;
        let rows = b.cumulative_sum(&halves[1], 3, &Default::default())?;
        let row = b.slice(&rows, &[0, 0, 1, 0], &[1, 1, 1, 64], &MLSliceOptions::default())?;
        let options = MLTransposeOptions { permutation: Some(vec![1, 3, 0, 2]), ..MLTransposeOptions::default() };
        let row = b.identity(&b.cast(&b.transpose(&row, &options)?, Float32, &none())?, &none())?;
        one(b.cumulative_sum(&row, 1, &Default::default())?)
    });
    assert_eq!(names.len(), 2, "{names:?}");
}

/// A device that no other test submits to, and a context on it.
fn alone() -> Option<(Gpu, Session)> {
    gpu()?;
    let own = Gpu::new(None).unwrap();
    Some((own.clone(), Session::on(own)))
}

/// What dispatching a graph of one input `x0` is submitted as, the second time as the first.
fn work(own: &Gpu, session: &Session, x: &Data, build: impl FnOnce(&MLGraphBuilder, &MLOperand) -> MLOperand) -> Work {
    let builder = session.builder();
    let input = builder.input("x0", &MLOperandDescriptor::create(x.data_type, &x.shape)).unwrap();
    let y = build(&builder, &input);
    let graph = session.build(&builder, &[("y", &y)]);
    let (inputs, output) = ([session.tensor(x)], session.empty(y.data_type(), &y.shape()));
    let once = || {
        let before = own.work();
        session.dispatch(&graph, &inputs, &output);
        session.read(&output);
        let after = own.work();
        Work { passes: after.passes - before.passes, dispatches: after.dispatches - before.dispatches }
    };
    let (first, second) = (once(), once());
    assert_eq!(first, second);
    first
}

#[test]
fn a_graph_is_one_pass_in_which_views_take_no_dispatch() {
    let Some((own, session)) = alone() else { return };
    let x = f32s(&[4, 64], &(0..256u16).map(f32::from).collect::<Vec<_>>());
    let both = work(&own, &session, &x, |b, x| {
        let x = b.reshape(x, &[2, 2, 64], &none()).unwrap();
        let halves = b.split(&x, &Splits::Count(2), &MLSplitOptions::default()).unwrap();
        let rows = b.cumulative_sum(&halves[1], 2, &Default::default()).unwrap();
        let row = b.slice(&rows, &[0, 1, 0], &[1, 1, 64], &MLSliceOptions::default()).unwrap();
        b.cumulative_sum(&b.reshape(&row, &[64], &none()).unwrap(), 0, &Default::default()).unwrap()
    });
    assert_eq!(both, Work { passes: 1, dispatches: 2 });
}

#[test]
fn a_graph_of_many_kernels_is_one_pass() {
    let Some((own, session)) = alone() else { return };
    let x = f32s(&[16, 16], &(0..256u16).map(|n| f32::from(n) / 256.0).collect::<Vec<_>>());
    // Attention, more or less: tensors that live side by side, and share an arena.
    let many = work(&own, &session, &x, |b, x| {
        let mut y = x.clone();
        for _ in 0..3 {
            let scores = b.matmul(&y, &b.transpose(&y, &MLTransposeOptions::default()).unwrap(), &none()).unwrap();
            let mixed = b.matmul(&b.softmax(&scores, 1, &none()).unwrap(), &y, &none()).unwrap();
            let sum = b.add(&mixed, &y, &none()).unwrap();
            y = b.layer_normalization(&sum, &Default::default()).unwrap();
        }
        y
    });
    assert_eq!(many.passes, 1);
    assert!(many.dispatches >= 12, "{many:?}");
}

#[test]
fn graphs_between_which_nothing_is_read_share_a_pass() {
    let Some((own, session)) = alone() else { return };
    let (x, y) = (session.tensor(&f32s(&[4], &[1.0, 2.0, 3.0, 4.0])), session.empty(Float32, &[4]));
    let builder = session.builder();
    let input = builder.input("x0", &MLOperandDescriptor::create(Float32, &[4])).unwrap();
    let graph = session.build(&builder, &[("y", &builder.neg(&input, &none()).unwrap())]);
    let before = own.work();
    session.dispatch(&graph, std::slice::from_ref(&x), &y);
    session.dispatch(&graph, &[y], &x);
    session.read(&x);
    assert_eq!(own.work().passes - before.passes, 1);
}

#[test]
fn a_view_that_begins_where_nothing_can_be_bound_is_copied() {
    let names = dispatches(&[4, 3], |b, x| {
        let row = b.slice(x, &[1, 0], &[1, 3], &MLSliceOptions::default())?;
        one(b.cumulative_sum(&row, 1, &Default::default())?)
    });
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn an_output_is_computed_where_it_lies() {
    let sum = |b: &MLGraphBuilder, x: &MLOperand| b.cumulative_sum(x, 0, &Default::default());
    // What is reshaped into an output is computed into it.
    let names = dispatches(&[64], |b, x| one(b.reshape(&sum(b, x)?, &[8, 8], &none())?));
    assert_eq!(names.len(), 1, "{names:?}");
    // Also if it is needed in between, and twice.
    let names = dispatches(&[64], |b, x| {
        let middle = sum(b, x)?;
        let output = b.reshape(&middle, &[64, 1], &none())?;
        Ok(vec![b.reshape(&output, &[1, 64], &none())?, sum(b, &middle)?, output])
    });
    // One sum into each output, and one of the reshaped outputs is a copy of the other.
    assert_eq!(names.len(), 3, "{names:?}");
    // An input can not be an output's memory, nor a part of something larger.
    let names = dispatches(&[64], |b, x| one(b.reshape(x, &[8, 8], &none())?));
    assert_eq!(names.len(), 1, "{names:?}");
    let names = dispatches(&[128], |b, x| b.split(&sum(b, x)?, &Splits::Count(2), &MLSplitOptions::default()));
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn element_wise_chains_are_one_kernel() {
    let names = dispatches(&[2, 3], |b, x| {
        let row = b.constant(&MLOperandDescriptor::create(Float32, &[3]), &source(&f32s(&[3], &[1.0, 2.0, 3.0])))?;
        let x = b.relu(&b.add(x, &row, &none())?, &none())?;
        let x = b.clamp(&b.mul(&x, &row, &none())?, &MLClampOptions::default())?;
        one(b.cast(&b.tanh(&x, &none())?, Float16, &none())?)
    });
    assert_eq!(names.len(), 1, "{names:?}");
    // What is used twice is computed once, by a kernel of its own.
    let names = dispatches(&[2, 3], |b, x| {
        let x = b.abs(&b.neg(x, &none())?, &none())?;
        one(b.mul(&b.exp(&x, &none())?, &b.sin(&x, &none())?, &none())?)
    });
    assert_eq!(names, ["neg F32, abs F32", "exp F32, sin F32, mul F32"]);
    // What is broadcast would be computed once for each place.
    let names = dispatches(&[3], |b, x| {
        let zeros = b.constant(&MLOperandDescriptor::create(Float32, &[2, 3]), &source(&f32s(&[2, 3], &[0.0; 6])))?;
        one(b.add(&b.exp(x, &none())?, &zeros, &none())?)
    });
    assert_eq!(names, ["exp F32", "add F32"]);
}

#[test]
fn what_follows_another_operator_is_computed_along_with_it() {
    let matrix = MLOperandDescriptor::create(Float32, &[8, 8]);
    let names = dispatches(&[8, 8], |b, x| {
        let product = b.matmul(x, &b.input("weights", &matrix)?, &none())?;
        let bias = b.input("bias", &MLOperandDescriptor::create(Float32, &[8]))?;
        one(b.add(&b.gelu(&b.add(&product, &bias, &none())?, &none())?, x, &none())?)
    });
    assert_eq!(names.len(), 1, "{names:?}");
    // A kernel of two products would have everything twice.
    let names = dispatches(&[8, 8], |b, x| {
        let weights = b.input("weights", &matrix)?;
        one(b.add(&b.matmul(x, &weights, &none())?, &b.matmul(&weights, x, &none())?, &none())?)
    });
    assert_eq!(names.len(), 2, "{names:?}");
    // An invocation that computes both halves of a word would loop twice as often as the kernel allowed for.
    let names = dispatches(&[8, 8], |b, x| one(b.cast(&b.matmul(x, x, &none())?, Float16, &none())?));
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_kernel_stays_within_its_bindings_and_its_length() {
    let drawing = draw(DEFAULTS, &[4], |b, x| {
        let mut sum = x.clone();
        for place in 0..20 {
            let other = b.input(&format!("other{place}"), &MLOperandDescriptor::create(Float32, &[4]))?;
            sum = b.add(&b.neg(&sum, &none())?, &other, &none())?;
        }
        for _ in 0..40 {
            sum = b.neg(&sum, &none())?;
        }
        one(sum)
    });
    let steps = drawing.unwrap().program.steps;
    assert!(steps.iter().all(|step| step.module.read_only.len() <= DEFAULTS.bindings));
    assert!(steps.iter().all(|step| step.module.name.split(", ").count() <= 16));
    assert!(steps.len() < 10, "{}", steps.len());
}

/// No memory is made by a sketch, so an error from it comes before any.
#[test]
fn what_is_too_large_fails_before_memory_is_made() {
    let failure = |binding_bytes: u64, build: fn(&MLGraphBuilder, &MLOperand) -> Result<Vec<MLOperand>>| {
        let small = Bounds { buffer_bytes: 1 << 20, binding_bytes, ..DEFAULTS };
        let failure = draw(small, &[1, 1 << 10], build).unwrap_err();
        assert_eq!(failure.name, ExceptionName::OperationError, "{failure:?}");
        failure.message
    };
    // A partial result, of which the builder knows nothing: a sum for each row.
    let message = failure(1 << 20, |b, x| {
        let column = b.reshape(x, &[1 << 10, 1], &none())?;
        let many = b.reshape(&b.expand(&column, &[1 << 10, 1 << 7], &none())?, &[1 << 17, 1], &none())?;
        one(b.softmax(&many, 1, &none())?)
    });
    assert!(message.contains("2097152 bytes") && message.contains("1048576"), "{message}");
    // More bindings than there are.
    let message = failure(1 << 16, |b, x| {
        let column = b.reshape(x, &[1 << 10, 1], &none())?;
        let table = b.add(&b.slice(&column, &[0, 0], &[128, 1], &MLSliceOptions::default())?, x, &none())?;
        one(b.softmax(&table, 1, &none())?)
    });
    assert!(message.contains("bindings"), "{message}");
}

fn source(data: &Data) -> webnn_reference::buffer::BufferSource {
    webnn_reference::buffer::BufferSource::typed(data.data_type, data.bytes.clone())
}

/// Operators that leave the shape as it is, some with a second operand.
const OPERATORS: usize = 20;

fn apply(b: &MLGraphBuilder, operator: usize, x: &MLOperand, y: &MLOperand) -> Result<MLOperand> {
    let same = |y: &MLOperand| b.cast(y, x.data_type(), &none());
    Ok(match operator {
        0 => b.add(x, &same(y)?, &none())?,
        1 => b.sub(&same(y)?, x, &none())?,
        2 => b.mul(x, &same(y)?, &none())?,
        3 => b.div(x, &same(y)?, &none())?,
        4 => b.max(x, &same(y)?, &none())?,
        5 => b.pow(x, &same(y)?, &none())?,
        6 => b.abs(x, &none())?,
        7 => b.neg(x, &none())?,
        8 => b.relu(x, &none())?,
        9 => b.clamp(x, &MLClampOptions { min_value: Some((-3.0).into()), ..MLClampOptions::default() })?,
        10 => b.cast(x, Float16, &none())?,
        11 => b.cast(x, Float32, &none())?,
        12 => b.cast(x, Int8, &none())?,
        13 => b.cast(x, Uint8, &none())?,
        14 => b.cast(x, Int32, &none())?,
        15 => b.greater(x, &same(y)?, &none())?,
        16 => b.where_(&b.cast(y, Uint8, &none())?, x, &same(y)?, &none())?,
        17 => b.exp(x, &none())?,
        18 => b.gelu(x, &none())?,
        _ => b.sigmoid(x, &none())?,
    })
}

/// A chain of these operators; those that do not take its data type are left out.
fn chain(b: &MLGraphBuilder, operators: &[usize], x: &[MLOperand]) -> Result<MLOperand> {
    // What a chain may begin with.
    let mut value = match operators[0] % 5 {
        0 => b.tile(&x[0], &[1, 1], &none())?,
        1 => b
            .concat(&[x[0].clone(), x[1].clone()], 0, &none())
            .and_then(|both| b.slice(&both, &[1, 0], &x[0].shape(), &MLSliceOptions::default()))?,
        2 => b.cast(
            &b.cumulative_sum(&b.cast(&x[0], Float32, &none())?, 1, &Default::default())?,
            x[0].data_type(),
            &none(),
        )?,
        3 => b.reverse(&x[0], &Default::default())?,
        _ => x[0].clone(),
    };
    for (place, operator) in operators.iter().enumerate() {
        if let Ok(next) = apply(b, *operator, &value, &x[1 + place % 2]) {
            value = next;
        }
    }
    // Something at least.
    b.cast(&value, Float32, &none())
}

/// Elements of all magnitudes, with the special ones among them.
fn numbers(data_type: MLOperandDataType, shape: &[u32], seed: &[u8]) -> Data {
    let count = shape.iter().product::<u32>() as usize;
    let special = [f32::NAN, f32::INFINITY, -0.0, 1.0, -1.5, 3.0e38, 1.0e-40, 65504.0, 0.1, -7.0, 300.0, 2.5];
    let element = |n: usize| {
        let byte = seed[n % seed.len()].wrapping_add(n as u8);
        let number = special[usize::from(byte) % special.len()] * (1.0 + f32::from(byte) / 777.0);
        match data_type {
            Float16 => half::f16::from_f32(number).to_le_bytes().to_vec(),
            Float32 => number.to_le_bytes().to_vec(),
            _ => vec![byte; data_type.element_size() as usize],
        }
    };
    data(data_type, shape, (0..count).flat_map(element).collect())
}

/// A data type, operators and a seed.
type Case = (MLOperandDataType, Vec<usize>, Vec<u8>);

/// The same cases at each call.
fn cases(count: usize) -> Vec<Case> {
    let types = prop::sample::select(vec![Float32, Float16, Int32, Int8, Uint8]);
    let case = (types, prop::collection::vec(0..OPERATORS, 2..14), prop::collection::vec(any::<u8>(), 5..9));
    let mut runner = TestRunner::deterministic();
    (0..count).map(|_| case.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn kernels_of_fused_chains_in_one_arena_are_valid() {
    let capabilities = Capabilities::SHADER_INT64 | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let (mut longest, mut shared) = (0, 0);
    // Tensors of several bindings each, and others.
    let tight = Bounds { binding_bytes: 4096, bindings: 24, ..DEFAULTS };
    for (place, (data_type, operators, _)) in cases(200).into_iter().enumerate() {
        let (bounds, size) = if place % 2 == 0 { (DEFAULTS, 7) } else { (tight, 700) };
        let drawing = draw(bounds, &[3, size], |b, x| {
            let x = b.cast(x, data_type, &none())?;
            let y = b.input("y", &MLOperandDescriptor::create(data_type, &[size]))?;
            let value = chain(b, &operators, &[x.clone(), x, y])?;
            one(b.softmax(&value, 1, &none())?)
        });
        for step in drawing.unwrap().program.steps {
            let Module { name, text, read_only, .. } = step.module;
            let parsed = naga::front::wgsl::parse_str(&text);
            let parsed = parsed.unwrap_or_else(|error| panic!("{name}: {}\n{text}", error.emit_to_string(&text)));
            let valid = Validator::new(ValidationFlags::all(), capabilities).validate(&parsed);
            valid.unwrap_or_else(|error| panic!("{name}: {}\n{text}", error.emit_to_string(&text)));
            longest = longest.max(name.split(", ").count());
            shared += usize::from(read_only.iter().filter(|read_only| !**read_only).count() > 1);
        }
    }
    assert!(longest > 8 && shared > 100, "operators of a kernel: {longest}, kernels in one arena: {shared}");
}

#[test]
fn fused_chains_give_the_same_bits() {
    let Some(gpu) = gpu() else { return };
    let plain = Session::on(gpu.clone().with_economy(Economy::NONE));
    let fused = Session::on(gpu.with_economy(Economy::ALL));
    for (data_type, operators, seed) in cases(40) {
        let inputs = [
            numbers(data_type, &[3, 7], &seed),
            numbers(data_type, &[3, 7], &seed[1..]),
            numbers(data_type, &[7], &seed[2..]),
        ];
        // The unused ones would not be inputs of the graph.
        let build = |b: &MLGraphBuilder, x: &[MLOperand]| {
            let value = chain(b, &operators, x)?;
            let rest = b.add(&b.cast(&x[1], Float32, &none())?, &b.cast(&x[2], Float32, &none())?, &none())?;
            b.concat(&[b.add(&value, &b.cast(&x[0], Float32, &none())?, &none())?, rest], 0, &none())
        };
        assert_eq!(fused.run(&inputs, build), plain.run(&inputs, build), "{data_type}: {operators:?}");
    }
}
