//! The W3C Web Neural Network API, executable.
//!
//! This crate encodes the algorithms of <https://www.w3.org/TR/webnn/> one by one, and computes what the graphs built
//! with them mean. It is written to be read beside the specification: a function is named after its algorithm, links to
//! it, and names each of its steps; a file is named after its section.
//!
//! # From a model to a result
//!
//! An [`ML`](ml::ML) creates an [`MLContext`](context::MLContext). Operands are made and connected by an
//! [`MLGraphBuilder`](builder::MLGraphBuilder), whose methods validate everything and know every shape;
//! [`build()`](builder::MLGraphBuilder::build) turns the part that the outputs depend on into an
//! [`MLGraph`](graph::MLGraph), and [`dispatch()`](context::MLContext::dispatch) computes it on
//! [`MLTensor`](tensor::MLTensor)s. What the specification puts on a timeline is put on a queue
//! ([`timeline`]), and runs when somebody pumps it.
//!
//! Below that stands a [`Platform`](platform::Platform). This crate has one, [`cpu`], which interprets the graph slowly
//! and obviously. Another crate may bring another; it is given graphs that are already validated.
//!
//! # The specification's chapters
//!
//! | chapter | module |
//! |---|---|
//! | The ML interface, MLContext | [`ml`], [`context`], [`timeline`], [`promise`] |
//! | MLGraph | [`graph`] |
//! | MLOperandDescriptor, MLOperand | [`descriptor`], [`data_type`], [`operand`] |
//! | MLTensor | [`tensor`], [`buffer`] |
//! | MLGraphBuilder | [`builder`]; its operators in [`ops`], their limits in [`limits`] |
//! | Algorithms: Broadcasting, Casting | [`algorithms`] |
//! | (proposals) | [`proposals`]; what they take of WebGPU in [`webgpu`] |
//!
//! # Example
//!
//! ```
//! use std::rc::Rc;
//! use webnn_reference::{buffer::BufferSource, builder::MLGraphBuilder, cpu::Cpu, ml::*, data_type::MLOperandDataType};
//! use webnn_reference::{descriptor::*, ops::MLOperatorOptions, steps::Reading, timeline::Global};
//!
//! # fn main() -> webnn_reference::exception::Result<()> {
//! let global = Global::new(Reading::Corrected);
//! let ml = ML::new(&global, Rc::new(Cpu));
//! let context = global.settle(&ml.create_context(MLContextOptions::default()))?;
//!
//! let builder = MLGraphBuilder::new(&context)?;
//! let descriptor = MLOperandDescriptor::create(MLOperandDataType::Float32, &[2]);
//! let x = builder.input("x", &descriptor)?;
//! let y = builder.relu(&x, &MLOperatorOptions::default())?;
//! let graph = global.settle(&builder.build(&[("y".into(), y)]))?;
//!
//! let tensor = MLTensorDescriptor { operand: descriptor, readable: true, writable: true };
//! let x = global.settle(&context.create_tensor(&tensor))?;
//! let y = global.settle(&context.create_tensor(&tensor))?;
//! let bytes = [-1f32, 2.0].into_iter().flat_map(f32::to_le_bytes).collect();
//! context.write_tensor(&x, &BufferSource::typed(MLOperandDataType::Float32, bytes))?;
//! context.dispatch(&graph, &[("x".into(), x)], &[("y".into(), y.clone())])?;
//! let result = global.settle(&context.read_tensor(&y))?.to_vec();
//! assert_eq!(result, [0f32, 2.0].into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>());
//! # Ok(())
//! # }
//! ```

pub mod algorithms;
pub mod buffer;
pub mod builder;
pub mod context;
pub mod cpu;
pub mod data_type;
pub mod derived_bound;
pub mod descriptor;
pub mod exception;
pub mod graph;
pub mod idl;
pub mod index;
pub mod ledger;
pub mod limits;
pub mod ml;
pub mod number;
pub mod operand;
pub mod ops;
pub mod platform;
pub mod promise;
pub mod proposals;
pub mod steps;
pub mod supply;
pub mod tensor;
pub mod timeline;
pub mod value;
pub mod virtual_device;
pub mod webgpu;

/// The commit of the specification that is encoded here:
/// <https://github.com/webmachinelearning/webnn/commit/c515210>, of 2026-06-27.
pub const SPECIFICATION: &str = "c515210";
