//! What can be wrong with a file of vectors, where, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::bytes::DataError;

/// Why vectors could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or folder could not be read.
    #[error("{}: cannot read: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what it was when it was loaded before.
    #[error("{}: has changed since it was read first; read it anew", path.display())]
    Changed {
        /// Which.
        path: PathBuf,
    },
    /// There is no vector file: nothing would run.
    #[error("{}: no vector files (*.json) here; name a file or a folder that has some", path.display())]
    Empty {
        /// Where.
        path: PathBuf,
    },
    /// The file is no text.
    #[error("{file}: this is no file of vectors: {message}")]
    NotText {
        /// The file as it was named.
        file: String,
        /// What it is.
        message: String,
    },
    /// The file is not JSON.
    #[error("{file}:{line}:{column}: not JSON: {message}")]
    Syntax {
        /// The file as it was named.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// The file is JSON, and not vectors.
    #[error(transparent)]
    Invalid(Box<Invalid>),
}

/// A problem and its place.
#[derive(Debug, thiserror::Error)]
pub struct Invalid {
    /// The file as it was named.
    pub file: String,
    /// The vector's name, where one is concerned and has a name.
    pub vector: Option<String>,
    /// A JSON pointer (RFC 6901) into the file.
    pub pointer: String,
    /// What is wrong there.
    #[source]
    pub problem: Problem,
}

/// `softmax.json: "softmax float32 2D" at /tests/3/graph/inputs/x/data: 23 elements, but shape [4,
/// 6] holds 24`.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if let Some(vector) = &self.vector {
            write!(f, " {vector:?}")?;
        }
        let pointer = if self.pointer.is_empty() { "/" } else { &self.pointer };
        write!(f, " at {pointer}: {}", self.problem)
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A member that is unknown, missing, given twice, or of the wrong type.
    #[error("{message} (line {line}, column {column})")]
    Form {
        /// What the parser says.
        message: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// A file without vectors.
    #[error("the list of tests is empty; add a vector or delete the file")]
    NoTests,
    /// A vector without a name.
    #[error("the vector has no name; add a `name` that is unique within the file")]
    NoName,
    /// Two vectors of one name.
    #[error("the vector at /tests/{first} has this name too; rename one")]
    DuplicateVector {
        /// The first one's place.
        first: usize,
    },
    /// Members of two kinds in one vector.
    #[error("{0} and {1} cannot stand in one vector; keep one of them")]
    MixedKinds(&'static str, &'static str),
    /// Members of no kind.
    #[error("the vector has neither `graph` nor `scenario`; add one")]
    NoKind,
    /// A graph that expects nothing.
    #[error("the graph has no `expectedOutputs`; add them, or `throws` if it cannot be built")]
    NoExpectation,
    /// Data that do not belong to their descriptor.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A dimension of zero where the graph has to run.
    #[error("shape {0:?} has a dimension of zero; such a graph cannot be built: give the vector `throws`")]
    ZeroDimension(Vec<u32>),
    /// Too many bytes for a graph that has to run.
    #[error("{0} is more than 4 GiB; only a negative vector may have such a shape")]
    TooLarge(String),
    /// Too many bytes for a call that has to succeed.
    #[error("{0} is more than 4 GiB; only a call that throws may have such a shape")]
    TooLargeForCall(String),
    /// A tolerance that is no distance.
    #[error("a tolerance is a finite number, not negative, or null for exact: {0}")]
    Tolerance(String),
    /// A name that an input, an operator's output, or a scenario's object has already.
    #[error("the name {0:?} is used twice; rename one")]
    DuplicateName(String),
    /// An expected output that no operator makes.
    #[error("no operator has the output {name:?}; the outputs are {known}")]
    UnknownOutput {
        /// The name.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// An operator that does not exist.
    #[error("{0:?} is not an operator; the names are those of MLGraphBuilder's methods")]
    UnknownOperator(String),
    /// An argument that the operator's method does not have.
    #[error("{operator} has no parameter {name:?}; it has {known}")]
    UnknownParameter {
        /// The operator.
        operator: String,
        /// The argument's name.
        name: String,
        /// The parameters that there are.
        known: String,
    },
    /// A member that an argument does not have.
    #[error("{argument} has no member {name:?}; it has {known}")]
    UnknownMember {
        /// The argument, and what it is of.
        argument: String,
        /// The member's name.
        name: String,
        /// The members that there are.
        known: String,
    },
    /// A value of another kind than the call takes.
    #[error("{argument} has to be {expected}, not {given}")]
    WrongKind {
        /// The argument or member, and what it is of.
        argument: String,
        /// What it has to be.
        expected: String,
        /// What it is.
        given: String,
    },
    /// An operand that is neither an input nor an earlier output.
    #[error("there is no operand {0:?} here; an operand is an input, or an output of an operator before")]
    UnknownOperand(String),
    /// An object that no earlier step has made.
    #[error("no earlier step has `\"let\": {0:?}`; correct the name or add the step")]
    UnknownObject(String),
    /// A step that is put together wrongly.
    #[error("{0}")]
    Step(String),
}
