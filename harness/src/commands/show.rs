//! `webnn show`

use std::fmt::Write as _;

use clap::Args;
use webnn_vectors::{Data, Descriptor, Graph, Kind, Step, Value, Vector, VectorFile};

use super::find;
use crate::failure::{AS_EXPECTED, Failure};
use crate::judge::distance::Allowed;
use crate::judge::expected;
use crate::listing::{Format, Listing};
use crate::selection::Selection;
use crate::shown::{self, inert};

/// The arguments of `webnn show`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The vector: its id (FILE/NAME), its name, or a part of its id that no other has.
    vector: String,

    #[command(flatten)]
    selection: Selection,

    #[command(flatten)]
    format: Format,
}

/// Shows a vector.
///
/// # Errors
/// If there is no such vector, or more than one.
pub(crate) fn show(arguments: &Arguments) -> Result<u8, Failure> {
    let files = arguments.selection.load()?;
    let (file, vector) = find(&files, &arguments.vector)?;
    if arguments.format.is_json() {
        let (id, path, source) = (vector.id.as_str(), file.path.as_str(), file.source_of(vector));
        Listing::Vector { id, path, place: vector.index, source, vector }.print()?;
    } else {
        anstream::print!("{}", inert(&text(file, vector)));
    }
    Ok(AS_EXPECTED)
}

/// How many numbers of a tensor are shown.
const MOST_NUMBERS: usize = 24;

/// A vector as a person reads it.
pub(crate) fn text(file: &VectorFile, vector: &Vector) -> String {
    let mut text = heading(file, vector);
    match &vector.kind {
        Kind::Graph { graph, .. } => {
            graph_text(&mut text, graph);
            for (name, output) in &graph.expected_outputs {
                let allowed = Allowed::from(vector.tolerance_of(output));
                _ = writeln!(
                    text,
                    "  expect {} = {}",
                    shown::name(name),
                    tensor_text(&output.descriptor, &output.data)
                );
                _ = writeln!(text, "         within {allowed}");
            }
        }
        Kind::Negative { graph, throws } => {
            graph_text(&mut text, graph);
            _ = writeln!(text, "  expect {}", expected(throws));
        }
        Kind::Scenario { steps } => {
            for (index, step) in steps.iter().enumerate() {
                _ = writeln!(text, "  {index:>3}  {}", step_text(step));
            }
        }
    }
    text
}

/// What is said of a vector before what it does.
pub(crate) fn heading(file: &VectorFile, vector: &Vector) -> String {
    let mut text = format!("{}\n  from {}, test {}\n", shown::name(&vector.id), file.path, vector.index);
    _ = writeln!(text, "  expected values: {}", file.source_of(vector));
    if let Some(note) = &vector.note {
        _ = writeln!(text, "  note: {note}");
    }
    if let Some(open) = &vector.implementation_defined {
        _ = writeln!(text, "  implementation-defined: {open}");
    }
    if let Some(literal) = &vector.literal {
        _ = writeln!(text, "  under the text as written ({}): {:?}", literal.issue, literal.outcome);
    }
    text
}

fn graph_text(text: &mut String, graph: &Graph) {
    for (name, input) in &graph.inputs {
        let kind = if input.constant { "constant" } else { "input" };
        _ = writeln!(text, "  {kind} {} = {}", shown::name(name), tensor_text(&input.descriptor, &input.data));
    }
    for operator in &graph.operators {
        let arguments: Vec<String> =
            operator.arguments.iter().map(|argument| format!("{}: {}", argument.name, json(&argument.value))).collect();
        let outputs = operator.outputs.as_slice().join(", ");
        _ = writeln!(text, "  {} = {}({})", shown::name(&outputs), operator.name, arguments.join(", "));
    }
}

fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}

fn tensor_text(descriptor: &Descriptor, data: &Data) -> String {
    format!("{}{:?} {}", descriptor.data_type.name(), descriptor.shape, data_text(descriptor, data))
}

fn data_text(descriptor: &Descriptor, data: &Data) -> String {
    if let Data::Fill(number) = data {
        return format!("filled with {}", json(&Value::Number(*number)));
    }
    let count = descriptor.element_count().unwrap_or(0);
    let numbers: Vec<String> =
        data.elements(count).take(MOST_NUMBERS).map(|number| json(&Value::Number(number))).collect();
    let shown = u64::try_from(numbers.len()).unwrap_or(u64::MAX);
    let more = if count > shown { format!(", ... {} more", count - shown) } else { String::new() };
    format!("[{}{more}]", numbers.join(", "))
}

/// A call as a person would write it, and what it has to give.
pub(crate) fn step_text(step: &Step) -> String {
    let mut text = String::new();
    if let Some(names) = &step.binding {
        _ = write!(text, "{} = ", names.as_slice().join(", "));
    }
    if let Some(on) = &step.on {
        _ = write!(text, "{on}.");
    }
    let arguments: Vec<String> =
        step.arguments.iter().map(|(name, value)| format!("{name}: {}", json(value))).collect();
    _ = write!(text, "{}({})", step.call, arguments.join(", "));
    if step.pending {
        text.push_str("  (not awaited)");
    }
    if let Some(throws) = &step.throws {
        _ = write!(text, "  throws {}", expected(throws));
    }
    if let Some(returns) = &step.returns {
        match (&returns.descriptor, &returns.data, &returns.value) {
            (Some(descriptor), Some(data), _) => _ = write!(text, "  gives {}", tensor_text(descriptor, data)),
            (_, _, Some(value)) => _ = write!(text, "  gives {}", json(value)),
            _ => {}
        }
    }
    text
}
