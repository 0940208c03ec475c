//! Whatever script passes to a builder, it gets an operand or an exception; and what was built is computed.

use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;

use webnn_reference::buffer::BufferSource;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::context::MLContext;
use webnn_reference::cpu::Cpu;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::{MLOperandDescriptor, MLTensorDescriptor};
use webnn_reference::exception::{Exception, Result};
use webnn_reference::graph::MLGraph;
use webnn_reference::idl::Value;
use webnn_reference::ml::{ML, MLContextOptions};
use webnn_reference::number::MLNumber;
use webnn_reference::operand::MLOperand;
use webnn_reference::ops::{MLOperatorOptions, OPERATORS};
use webnn_reference::proposals::hollow_constants::MLConstantDataOptions;
use webnn_reference::steps::Reading;
use webnn_reference::timeline::Global;

/// Graphs with an operand of more elements than this are built, but not dispatched.
const MANY_ELEMENTS: u64 = 4096;

/// A value to pass, made before there are operands: these are given by their place among those made so far.
#[derive(Clone, Debug)]
enum Planned {
    Undefined,
    Operand(usize),
    OperandOfAnotherBuilder,
    Number(f64),
    BigInt(i128),
    Boolean(bool),
    String(&'static str),
    Sequence(Vec<Planned>),
    Dictionary(Vec<(&'static str, Planned)>),
}

/// How an operand without an operator is made.
#[derive(Clone, Debug)]
enum Source {
    Input,
    Constant,
    HollowConstant,
    Scalar(MLNumber),
}

/// A call of an operator's method, by its place in the table.
#[derive(Clone, Debug)]
struct Call {
    row: usize,
    values: Vec<Planned>,
}

#[derive(Clone, Debug)]
struct Plan {
    sources: Vec<(Source, MLOperandDescriptor)>,
    calls: Vec<Call>,
    outputs: Vec<usize>,
    seed: u8,
}

fn dimension() -> impl Strategy<Value = u32> {
    prop_oneof![
        60 => select(vec![1, 1, 2, 2, 2, 3, 4]),
        1 => select(vec![0, 6, 257, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, u32::MAX]),
    ]
}

fn data_type() -> impl Strategy<Value = MLOperandDataType> {
    prop_oneof![
        3 => Just(MLOperandDataType::Float32),
        1 => Just(MLOperandDataType::Uint8),
        1 => select(MLOperandDataType::ALL.to_vec()),
    ]
}

fn descriptor() -> impl Strategy<Value = MLOperandDescriptor> {
    let rank = prop_oneof![4 => Just(2usize), 4 => Just(4usize), 4 => 0usize..4, 1 => 5usize..10];
    let shape = rank.prop_flat_map(|rank| prop::collection::vec(dimension(), rank));
    (data_type(), shape).prop_map(|(data_type, shape)| MLOperandDescriptor::create(data_type, &shape))
}

fn number() -> impl Strategy<Value = f64> {
    let strange = vec![-0.0, -1.0, 1.5, 1e20, -1e300, 5e-324, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    prop_oneof![20 => dimension().prop_map(f64::from), 2 => -3.0f64..3.0, 1 => select(strange)]
}

fn source() -> impl Strategy<Value = Source> {
    prop_oneof![
        4 => Just(Source::Input),
        4 => Just(Source::Constant),
        1 => Just(Source::HollowConstant),
        1 => number().prop_map(|number| Source::Scalar(MLNumber::Double(number))),
        1 => any::<i128>().prop_map(|number| Source::Scalar(MLNumber::BigInt(number))),
    ]
}

/// Any value at all.
fn anything() -> BoxedStrategy<Planned> {
    let one = prop_oneof![
        Just(Planned::Undefined),
        (0usize..20).prop_map(Planned::Operand),
        Just(Planned::OperandOfAnotherBuilder),
        number().prop_map(Planned::Number),
        any::<i128>().prop_map(Planned::BigInt),
        any::<bool>().prop_map(Planned::Boolean),
        select(vec!["", "float32", "nchw", "ceil", "x\u{202e}"]).prop_map(Planned::String),
    ];
    one.prop_recursive(2, 8, 4, |item| {
        let members = prop::collection::vec((select(vec!["label", "axes", "c"]), item.clone()), 0..3);
        prop_oneof![
            prop::collection::vec(item, 0..4).prop_map(Planned::Sequence),
            members.prop_map(Planned::Dictionary),
        ]
    })
    .boxed()
}

fn operand() -> BoxedStrategy<Planned> {
    prop_oneof![60 => (0usize..20).prop_map(Planned::Operand), 1 => Just(Planned::OperandOfAnotherBuilder)].boxed()
}

fn numbers(count: impl Into<prop::collection::SizeRange>) -> BoxedStrategy<Planned> {
    prop::collection::vec(number().prop_map(Planned::Number), count).prop_map(Planned::Sequence).boxed()
}

fn few_numbers(few: &'static [u8]) -> BoxedStrategy<Planned> {
    let rank = prop_oneof![2 => Just(2usize), 1 => Just(4usize), 1 => 0usize..5];
    let numbers_of = move |rank| {
        let few = prop::collection::vec(select(few).prop_map(f64::from).prop_map(Planned::Number), rank);
        prop_oneof![4 => few.prop_map(Planned::Sequence), 1 => numbers(rank)]
    };
    rank.prop_flat_map(numbers_of).boxed()
}

fn number_near_zero() -> BoxedStrategy<Planned> {
    prop_oneof![20 => select(vec![0.0, 1.0, 2.0, 3.0]), 1 => number()].prop_map(Planned::Number).boxed()
}

fn one_of(strings: &[&'static str]) -> BoxedStrategy<Planned> {
    select(strings.to_vec()).prop_map(Planned::String).boxed()
}

/// The members of all dictionaries of options, each with a value that it may have.
fn member() -> impl Strategy<Value = (&'static str, Planned)> {
    let of = |name: &'static str, value: BoxedStrategy<Planned>| value.prop_map(move |value| (name, value)).boxed();
    let pair = |name| of(name, numbers(2));
    let flag = |name| of(name, any::<bool>().prop_map(Planned::Boolean).boxed());
    let float = |name| of(name, number().prop_map(Planned::Number).boxed());
    let members = vec![
        of("label", one_of(&["", "a label"])),
        of("padding", numbers(4)),
        pair("strides"),
        of("strides", numbers(0..5)),
        pair("dilations"),
        pair("windowDimensions"),
        pair("outputSizes"),
        of("groups", number().prop_map(Planned::Number).boxed()),
        of("inputLayout", one_of(&["nchw", "nhwc"])),
        of("layout", one_of(&["nchw", "nhwc"])),
        of("filterLayout", one_of(&["oihw", "hwio", "ohwi", "ihwo"])),
        of("outputShapeRounding", one_of(&["floor", "ceil"])),
        of("axes", numbers(0..4)),
        flag("keepDimensions"),
        of(
            "permutation",
            Just((0..8).map(f64::from).collect::<Vec<_>>())
                .prop_shuffle()
                .prop_map(|axes| {
                    Planned::Sequence(axes.into_iter().filter(|axis| *axis < 4.0).map(Planned::Number).collect())
                })
                .boxed(),
        ),
        float("alpha"),
        float("beta"),
        flag("aTranspose"),
        flag("bTranspose"),
        float("minValue"),
        float("maxValue"),
        of("c", operand()),
        of("bias", operand()),
        of("scale", operand()),
        float("epsilon"),
        of("outputPadding", prop::collection::vec(number_near_zero(), 2).prop_map(Planned::Sequence).boxed()),
        of("mode", one_of(&["nearest-neighbor", "linear"])),
        pair("scales"),
        pair("sizes"),
        of("axes", prop::collection::vec(number_near_zero(), 2).prop_map(Planned::Sequence).boxed()),
        flag("exclusive"),
        flag("reversed"),
        of("outputDataType", one_of(&["int32", "int64"])),
        of("axis", number_near_zero()),
        of("mode", one_of(&["constant", "edge", "reflection"])),
        float("value"),
        flag("upper"),
        of("diagonal", number().prop_map(Planned::Number).boxed()),
        of("recurrentBias", operand()),
        of("peepholeWeight", operand()),
        of("initialHiddenState", operand()),
        of("initialCellState", operand()),
        flag("resetAfter"),
        flag("returnSequence"),
        of("direction", one_of(&["forward", "backward", "both"])),
        of("layout", one_of(&["zrn", "rzn", "iofg", "ifgo"])),
        of(
            "activations",
            prop::collection::vec(one_of(&["relu", "sigmoid", "tanh"]), 2..4).prop_map(Planned::Sequence).boxed(),
        ),
    ];
    prop_oneof![30 => prop::strategy::Union::new(members), 1 => (select(vec!["padding", "axes", "c"]), anything())]
}

/// A value for a parameter: nearly always one of the right type, or nothing would ever be built.
fn argument(parameter: &'static str) -> BoxedStrategy<Planned> {
    let fitting = match parameter {
        "options" => prop_oneof![
            1 => Just(Planned::Undefined),
            2 => prop::collection::vec(member(), 0..6).prop_map(Planned::Dictionary),
        ]
        .boxed(),
        "inputs" => prop::collection::vec(operand(), 0..4).prop_map(Planned::Sequence).boxed(),
        "axis" => number().prop_map(Planned::Number).boxed(),
        "starts" => few_numbers(&[0, 0, 0, 1]),
        "sizes" => few_numbers(&[1, 1, 2, 0]),
        "newShape" => numbers(0..6),
        "repetitions" => few_numbers(&[1, 1, 2]),
        "beginningPadding" | "endingPadding" => few_numbers(&[0, 1, 2]),
        "splits" => prop_oneof![number_near_zero(), few_numbers(&[1, 2])].boxed(),
        "steps" | "hiddenSize" => number_near_zero(),
        "dataType" => select(MLOperandDataType::ALL.to_vec()).prop_map(|t| Planned::String(t.as_str())).boxed(),
        _ => operand(),
    };
    prop_oneof![60 => fitting, 1 => anything()].boxed()
}

fn call() -> impl Strategy<Value = Call> {
    // Each section of the specification is as likely as any other, however many operators it has.
    let sections: Vec<_> = OPERATORS.iter().map(|row| row.section).collect::<BTreeSet<_>>().into_iter().collect();
    let row = select(sections).prop_flat_map(|section| {
        select((0..OPERATORS.len()).filter(|row| OPERATORS[*row].section == section).collect::<Vec<_>>())
    });
    row.prop_flat_map(|row| {
        let values: Vec<_> = OPERATORS[row].parameters.iter().copied().map(argument).collect();
        values.prop_map(move |values| Call { row, values })
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let sources = prop::collection::vec((source(), descriptor()), 1..6);
    let outputs = prop::collection::vec(0usize..20, 0..3);
    (sources, prop::collection::vec(call(), 1..16), outputs, any::<u8>())
        .prop_map(|(sources, calls, outputs, seed)| Plan { sources, calls, outputs, seed })
}

/// Bytes in which every pattern occurs, those of NaN and of the infinities included.
fn data(descriptor: &MLOperandDescriptor, seed: u8) -> Option<BufferSource> {
    let length =
        usize::try_from(descriptor.byte_length()).ok().filter(|_| descriptor.element_count() <= MANY_ELEMENTS)?;
    let patterns = [0x00u8, 0x80, 0x7f, 0xff, 0x3f, 0xbf, 0x01, 0xc0, 0x7c];
    let bytes = (0..length).map(|index| patterns[(index * 7 + index / 5 + usize::from(seed)) % patterns.len()]);
    Some(BufferSource::typed(descriptor.data_type, bytes.collect()))
}

fn expect_a_place(exception: &Exception) {
    assert_ne!(exception.algorithm, "no algorithm", "{exception}");
}

/// What script holds while it carries a plan out.
struct Script {
    global: Global,
    context: MLContext,
    builder: MLGraphBuilder,
    foreign: MLOperand,
    operands: Vec<MLOperand>,
    hollow: Vec<MLOperand>,
    seed: u8,
}

impl Script {
    fn new(reading: Reading, seed: u8) -> Self {
        let global = Global::new(reading);
        let ml = ML::new(&global, Rc::new(Cpu));
        let context = global.settle(&ml.create_context(MLContextOptions::default())).expect("a platform");
        let builder = MLGraphBuilder::new(&context).expect("a new context");
        let other = MLGraphBuilder::new(&context).expect("a new context");
        let scalar = MLOperandDescriptor::create(MLOperandDataType::Float32, &[]);
        let foreign = other.input("foreign", &scalar).expect("a valid descriptor");
        Self { global, context, builder, foreign, operands: vec![], hollow: vec![], seed }
    }

    fn make(&mut self, source: &Source, descriptor: &MLOperandDescriptor) -> Result<()> {
        let data = data(descriptor, self.seed);
        let operand = match (source, data) {
            (Source::Scalar(number), _) => self.builder.constant_scalar(descriptor.data_type, *number)?,
            (Source::Constant, Some(data)) => self.builder.constant(descriptor, &data)?,
            (Source::HollowConstant, _) => {
                let constant = self.builder.hollow_constant(descriptor)?;
                self.hollow.push(constant.clone());
                constant
            }
            // A constant that is too large for a test becomes an input.
            (Source::Input | Source::Constant, _) => {
                self.builder.input(&format!("input {}", self.operands.len()), descriptor)?
            }
        };
        self.operands.push(operand);
        Ok(())
    }

    fn operand(&self, place: usize) -> Option<&MLOperand> {
        // The newest first, so that graphs grow deep.
        self.operands.iter().rev().nth(place % self.operands.len().max(1))
    }

    fn value(&self, planned: &Planned) -> Value {
        match planned {
            Planned::Undefined => Value::Undefined,
            Planned::Operand(place) => self.operand(*place).map_or(Value::Undefined, |it| Value::Operand(it.clone())),
            Planned::OperandOfAnotherBuilder => Value::Operand(self.foreign.clone()),
            Planned::Number(number) => Value::Number(MLNumber::Double(*number)),
            Planned::BigInt(number) => Value::Number(MLNumber::BigInt(*number)),
            Planned::Boolean(boolean) => Value::Boolean(*boolean),
            Planned::String(string) => Value::String((*string).to_owned()),
            Planned::Sequence(items) => Value::Sequence(items.iter().map(|item| self.value(item)).collect()),
            Planned::Dictionary(members) => {
                Value::Dictionary(members.iter().map(|(name, value)| ((*name).to_owned(), self.value(value))).collect())
            }
        }
    }

    fn call(&mut self, call: &Call) -> Result<()> {
        let values: Vec<_> = call.values.iter().map(|planned| self.value(planned)).collect();
        self.operands.extend(OPERATORS[call.row].call(&self.builder, &values)?);
        Ok(())
    }

    fn dispatch(&self, graph: &MLGraph) -> Result<()> {
        for constant in &self.hollow {
            let data = data(&constant.descriptor(), self.seed).expect("few elements");
            self.global
                .settle(&graph.set_constant_data(constant, &data.into(), MLConstantDataOptions::default()))
                .unwrap_or_else(|exception| expect_a_place(&exception));
        }
        let tensor = |descriptor: &MLOperandDescriptor| {
            let descriptor = MLTensorDescriptor { operand: descriptor.clone(), readable: true, writable: true };
            self.global.settle(&self.context.create_tensor(&descriptor))
        };
        let (mut inputs, mut outputs) = (vec![], vec![]);
        for (name, descriptor) in graph.input_descriptors() {
            let input = tensor(descriptor)?;
            self.context.write_tensor(&input, &data(descriptor, self.seed).expect("few elements"))?;
            inputs.push((name.clone(), input));
        }
        for (name, descriptor) in graph.output_descriptors() {
            outputs.push((name.clone(), tensor(descriptor)?));
        }
        self.context.dispatch(graph, &inputs, &outputs)?;
        for (_, output) in &outputs {
            let bytes = self.global.settle(&self.context.read_tensor(output))?.to_vec();
            let expected = output.descriptor().byte_length();
            assert_eq!(u64::try_from(bytes.len()).expect("a length"), expected);
        }
        Ok(())
    }
}

/// How many operators were created, and whether their graph was dispatched.
fn carry_out(reading: Reading, plan: &Plan) -> (usize, bool) {
    let mut script = Script::new(reading, plan.seed);
    for (source, descriptor) in &plan.sources {
        script.make(source, descriptor).unwrap_or_else(|exception| expect_a_place(&exception));
    }
    let sources = script.operands.len();
    for call in &plan.calls {
        script.call(call).unwrap_or_else(|exception| expect_a_place(&exception));
    }
    let places = plan.outputs.iter().chain(&[0]).enumerate();
    let outputs: Vec<_> =
        places.filter_map(|(name, place)| Some((format!("output {name}"), script.operand(*place)?.clone()))).collect();
    let created = script.operands.len() - sources;
    let graph = match script.global.settle(&script.builder.build(&outputs)) {
        Ok(graph) => graph,
        Err(exception) => {
            expect_a_place(&exception);
            return (created, false);
        }
    };
    if script.operands.iter().any(|operand| operand.descriptor().element_count() > MANY_ELEMENTS) {
        return (created, false);
    }
    match script.dispatch(&graph) {
        Ok(()) => (created, true),
        // Tensors can be neither empty nor of more dimensions than the platform has, and the literal text checks it
        // only there.
        Err(exception) if reading == Reading::Literal => {
            expect_a_place(&exception);
            (created, false)
        }
        Err(exception) => panic!("{exception}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_the_text_is_meant(plan in plan()) {
        carry_out(Reading::Corrected, &plan);
    }

    #[test]
    fn as_the_text_is_written(plan in plan()) {
        carry_out(Reading::Literal, &plan);
    }
}

/// The plans are of use only if many of them come to something.
#[test]
fn plans_are_often_built_and_dispatched() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut operators, mut dispatched) = (0, 0);
    for _ in 0..300 {
        let plan = plan().new_tree(&mut runner).expect("a plan").current();
        let (created, was_dispatched) = carry_out(Reading::Corrected, &plan);
        operators += created;
        dispatched += usize::from(was_dispatched);
    }
    assert!(operators > 300 && dispatched > 100, "{operators} operators were created, {dispatched} graphs dispatched");
}

/// Builds and dispatches a graph of one input and gives its output.
fn computed(build: impl FnOnce(&MLGraphBuilder, MLOperand) -> Result<MLOperand>, input: f32) -> Result<Vec<u8>> {
    let script = Script::new(Reading::Corrected, 0);
    let descriptor = MLOperandDescriptor::create(MLOperandDataType::Float32, &[]);
    let output = build(&script.builder, script.builder.input("x", &descriptor)?)?;
    let graph = script.global.settle(&script.builder.build(&[("y".into(), output)]))?;
    let tensor = MLTensorDescriptor { operand: descriptor, readable: true, writable: true };
    let x = script.global.settle(&script.context.create_tensor(&tensor))?;
    let y = script.global.settle(&script.context.create_tensor(&tensor))?;
    script.context.write_tensor(&x, &BufferSource::typed(MLOperandDataType::Float32, input.to_le_bytes().to_vec()))?;
    script.context.dispatch(&graph, &[("x".into(), x)], &[("y".into(), y.clone())])?;
    Ok(script.global.settle(&script.context.read_tensor(&y))?.to_vec())
}

#[test]
fn a_chain_of_diamonds_is_followed_once() -> Result<()> {
    // Each operand is reached by twice as many ways as the one before it.
    let options = MLOperatorOptions::default();
    let diamonds = |b: &MLGraphBuilder, x| (0..60).try_fold(x, |x, _| b.add(&x, &x, &options));
    assert_eq!(computed(diamonds, 1.0)?, 2f32.powi(60).to_le_bytes());
    Ok(())
}

#[test]
fn a_long_chain_is_built_dispatched_and_dropped_without_recursion() -> Result<()> {
    let options = MLOperatorOptions::default();
    let chain = |b: &MLGraphBuilder, x| (0..100_000).try_fold(x, |x, _| b.neg(&x, &options));
    assert_eq!(computed(chain, 1.5)?, 1.5f32.to_le_bytes());
    Ok(())
}
