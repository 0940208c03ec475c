//! A document, prepared for the rules: parameters with their types, and steps taken apart.

use crate::bikeshed::inline::{self, Inline, Link, LinkKind};
use crate::bikeshed::{Algorithm, Document, Kind, Step, canonical};
use crate::idl::{Idl, Method};

use super::Finding;

/// A document.
pub(super) struct Prepared<'a> {
    pub(super) document: &'a Document,
    /// Its source.
    pub(super) text: &'a str,
    pub(super) idl: Idl,
    pub(super) algorithms: Vec<Prose<'a>>,
    /// What it puts into algorithms of another document.
    amended: Vec<Sentence<'a>>,
}

/// An algorithm.
pub(super) struct Prose<'a> {
    pub(super) algorithm: &'a Algorithm,
    pub(super) name: String,
    /// What all forms of a link to it have in common.
    terms: Vec<String>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) steps: Vec<Sentence<'a>>,
    /// What comes before its steps.
    pub(super) preamble: String,
}

/// A parameter.
pub(super) struct Parameter {
    pub(super) name: String,
    /// Its type, as far as the prose or the Web IDL says.
    pub(super) type_: Option<String>,
    pub(super) is_optional: bool,
}

/// A step.
pub(super) struct Sentence<'a> {
    pub(super) step: &'a Step,
    /// What has to be done, as the source has it.
    pub(super) text: String,
    pub(super) parts: Vec<Inline>,
}

impl<'a> Prepared<'a> {
    pub(super) fn of(document: &'a Document, text: &'a str) -> Self {
        let idl = Idl::of(document);
        let algorithms = document.algorithms.iter().map(|algorithm| Prose::of(algorithm, &idl)).collect();
        let amended = document.amendments.iter().flat_map(|amendment| &amendment.steps).map(Sentence::of).collect();
        Self { document, text, idl, algorithms, amended }
    }

    /// All steps.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Sentence<'a>> {
        self.algorithms.iter().flat_map(|prose| &prose.steps).chain(&self.amended)
    }

    /// The abstract operation that a link is to.
    pub(super) fn target(&self, link: &Link) -> Option<&Prose<'a>> {
        if link.kind == LinkKind::Idl {
            return None;
        }
        let is_for = |prose: &Prose<'_>| match (&link.defined_for, &prose.algorithm.defined_for) {
            (Some(link), Some(algorithm)) => link == algorithm,
            (Some(link), None) => link.is_empty(),
            (None, _) => true,
        };
        let term = canonical(&link.term);
        let is_called = |prose: &Prose<'_>| prose.terms.contains(&term);
        let mut concepts = self.algorithms.iter().filter(|prose| prose.algorithm.kind == Kind::Concept);
        concepts.find(|prose| is_for(prose) && is_called(prose))
    }

    /// The lines of the source that are not code, with their numbers.
    pub(super) fn prose_lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let mut is_code = false;
        self.text.lines().enumerate().filter_map(move |(index, line)| {
            is_code |= ["<pre", "<script", "<style", "<xmp"].iter().any(|tag| line.contains(tag));
            let is_prose = !is_code;
            is_code &= !["</pre>", "</script>", "</style>", "</xmp>"].iter().any(|tag| line.contains(tag));
            is_prose.then_some((index + 1, line))
        })
    }

    /// The methods of a builder that do not leave everything to another algorithm.
    pub(super) fn builder_methods(&self) -> impl Iterator<Item = &Prose<'a>> {
        self.algorithms.iter().filter(|prose| {
            prose.algorithm.kind == Kind::Method && prose.algorithm.defined_for.as_deref() == Some("MLGraphBuilder")
        })
    }

    /// The algorithms that an algorithm calls, and those that they call.
    pub(super) fn called<'p>(&'p self, prose: &'p Prose<'a>) -> Vec<&'p Prose<'a>> {
        let mut called: Vec<&Prose<'a>> = vec![prose];
        let mut next = 0;
        while next < called.len() {
            let targets = called[next].links().filter_map(|(_, link)| self.target(link));
            for target in targets.collect::<Vec<_>>() {
                if !called.iter().any(|known| std::ptr::eq(*known, target)) {
                    called.push(target);
                }
            }
            next += 1;
        }
        called.split_off(1)
    }
}

impl<'a> Prose<'a> {
    fn of(algorithm: &'a Algorithm, idl: &Idl) -> Self {
        let preamble: Vec<&str> =
            algorithm.preamble.iter().filter(|line| !line.is_remark).map(|line| line.text.as_str()).collect();
        let preamble = preamble.join(" ");
        let parameters = match declared(idl, algorithm) {
            Some(method) => method.parameters.iter().map(Parameter::from).collect(),
            None => parameters(algorithm, &preamble),
        };
        let steps = algorithm.steps.iter().map(Sentence::of).collect();
        let terms = std::iter::once(&algorithm.term).chain(&algorithm.aliases);
        let terms = terms.map(|term| canonical(&inline::plain(term))).collect();
        Self { algorithm, name: algorithm.name(), terms, parameters, steps, preamble }
    }

    /// The links of all its steps.
    pub(super) fn links(&self) -> impl Iterator<Item = (&Sentence<'a>, &Link)> {
        self.steps.iter().flat_map(|sentence| sentence.links().map(move |link| (sentence, link)))
    }

    /// The steps right inside a step.
    pub(super) fn inside<'p>(&'p self, outer: &'p Sentence<'a>) -> impl Iterator<Item = &'p Sentence<'a>> {
        self.steps.iter().filter(|sentence| sentence.step.path.is_inside(&outer.step.path))
    }

    /// The step behind one, in the same list.
    pub(super) fn next<'p>(&'p self, sentence: &Sentence<'a>) -> Option<&'p Sentence<'a>> {
        self.steps.iter().find(|other| other.step.path.follows(&sentence.step.path))
    }

    /// Whether two steps belong to different cases of a switch.
    pub(super) fn is_other_case(&self, earlier: &Sentence<'_>, later: &Sentence<'_>) -> bool {
        let between = self.steps.iter().filter(|it| (earlier.step.line..later.step.line).contains(&it.step.line));
        between.flat_map(|it| &it.step.attached).any(|line| line.text.starts_with(": ") || line.text.starts_with("<dt"))
    }

    pub(super) fn finding(&self, rule: &'static str, sentence: &Sentence<'_>, what: String) -> Finding {
        let subject = format!("{} step {}", self.name, sentence.step.path);
        Finding { line: sentence.step.line, rule, subject, what }
    }

    pub(super) fn finding_at_its_beginning(&self, rule: &'static str, what: String) -> Finding {
        Finding { line: self.algorithm.line, rule, subject: self.name.clone(), what }
    }
}

impl<'a> Sentence<'a> {
    fn of(step: &'a Step) -> Self {
        let text: Vec<&str> = step.instructions().collect();
        let text = text.join(" ");
        Self { step, parts: inline::parts(&text), text }
    }
}

impl Sentence<'_> {
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.parts.iter().filter_map(|part| match part {
            Inline::Link(link) => Some(link),
            Inline::Text(_) | Inline::Variable(_) | Inline::Code(_) => None,
        })
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Inline::Variable(name) => Some(name.as_str()),
            Inline::Text(_) | Inline::Link(_) | Inline::Code(_) => None,
        })
    }

    /// Whether it links to a term, which may be conjugated.
    pub(super) fn links_to(&self, term: &str) -> bool {
        self.links().any(|link| link.kind == LinkKind::Term && link.is_to(term))
    }

    /// Whether it reads or names a member: `options.bias`.
    pub(super) fn names_member(&self, variable: &str, member: &str) -> bool {
        self.parts.windows(3).any(|parts| match parts {
            [Inline::Variable(name), Inline::Text(dot), Inline::Link(link)] => {
                name == variable && matches!(dot.as_str(), "." | "[\"" | "'s ") && link.term == member
            }
            _ => false,
        })
    }

    /// What a reader sees.
    pub(super) fn plain(&self) -> String {
        inline::plain(&self.text)
    }

    /// Whether it throws, or rejects a promise.
    pub(super) fn refuses(&self) -> bool {
        self.links_to("throw") || self.links_to("reject")
    }
}

fn declared<'i>(idl: &'i Idl, algorithm: &Algorithm) -> Option<&'i Method> {
    let interface = idl.interface(algorithm.defined_for.as_deref()?)?;
    let is_it = |method: &&Method| match algorithm.kind {
        Kind::Method => method.signature() == algorithm.term,
        Kind::Constructor => method.name == "constructor",
        Kind::Attribute | Kind::Concept => false,
    };
    interface.methods.iter().find(is_it)
}

/// The parameters that the text before the steps gives a name, with the type that stands in front of it.
fn parameters(algorithm: &Algorithm, preamble: &str) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    let mut type_ = None;
    let mut is_optional = false;
    for part in inline::parts(preamble) {
        match part {
            Inline::Link(link) => type_ = Some(link.term),
            Inline::Text(text) => is_optional |= text.contains("optional"),
            Inline::Code(_) => {}
            Inline::Variable(name) => {
                if !parameters.iter().any(|known| known.name == name) {
                    let is_method = algorithm.kind == Kind::Method;
                    let type_ = type_.take().filter(|_| !is_method);
                    parameters.push(Parameter { name, type_, is_optional });
                }
                is_optional = false;
            }
        }
    }
    parameters
}

impl From<&crate::idl::Field> for Parameter {
    fn from(field: &crate::idl::Field) -> Self {
        let is_optional = field.keyword.as_deref() == Some("optional");
        Self { name: field.name.clone(), type_: Some(field.type_.clone()), is_optional }
    }
}
