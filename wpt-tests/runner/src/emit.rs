//! Writes a vector as a test in the form of web-platform-tests, for their folder `webnn/conformance_tests` or
//! `webnn/validation_tests`: it runs in a browser, and here.

mod scenario;

use std::fmt::Write as _;

use webnn_vectors::{ExceptionName, Graph, Kind, MetricType, Names, Step, Throws, Value, Vector};

use crate::literal::{self, is_operand};

/// The test, or why the vector can not be written as one. `source` says where the expected values come from.
///
/// # Errors
/// A sentence with what script can not do of a scenario.
pub fn wpt(vector: &Vector, source: &str) -> Result<String, String> {
    match &vector.kind {
        Kind::Graph { graph, .. } => Ok(conformance(vector, graph, source)),
        Kind::Negative { graph, throws } => Ok(validation(vector, graph, throws)),
        Kind::Scenario { steps } => scenario(vector, steps),
    }
}

/// Text that stays in its comment: without what ends a line of script, or a terminal would act on.
fn in_a_comment(text: &str) -> String {
    text.replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
}

fn header(vector: &Vector, of_what: &str, script: &str) -> String {
    let mut text = String::new();
    let title = in_a_comment(&vector.name);
    let _ = writeln!(text, "// META: title=test WebNN API {of_what}: {title}");
    text.push_str("// META: global=window\n");
    for device in ["cpu", "gpu", "npu"] {
        let _ = writeln!(text, "// META: variant=?{device}");
    }
    let _ = writeln!(text, "// META: script={script}\n// META: timeout=long\n\n'use strict';\n");
    text
}

/// A graph with expected outputs: its data, for the functions of `utils.js`.
fn conformance(vector: &Vector, graph: &Graph, source: &str) -> String {
    let mut text = header(vector, &operators_of(graph), "../resources/utils.js");
    let _ = writeln!(text, "// Source of the expected values: {}\n", in_a_comment(source));
    let (metric, allowed) = tolerance(vector, graph);
    let _ = writeln!(text, "const getTolerance = () => ({{metricType: '{metric}', value: {allowed}}});\n");
    let is_plain = is_plain(graph);
    let build = if is_plain { "buildAndExecuteGraph" } else { "buildAndExecute" };
    if !is_plain {
        text.push_str(BUILD_AND_EXECUTE);
    }
    let name = literal::string(&vector.name);
    let _ = writeln!(text, "const tests = [{{\n'name': {name},\n'graph': {}\n}}];\n", literal::graph(graph));
    let _ = writeln!(text, "tests.forEach(test => webnn_conformance_test({build}, getTolerance, test));");
    text
}

/// A function with the contract of `buildAndExecuteGraph`, for graphs that the latter does not build.
const BUILD_AND_EXECUTE: &str = "\
// Each input is made once, however often it is used, and names in lists stand for operands too.
const buildAndExecute = (context, builder, resources) => {
  const operands = new Map();
  const operandOf = name => {
    if (!operands.has(name)) {
      operands.set(name, createOperand(context, builder, name, resources.inputs[name]));
    }
    return operands.get(name);
  };
  const isName = value => typeof value === 'string' && (operands.has(value) || value in resources.inputs);
  const filled = value => Array.isArray(value) ? value.map(filled) : isName(value) ? operandOf(value) : value;
  for (const {name, arguments: given, outputs} of resources.operators) {
    const values = given.flatMap(argument => Object.entries(argument)).map(([parameter, value]) => {
      if (parameter !== 'options') {
        return filled(value);
      }
      return Object.fromEntries(Object.entries(value).map(([member, value]) => [member, filled(value)]));
    });
    const results = [builder[name](...values)].flat();
    [outputs].flat().forEach((output, index) => operands.set(output, results[index]));
  }
  const names = Object.keys(resources.expectedOutputs);
  const outputs = Object.fromEntries(names.map(name => [name, operands.get(name)]));
  names.forEach(name => assertDescriptorsEquals(outputs[name], resources.expectedOutputs[name].descriptor));
  return builder.build(outputs)
      .then(graph => computeGraph(context, graph, resources.inputs, resources.expectedOutputs))
      .then(result => ({result, intermediateOperands: Object.fromEntries(operands)}));
};

";

fn operators_of(graph: &Graph) -> String {
    let names: Vec<&str> = graph.operators.iter().map(|operator| operator.name.as_str()).collect();
    names.join(" and ")
}

/// The metric and the greatest distance of the first output; web-platform-tests have one for all.
fn tolerance(vector: &Vector, graph: &Graph) -> (&'static str, f64) {
    let first = graph.expected_outputs.values().next().map(|output| vector.tolerance_of(output));
    let Some(tolerance) = first else {
        return ("ULP", f64::default());
    };
    let metric = match tolerance.metric_type {
        MetricType::Ulp => "ULP",
        MetricType::Atol => "ATOL",
    };
    (metric, tolerance.value.unwrap_or_default())
}

/// Whether `buildAndExecuteGraph` can build a graph: it makes an input anew for each of its uses, and takes no names in
/// lists.
fn is_plain(graph: &Graph) -> bool {
    let given = || graph.operators.iter().flat_map(|operator| &operator.arguments).map(|argument| &argument.value);
    let has_lists =
        given().filter_map(Value::as_list).flatten().filter_map(Value::as_str).any(|name| is_operand(name, graph));
    let members = given().filter_map(Value::as_object).flat_map(|members| members.values());
    let used: Vec<&str> = given().chain(members).filter_map(Value::as_str).collect();
    let is_used_again = |name: &String| used.iter().filter(|other| **other == name).count() > 1;
    !has_lists && !graph.inputs.keys().any(is_used_again)
}

/// A graph that can not be built: its calls, of which one throws.
fn validation(vector: &Vector, graph: &Graph, throws: &Throws) -> String {
    let mut text = header(vector, &operators_of(graph), "../resources/utils_validation.js");
    if let Some(at) = &throws.at {
        let _ = writeln!(text, "// Thrown at {} step {}.", at.algorithm, at.step);
    }
    text.push_str("promise_test(async t => {\n  const builder = new MLGraphBuilder(context);\n");
    let names = variables(graph);
    let calls = literal::calls(graph, &names);
    let outputs = graph.build_outputs().into_iter().map(|name| format!("{}: {}", literal::string(name), names[name]));
    let outputs = outputs.collect::<Vec<_>>().join(", ");
    text.push_str("  const build = async () => {\n");
    for call in calls {
        let _ = writeln!(text, "    {call}");
    }
    let _ = writeln!(text, "    return builder.build({{{outputs}}});\n  }};");
    let _ = match throws.name {
        ExceptionName::TypeError => writeln!(text, "  await promise_rejects_js(t, TypeError, build());"),
        other => writeln!(text, "  await promise_rejects_dom(t, '{}', build());", other.name()),
    };
    let _ = writeln!(text, "}}, {});", literal::string(&vector.name));
    text
}

/// A variable for each operand, which may have any name.
fn variables(graph: &Graph) -> std::collections::HashMap<&str, String> {
    let outputs = graph.operators.iter().flat_map(|operator| match &operator.outputs {
        Names::One(name) => std::slice::from_ref(name),
        Names::Several(names) => names.as_slice(),
    });
    let names = graph.inputs.keys().chain(outputs);
    names.enumerate().map(|(index, name)| (name.as_str(), format!("operand{index}"))).collect()
}

/// A scenario: its calls, one after another.
fn scenario(vector: &Vector, steps: &[Step]) -> Result<String, String> {
    let (helpers, statements) = scenario::statements(steps)?;
    let mut text = String::new();
    let title = in_a_comment(&vector.name);
    let _ = writeln!(text, "// META: title=test WebNN API: {title}\n// META: global=window\n// META: timeout=long\n");
    text.push_str("'use strict';\n\n");
    if scenario::needs_a_proposal(steps) {
        text.push_str("// Needs a proposal that the specification does not have.\n\n");
    }
    if !helpers.is_empty() {
        let _ = writeln!(text, "{helpers}");
    }
    text.push_str("promise_test(async t => {\n");
    for statement in statements {
        let _ = writeln!(text, "  {statement}");
    }
    let _ = writeln!(text, "}}, {});", literal::string(&vector.name));
    Ok(text)
}
