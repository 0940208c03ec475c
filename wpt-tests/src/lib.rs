//! Conformance vectors for WebNN: what a vector is, and how vectors are loaded.
//!
//! A [`Loader`] turns a file, a folder, or the vectors embedded in this crate into [`VectorFile`]s.
//! Each [`Vector`] is a graph with expected outputs, a graph that cannot be built, or a scenario of
//! calls ([`Kind`]). A vector that was loaded is consistent: data have as many elements as their
//! shapes hold and their types can represent, names are made once and exist where they are used.
//! What is wrong with a file is told with the vector and a JSON pointer ([`LoadError`]).
//!
//! A file of any size can be loaded one vector at a time ([`Loader::each`]).
//!
//! Data stay as the file writes them: a number that fills a tensor of millions of elements is one
//! number ([`Data`]), until its bytes are asked for ([`Descriptor::bytes_of`]).
//!
//! ```
//! use webnn_vectors::{Kind, Loader};
//!
//! let json = br#"{ "source": "worked example", "tests": [ {
//!     "name": "relu of -1 and 1",
//!     "graph": {
//!         "inputs": { "x": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [-1, 1] } },
//!         "operators": [ { "name": "relu", "arguments": [ { "input": "x" } ], "outputs": "y" } ],
//!         "expectedOutputs": { "y": { "descriptor": { "dataType": "float32", "shape": [2] }, "data": [0, 1] } } } } ] }"#;
//! let file = Loader::with_operators(&|name| name == "relu").text("relu.json", "relu", json)?;
//! let vector = &file.vectors[0];
//! assert_eq!(vector.id, "relu/relu of -1 and 1");
//! let Kind::Graph { graph, .. } = &vector.kind else { panic!("a graph vector") };
//! let x = &graph.inputs["x"];
//! assert_eq!(x.descriptor.bytes_of(&x.data)?, [0, 0, 0x80, 0xBF, 0, 0, 0x80, 0x3F]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bytes;
mod calls;
mod check;
mod data;
mod descriptor;
mod error;
mod file;
mod graph;
mod load;
mod members;
mod name_index;
mod number;
mod pointer;
mod scenario;
mod scenario_check;
mod schema;
mod signature;
mod value;
mod vector;

pub use bytes::{DataError, ElementType, f16_from_f64};
pub use calls::FIGURES;
pub use check::{IsOperator, SignatureOf};
pub use data::{Data, Elements};
pub use descriptor::{DataType, Descriptor, MAX_BYTE_LENGTH};
pub use error::{Invalid, LoadError, Problem};
pub use file::{Take, VectorFile};
pub use graph::{Argument, ExpectedOutput, Graph, Input, MetricType, Names, Operator, Tolerance};
pub use load::{Ids, Loader, Source};
pub use name_index::NameIndex;
pub use number::Number;
pub use scenario::{BufferSource, Returns, Step, View};
pub use schema::schema;
pub use signature::{Class, Gives, Kind as ArgumentKind, Parameter, Signature};
pub use value::Value;
pub use vector::{ExceptionName, Kind, Literal, LiteralOutcome, ThrownAt, Throws, Vector};
