//! The tables of tensor limits: whole in themselves, and in step with the algorithms and the Web IDL.

use std::collections::BTreeSet;

use crate::bikeshed::inline::{self, Inline};
use crate::bikeshed::{Cell, Row, Table};
use crate::idl::Method;

use super::Finding;
use super::prepared::{Prepared, Prose, Sentence};

fn at(rule: &'static str, table: &Table, line: usize, what: String) -> Finding {
    Finding { line, rule, subject: table.id.clone(), what }
}

pub(super) fn markup(prepared: &Prepared<'_>) -> Vec<Finding> {
    let finding = |problem: &crate::bikeshed::Problem| Finding {
        line: problem.line,
        rule: "table-markup",
        subject: "a table".to_owned(),
        what: format!("{}.", problem.what),
    };
    prepared.document.problems.iter().map(finding).collect()
}

pub(super) fn cells(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &prepared.document.tables {
        for row in table.rows.iter().filter(|row| row.cells.len() != table.head.len()) {
            let what = format!("The row of {} has {} of {} cells.", row.operand(), row.cells.len(), table.head.len());
            findings.push(at("table-cells", table, row.line, what));
        }
    }
    findings
}

pub(super) fn unknown_operand(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &prepared.document.tables {
        let methods = methods(prepared, table);
        for row in table.rows.iter().filter(|_| !methods.is_empty()) {
            let Some(Inline::Link(link)) =
                row.cells.first().and_then(|cell| inline::parts(&cell.text).into_iter().next())
            else {
                continue;
            };
            let is_known = |method: &Method| match &link.defined_for {
                Some(dictionary) => method.parameters.iter().any(|parameter| {
                    parameter.type_ == *dictionary
                        && prepared.idl.all_members(dictionary).iter().any(|member| member.name == link.term)
                }),
                None => method.parameters.iter().any(|parameter| parameter.name == link.term),
            };
            let strangers: Vec<&Method> = methods.iter().copied().filter(|method| !is_known(method)).collect();
            if !strangers.is_empty() {
                let owner = link.defined_for.as_ref().map_or_else(String::new, |owner| format!("{owner}/"));
                let what = format!("{owner}{} is no operand of {}.", link.term, names(&strangers));
                findings.push(at("table-unknown-operand", table, row.line, what));
            }
        }
    }
    findings
}

pub(super) fn missing_operand(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &prepared.document.tables {
        let rows: BTreeSet<String> = table.rows.iter().map(Row::operand).collect();
        for method in methods(prepared, table) {
            for operand in operands(prepared, method).into_iter().filter(|operand| !rows.contains(operand)) {
                let what = format!("The operand {operand} of {} has no row.", method.signature());
                findings.push(at("table-missing-operand", table, table.line, what));
            }
        }
    }
    findings
}

pub(super) fn same_as_nothing(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &prepared.document.tables {
        let rows: BTreeSet<String> = table.rows.iter().map(Row::operand).collect();
        for cell in table.rows.iter().flat_map(|row| row.cells.iter().skip(1)) {
            let plain = cell.plain();
            let Some(operand) = plain.strip_prefix("same as ") else { continue };
            let operand = operand.trim_end_matches("'s items").trim_matches('*');
            if !rows.contains(operand) {
                let what = format!("\"{plain}\" refers to no row.");
                findings.push(at("table-same-as-nothing", table, cell.line, what));
            }
        }
    }
    findings
}

pub(super) fn and_steps(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            findings.extend(passed_types(prepared, prose, sentence));
            findings.extend(types_of_operators(prepared, prose, sentence));
        }
    }
    findings
}

/// A method that passes a list of data types to the algorithm of its family.
fn passed_types(prepared: &Prepared<'_>, prose: &Prose<'_>, sentence: &Sentence<'_>) -> Option<Finding> {
    let call = sentence.links().find_map(|link| prepared.target(link))?;
    call.parameters.iter().find(|parameter| parameter.name == "allowedDataTypes")?;
    let method = prose.algorithm.method()?;
    let table = table_of(prepared, method)?;
    let row = table.rows.iter().find(|row| prose.parameters.iter().any(|it| it.name == row.operand()))?;
    let (passed, allowed) = (types(&sentence.parts), allowed(row)?);
    if passed == allowed || passed.is_empty() && row.cells[1].plain() == "any" {
        return None;
    }
    let what = format!("It allows {}, and the table {} allows {}.", list(&passed), table.id, cell_text(&row.cells[1]));
    Some(prose.finding("table-and-steps", sentence, what))
}

/// A step of a family that is about some of its operators: "If op is one of ...", with a check of data types inside.
fn types_of_operators(prepared: &Prepared<'_>, prose: &Prose<'_>, sentence: &Sentence<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !sentence.text.contains("|op| is one of") && !sentence.text.contains("|op| is \"") {
        return findings;
    }
    let operators: Vec<&str> = sentence.text.split('"').skip(1).step_by(2).collect();
    for check in prose.inside(sentence).filter(|check| check.refuses()) {
        let Some(variable) = check.variables().next().filter(|_| check.links_to("dataType")) else { continue };
        let checked = types(&check.parts);
        for operator in operators.iter().filter(|_| !checked.is_empty()) {
            let Some(table) = table_of(prepared, operator) else { continue };
            let row = table.rows.iter().find(|row| row.operand() == variable);
            let Some((row, allowed)) = row.and_then(|row| allowed(row).map(|allowed| (row, allowed))) else { continue };
            if allowed != checked {
                let what = format!(
                    "It allows {} for {operator}, and the table {} allows {}.",
                    list(&checked),
                    table.id,
                    cell_text(&row.cells[1])
                );
                findings.push(prose.finding("table-and-steps", check, what));
            }
        }
    }
    findings
}

pub(super) fn void_check(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in prepared.builder_methods() {
        let Some(table) = prose.algorithm.method().and_then(|method| table_of(prepared, method)) else { continue };
        for sentence in prose.steps.iter().filter(|sentence| sentence.refuses()) {
            let Some(row) = checked_row(table, sentence) else { continue };
            let types = sentence.links().any(|link| link.is_to("allowed data types"));
            let ranks = sentence.links().any(|link| link.is_to("allowed rank"));
            let allows = |head: &str, all: &str| cell_under(table, row, head).is_some_and(|cell| cell.plain() == all);
            let is_void = (types && allows("data types", "any")) || (ranks && allows("rank", "N"));
            if is_void {
                let what = format!("The table {} allows any, so that this never throws.", table.id);
                findings.push(prose.finding("check-without-effect", sentence, what));
            }
        }
    }
    findings
}

/// The cell of a row in the first column whose head says "allowed" or so, and these words.
fn cell_under<'t>(table: &'t Table, row: &'t Row, words: &str) -> Option<&'t Cell> {
    let column =
        table.head.iter().position(|cell| cell.plain().contains(words) && !cell.plain().contains("required"))?;
    row.cells.get(column)
}

/// The row of the one operand that a step asks about: "If |input|'s ...", or "... output tensor's ...".
fn checked_row<'t>(table: &'t Table, sentence: &Sentence<'_>) -> Option<&'t Row> {
    let row = |operand: &str| table.rows.iter().find(|row| row.operand() == operand);
    if sentence.text.contains(" output tensor's ") {
        return row("output");
    }
    let [Inline::Text(start), Inline::Variable(variable), ..] = sentence.parts.as_slice() else { return None };
    let is_alone = sentence.variables().all(|name| name == variable);
    row(variable).filter(|_| start.eq_ignore_ascii_case("if ") && is_alone)
}

pub(super) fn of_another(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for prose in &prepared.algorithms {
        for sentence in &prose.steps {
            for fragment in sentence.text.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
                let Some(table) = prepared.document.tables.iter().find(|table| table.id.eq_ignore_ascii_case(fragment))
                else {
                    if fragment.starts_with("tensor-limits-") || fragment.starts_with("constraints-") {
                        let what = format!("There is no table #{fragment}.");
                        findings.push(prose.finding("table-of-another", sentence, what));
                    }
                    continue;
                };
                let is_own = prose
                    .algorithm
                    .method()
                    .is_none_or(|method| table.link_for.iter().any(|target| target.contains(&format!("/{method}("))));
                if !is_own {
                    let what = format!("The table {} is not about {}.", table.id, prose.name);
                    findings.push(prose.finding("table-of-another", sentence, what));
                }
            }
        }
    }
    findings
}

pub(super) fn support_limits(prepared: &Prepared<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(all) = prepared.idl.dictionary("MLOpSupportLimits") else { return findings };
    for table in &prepared.document.tables {
        let rows: BTreeSet<String> = table.rows.iter().map(Row::operand).collect();
        for method in methods(prepared, table) {
            let Some(member) = all.members.iter().find(|member| member.name == method.name) else {
                let what = format!("MLOpSupportLimits has no member {}.", method.name);
                findings.push(at("support-limits", table, table.line, what));
                continue;
            };
            let limits: BTreeSet<String> =
                prepared.idl.all_members(&member.type_).iter().map(|member| member.name.clone()).collect();
            if !limits.is_empty() && limits != rows {
                let differing: Vec<_> = limits.symmetric_difference(&rows).cloned().collect();
                let what =
                    format!("{} and the rows for {} differ in {}.", member.type_, method.name, differing.join(", "));
                findings.push(at("support-limits", table, table.line, what));
            }
        }
    }
    findings
}

/// The methods that a table is for.
fn methods<'p>(prepared: &'p Prepared<'_>, table: &Table) -> Vec<&'p Method> {
    let Some(builder) = prepared.idl.interface("MLGraphBuilder") else { return Vec::new() };
    let signature = |target: &String| target.split_once('/').map(|(_, signature)| signature.to_owned());
    let wanted: Vec<String> = table.link_for.iter().filter_map(signature).collect();
    builder.methods.iter().filter(|method| wanted.contains(&method.signature())).collect()
}

fn table_of<'p>(prepared: &'p Prepared<'_>, method: &str) -> Option<&'p Table> {
    let is_for = |target: &String| target.contains(&format!("/{method}("));
    prepared.document.tables.iter().find(|table| table.link_for.iter().any(is_for))
}

fn operands(prepared: &Prepared<'_>, method: &Method) -> Vec<String> {
    let is_operand = |type_: &str| matches!(type_, "MLOperand" | "sequence<MLOperand>");
    let mut operands = Vec::new();
    for parameter in &method.parameters {
        if is_operand(&parameter.type_) {
            operands.push(parameter.name.clone());
        }
        let members = prepared.idl.all_members(&parameter.type_).into_iter();
        operands.extend(members.filter(|member| is_operand(&member.type_)).map(|member| member.name.clone()));
    }
    operands
}

fn names(methods: &[&Method]) -> String {
    methods.iter().map(|method| method.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The allowed data types of a row; none if it says something else than a list or "any".
fn allowed(row: &Row) -> Option<BTreeSet<String>> {
    let cell = row.cells.get(1)?;
    let values: BTreeSet<String> = cell.values().into_iter().collect();
    (!values.is_empty() || cell.plain() == "any").then_some(values)
}

fn cell_text(cell: &Cell) -> String {
    let values = cell.values();
    if values.is_empty() { cell.plain() } else { values.join(", ") }
}

/// The data types that a step names.
fn types(parts: &[Inline]) -> BTreeSet<String> {
    let named = parts.iter().filter_map(|part| match part {
        Inline::Link(link) if link.defined_for.as_deref() == Some("MLOperandDataType") => {
            Some(link.term.trim_matches('"').to_owned())
        }
        Inline::Link(_) | Inline::Text(_) | Inline::Variable(_) | Inline::Code(_) => None,
    });
    named.collect()
}

fn list(types: &BTreeSet<String>) -> String {
    if types.is_empty() { "any".to_owned() } else { types.iter().cloned().collect::<Vec<_>>().join(", ") }
}
