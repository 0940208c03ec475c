//! Which vectors: from files and folders or from the binary itself, and filtered.

use std::path::PathBuf;

use clap::Args;
use webnn_reference::ops;
use webnn_vectors::{Kind, LoadError, Loader, Source, Vector, VectorFile};

use crate::failure::Failure;
use crate::roster::Roster;
use crate::shown::is_called;
use crate::signatures::signature;

/// Which vectors to take.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Selection {
    /// Files and folders of vectors (JSON). Without any, the vectors that this program carries are taken.
    pub(crate) paths: Vec<PathBuf>,

    /// Take only vectors whose id (FILE/NAME) contains this text. May be given several times: any of them.
    #[arg(long, short = 'f', value_name = "TEXT")]
    pub(crate) filter: Vec<String>,

    /// Take only graph vectors that use no other operators than these, such as `add,conv2d`; `implemented` stands for
    /// all that the reference implements.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) operators: Vec<String>,
}

impl Selection {
    /// Loads and filters.
    ///
    /// # Errors
    /// A file that can not be read or is no file of vectors, an unknown operator, or no vector at all.
    pub(crate) fn load(&self) -> Result<Vec<VectorFile>, Failure> {
        let operators = self.operators()?;
        let loader = Loader::with_signatures(&signature);
        let loaded = if self.paths.is_empty() { loader.embedded() } else { loader.paths(&self.paths) };
        let mut files = loaded.map_err(of_loading)?;
        for file in &mut files {
            file.vectors.retain(|vector| self.takes(vector, operators.as_deref()));
        }
        files.retain(|file| !file.vectors.is_empty());
        if files.is_empty() { Err(nothing_is_selected()) } else { Ok(files) }
    }

    /// Finds out which vectors there are, and looks each over, without keeping them.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub(crate) fn roster(&self) -> Result<Roster, Failure> {
        let operators = self.operators()?;
        let loader = Loader::with_signatures(&signature);
        let mut roster = Roster::default();
        for source in self.sources()? {
            roster.add(&loader, source, |vector| self.takes(vector, operators.as_deref())).map_err(of_loading)?;
        }
        if roster.is_empty() { Err(nothing_is_selected()) } else { Ok(roster) }
    }

    fn sources(&self) -> Result<Vec<Source>, Failure> {
        let sources = if self.paths.is_empty() { Source::embedded() } else { Source::of_paths(&self.paths) };
        sources.map_err(of_loading)
    }

    /// The files and folders that were named.
    pub(crate) fn named(&self) -> Vec<String> {
        self.paths.iter().map(|path| path.display().to_string()).collect()
    }

    fn operators(&self) -> Result<Option<Vec<&str>>, Failure> {
        if self.operators.is_empty() {
            return Ok(None);
        }
        let mut names = Vec::new();
        for name in &self.operators {
            if name == "implemented" {
                names.extend(ops::OPERATORS.iter().map(|row| row.name));
            } else if is_operator_of_the_specification(name) {
                names.push(name);
            } else {
                return Err(Failure::Usage(format!("there is no operator `{name}`; `webnn list operators` shows all")));
            }
        }
        Ok(Some(names))
    }

    fn takes(&self, vector: &Vector, operators: Option<&[&str]>) -> bool {
        let filtered = self.filter.is_empty() || self.filter.iter().any(|text| is_called(&vector.id, text));
        filtered && operators.is_none_or(|operators| uses_only(vector, operators))
    }
}

/// Why vectors can not be loaded.
pub(crate) fn of_loading(error: LoadError) -> Failure {
    match error {
        LoadError::Empty { .. } => Failure::NothingToRun(error.to_string()),
        error => Failure::Data(error.to_string()),
    }
}

fn nothing_is_selected() -> Failure {
    Failure::NothingToRun("no vector is selected; `webnn list vectors` shows what there is".into())
}

fn uses_only(vector: &Vector, operators: &[&str]) -> bool {
    vector.graph().is_some_and(|graph| graph.operators.iter().all(|used| operators.contains(&used.name.as_str())))
}

/// Whether the specification has an operator of this name.
pub(crate) fn is_operator_of_the_specification(name: &str) -> bool {
    ops::operator(name).is_some()
}

/// What a vector is about, for the rows of a table: its operator; or else its file, with `.json`, so that it is not taken for
/// one.
pub(crate) fn subject(vector: &Vector) -> String {
    let stem = || vector.id.split_once('/').map_or(vector.id.as_str(), |(stem, _)| stem).to_owned() + ".json";
    match &vector.kind {
        Kind::Scenario { .. } => stem(),
        Kind::Graph { graph, .. } | Kind::Negative { graph, .. } => match graph.operators.first() {
            Some(first) if graph.operators.iter().all(|operator| operator.name == first.name) => first.name.clone(),
            _ => stem(),
        },
    }
}
