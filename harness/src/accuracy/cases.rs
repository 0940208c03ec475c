//! What is measured: the operators that compute each element from those at the same place, with some of their options.

use webnn_reference::data_type::MLOperandDataType::{
    self, Float16, Float32, Int8, Int32, Int64, Uint8, Uint32, Uint64,
};
use webnn_reference::idl::Value;
use webnn_reference::number::MLNumber;

use super::{Operands, inputs};

/// Operators of one operand that take no options.
const PLAIN: [&str; 24] = [
    "abs",
    "ceil",
    "cos",
    "erf",
    "exp",
    "floor",
    "gelu",
    "hardSwish",
    "identity",
    "isInfinite",
    "isNaN",
    "log",
    "neg",
    "reciprocal",
    "relu",
    "roundEven",
    "sigmoid",
    "sign",
    "sin",
    "softplus",
    "softsign",
    "sqrt",
    "tan",
    "tanh",
];

/// Operators of one operand with options: as they are by default, and with these.
const WITH_OPTIONS: [(&str, &[(&str, f64)]); 6] = [
    ("clamp", &[("minValue", -1.5), ("maxValue", 2.5)]),
    ("elu", &[("alpha", 0.3)]),
    ("hardSigmoid", &[("alpha", 0.3), ("beta", 0.4)]),
    ("leakyRelu", &[("alpha", 0.3)]),
    // Around the zero of 3 x - 1 the terms cancel.
    ("linear", &[("alpha", 3.0), ("beta", -1.0)]),
    ("elu", &[("alpha", 100.0)]),
];

/// Operators of two operands, by the names of the parameters.
const OF_PAIRS: [(&str, [&str; 2]); 14] = [
    ("add", ["a", "b"]),
    ("sub", ["a", "b"]),
    ("mul", ["a", "b"]),
    ("div", ["a", "b"]),
    ("max", ["a", "b"]),
    ("min", ["a", "b"]),
    ("pow", ["a", "b"]),
    ("equal", ["a", "b"]),
    ("notEqual", ["a", "b"]),
    ("greater", ["a", "b"]),
    ("greaterOrEqual", ["a", "b"]),
    ("lesser", ["a", "b"]),
    ("lesserOrEqual", ["a", "b"]),
    ("prelu", ["input", "slope"]),
];

/// An operator with its options, on operands of one data type.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) operator: &'static str,
    /// The names of its operands.
    operands: Vec<&'static str>,
    data_type: MLOperandDataType,
    /// Its other arguments, by the names of the parameters.
    pub(crate) arguments: Vec<(&'static str, Value)>,
    /// What tells it from the other cases of the operator.
    details: String,
}

impl Case {
    /// The type of its operands.
    pub(crate) fn data_type(&self) -> MLOperandDataType {
        self.data_type
    }

    /// The operator and what is particular: `elu alpha=0.3`, `cast to int8`.
    pub(crate) fn title(&self) -> String {
        format!("{}{}", self.operator, self.details)
    }

    /// Every `every`-th of the inputs that its operands have.
    pub(crate) fn operands(&self, every: usize) -> Operands {
        let tensors = match self.operands.len() {
            1 => vec![inputs::numbers(self.data_type, every)],
            _ => Vec::from(inputs::pairs(self.data_type, every)),
        };
        self.operands.iter().copied().zip(tensors).collect()
    }

    fn of_one(operator: &'static str, data_type: MLOperandDataType) -> Self {
        let operand = if operator == "logicalNot" { "a" } else { "input" };
        // The parameter of the two that ask for a class of numbers.
        let operand = if matches!(operator, "isNaN" | "isInfinite") { "a" } else { operand };
        Self { operator, operands: vec![operand], data_type, arguments: Vec::new(), details: String::new() }
    }

    fn with_options(operator: &'static str, options: &[(&str, f64)], data_type: MLOperandDataType) -> Self {
        let member = |(name, number): &(&str, f64)| ((*name).to_owned(), Value::Number(MLNumber::Double(*number)));
        let members = options.iter().map(member).collect();
        let details = options.iter().map(|(name, number)| format!(" {name}={number}")).collect();
        Self { arguments: vec![("options", Value::Dictionary(members))], details, ..Self::of_one(operator, data_type) }
    }

    fn cast(from: MLOperandDataType, to: MLOperandDataType) -> Self {
        let arguments = vec![("dataType", Value::String(to.as_str().to_owned()))];
        Self { arguments, details: format!(" to {to}"), ..Self::of_one("cast", from) }
    }
}

/// All cases whose operands are of a type.
pub(crate) fn cases(data_type: MLOperandDataType) -> Vec<Case> {
    match data_type {
        Float32 | Float16 => of_floats(data_type),
        Int32 | Uint32 | Int64 | Uint64 | Int8 | Uint8 => {
            let not = (data_type == Uint8).then(|| Case::of_one("logicalNot", Uint8));
            let casts = [Float32, Float16].map(|to| Case::cast(data_type, to));
            not.into_iter().chain(casts).collect()
        }
    }
}

fn of_floats(data_type: MLOperandDataType) -> Vec<Case> {
    let plain = PLAIN.iter().map(|operator| Case::of_one(operator, data_type));
    let default = WITH_OPTIONS.iter().map(|(operator, _)| Case::of_one(operator, data_type));
    let other = WITH_OPTIONS.iter().map(|(operator, options)| Case::with_options(operator, options, data_type));
    let mut all: Vec<Case> = plain.chain(default).chain(other).collect();
    all.sort_by_key(Case::title);
    all.dedup_by_key(|case| case.title());
    all.extend(MLOperandDataType::ALL.map(|to| Case::cast(data_type, to)));
    all.extend(
        OF_PAIRS
            .iter()
            .map(|(operator, operands)| Case { operands: operands.to_vec(), ..Case::of_one(operator, data_type) }),
    );
    all
}
