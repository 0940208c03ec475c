//! Arguments of the operators that quantize, of those that move elements by indices and sizes, and of the recurrent
//! networks.

use webnn_reference::data_type::MLOperandDataType::{self, Float16, Float32, Int8, Int32, Int64, Uint8, Uint32};
use webnn_reference::descriptor::MLOperandDescriptor;
use webnn_reference::idl::Value;

use super::{Arguments, Shapes, number, numbers};

/// What indices may be.
const INDICES: [MLOperandDataType; 3] = [Int32, Uint32, Int64];

/// What is quantized to.
const QUANTIZED: [MLOperandDataType; 4] = [Int8, Uint8, Int32, Uint32];

/// How many ways there are to call an operator, if it is one of these.
pub(super) fn variants(name: &str) -> Option<usize> {
    match name {
        "gather" | "gatherElements" | "gatherND" | "scatterElements" | "scatterND" => Some(INDICES.len()),
        "quantizeLinear" => Some(QUANTIZED.len()),
        "dequantizeLinear" | "gru" | "gruCell" | "lstm" | "lstmCell" => Some(2),
        _ => None,
    }
}

impl Arguments<'_> {
    /// The argument, if the operator is one of these.
    pub(super) fn of_data(&self, parameter: &str) -> Option<Value> {
        match self.name {
            "quantizeLinear" | "dequantizeLinear" => self.of_quantization(parameter),
            "gather" | "gatherElements" | "gatherND" => self.of_gathering(parameter),
            "scatterElements" | "scatterND" => self.of_scattering(parameter),
            "gru" | "gruCell" | "lstm" | "lstmCell" => self.of_network(parameter),
            "pad" | "split" | "tile" => self.of_movement(parameter),
            _ => None,
        }
    }

    fn typed(&self, name: &str, data_type: MLOperandDataType, shape: &[u32]) -> Value {
        Value::Operand(self.builder.input(name, &MLOperandDescriptor::create(data_type, shape)).unwrap())
    }

    fn indices(&self, shape: &[u32]) -> Value {
        self.typed("indices", INDICES[self.variant], shape)
    }

    fn of_quantization(&self, parameter: &str) -> Option<Value> {
        let mut blocks = self.shapes.any();
        blocks[0] = 1;
        match (self.name, parameter) {
            (_, "input") => Some(self.operand(parameter, &self.shapes.any())),
            ("quantizeLinear", "scale") | ("dequantizeLinear", "zeroPoint") => Some(self.operand(parameter, &blocks)),
            ("quantizeLinear", "zeroPoint") => Some(self.typed(parameter, QUANTIZED[self.variant], &blocks)),
            ("dequantizeLinear", "scale") => Some(self.typed(parameter, [Float32, Float16][self.variant], &blocks)),
            _ => None,
        }
    }

    fn of_gathering(&self, parameter: &str) -> Option<Value> {
        let any = self.shapes.any();
        match (self.name, parameter) {
            (_, "input") => Some(self.operand(parameter, &any)),
            ("gather", "indices") => Some(self.indices(&[3, 2])),
            ("gatherElements", "indices") => Some(self.indices(&any)),
            ("gatherND", "indices") => Some(self.indices(&[5, any.len() as u32 - 1])),
            _ => None,
        }
    }

    fn of_scattering(&self, parameter: &str) -> Option<Value> {
        let any = self.shapes.any();
        // More than one invocation searches.
        let (places, rank) = (if self.is_many() { 70_000 } else { 5 }, any.len());
        match (self.name, parameter) {
            (_, "input") => Some(self.operand(parameter, &any)),
            ("scatterElements", "indices") => Some(self.indices(&any)),
            ("scatterElements", "updates") => Some(self.operand(parameter, &any)),
            ("scatterND", "indices") => Some(self.indices(&[places, rank as u32])),
            ("scatterND", "updates") => Some(self.operand(parameter, &[places])),
            _ => None,
        }
    }

    fn of_movement(&self, parameter: &str) -> Option<Value> {
        let any = self.shapes.any();
        match parameter {
            "beginningPadding" => Some(numbers(&vec![1; any.len()])),
            "endingPadding" => Some(numbers(&vec![2; any.len()])),
            "splits" => Some(numbers(&[any[1] - 1, 1])),
            "repetitions" => Some(numbers(&vec![2; any.len()])),
            _ => None,
        }
    }

    fn of_network(&self, parameter: &str) -> Option<Value> {
        let [batches, inputs, hidden] = self.network();
        let rows = hidden * if self.name.starts_with("gru") { 3 } else { 4 };
        // The cells have neither steps nor directions.
        let skipped = if self.name.ends_with("Cell") { 1 } else { 0 };
        let shape = match parameter {
            "input" => [3, batches, inputs],
            "weight" => [1, rows, inputs],
            "recurrentWeight" => [1, rows, hidden],
            "hiddenState" | "cellState" => [1, batches, hidden],
            "steps" => return Some(number(3)),
            "hiddenSize" => return Some(number(hidden)),
            _ => return None,
        };
        Some(self.operand(parameter, &shape[skipped..]))
    }

    /// Batches, the size of the input, the size of the hidden state.
    fn network(&self) -> [u32; 3] {
        match self.shapes {
            Shapes::Few => [1, 2, 3],
            Shapes::Others => [2, 5, 4],
            Shapes::Many => [2, 10_000, 4],
        }
    }

    /// The options, if the operator is one of these.
    pub(super) fn options_of_data(&self) -> Option<Vec<(String, Value)>> {
        let others = self.shapes == Shapes::Others;
        let option = |name: &str, value: Value| (name.to_owned(), value);
        let string = |text: &str| Value::String(text.to_owned());
        let reset = option("resetAfter", Value::Boolean(self.variant == 0));
        match self.name {
            "pad" if others => Some(vec![option("mode", string("edge"))]),
            "split" => Some(vec![option("axis", number(1))]),
            "reverse" if others => Some(vec![option("axes", numbers(&[1]))]),
            "triangular" if others => Some(vec![option("upper", Value::Boolean(false)), option("diagonal", number(1))]),
            "gather" | "gatherElements" | "scatterElements" if !others => Some(vec![option("axis", number(2))]),
            "gru" | "lstm" if others => Some(vec![
                option("returnSequence", Value::Boolean(true)),
                option("direction", string("backward")),
                reset,
            ]),
            "gru" | "lstm" => Some(vec![option("returnSequence", Value::Boolean(true)), reset]),
            "gruCell" => Some(vec![reset]),
            _ => None,
        }
    }
}
