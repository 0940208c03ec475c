//! The specification's source, read as a document of algorithms.
//!
//! Bikeshed source is HTML with Markdown in it. What is read here is how it marks algorithms and their steps:
//!
//! - an element with an `algorithm` attribute holds an algorithm, and may hold others;
//! - the first `<dfn>` in it gives the algorithm its name, the interface it is *for*, and its kind;
//! - a line that begins with a number and a full stop is a step. Its own number means nothing, as in Markdown: its
//!   place does, and its indentation, which is uneven, says only what it is nested in;
//! - everything else between two steps (cases of a switch, notes, issues) belongs to the step before it.
//!
//! and beside them the definitions, the tables of tensor limits, the blocks of Web IDL and the decompositions.
//!
//! The stages are small and each can be read alone: `markup` finds the tags, `elements` nests them and finds what
//! belongs to which algorithm, `definition` names it, `steps` numbers its steps. `inline` takes the text of a step apart.

mod blocks;
mod conjugation;
mod definition;
mod elements;
mod error;
pub mod inline;
mod lines;
mod markup;
mod steps;
mod table;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use blocks::{Decomposition, IdlBlock, Script};
pub use conjugation::{canonical, is_same_term};
pub use definition::Definition;
pub use error::{BikeshedError, Problem, ReadError};
pub use table::{Cell, Row, Table};

use crate::step_path::StepPath;

/// Files beyond this size are no specification; WebNN's own is a hundredth of it.
const MAX_BYTES: u64 = 64 << 20;

/// A document in Bikeshed's form: the specification, or a proposal to change it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its algorithms, in the order in which they begin.
    pub algorithms: Vec<Algorithm>,
    /// What it puts into algorithms of another document, if it is a proposal.
    pub amendments: Vec<Amendment>,
    /// All that it defines.
    pub definitions: Vec<Definition>,
    /// Its tables of tensor limits.
    pub tables: Vec<Table>,
    /// Its blocks of Web IDL.
    pub idl: Vec<IdlBlock>,
    /// What operators are made of, in JavaScript.
    pub decompositions: Vec<Decomposition>,
    /// Its blocks of JavaScript with functions of a builder, in order: decompositions, and what those use.
    pub scripts: Vec<Script>,
    /// What could be read in part only.
    pub problems: Vec<Problem>,
}

/// What an algorithm is defined to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A method of an interface.
    Method,
    /// A constructor of an interface.
    Constructor,
    /// The getter of an attribute.
    Attribute,
    /// An operation that only the specification itself refers to.
    Concept,
}

/// An algorithm of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// What it is defined for: an interface, or for a concept whatever namespace the author chose.
    pub defined_for: Option<String>,
    /// The defined term as the source has it, less the bars around variables. [`Algorithm::name`] is what code uses.
    pub term: String,
    /// Other texts that link to it.
    pub aliases: Vec<String>,
    /// What it is defined to be.
    pub kind: Kind,
    /// The element that holds it, such as `details`.
    pub element: String,
    /// The line on which it begins.
    pub line: usize,
    /// The line on which it ends.
    pub end_line: usize,
    /// Its text before the first step: all of it, if there are no steps.
    pub preamble: Vec<Line>,
    /// Its steps, outer ones before those inside them.
    pub steps: Vec<Step>,
}

/// Steps that a proposal puts into an algorithm of the specification:
/// `<div algorithm amends="MLContext.dispatch(graph, inputs, outputs)" after=2>`, or `before=3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amendment {
    /// The algorithm.
    pub algorithm: String,
    /// The step of it behind which they come, in the same list; its last number is 0 where they come first.
    pub after: StepPath,
    /// The step that says where: the same, or the one behind them.
    pub next_to: StepPath,
    /// The steps.
    pub steps: Vec<Step>,
    /// The line on which the amendment begins.
    pub line: usize,
}

/// A step of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its place among the steps.
    pub path: StepPath,
    /// The line on which it begins.
    pub line: usize,
    /// What it says, less the number in front.
    pub text: String,
    /// What stands between it and the next step: cases of a switch, notes, issues.
    pub attached: Vec<Line>,
    /// How it stands to being aborted.
    pub flow: Flow,
    /// How far it is indented.
    pub column: usize,
}

/// How a step stands to being aborted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flow {
    /// Not at all.
    #[default]
    Plain,
    /// Its sub-steps are run, *but aborted when* a condition holds.
    CanBeAborted,
    /// It says what to do *if* the step before it was *aborted*.
    IsAboutAbortion,
}

/// Text that stands in a document, without the white space around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The number of the line, from 1.
    pub number: usize,
    /// What is on it.
    pub text: String,
    /// Whether it is part of a note, an issue or the like, which changes nothing of what an algorithm does.
    pub is_remark: bool,
}

impl Document {
    /// Reads a document from a file.
    ///
    /// # Errors
    /// If the file can not be read, is not text, or [`Document::parse`] fails.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::read_with_text(path).map(|(document, _)| document)
    }

    /// Reads a document from a file, and returns its source too, with the line ends of [`with_line_feeds`].
    ///
    /// # Errors
    /// As [`Document::read`].
    pub fn read_with_text(path: &Path) -> Result<(Self, String), ReadError> {
        let error = |source| ReadError { path: path.to_owned(), source };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|source| error(source.into()))?;
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|source| error(source.into()))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(error(BikeshedError::TooLarge { megabytes: MAX_BYTES >> 20 }));
        }
        let text = String::from_utf8(bytes).map_err(|source| error(BikeshedError::not_text(source.utf8_error())))?;
        let document = Self::parse(&text).map_err(error)?;
        Ok((document, with_line_feeds(&text).into_owned()))
    }

    /// Reads a document from its source, whatever ends its lines.
    ///
    /// # Errors
    /// If the markup breaks off, or an algorithm has no name: whatever would silently hide algorithms or steps.
    pub fn parse(text: &str) -> Result<Self, BikeshedError> {
        if let Some(offset) = text.find('\0') {
            return Err(BikeshedError::NotText { offset });
        }
        let text = &*with_line_feeds(text);
        let lines = lines::Lines::of(text);
        let markup = markup::scan(text, &lines)?;
        let nesting = elements::nest(text, &markup)?;
        let definitions = definition::find(text, &markup, &nesting);
        let names = definition::of_algorithms(&definitions, &markup, &nesting)?;
        let bodies = steps::read(text, &lines, &markup, &nesting)?;
        let algorithm = |((region, definition), body): ((&elements::Region, Definition), steps::Body)| {
            let tag = &markup.tags[region.tag];
            Algorithm {
                defined_for: definition.defined_for.first().cloned(),
                kind: definition.kind_of_algorithm(),
                aliases: definition.aliases,
                term: definition.term,
                element: tag.name.clone(),
                line: tag.line,
                end_line: lines.number_at(region.end),
                preamble: body.preamble,
                steps: body.steps,
            }
        };
        let mut problems = Vec::new();
        let mut amendments = Vec::new();
        let mut algorithms = Vec::new();
        for part in nesting.regions.iter().zip(names).zip(bodies) {
            let tag = &markup.tags[part.0.0.tag];
            let amended = tag.attribute("amends").map(|name| amendment(tag, name, &part.1));
            match amended {
                None => algorithms.push(algorithm(part)),
                Some(Ok(amendment)) => amendments.push(amendment),
                Some(Err(what)) => problems.push(Problem { line: tag.line, what }),
            }
        }
        let tables = table::read(text, &markup, &mut problems);
        let idl = blocks::idl(text, &lines, &markup);
        let is_method = |name: &str| algorithms.iter().any(|algorithm| algorithm.method() == Some(name));
        let decompositions = blocks::decompositions(text, &lines, &markup, is_method);
        let scripts = blocks::scripts(text, &lines, &markup);
        Ok(Self { algorithms, amendments, definitions, tables, idl, decompositions, scripts, problems })
    }

    /// The text of all its Web IDL.
    pub fn web_idl(&self) -> String {
        self.idl.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The algorithm of this name, if there is one; the first, if there are several.
    pub fn algorithm(&self, name: &str) -> Option<&Algorithm> {
        self.algorithms.iter().find(|algorithm| algorithm.name() == name)
    }
}

/// A text whose lines end with line feeds alone, as HTML has it: how a copy was saved is no part of what it says.
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// What a proposal puts into an algorithm.
fn amendment(tag: &markup::Tag, name: &str, body: &steps::Body) -> Result<Amendment, String> {
    let place = tag.attribute("before").or(tag.attribute("after"));
    let place = place.ok_or("an amendment says after=STEP or before=STEP, where its steps come")?;
    let next_to: StepPath = place.parse().map_err(|error: crate::StepPathError| error.to_string())?;
    let after = if tag.attribute("before").is_some() { next_to.before() } else { next_to.clone() };
    Ok(Amendment { algorithm: name.trim().to_owned(), after, next_to, steps: body.steps.clone(), line: tag.line })
}

impl Algorithm {
    /// The name by which code refers to the algorithm.
    ///
    /// Members of an interface are written as script would, `MLContext.destroy()`; concepts as Bikeshed links to them,
    /// `MLGraphBuilder/validate operand`, or bare if they are defined for nothing.
    pub fn name(&self) -> String {
        let term = self.term.replace("{{", "").replace("}}", "");
        match (&self.defined_for, self.kind) {
            (None, _) => term,
            (Some(defined_for), Kind::Concept) => format!("{defined_for}/{term}"),
            (Some(defined_for), _) => format!("{defined_for}.{term}"),
        }
    }

    /// The name of the method that it is, without its parameters.
    pub fn method(&self) -> Option<&str> {
        if self.kind == Kind::Method { self.term.split('(').next() } else { None }
    }

    /// The exceptions that its steps name, in alphabetical order.
    pub fn exceptions(&self) -> BTreeSet<&'static str> {
        self.steps.iter().flat_map(Step::exceptions).collect()
    }
}

impl Step {
    /// The exceptions that the step names, each as often as it does.
    pub fn exceptions(&self) -> impl Iterator<Item = &'static str> {
        const NAMES: [&str; 8] = [
            "TypeError",
            "InvalidStateError",
            "SecurityError",
            "NotSupportedError",
            "OperationError",
            "UnknownError",
            "NotFoundError",
            "QuotaExceededError",
        ];
        let links = self.text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}"));
        links.filter_map(|(link, _)| NAMES.into_iter().find(|name| *name == link))
    }

    /// What it says, with the cases of a switch and without notes: all of it that has to be done.
    pub fn instructions(&self) -> impl Iterator<Item = &str> {
        let attached = self.attached.iter().filter(|line| !line.is_remark).map(|line| line.text.as_str());
        std::iter::once(self.text.as_str()).chain(attached)
    }
}

impl Flow {
    /// How a step with this text stands to being aborted.
    fn of(text: &str) -> Self {
        let links_to = |term: &str| {
            inline::parts(text).iter().any(|part| match part {
                inline::Inline::Link(link) => link.term.eq_ignore_ascii_case(term),
                inline::Inline::Text(_) | inline::Inline::Variable(_) | inline::Inline::Code(_) => false,
            })
        };
        if links_to("abort when") {
            Self::CanBeAborted
        } else if links_to("if aborted") {
            Self::IsAboutAbortion
        } else {
            Self::Plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWITCH: &str = "\
<details open algorithm>
  <summary>
    The <dfn method for=Machine>run(|coin|, |options|)</dfn> method steps are:
  </summary>
    1. If |coin| is bent, then [=exception/throw=] a {{TypeError}}.
    1. Switch on |coin|:
        <dl class=switch>
            : small
            :: Do nothing.
            : large
            ::
                1. Give change,
                    all of it.
                1. Thank.
        </dl>
       1. *Make things:*
        1. Make one.

            Note: Only one.

    1. Return.
</details>
";

    fn paths(algorithm: &Algorithm) -> Vec<(String, usize)> {
        algorithm.steps.iter().map(|step| (step.path.to_string(), step.line)).collect()
    }

    #[test]
    fn steps_are_numbered_by_position_and_nested_by_indentation() {
        let document = Document::parse(SWITCH).unwrap();
        let [algorithm] = document.algorithms.as_slice() else { panic!("{document:?}") };
        assert_eq!(algorithm.name(), "Machine.run(coin, options)");
        assert_eq!((algorithm.kind, algorithm.element.as_str()), (Kind::Method, "details"));
        assert_eq!((algorithm.line, algorithm.end_line), (1, 22));
        let expected = [("1", 5), ("2", 6), ("2.1", 12), ("2.2", 14), ("2.3", 16), ("2.3.1", 17), ("3", 21)];
        assert_eq!(paths(algorithm), expected.map(|(path, line)| (path.to_owned(), line)));
        assert_eq!(algorithm.exceptions().into_iter().collect::<Vec<_>>(), ["TypeError"]);
    }

    #[test]
    fn what_stands_between_steps_belongs_to_the_one_before() {
        let document = Document::parse(SWITCH).unwrap();
        let steps = &document.algorithms[0].steps;
        assert_eq!(steps[2].text, "Give change, all of it.");
        let line = |number, text: &str, is_remark| Line { number, text: text.to_owned(), is_remark };
        assert_eq!(steps[1].attached[0], line(7, "<dl class=switch>", false));
        assert_eq!(steps[3].attached, [line(15, "</dl>", false)]);
        assert_eq!(steps[5].attached, [line(19, "Note: Only one.", true)]);
        assert_eq!(steps[5].instructions().collect::<Vec<_>>(), ["Make one."]);
        assert_eq!(document.algorithms[0].preamble.len(), 3);
    }

    #[test]
    fn algorithms_nest_and_notes_have_no_steps() {
        let source = "\
<details algorithm=outer>
To <dfn>do the outer</dfn>:
1. One.
<details class=note>
1. Not a step.
</details>
<div algorithm>
The <dfn>Inner</dfn>(|x|) steps are:
1. Inner one.
</div>
1. Two.
<pre>
1. Not a step.
</pre>
<!--
1. Not a step.
-->
</details>
<p algorithm>One <dfn for=list>equals</dfn> another.</p>
";
        let document = Document::parse(source).unwrap();
        let names: Vec<_> = document.algorithms.iter().map(Algorithm::name).collect();
        assert_eq!(names, ["do the outer", "Inner", "list/equals"]);
        assert_eq!(paths(&document.algorithms[0]), [("1".into(), 3), ("2".into(), 11)]);
        assert_eq!(paths(&document.algorithms[1]), [("1".into(), 9)]);
        assert_eq!(document.algorithms[2].preamble[0].text, "One <dfn for=list>equals</dfn> another.");
    }

    #[test]
    fn links_say_what_is_aborted() {
        let source = "\
<div algorithm><dfn>x</dfn>
1. Run these, but [=/abort when=] it rains:
    1. Dance.
1. [=/If aborted=], then stop.
</div>";
        let document = Document::parse(source).unwrap();
        let steps = &document.algorithms[0].steps;
        assert_eq!(
            steps.iter().map(|step| step.flow).collect::<Vec<_>>(),
            [Flow::CanBeAborted, Flow::Plain, Flow::IsAboutAbortion]
        );
    }

    #[test]
    fn what_would_hide_algorithms_is_an_error() {
        let error = |source: &str| Document::parse(source).unwrap_err().to_string();
        assert_eq!(error("x\n<details algorithm><dfn>x</dfn>"), "line 2: <details algorithm> is never closed");
        assert_eq!(error("\n\n<pre>\n<div algorithm>"), "line 3: <pre> is never closed");
        assert_eq!(error("<!-- x"), "line 1: <!-- is never closed");
        assert_eq!(error("```\nx"), "line 1: ``` is never closed");
        assert_eq!(error("<div algorithm></div>"), "line 1: <div algorithm> has no name: there is no <dfn> in it");
        assert_eq!(error("x\0"), "this is not text (there is a strange byte at 1)");
    }
}
