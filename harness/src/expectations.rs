//! Known failures: which vectors are expected not to pass, why, and where that is discussed.
//!
//! One file for each kind of implementation. A vector that fails without being listed is unexpected, and so is one that
//! passes although it is listed.

use std::path::Path;

use serde::Deserialize;
use webnn_vectors::Vector;

use crate::failure::Failure;
use crate::judge::Outcome;

/// The expectations of one kind of implementation.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expectations {
    #[serde(default, rename = "expectation")]
    entries: Vec<Entry>,
    /// What to do about one that no longer holds.
    #[serde(skip)]
    pub(crate) remedy: String,
}

/// Vectors that are expected not to pass, all for one reason.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Their ids (FILE/NAME).
    #[serde(default)]
    vectors: Vec<String>,
    /// Those of others that the program does not carry, such as those of web-platform-tests.
    #[serde(default)]
    elsewhere: Vec<String>,
    /// What is expected of them.
    outcome: Expected,
    /// Why.
    pub(crate) reason: String,
    /// Where that is shown or discussed.
    pub(crate) link: String,
    /// Only on adapters of which this is a fact, such as "flushes float32 subnormals".
    #[serde(default)]
    fact: Option<String>,
    /// Only where no operator of the vector is given an argument of this name: of older vectors, whose names are those of
    /// newer ones that give it.
    #[serde(default)]
    without: Option<String>,
}

impl Entry {
    fn all(&self) -> impl Iterator<Item = &str> {
        self.vectors.iter().chain(&self.elsewhere).map(String::as_str)
    }
}

/// An outcome that can be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    Failed,
    Errored,
}

/// The expectations that the program carries, a file for each kind of implementation.
const CARRIED: [(&str, &str); 4] = [
    ("browser", include_str!("../expectations/browser.toml")),
    ("onnxruntime", include_str!("../expectations/onnxruntime.toml")),
    ("reference", include_str!("../expectations/reference.toml")),
    ("wgpu", include_str!("../expectations/wgpu.toml")),
];

impl Expectations {
    /// Those of a kind of implementation: from `folder`, or those that the program carries.
    ///
    /// # Errors
    /// A file that can not be read, or that is no file of expectations.
    pub(crate) fn load(kind: &str, folder: Option<&Path>) -> Result<Self, Failure> {
        let (name, text) = match folder {
            Some(folder) => {
                check_folder(folder)?;
                let path = folder.join(format!("{kind}.toml"));
                let name = path.display().to_string();
                if !path.exists() {
                    return Ok(Self::default());
                }
                let text = std::fs::read_to_string(&path);
                (name.clone(), text.map_err(|error| Failure::Data(format!("{name}: {error}")))?)
            }
            None => (format!("the expectations of {kind}"), carried(kind).to_owned()),
        };
        let mut expectations: Self =
            toml::from_str(&text).map_err(|error| Failure::Data(format!("{name}: {error}")))?;
        expectations.remedy = match folder {
            Some(_) => format!("take it off {name}"),
            None => format!(
                "take it off harness/expectations/{kind}.toml, which the program carries for what is called {kind}; or, if yours \
                 is another, call it otherwise: -i NAME=cmd:..."
            ),
        };
        for entry in &expectations.entries {
            if entry.reason.trim().is_empty() || entry.link.trim().is_empty() {
                return Err(Failure::Data(format!(
                    "{name}: an expectation of {:?} has no reason or link",
                    entry.all().collect::<Vec<_>>()
                )));
            }
            if entry.all().next().is_none() {
                return Err(Failure::Data(format!(
                    "{name}: an expectation names no vectors; its reason: {}",
                    entry.reason
                )));
            }
        }
        Ok(expectations)
    }

    /// All kinds of implementations that have expectations, in `folder` or carried by the program.
    ///
    /// # Errors
    /// If the folder can not be read.
    pub(crate) fn kinds(folder: Option<&Path>) -> Result<Vec<String>, Failure> {
        let Some(folder) = folder else {
            return Ok(CARRIED.iter().map(|(kind, _)| (*kind).to_owned()).collect());
        };
        let wrong = |error: std::io::Error| Failure::Data(format!("{}: {error}", folder.display()));
        let paths = std::fs::read_dir(folder).map_err(wrong)?.map(|entry| entry.map(|entry| entry.path()));
        let paths = paths.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let files = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
        let mut kinds: Vec<String> =
            files.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
        kinds.sort();
        Ok(kinds)
    }

    /// The ids of the vectors that are listed, and whether they are of those that the program does not carry.
    pub(crate) fn listed(&self) -> impl Iterator<Item = (&str, bool)> {
        let own = self.entries.iter().flat_map(|entry| &entry.vectors).map(|id| (id.as_str(), false));
        own.chain(self.entries.iter().flat_map(|entry| &entry.elsewhere).map(|id| (id.as_str(), true)))
    }

    /// The entry for a vector, on an adapter of which these are facts; `has` says whether an operator of it is given an argument
    /// of this name.
    pub(crate) fn of(&self, vector: &str, has: impl Fn(&str) -> bool, facts: &[String]) -> Option<&Entry> {
        self.entries.iter().find(|entry| {
            let is_listed = entry.all().any(|listed| listed == vector);
            let is_adapter = entry.fact.as_ref().is_none_or(|fact| facts.contains(fact));
            is_listed && is_adapter && !entry.without.as_deref().is_some_and(&has)
        })
    }
}

/// A folder that is not there is a mistake and not an absence of failures.
fn check_folder(folder: &Path) -> Result<(), Failure> {
    std::fs::read_dir(folder).map(drop).map_err(|error| Failure::Data(format!("{}: {error}", folder.display())))
}

/// What is expected of a vector under the specification's text as it is written: one that carries a `literal` member goes
/// differently there.
pub(crate) fn under_the_literal_text(vector: &str, issue: &str) -> Entry {
    Entry {
        vectors: vec![vector.to_owned()],
        elsewhere: vec![],
        outcome: Expected::Failed,
        reason: format!("the text as it is written, {issue}"),
        link: format!("SPEC_ISSUES.md#{issue}"),
        fact: None,
        without: None,
    }
}

/// Whether an operator of a vector is given an argument of this name.
pub(crate) fn has_argument(vector: &Vector, name: &str) -> bool {
    let mut operators = vector.graph().into_iter().flat_map(|graph| &graph.operators);
    operators.any(|operator| operator.argument(name).is_some())
}

/// Those that the program carries; nothing for an implementation that it does not know.
fn carried(kind: &str) -> &'static str {
    CARRIED.iter().find(|(known, _)| *known == kind).map(|(_, text)| *text).unwrap_or_default()
}

/// Whether an outcome is as expected, given the entry for its vector.
pub(crate) fn is_expected(outcome: &Outcome, entry: Option<&Entry>) -> bool {
    match (outcome, entry.map(|entry| entry.outcome)) {
        (Outcome::Passed { .. }, expected) => expected.is_none(),
        (Outcome::Failed(_), expected) => expected == Some(Expected::Failed),
        (Outcome::Errored(_), expected) => expected == Some(Expected::Errored),
        (Outcome::Skipped(_) | Outcome::Open { .. }, _) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_that_gives_the_argument_is_another_one() {
        let text = "[[expectation]]\nvectors = [\"softmax/it\"]\nwithout = \"axis\"\noutcome = \"failed\"\n\
                    reason = \"why\"\nlink = \"where\"\n";
        let known: Expectations = toml::from_str(text).expect("an expectation");
        let vector = |arguments: &str| {
            let x = "{\"descriptor\": {\"dataType\": \"float32\", \"shape\": [1, 1]}, \"data\": [1]}";
            let text = format!(
                "{{\"source\": \"a test\", \"tests\": [{{\"name\": \"it\", \"graph\": {{\"inputs\": {{\"x\": {x}}}, \
                 \"operators\": [{{\"name\": \"softmax\", \"arguments\": [{arguments}], \"outputs\": \"y\"}}], \
                 \"expectedOutputs\": {{\"y\": {x}}}}}}}]}}"
            );
            let loaded = webnn_vectors::Loader::new().text("softmax.json", "softmax", text.as_bytes());
            loaded.expect("a file of vectors").vectors.remove(0)
        };
        let known = |arguments: &str| known.of("softmax/it", |name| has_argument(&vector(arguments), name), &[]);
        assert!(known("{\"input\": \"x\"}").is_some());
        assert!(known("{\"input\": \"x\"}, {\"axis\": 1}").is_none());
    }
}
