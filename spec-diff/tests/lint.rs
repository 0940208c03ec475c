//! Each rule finds what it is for, and is silent where that is mended; and what they find in the pinned revision.

mod paths;

use std::collections::BTreeMap;

use spec_diff::bikeshed::Document;
use spec_diff::lint::{RULES, lint};

/// The ids of the rules that find something, and on which line.
fn found(text: &str) -> Vec<(&'static str, usize)> {
    let document = Document::parse(text).unwrap();
    lint(&document, text).into_iter().map(|finding| (finding.rule, finding.line)).collect()
}

/// A rule finds something on a line, and nothing where a part of the text is replaced.
fn rule(id: &str, text: &str, line: usize, mistake: &str, mended: &str) {
    assert!(RULES.iter().any(|rule| rule.id == id), "{id}");
    let lines: Vec<_> = found(text).into_iter().filter(|(rule, _)| *rule == id).map(|(_, line)| line).collect();
    assert_eq!(lines, [line], "{id} in {text}");
    assert!(text.contains(mistake), "{mistake}");
    let rest: Vec<_> = found(&text.replace(mistake, mended)).into_iter().filter(|(rule, _)| *rule == id).collect();
    assert_eq!(rest, [], "{id} in what is mended: {}", text.replace(mistake, mended));
}

/// An abstract operation that begins on line 1; its steps on line 3.
fn operation(steps: &str) -> String {
    format!("<div algorithm>\nTo <dfn>work</dfn> given |a| and |b|:\n{steps}\n</div>\n")
}

const THROW: &str = "then [=exception/throw=] a {{TypeError}}.";

/// A method of a builder with its Web IDL; its first step is on line 17.
fn method(steps: &str) -> String {
    format!(
        "\
<script type=idl>
dictionary MLOperatorOptions {{ USVString label = \"\"; }};
dictionary MLWorkOptions : MLOperatorOptions {{ MLOperand bias; unsigned long speed; }};
interface MLOperand {{ undefined x(); }};
interface MLGraphBuilder {{
  MLOperand work(MLOperand input, [EnforceRange] unsigned long axis, optional MLWorkOptions options = {{}});
}};
</script>
<p>The builder <dfn for=MLGraphBuilder>can not build</dfn>; <dfn attribute for=MLOperand>\\[[descriptor]]</dfn>.
<div algorithm>To <dfn for=MLGraphBuilder>validate operand</dfn> given |builder| and |operand|, do.</div>
<div algorithm>
To <dfn>copy an MLOperand</dfn> given |operand|:
1. Set |result|.{{{{MLOperand/[[descriptor]]}}}} to |operand|.{{{{MLOperand/[[descriptor]]}}}}.
</div>
<div algorithm>
The <dfn method for=MLGraphBuilder>work(|input|, |axis|, |options|)</dfn> method steps are:
{steps}
</div>
"
    )
}

/// The steps of a method that does everything right.
const STEPS: &str = "\
1. If [=this=] [=MLGraphBuilder/can not build=], then [=exception/throw=] an \"{{InvalidStateError}}\" {{DOMException}}.
1. If [=MLGraphBuilder/validating operand=] with [=this=] and any of |input| and |options|.{{MLWorkOptions/bias}} (if it [=map/exists=]) returns false, then [=exception/throw=] a {{TypeError}}.
1. Let |operator| be an [=operator=] for the \"work\" operation, given |axis| and |options|.
1. Set |operator|'s [=operator/inputs=] to |input|.
1. If |options|.{{MLWorkOptions/bias}} [=map/exists=], then add it to |operator|'s [=operator/inputs=].
1. Return |operator|.";

#[test]
fn variables() {
    rule("undeclared-variable", &operation("1. Return |a| + |b| + |c|."), 3, " + |c|", "");
    rule(
        "undeclared-variable",
        &operation("1. If |c| is not given, then let |c| be |a| + |b|."),
        3,
        "|c| is",
        "|a| is",
    );
    rule("unused-variable", &operation("1. Let |x| be |a|.\n1. Return |b|."), 3, "Return |b|", "Return |x|");
    let filled = operation("1. Let |x| be an empty list.\n1. [=list/Append=] |a| to |x|.\n1. Return |b|.");
    rule("unused-variable", &filled, 3, "Return |b|", "Return |x|");
    let again = operation("1. Let |x| be |a|.\n1. Let |x| be |b|.\n1. Return |x|.");
    rule("redeclared-variable", &again, 4, "1. Let |x| be |b|", "1. Set |x| to |b|");
    let bound = operation("1. Let |minValue| be |a| if given, or Infinity otherwise.\n1. Return |minValue| + |b|.");
    rule("bound-sign", &bound, 3, "Infinity", "-Infinity");
}

#[test]
fn variables_of_loops_switches_and_pairs_are_declared() {
    for steps in [
        "1. [=map/For each=] |key| → |value| of |a|:\n    1. Use |key|, |value| and |b|.",
        "1. Let « |x|, |y| » be |a|.\n1. Return |x| + |y| + |b|.",
        "1. Let |x| be |a| and |y| be |b|.\n1. Return |x| + |y|.",
        "1. [=queue/Dequeue=] |x| from |a|.\n1. Return |x| + |b|.",
        "1. Switch on |a|:\n    <dl class=switch>\n    : 1\n    :: Let |x| be 1.\n    : 2\n    :: Let |x| be 2.\n    </dl>\n1. Return |x| + |b|.",
        "1. Switch on |a|:\n    <dl class=switch>\n    : 1\n    ::\n        1. Let |x| be 1.\n    : 2\n    ::\n        1. Let |x| be 2.\n    </dl>\n1. Return |x| + |b|.",
    ] {
        let variables: Vec<_> =
            found(&operation(steps)).into_iter().filter(|(rule, _)| rule.contains("variable")).collect();
        assert_eq!(variables, [], "{steps}");
    }
}

#[test]
fn calls() {
    let called = "<div algorithm>\nTo <dfn>make it</dfn> given |x| and |y|:\n1. If |x| is |y|, then return failure.\n1. Return |x|.\n</div>\n";
    let with = |steps: &str| called.to_owned() + &operation(steps);
    let few = with(
        "1. Let |r| be the result of [=making it=] given |a|. If that fails, return failure.\n1. Return |r| and |b|.",
    );
    rule("argument-count", &few, 8, "given |a|.", "given |a| and |b|.");
    let ignored = with("1. Let |r| be the result of [=making it=] given |a| and |b|.\n1. Return |r|.");
    rule("failure-ignored", &ignored, 8, "|a| and |b|.\n", "|a| and |b|. If that returns failure, then return.\n");
    let dropped = with("1. [=Make it=] given |a| and |b|. If that fails, return.");
    rule("result-dropped", &dropped, 8, "1. [=Make", "1. Let |r| be the result to [=make");
    rule("this-without-object", &operation("1. Return [=this=], |a| and |b|."), 3, "[=this=]", "that");
    let method =
        "<div algorithm>\nThe <dfn method for=X>do()</dfn> steps are:\n1. If it rains, then return failure.\n</div>";
    rule("failure-to-nobody", method, 3, "return failure", THROW);
}

#[test]
fn methods_of_a_builder() {
    let clean =
        ["integer-without-range", "slot-never-set", "slot-never-read", "undeclared-variable", "method-without-steps"];
    let rest: Vec<_> = found(&method(STEPS)).into_iter().filter(|(rule, _)| !clean.contains(rule)).collect();
    assert_eq!(rest, [], "what is right is right");
    let changed = |from: &str, to: &str| {
        assert!(STEPS.contains(from), "{from}");
        method(&STEPS.replace(from, to))
    };
    let lost = changed("[=this=] [=MLGraphBuilder/can not build=]", "[=this=] is busy");
    rule("can-not-build-unchecked", &lost, 15, "[=this=] is busy", "[=this=] [=MLGraphBuilder/can not build=]");
    let foreign = changed(" and |options|.{{MLWorkOptions/bias}} (if it [=map/exists=]) returns", " returns");
    rule("operand-unvalidated", &foreign, 15, "any of |input|", "any of |input| and |options|.{{MLWorkOptions/bias}}");
    let loose = changed("then add it to |operator|'s [=operator/inputs=]", "then do nothing");
    rule("operand-unconnected", &loose, 15, "then do nothing", "then add it to |operator|'s [=operator/inputs=]");
    let checked = changed("given |axis| and |options|", "given |options|") + "";
    let checked = checked.replace("1. Return", &format!("1. If |axis| is 7, {THROW}\n1. Return"));
    rule("parameter-without-effect", &checked, 15, "given |options|", "given |axis| and |options|");
    let named = changed("\"work\"", "\"working\"");
    rule("operation-name", &named, 19, "\"working\"", "\"work\"");
    let unread = changed("given |axis| and |options|", "given |axis|");
    rule("option-unread", &unread, 15, "given |axis|", "given |axis| and |options|");
    let range = method(STEPS);
    rule("integer-without-range", &range, 3, "; unsigned long speed", "; [EnforceRange] unsigned long speed");
    let missing = method(STEPS);
    rule("method-without-steps", &missing, 4, "undefined x();", "");
}

#[test]
fn descriptors() {
    let unchecked = "\
<script type=idl>
interface X { undefined make(MLTensorDescriptor descriptor); };
</script>
<div algorithm>
The <dfn method for=X>make(|descriptor|)</dfn> steps are:
1. Make it from |descriptor|.
</div>";
    rule(
        "dimensions-unchecked",
        unchecked,
        4,
        "1. Make",
        "1. If [=checking dimensions=] given |descriptor| returns false, then stop.\n1. Make",
    );
    let shared = "1. Let |output| be the result of [=copying an MLOperand=] given |input|.\n1. Set |output|'s [=MLOperand/shape=][|axis|] to 1.";
    rule("shared-descriptor-written", &method(shared), 18, "[=copying an MLOperand=]", "[=creating an MLOperand=]");
    let list = operation("1. Let |x| be |a|'s [=MLOperand/shape=].\n1. Return |x|'s [=MLOperand/rank=] and |b|.");
    rule("rank-of-a-list", &list, 4, "|x|'s [=MLOperand/rank=]", "|x|'s [=list/size=]");
}

#[test]
fn loops() {
    let stuck = operation(
        "1. Let |n| be 0.\n1. [=list/For each=] |x| of |a|:\n    1. If |n| is less than |b|, then [=iteration/continue=].\n    1. Use |x|.\n    1. Increment |n| by one.",
    );
    rule("loop-without-progress", &stuck, 5, "    1. If |n|", "    1. Increment |n| by one.\n    1. If |n|");
    let waits = operation("1. While |a| is empty:\n    1. Look at |b|.");
    rule("loop-without-progress", &waits, 3, "    1. Look at |b|.", "    1. [=list/Append=] |b| to |a|.");
    let changes = operation("1. [=set/For each=] |x| in |a|:\n    1. [=set/Remove=] |x| from |a|.\n1. Return |b|.");
    rule("changed-while-iterating", &changes, 4, "in |a|", "in a [=set/clone=] of |a|");
}

#[test]
fn the_way_through() {
    rule(
        "unreachable-step",
        &operation("1. Return |a|.\n1. Return |b|."),
        4,
        "1. Return |a|.\n",
        "1. If |a| is 1, then return |a|.\n",
    );
    let twice = operation(&format!("1. If |a| is 1, {THROW}\n1. If |a| is 1, {THROW}\n1. Return |b|."));
    rule("repeated-check", &twice, 4, &format!("1. If |a| is 1, {THROW}\n1. Return"), "1. Return");
    let branch = operation(
        "1. If |a| is 1:\n    1. Set |b|.{{X/[[one]]}} to 1.\n    1. Set |b|.{{X/[[two]]}} to 1.\n1. Otherwise:\n    1. Set |b|.{{X/[[one]]}} to 1.",
    );
    rule("set-in-one-branch", &branch, 6, "    1. Set |b|.{{X/[[two]]}} to 1.\n", "");
    let mixed = operation(&format!("1. If |a| is 1, {THROW}\n1. Return [=a new promise=] of |b|."));
    rule("throws-and-rejects", &mixed, 3, THROW, "then return.");
    rule(
        "otherwise-without-if",
        &operation("1. Use |a|.\n1. Otherwise, use |b|."),
        4,
        "1. Use |a|",
        "1. If it rains, use |a|",
    );
    let cases = operation(
        "1. Switch on |a|:\n    <dl class=switch>\n    : 1\n    :: Return 1.\n    : 2\n    :: Return 1.\n    : 3\n    :: Return 3.\n    : 4\n    :: Return 4.\n    </dl>\n1. Return |b|.",
    );
    rule("cases-alike", &cases, 3, "    : 2\n    :: Return 1.", "    : 2\n    :: Return 2.");
}

#[test]
fn layout() {
    rule("odd-indentation", &operation("1. Use |a|.\n   1. Use |b|."), 4, "   1.", "1.");
    rule("group-without-steps", &operation("1. Return |a| and |b|:"), 3, "|b|:", "|b|.");
    rule("step-case", &operation("1. use |a| and |b|."), 3, "use", "Use");
}

/// A table of the method `work`.
fn table(rows: &str, step: &str) -> String {
    let head = "<tr><th>operand</th><th>[=/allowed data types=]</th><th>[=/required data types=]</th><th>[=/allowed ranks=]</th><th>[=/required ranks=]</th></tr>";
    let link_for = "MLGraphBuilder/work(input, axis, options)";
    let table = format!("<table id=tensor-limits-work link-for=\"{link_for}\">\n{head}\n{rows}\n</table>\n");
    let limits = "<script type=idl>\npartial dictionary MLOpSupportLimits { MLWorkSupportLimits work; };\ndictionary MLWorkSupportLimits { X input; X bias; X output; };\n</script>\n";
    table + limits + &method(&format!("{STEPS}\n{step}"))
}

const ROWS: &str = "\
<tr><td>{{input}}</td><td>[=/any data type|any=]</td><td>any</td><td>[=/any rank|N=]</td><td>1</td></tr>
<tr><td>{{MLWorkOptions/bias}}</td><td>[=/same type as|same as=] {{input}}</td><td>any</td><td>1</td><td>1</td></tr>
<tr><td>*output*</td><td>[=/same type as|same as=] {{input}}</td><td>any</td><td>1</td><td>1</td></tr>";

#[test]
fn tables() {
    let tables = |text: &str| -> Vec<_> {
        found(text).into_iter().filter(|(rule, _)| rule.contains("table") || rule.contains("limits")).collect()
    };
    assert_eq!(tables(&table(ROWS, "")), []);
    rule("table-markup", &table(&ROWS.replacen("</tr>", "", 1), ""), 3, "<td>1</td>\n", "<td>1</td></tr>\n");
    rule(
        "table-cells",
        &table(&ROWS.replacen("<td>any</td>", "", 1), ""),
        3,
        "N=]</td><td>1</td>",
        "N=]</td><td>1</td><td>1</td>",
    );
    let stranger = table(&ROWS.replace("MLWorkOptions/bias", "MLPlayOptions/bias"), "");
    rule("table-unknown-operand", &stranger, 4, "MLPlayOptions", "MLWorkOptions");
    let bias = ROWS.lines().nth(1).unwrap();
    rule("table-missing-operand", &table(&ROWS.replace(bias, ""), ""), 1, "*output*", "{{MLWorkOptions/bias}}");
    rule(
        "table-same-as-nothing",
        &table(&ROWS.replacen("same as=] {{input}}", "same as=] {{inputs}}", 1), ""),
        4,
        "{{inputs}}",
        "{{input}}",
    );
    let limits = table(ROWS, "").replace("X bias; ", "");
    rule("support-limits", &limits, 1, "X input; ", "X input; X bias; ");
}

#[test]
fn tables_and_steps() {
    let check = format!(
        "1. If |input|'s [=MLOperand/dataType=] is not one of its [=/allowed data types=] (according to [this table](#tensor-limits-work)), {THROW}"
    );
    let lines = table(ROWS, &check).lines().position(|line| line == check).unwrap() + 1;
    rule(
        "check-without-effect",
        &table(ROWS, &check),
        lines,
        "{{input}}</td><td>[=/any data type|any=]",
        "{{input}}</td><td>{{MLOperandDataType/\"int8\"}}",
    );
    rule("table-of-another", &table(ROWS, &check.replace("-work)", "-play)")), lines, "-play)", "-work)");
}

#[test]
fn links_and_slots() {
    let text = method("1. Return |input|.{{MLOperand/nonsense}}, |axis| and |options|.");
    rule("broken-link", &text, 17, "MLOperand/nonsense", "MLOperand/x()");
    let interface = method("1. Return |input|'s [=MLGraphBuilder/rank=], |axis| and |options|.");
    rule("wrong-interface", &interface, 17, "MLGraphBuilder/rank", "MLOperand/rank");
    let slot = "<p>It has a slot <dfn attribute for=X>\\[[state]]</dfn>.\n<div algorithm>\nTo <dfn>work</dfn> given |a|:\n1. Return |a|.{{X/[[state]]}}.\n</div>";
    rule("slot-never-set", slot, 1, "1. Return", "1. Set |a|.{{X/[[state]]}} to 1.\n1. Return");
    let written = slot.replace("1. Return |a|.{{X/[[state]]}}.", "1. Set |a|.{{X/[[state]]}} to 1.");
    rule("slot-never-read", &written, 1, "to 1.", "to 1.\n1. Return |a|.{{X/[[state]]}}.");
}

#[test]
fn web_idl_and_decompositions() {
    rule("idl-markup", "<script type=idl>\ninterface {\n</script>", 2, "interface {", "interface X {};");
    let with = |body: &str| {
        method(STEPS)
            + "<pre highlight=\"js\">\n    function work(builder, input, axis) {\n"
            + body
            + "\n    }\n</pre>\n"
    };
    let line = with("").lines().position(|line| line.contains("function work")).unwrap() + 1;
    rule(
        "decomposition-without-result",
        &with("      builder.work(input, axis);"),
        line,
        "      builder",
        "      return builder",
    );
    rule("decomposition-call", &with("      return builder.work(2, axis);"), line + 1, "work(2,", "work(input,");
    rule(
        "decomposition-call",
        &with("      return builder.play(input);"),
        line + 1,
        "builder.play(input)",
        "builder.work(input, axis)",
    );
    rule(
        "decomposition-call",
        &with("      return builder.work(input);"),
        line + 1,
        "work(input);",
        "work(input, axis);",
    );
}

/// All rules have been seen to find something: those in the tests above, and this one, which needs a family of operators.
#[test]
fn families_and_their_tables() {
    let rows = ROWS.replace("[=/any data type|any=]", "{{MLOperandDataType/\"int8\"}}");
    let family = "<div algorithm>\nTo <dfn>work on all</dfn> given |op| and |input|:\n1. If |op| is one of \"work\", \"play\", then:\n    1. If |input|'s [=MLOperand/dataType=] is not {{MLOperandDataType/\"uint8\"}}, then [=exception/throw=] a {{TypeError}}.\n</div>\n";
    let text = table(&rows, "") + family;
    let line = text.lines().position(|line| line.contains("\"uint8\"")).unwrap() + 1;
    rule("table-and-steps", &text, line, "\"uint8\"", "\"int8\"");
}

/// What each rule finds in the pinned revision. Every finding is triaged in SPEC_ISSUES.md.
#[test]
fn what_is_found_in_the_specification_is_known() {
    let Some(path) = paths::beside("shared/spec/webnn-c515210.bs") else { return };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (rule, _) in found(&std::fs::read_to_string(path).unwrap()) {
        *counts.entry(rule).or_default() += 1;
    }
    let ledger = std::fs::read_to_string(paths::above(1).join("SPEC_ISSUES.md")).unwrap();
    for (rule, count) in counts {
        let row = ledger.lines().find(|line| line.starts_with(&format!("| `{rule}` | {count} |")));
        assert!(row.is_some(), "SPEC_ISSUES.md has no row `{rule}` with {count} findings: triage them");
    }
}

/// Our own prose is read as a program too.
#[test]
fn nothing_is_found_in_the_proposals() {
    let mut proposals = 0;
    for entry in std::fs::read_dir(paths::above(0).join("proposals")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let findings: Vec<String> =
            lint(&Document::parse(&text).unwrap(), &text).iter().map(|finding| finding.text(&path)).collect();
        assert_eq!(findings, [""; 0]);
        proposals += 1;
    }
    assert!(proposals >= 5, "{proposals}");
}
