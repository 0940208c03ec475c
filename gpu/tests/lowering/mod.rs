//! Lowers one graph for each operator and data type, on a platform that keeps the program and computes nothing.

mod data;
mod layers;

use std::cell::RefCell;
use std::rc::Rc;

use webnn_gpu::lower::{Bounds, Economy, Program, lower};
use webnn_reference::buffer::Bytes;
use webnn_reference::builder::MLGraphBuilder;
use webnn_reference::data_type::MLOperandDataType;
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::idl::Value;
use webnn_reference::ml::{ContextType, ML, MLContextOptions, MLPowerPreference, PlatformProvider};
use webnn_reference::number::MLNumber;
use webnn_reference::operand::{MLOperand, OperandId};
use webnn_reference::ops::{MLInputOperandLayout, OPERATORS};
use webnn_reference::platform::{
    Computation, GraphImplementation, PendingBytes, Platform, PlatformError, PlatformLimits, Residence, TensorData,
};
use webnn_reference::steps::Reading;
use webnn_reference::supply::Part;
use webnn_reference::timeline::Global;

/// Any tensor fits in a buffer.
const LARGE: Bounds = Bounds { binding_bytes: 0, bindings: 0, buffer_bytes: 1 << 40, alignment: 256 };

/// Everything fits in a binding.
pub(crate) const WIDE: Bounds = Bounds { binding_bytes: 128 << 20, bindings: 32, ..LARGE };

/// The larger tensors do not.
pub(crate) const TIGHT: Bounds = Bounds { binding_bytes: 1 << 20, bindings: 80, ..LARGE };

/// Which shapes and attributes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shapes {
    /// A few elements.
    Few,
    /// A few others, of other ranks where an operator allows any.
    Others,
    /// So many that sums are cut into chunks, and chunks joined.
    Many,
}

impl Shapes {
    /// An image; other operands are made to fit it.
    fn image(self) -> [u32; 4] {
        match self {
            Self::Few => [1, 2, 3, 4],
            Self::Others => [2, 4, 5, 3],
            Self::Many => [1, 2, 1100, 1000],
        }
    }

    /// An operand of any shape.
    fn any(self) -> Vec<u32> {
        match self {
            Self::Few | Self::Many => self.image().to_vec(),
            Self::Others => vec![7, 3],
        }
    }
}

/// A platform that keeps the last program.
struct Keeper {
    bounds: Bounds,
    program: Rc<RefCell<Program>>,
}

impl PlatformProvider for Keeper {
    fn platform(&self, _: &ContextType, _: MLPowerPreference, _: bool) -> Option<Box<dyn Platform>> {
        Some(Box::new(Self { bounds: self.bounds, program: Rc::clone(&self.program) }))
    }
}

impl Platform for Keeper {
    fn limits(&self) -> PlatformLimits {
        PlatformLimits {
            data_types: MLOperandDataType::ALL.to_vec(),
            max_rank: 8,
            max_tensor_byte_length: 1 << 31,
            preferred_input_layout: MLInputOperandLayout::Nchw,
            unsupported_operators: &[],
        }
    }
    fn create_tensor(&mut self, _: &MLOperandDescriptor) -> Result<TensorData, PlatformError> {
        unreachable!()
    }
    fn write_tensor(&mut self, _: TensorData, _: Bytes) -> Result<(), PlatformError> {
        unreachable!()
    }
    fn read_tensor(&mut self, _: TensorData) -> Result<Box<dyn PendingBytes>, PlatformError> {
        unreachable!()
    }
    fn release_tensor(&mut self, _: TensorData) {}
    fn convert(&mut self, computation: Computation) -> Result<GraphImplementation, PlatformError> {
        *self.program.borrow_mut() = lower(&computation, self.bounds, Economy::ALL)?;
        Ok(GraphImplementation(0))
    }
    fn set_constant(
        &mut self,
        _: GraphImplementation,
        _: OperandId,
        _: Part,
        _: Residence,
    ) -> Result<(), PlatformError> {
        unreachable!()
    }
    fn dispatch(
        &mut self,
        _: GraphImplementation,
        _: &[(String, TensorData)],
        _: &[(String, TensorData)],
    ) -> Result<(), PlatformError> {
        unreachable!()
    }
    fn release_graph(&mut self, _: GraphImplementation) {}
}

/// The programs of all operators, for each data type that they allow, with their names.
pub(crate) fn programs(shapes: Shapes, bounds: Bounds) -> Vec<(String, Program)> {
    let kept = Rc::new(RefCell::new(Program::default()));
    let keeper = Keeper { bounds, program: Rc::clone(&kept) };
    let global = Global::new(Reading::Corrected);
    let ml = ML::new(&global, Rc::new(keeper));
    let context = global.settle(&ml.create_context(MLContextOptions::default())).unwrap();
    let mut programs = Vec::new();
    for row in OPERATORS {
        for data_type in MLOperandDataType::ALL {
            for variant in 0..variants(row.name) {
                let builder = MLGraphBuilder::new(&context).unwrap();
                let arguments = Arguments { builder: &builder, name: row.name, data_type, shapes, variant };
                let values = row.parameters.iter().map(|parameter| arguments.value(parameter)).collect::<Vec<_>>();
                // A data type that the operator does not allow.
                let Ok(outputs) = row.call(&builder, &values) else { continue };
                let built = global.settle(&builder.build(&[("y".to_owned(), outputs[0].clone())]));
                let name = format!("{} {data_type}, variant {variant}", row.name);
                assert!(built.is_ok(), "{name}: {:?}", built.err());
                programs.push((name, kept.take()));
            }
        }
    }
    programs
}

/// How many ways there are to call an operator.
fn variants(name: &str) -> usize {
    match name {
        "cast" => MLOperandDataType::ALL.len(),
        // Few inputs, and more than one kernel takes.
        "concat" => 2,
        // Without and with the optional operand.
        "gemm" | "conv2d" => 2,
        _ => data::variants(name).or(layers::variants(name)).unwrap_or(1),
    }
}

/// The arguments of one call.
struct Arguments<'a> {
    builder: &'a MLGraphBuilder,
    name: &'a str,
    data_type: MLOperandDataType,
    shapes: Shapes,
    variant: usize,
}

impl Arguments<'_> {
    fn value(&self, parameter: &str) -> Value {
        if let Some(value) = self.of_data(parameter).or_else(|| self.of_layers(parameter)) {
            return value;
        }
        let any = self.shapes.any();
        match (self.name, parameter) {
            ("matmul", "a") => self.operand("a", &[2, 1, 3, if self.is_many() { 1_500_000 } else { 5 }]),
            ("matmul", "b") => self.operand("b", &[if self.is_many() { 1_500_000 } else { 5 }, 2]),
            ("gemm", "a") => self.operand("a", &[3, if self.is_many() { 1_500_000 } else { 5 }]),
            ("gemm", "b") => self.operand("b", &[if self.is_many() { 1_500_000 } else { 5 }, 2]),
            ("conv2d", "input") => self.operand("input", &self.shapes.image()),
            ("conv2d", "filter") => {
                let [_, channels, height, width] = self.shapes.image();
                self.operand("filter", &[4, channels, height.min(1000), width.min(900)])
            }
            ("averagePool2d" | "l2Pool2d" | "maxPool2d", "input") => self.operand("input", &self.shapes.image()),
            (_, "a" | "input" | "trueValue") => self.operand(parameter, &any),
            (_, "b" | "falseValue") => self.operand(parameter, &any[any.len() - 1..]),
            (_, "condition") => {
                let descriptor = MLOperandDescriptor::create(MLOperandDataType::Uint8, &any);
                Value::Operand(self.builder.input(parameter, &descriptor).unwrap())
            }
            (_, "inputs") => Value::Sequence(self.inputs(&any)),
            (_, "axis") => number(any.len() as u32 - 1),
            (_, "dataType") => Value::String(MLOperandDataType::ALL[self.variant].as_str().to_owned()),
            ("reshape", "newShape") => numbers(&[any.iter().product()]),
            ("expand", "newShape") => numbers(&[&[2], any.as_slice()].concat()),
            (_, "starts") => numbers(&vec![0; any.len()]),
            (_, "sizes") => numbers(&any),
            (_, "options") => Value::Dictionary(self.options()),
            other => panic!("no value for {other:?}"),
        }
    }

    fn is_many(&self) -> bool {
        self.shapes == Shapes::Many
    }

    fn operand(&self, name: &str, shape: &[u32]) -> Value {
        Value::Operand(self.input(name, shape))
    }

    fn input(&self, name: &str, shape: &[u32]) -> MLOperand {
        self.builder.input(name, &MLOperandDescriptor::create(self.data_type, shape)).unwrap()
    }

    fn inputs(&self, shape: &[u32]) -> Vec<Value> {
        let (count, mut shape) = (if self.variant == 0 { 2 } else { 40 }, shape.to_vec());
        if self.is_many() && self.variant == 1 {
            shape[2] /= 20;
        }
        (0..count).map(|place| self.operand(&format!("input{place}"), &shape)).collect()
    }

    fn options(&self) -> Vec<(String, Value)> {
        let others = self.shapes == Shapes::Others;
        let option = |name: &str, value: Value| vec![(name.to_owned(), value)];
        if let Some(options) = self.options_of_data().or_else(|| self.options_of_layers()) {
            return options;
        }
        match self.name {
            "clamp" => option("minValue", number(if others { 3 } else { 1 })),
            "gemm" if self.variant == 1 => {
                [option("c", self.operand("c", &[2])), option("beta", number(u32::from(others)))].concat()
            }
            "conv2d" if self.variant == 1 => {
                [option("bias", self.operand("bias", &[4])), option("padding", numbers(&[1, 0, 2, 1]))].concat()
            }
            "transpose" if others => option("permutation", numbers(&[0, 1])),
            "slice" if others => option("strides", numbers(&[2, 1])),
            name if name.starts_with("reduce") && others => option("axes", numbers(&[1])),
            "maxPool2d" if others => option("padding", numbers(&[1, 1, 1, 1])),
            _ => Vec::new(),
        }
    }
}

fn number(number: u32) -> Value {
    Value::Number(MLNumber::Double(number.into()))
}

fn numbers(all: &[u32]) -> Value {
    Value::Sequence(all.iter().map(|each| number(*each)).collect())
}
