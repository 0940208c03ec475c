//! A scenario as a test: each call as a statement, with what it has to give or throw.
//!
//! Parameters have their types from the described interfaces, so that a string is an object's name where an object is asked
//! for, and itself elsewhere.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexMap;
use webnn_vectors::{BufferSource, Data, ElementType, ExceptionName, Names, Number, Step, Throws, Value, View};

use crate::idl::{Description, Signature, Type};
use crate::literal::{list, member, number, object, string};

/// What only the harness can bring about.
const NOT_OF_SCRIPT: &[&str] = &[
    "lose",
    "lost",
    "pump",
    "vanish",
    "truncate",
    "reappear",
    "spoilGraph",
    "storage",
    "requestDevice",
    "createExportableTensor",
    "exportToGPU",
    "writeBuffer",
    "readBuffer",
];

/// The names that no variable may have: those of script, and those that a test uses.
const TAKEN: &[&str] = &[
    "arguments",
    "assertHas",
    "arriving",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "navigator",
    "new",
    "null",
    "return",
    "static",
    "super",
    "switch",
    "t",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Compares the members that are expected, and no others.
const ASSERT_HAS: &str = "\
const assertHas = (actual, expected) => {
  if (Array.isArray(expected)) {
    assert_equals(actual.length, expected.length);
  }
  if (typeof expected === 'object' && expected !== null) {
    Object.keys(expected).forEach(name => assertHas(actual[name], expected[name]));
  } else {
    assert_equals(actual, expected);
  }
};
";

/// A source of bytes for a stream.
const ARRIVING: &str = "\
// Bytes that arrive in chunks, up to where the stream fails.
const arriving = (bytes, chunk = bytes.length, failsAt = Infinity) => {
  let at = 0;
  return {
    pull(controller) {
      if (at >= failsAt) {
        controller.error(new Error('the connection was closed'));
      } else if (at >= bytes.length) {
        controller.close();
      } else {
        const end = Math.min(at + chunk, bytes.length, failsAt);
        controller.enqueue(bytes.slice(at, end));
        at = end;
      }
    },
  };
};
";

type Written<T = String> = Result<T, String>;

/// The functions that a test needs, and its statements.
///
/// # Errors
/// A sentence with what script can not do.
pub(super) fn statements(steps: &[Step]) -> Written<(String, Vec<String>)> {
    let calls: BTreeSet<&str> =
        steps.iter().map(|step| step.call.as_str()).filter(|call| NOT_OF_SCRIPT.contains(call)).collect();
    if !calls.is_empty() {
        let calls = calls.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("it has calls that no page can make: {calls}"));
    }
    let mut writer =
        Writer { description: Description::with_the_proposals(), variables: HashMap::new(), taken: BTreeSet::new() };
    let mut statements = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let rest = &steps[index + 1..];
        statements.extend(writer.statement(step, rest).map_err(|why| format!("call {index}, {}: {why}", step.call))?);
    }
    let text = statements.concat();
    let helpers = [("assertHas(", ASSERT_HAS), ("arriving(", ARRIVING)];
    let helpers = helpers.into_iter().filter(|(call, _)| text.contains(call)).map(|(_, helper)| helper);
    Ok((helpers.collect::<Vec<_>>().join("\n"), statements))
}

struct Writer {
    description: Description,
    /// The variable that has what a name of the scenario stands for.
    variables: HashMap<String, Variable>,
    taken: BTreeSet<String>,
}

#[derive(Clone)]
struct Variable {
    name: String,
    /// The array that shows its elements, if it is a buffer.
    array: Option<&'static str>,
}

/// A call as an expression.
struct Call {
    text: String,
    is_a_promise: bool,
}

impl Writer {
    /// A step as statements; `rest` are the steps behind it.
    fn statement(&mut self, step: &Step, rest: &[Step]) -> Written<Vec<String>> {
        if step.call == "ledger" {
            let figure = text_of(step, "figure")?;
            let value = step.returns.as_ref().and_then(|returns| returns.value.as_ref()).map(untyped);
            return Ok(vec![format!("// Bytes that script does not see: {figure}, {}.", value.unwrap_or_default())]);
        }
        let call = self.call(step)?;
        if let Some(throws) = &step.throws {
            return Ok(vec![thrown(&call, throws)]);
        }
        let awaited = if call.is_a_promise && !step.pending { format!("await {}", call.text) } else { call.text };
        let array = (step.call == "buffer").then(|| array_of_buffer(&step.arguments)).transpose()?;
        let mut statements = match (&step.binding, &step.returns) {
            (None, None) => vec![format!("{awaited};")],
            (None, Some(returns)) => vec![compared(&awaited, returns)?],
            (Some(names), None) => vec![format!("const {} = {awaited};", self.bind(names, array))],
            (Some(_), Some(_)) => return Err("a result with a name is not compared".to_owned()),
        };
        if let (true, Some(Names::One(name))) = (step.pending, &step.binding) {
            let is_expected = |later: &&Step| later.call == "await" && text_of(later, "promise") == Ok(name);
            // Nobody looks at it until then, or ever.
            if rest.iter().find(is_expected).is_none_or(|later| later.throws.is_some()) {
                statements.push(format!("{}.catch(() => {{}});", self.variable(name)?.name));
            }
        }
        Ok(statements)
    }

    fn call(&self, step: &Step) -> Written<Call> {
        let arguments = &step.arguments;
        let plain = |text: String| Ok(Call { text, is_a_promise: false });
        let Some(on) = &step.on else {
            return match step.call.as_str() {
                "createContext" => self.method("navigator.ml", step),
                "MLGraphBuilder" => plain(format!("new MLGraphBuilder({})", self.named(step, "context")?)),
                "buffer" => plain(buffer(&BufferSource::from_members(arguments)?, arguments)?),
                "blob" => plain(format!("new Blob([{}])", self.source(step, "bytes")?)),
                "stream" => {
                    let bytes = self.source(step, "bytes")?;
                    let given = ["chunk", "failsAt"].map(|name| arguments.get(name).map(untyped));
                    let given = given.into_iter().flatten().map(|argument| format!(", {argument}"));
                    let bytes = format!("new Uint8Array({bytes}.buffer){}", given.collect::<String>());
                    plain(format!("new ReadableStream(arriving({bytes}))"))
                }
                "await" => Ok(Call { text: self.named(step, "promise")?, is_a_promise: true }),
                other => Err(format!("there is no call {other}")),
            };
        };
        let object = self.variable(on)?;
        let name = &object.name;
        match (step.call.as_str(), object.array) {
            ("fill", Some(array)) => {
                let elements = Data::from_value(arguments.get("data").ok_or("`data` is missing")?)?;
                let seen = format!("new {array}({name}.buffer ?? {name})");
                plain(match elements {
                    Data::Fill(element) => format!("{seen}.fill({})", element_of(element, array)),
                    _ => format!("{seen}.set({})", elements_of(&elements, array)),
                })
            }
            ("detach", Some(_)) => plain(format!("({name}.buffer ?? {name}).transfer()")),
            ("pinned" | "inputs" | "outputs", _) => plain(format!("{name}.{}", step.call)),
            ("constants", _) => plain(match arguments.get("name").and_then(Value::as_str) {
                Some(constant) => format!("{name}.constants[{}]", string(constant)),
                None => format!("{name}.constants"),
            }),
            ("setPinned", _) => {
                let pinned = arguments.get("pinned").map(untyped).ok_or("`pinned` is missing")?;
                plain(format!("{name}.pinned = {pinned}"))
            }
            _ => self.method(name, step),
        }
    }

    /// A call of a method that the interfaces describe.
    fn method(&self, object: &str, step: &Step) -> Written<Call> {
        let operations = self.description.interfaces.iter().flat_map(|interface| &interface.operations);
        let ways: Vec<&Signature> = operations
            .filter(|operation| operation.name == step.call)
            .flat_map(|operation| operation.overloads)
            .collect();
        let way = ways.into_iter().find(|way| self.takes(way, &step.arguments));
        let way = way.ok_or_else(|| {
            let given = step.arguments.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            format!("no page can make it with these arguments: {given}")
        })?;
        let is_named = |name: &str| way.parameters.iter().any(|parameter| parameter.name == name);
        let mut given = Vec::new();
        for parameter in way.parameters {
            given.push(match (step.arguments.get(parameter.name), parameter.kind) {
                (Some(value), kind) => self.typed(value, kind)?,
                // The members of options stand among the arguments.
                (None, kind @ Type::Dictionary(_)) => {
                    let members = step.arguments.iter().filter(|(name, _)| !is_named(name));
                    let members: IndexMap<_, _> = members.map(|(name, value)| (name.clone(), value.clone())).collect();
                    if members.is_empty() { String::new() } else { self.typed(&Value::Object(members), kind)? }
                }
                (None, _) => String::new(),
            });
        }
        while given.last().is_some_and(String::is_empty) {
            given.pop();
        }
        let given = given.iter().map(|argument| if argument.is_empty() { "undefined" } else { argument });
        let text = format!("{object}.{}({})", step.call, given.collect::<Vec<_>>().join(", "));
        Ok(Call { text, is_a_promise: matches!(way.returns, Type::Promise(_)) })
    }

    /// Whether a method can be called with these arguments.
    fn takes(&self, way: &Signature, arguments: &IndexMap<String, Value>) -> bool {
        let is_member = |name: &str| {
            way.parameters.iter().any(|parameter| match parameter.kind {
                Type::Dictionary(dictionary) if !arguments.contains_key(parameter.name) => {
                    self.member(dictionary, name).is_some()
                }
                _ => false,
            })
        };
        let is_known = |name: &String| way.parameters.iter().any(|one| one.name == name) || is_member(name);
        let is_given = |name: &str| arguments.contains_key(name);
        arguments.keys().all(is_known) && way.parameters.iter().all(|one| one.optional || is_given(one.name))
    }

    /// The type of a dictionary's member.
    fn member(&self, dictionary: &str, name: &str) -> Option<Type> {
        let dictionary = self.description.dictionaries.iter().find(|one| one.name == dictionary)?;
        let own = dictionary.members.iter().find(|member| member.name == name).map(|member| member.kind);
        own.or_else(|| self.member(dictionary.inherits?, name))
    }

    /// A value where this type is asked for.
    fn typed(&self, value: &Value, kind: Type) -> Written {
        Ok(match (kind, value) {
            (Type::Interface(_), Value::String(name)) => self.variable(name)?.name,
            (Type::BufferSource | Type::ConstantData, Value::String(name)) => self.variable(name)?.name,
            (Type::BufferSource | Type::ConstantData, Value::Object(members)) => {
                buffer(&BufferSource::from_members(members)?, members)?
            }
            (Type::Record(of), Value::Object(members)) => {
                let members = members.iter().map(|(name, value)| Ok(member(name, &self.typed(value, *of)?)));
                object(members.collect::<Written<Vec<_>>>()?.into_iter())
            }
            (Type::Dictionary(dictionary), Value::Object(members)) => {
                let members = members.iter().map(|(name, value)| match self.member(dictionary, name) {
                    Some(kind) => Ok(member(name, &self.typed(value, kind)?)),
                    None => Ok(member(name, &untyped(value))),
                });
                object(members.collect::<Written<Vec<_>>>()?.into_iter())
            }
            (Type::Sequence(of), Value::List(items)) => {
                let items = items.iter().map(|item| self.typed(item, *of));
                list(items.collect::<Written<Vec<_>>>()?.into_iter())
            }
            (Type::Nullable(_), Value::Null) => "null".to_owned(),
            (Type::UsvString | Type::DomString | Type::Enumeration(_), Value::String(text)) => string(text),
            // A number that JSON does not have.
            (_, Value::String(text)) => Number::from_text(text).map_or_else(|| string(text), number),
            _ => untyped(value),
        })
    }

    /// A buffer source that a step is given.
    fn source(&self, step: &Step, name: &str) -> Written {
        self.typed(step.arguments.get(name).ok_or_else(|| format!("`{name}` is missing"))?, Type::BufferSource)
    }

    fn named(&self, step: &Step, name: &str) -> Written {
        Ok(self.variable(text_of(step, name)?)?.name)
    }

    fn variable(&self, name: &str) -> Written<Variable> {
        self.variables.get(name).cloned().ok_or_else(|| format!("nothing is named {name}"))
    }

    /// New variables for what these names stand for from now on.
    fn bind(&mut self, names: &Names, array: Option<&'static str>) -> String {
        let variables: Vec<String> = names
            .as_slice()
            .iter()
            .map(|name| {
                let variable = self.unused(name);
                self.variables.insert(name.clone(), Variable { name: variable.clone(), array });
                variable
            })
            .collect();
        match names {
            Names::One(_) => variables.concat(),
            Names::Several(_) => format!("[{}]", variables.join(", ")),
        }
    }

    fn unused(&mut self, name: &str) -> String {
        let mut variable = String::new();
        for (index, word) in
            name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).enumerate()
        {
            let (first, rest) = word.split_at(1);
            variable += &if index == 0 { first.to_owned() } else { first.to_uppercase() };
            variable += rest;
        }
        if variable.chars().next().is_none_or(|first| first.is_ascii_digit()) {
            variable.insert(0, '_');
        }
        let is_free = |name: &String| !TAKEN.contains(&name.as_str()) && !self.taken.contains(name);
        let numbered = (2..).map(|number| format!("{variable}{number}"));
        let found = std::iter::once(variable.clone()).chain(numbered).find(is_free).unwrap_or(variable);
        self.taken.insert(found.clone());
        found
    }
}

fn text_of<'a>(step: &'a Step, name: &str) -> Written<&'a str> {
    step.arguments.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` has to be a string"))
}

/// A value that is itself, whatever is asked for.
fn untyped(value: &Value) -> String {
    match value {
        Value::Null => "undefined".into(),
        Value::Boolean(boolean) => boolean.to_string(),
        Value::Number(value) => number(*value),
        Value::BigInt(integer) => format!("{integer}n"),
        Value::String(text) => string(text),
        Value::List(items) => list(items.iter().map(untyped)),
        Value::Object(members) => object(members.iter().map(|(name, value)| member(name, &untyped(value)))),
    }
}

/// A statement that a call throws, or that its promise is rejected.
fn thrown(Call { text, is_a_promise }: &Call, throws: &Throws) -> String {
    let (kind, exception) = match throws.name {
        ExceptionName::TypeError => ("js", "TypeError".to_owned()),
        other => ("dom", string(other.name())),
    };
    if *is_a_promise {
        format!("await promise_rejects_{kind}(t, {exception}, {text});")
    } else {
        format!("assert_throws_{kind}({exception}, () => {{ {text}; }});")
    }
}

/// A statement that a result is what it has to be.
fn compared(result: &str, returns: &webnn_vectors::Returns) -> Written {
    match (&returns.descriptor, &returns.data, &returns.value) {
        (Some(descriptor), Some(data), None) if returns.tolerance.is_none() => {
            let array = array_of(descriptor.data_type.into())?;
            let count = descriptor.element_count().ok_or("there are too many elements")?;
            let elements = list(data.elements(count).map(|element| element_of(element, array)));
            // Rounded to the type, as they are meant.
            let elements = if array.starts_with("Float") { format!("new {array}({elements})") } else { elements };
            Ok(format!("assert_array_equals(new {array}({result}), {elements});"))
        }
        (None, None, Some(value @ (Value::List(_) | Value::Object(_)))) => {
            Ok(format!("assertHas({result}, {});", untyped(value)))
        }
        (None, None, Some(value)) => Ok(format!("assert_equals({result}, {});", untyped(value))),
        _ => Err("its result is not exact".to_owned()),
    }
}

/// A buffer source as script makes it.
fn buffer(source: &BufferSource, members: &IndexMap<String, Value>) -> Written {
    let array = array_of_buffer(members)?;
    let elements = match &source.data {
        Data::Fill(element) => format!("new {array}({}).fill({})", source.element_count, element_of(*element, array)),
        data => format!("new {array}({})", elements_of(data, array)),
    };
    match source.view {
        View::TypedArray(_) | View::Uint8ClampedArray => Ok(elements),
        View::DataView => Ok(format!("new DataView({elements}.buffer)")),
        View::ArrayBuffer => Ok(format!("{elements}.buffer")),
        View::SharedArrayBuffer => Err("no page can make a shared buffer that is not isolated".to_owned()),
    }
}

/// The array that shows the elements of a buffer source.
fn array_of_buffer(members: &IndexMap<String, Value>) -> Written<&'static str> {
    let source = BufferSource::from_members(members)?;
    match source.view {
        View::Uint8ClampedArray => Ok("Uint8ClampedArray"),
        _ => array_of(source.element),
    }
}

fn array_of(element: ElementType) -> Written<&'static str> {
    Ok(match element {
        ElementType::Float64 => "Float64Array",
        ElementType::Float32 => "Float32Array",
        ElementType::Float16 => "Float16Array",
        ElementType::Int64 => "BigInt64Array",
        ElementType::Uint64 => "BigUint64Array",
        ElementType::Int32 => "Int32Array",
        ElementType::Uint32 => "Uint32Array",
        ElementType::Int16 => "Int16Array",
        ElementType::Uint16 => "Uint16Array",
        ElementType::Int8 => "Int8Array",
        ElementType::Uint8 => "Uint8Array",
        ElementType::Int4 | ElementType::Uint4 => return Err("no page can make arrays of 4-bit integers".to_owned()),
    })
}

fn elements_of(data: &Data, array: &str) -> String {
    list(data.elements(data.element_count().unwrap_or(1)).map(|element| element_of(element, array)))
}

fn element_of(element: Number, array: &str) -> String {
    match element.to_integer() {
        Some(integer) if array.starts_with("Big") => format!("{integer}n"),
        _ => number(element),
    }
}

/// Whether a step needs what a proposal adds to the interfaces.
pub(super) fn needs_a_proposal(steps: &[Step]) -> bool {
    let present = Description::of_the_specification();
    let is_present = |name: &str| {
        let operations = present.interfaces.iter().flat_map(|interface| &interface.operations);
        operations.map(|operation| operation.name).any(|operation| operation == name)
    };
    steps.iter().any(|step| {
        let is_hollow =
            step.call == "constant" && step.arguments.len() == 1 && step.arguments.contains_key("descriptor");
        let is_an_attribute = matches!(step.call.as_str(), "pinned" | "setPinned" | "inputs" | "outputs" | "constants");
        let is_of_data = matches!(step.call.as_str(), "blob" | "stream");
        let is_of_the_scenario = step.on.is_none() || matches!(step.call.as_str(), "fill" | "detach" | "ledger");
        is_hollow || is_an_attribute || is_of_data || !(is_of_the_scenario || is_present(&step.call))
    })
}
