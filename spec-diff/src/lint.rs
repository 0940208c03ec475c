//! The prose, read as a program.
//!
//! Each rule looks for one kind of mistake that a compiler would find in code: a variable that is never declared, a call
//! with an argument too few, a loop that can not end. A rule that can not be sure says nothing: a mistake that is missed
//! costs less than a finding that is none.
//!
//! A finding has the id of its rule, a place and a sentence. What was found in the pinned revision is triaged in
//! SPEC_ISSUES.md.

mod builder;
mod calls;
mod decompositions;
mod descriptors;
mod flow;
mod layout;
mod links;
mod loops;
mod prepared;
mod slots;
mod tables;
mod variables;
mod web_idl;

use std::path::Path;

use serde::Serialize;

use crate::bikeshed::Document;
use prepared::Prepared;

/// Something that is wrong with the prose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The line.
    pub line: usize,
    /// The id of the rule.
    pub rule: &'static str,
    /// What it is about: an algorithm and a step, a table, a declaration.
    pub subject: String,
    /// What is wrong.
    pub what: String,
}

/// A rule.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Its id.
    pub id: &'static str,
    /// What it looks for.
    pub about: &'static str,
    check: fn(&Prepared<'_>) -> Vec<Finding>,
}

/// All rules.
pub const RULES: &[Rule] = &[
    Rule { id: "undeclared-variable", about: "a variable that no step declares", check: variables::undeclared },
    Rule { id: "unused-variable", about: "a variable that is declared and never used", check: variables::unused },
    Rule { id: "redeclared-variable", about: "a variable that is declared again", check: variables::redeclared },
    Rule { id: "bound-sign", about: "a bound that excludes everything", check: variables::bound_sign },
    Rule { id: "argument-count", about: "a call with missing or extra arguments", check: calls::argument_count },
    Rule { id: "failure-ignored", about: "a call that can fail, and nobody asks", check: calls::failure_ignored },
    Rule { id: "failure-to-nobody", about: "a method that returns failure to script", check: calls::failure_to_nobody },
    Rule { id: "result-dropped", about: "a call whose result nobody takes", check: calls::result_dropped },
    Rule {
        id: "this-without-object",
        about: "an abstract operation that uses this",
        check: calls::this_without_object,
    },
    Rule {
        id: "can-not-build-unchecked",
        about: "a builder's method on a lost context",
        check: builder::can_not_build,
    },
    Rule { id: "operand-unvalidated", about: "an operand that may be another builder's", check: builder::unvalidated },
    Rule {
        id: "operand-unconnected",
        about: "an operand that is no input of its operator",
        check: builder::unconnected,
    },
    Rule { id: "parameter-without-effect", about: "a parameter that is only checked", check: builder::without_effect },
    Rule { id: "operation-name", about: "an operator under another name", check: builder::operation_name },
    Rule {
        id: "dimensions-unchecked",
        about: "a descriptor whose dimensions go unchecked",
        check: descriptors::unchecked,
    },
    Rule { id: "shared-descriptor-written", about: "a write that others see", check: descriptors::shared },
    Rule { id: "rank-of-a-list", about: "a property of an operand, asked of a list", check: descriptors::rank_of_list },
    Rule { id: "loop-without-progress", about: "a loop that may never end", check: loops::without_progress },
    Rule { id: "changed-while-iterating", about: "a loop over what it changes", check: loops::changed_while_iterating },
    Rule { id: "unreachable-step", about: "a step behind an unconditional end", check: flow::unreachable },
    Rule { id: "repeated-check", about: "a check that was made before", check: flow::repeated },
    Rule { id: "set-in-one-branch", about: "a slot that only one of two cases sets", check: flow::set_in_one_branch },
    Rule { id: "cases-alike", about: "two cases of a switch that do the same", check: flow::cases_alike },
    Rule { id: "throws-and-rejects", about: "throwing mixed with promises", check: flow::throws_and_rejects },
    Rule { id: "otherwise-without-if", about: "an Otherwise that follows no If", check: flow::otherwise_without_if },
    Rule { id: "odd-indentation", about: "a step that may be nested by mistake", check: layout::indentation },
    Rule { id: "group-without-steps", about: "a colon with nothing behind it", check: layout::empty_group },
    Rule { id: "step-case", about: "a step that begins in lower case", check: layout::lower_case },
    Rule { id: "table-markup", about: "a table that a browser has to repair", check: tables::markup },
    Rule { id: "table-cells", about: "a row that misses cells", check: tables::cells },
    Rule {
        id: "table-unknown-operand",
        about: "a row for an operand that does not exist",
        check: tables::unknown_operand,
    },
    Rule { id: "table-missing-operand", about: "an operand without a row", check: tables::missing_operand },
    Rule { id: "table-same-as-nothing", about: "a cell that refers to no row", check: tables::same_as_nothing },
    Rule { id: "table-and-steps", about: "steps that allow other data types than the table", check: tables::and_steps },
    Rule { id: "check-without-effect", about: "a check that the table makes void", check: tables::void_check },
    Rule { id: "table-of-another", about: "a link to the table of another operator", check: tables::of_another },
    Rule { id: "support-limits", about: "support limits that are not the table's rows", check: tables::support_limits },
    Rule { id: "integer-without-range", about: "an integer without [EnforceRange]", check: web_idl::without_range },
    Rule { id: "method-without-steps", about: "a method that no algorithm defines", check: web_idl::without_steps },
    Rule { id: "idl-markup", about: "a block that is no Web IDL", check: web_idl::markup },
    Rule { id: "option-unread", about: "a member of options that nothing reads", check: web_idl::option_unread },
    Rule { id: "broken-link", about: "a link to nothing", check: links::broken },
    Rule { id: "wrong-interface", about: "a link to a member of another type", check: links::wrong_interface },
    Rule { id: "slot-never-set", about: "an internal slot that no step sets", check: slots::never_set },
    Rule { id: "slot-never-read", about: "an internal slot that no step reads", check: slots::never_read },
    Rule {
        id: "decomposition-without-result",
        about: "a function that returns nothing",
        check: decompositions::result,
    },
    Rule { id: "decomposition-call", about: "a call that Web IDL would refuse", check: decompositions::calls },
];

/// Reads a document, and says what is wrong with it, from top to bottom.
pub fn lint(document: &Document, text: &str) -> Vec<Finding> {
    let prepared = Prepared::of(document, text);
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| (rule.check)(&prepared)).collect();
    findings.sort();
    findings.dedup();
    findings
}

impl Finding {
    /// As editors and terminals know it.
    pub fn text(&self, file: &Path) -> String {
        format!("{}:{}: {}: {} [{}]", file.display(), self.line, self.subject, self.what, self.rule)
    }
}
