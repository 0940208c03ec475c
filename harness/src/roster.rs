//! The vectors of a run: which they are, and what they are about. The vectors themselves are loaded when it is their turn, so
//! that a run of any length takes the memory of some thousands of them, of the largest file, and of all their names.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fnv::FnvHasher;
use webnn_vectors::{DataType, Loader, Source, Vector, VectorFile};

use crate::failure::Failure;
use crate::record::About;
use crate::selection::subject;
use crate::signatures::signature;

/// A vector's place in the run.
pub(crate) type Index = usize;

/// How far ahead of the first vector that is not finished vectors are loaded, and so how far one implementation can be ahead of
/// another.
const WINDOW: usize = 512;

/// So many vectors are kept as they were when they were looked over: to load them again would cost a run of ordinary size more
/// than their memory.
const KEPT: usize = 8192;

/// A vector that is not loaded.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Its id, unique in the run.
    pub(crate) id: Box<str>,
    /// The error of the specification's text that it shows, if it shows one.
    pub(crate) literal: Option<Box<str>>,
    subject: usize,
    data_type: Option<DataType>,
    arguments: usize,
    file: usize,
    /// Its place among the vectors of its file.
    place: usize,
}

/// A file of vectors.
#[derive(Clone, Debug)]
struct File {
    source: Source,
    fingerprint: u64,
    /// Its vectors, unless there are too many before.
    kept: Option<Vec<Arc<Vector>>>,
}

/// The vectors of a run, in the order of their files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    entries: Vec<Entry>,
    files: Vec<File>,
    kept: usize,
    subjects: Vec<String>,
    /// The names of the arguments of a vector's operators, for each set of them that there is.
    arguments: Vec<BTreeSet<String>>,
    /// Where the expected values come from.
    pub(crate) origins: BTreeSet<String>,
}

impl Roster {
    /// Adds vectors of a file, whose ids are unique by now; `takes` says which.
    pub(crate) fn add(&mut self, source: Source, file: VectorFile, takes: impl Fn(&Vector) -> bool) {
        let before = self.entries.len();
        for (place, vector) in file.vectors.iter().enumerate().filter(|(_, vector)| takes(vector)) {
            let subject = place_of(&mut self.subjects, subject(vector));
            self.entries.push(Entry {
                id: vector.id.as_str().into(),
                literal: vector.literal.as_ref().map(|literal| literal.issue.as_str().into()),
                subject,
                data_type: About::data_type_of(vector),
                arguments: place_of(&mut self.arguments, arguments(vector)),
                file: self.files.len(),
                place,
            });
        }
        if self.entries.len() > before {
            self.origins.insert(file.source);
            let keeps = self.kept + file.vectors.len() <= KEPT;
            self.kept += file.vectors.len();
            let kept = keeps.then(|| file.vectors.into_iter().map(Arc::new).collect());
            self.files.push(File { source, fingerprint: file.fingerprint, kept });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The id of a vector.
    pub(crate) fn id(&self, index: Index) -> &str {
        &self.entries[index].id
    }

    /// What a vector is about: its operator, or else its file.
    pub(crate) fn subject(&self, index: Index) -> &str {
        &self.subjects[self.entries[index].subject]
    }

    /// Whether an operator of a vector is given an argument of this name.
    pub(crate) fn has_argument(&self, index: Index, name: &str) -> bool {
        self.arguments[self.entries[index].arguments].contains(name)
    }

    /// What a vector is about.
    pub(crate) fn about(&self, entry: &Entry) -> About {
        let data_type = entry.data_type.map(|data_type| data_type.name().to_owned());
        About { subject: self.subjects[entry.subject].clone(), data_type }
    }

    /// Leaves vectors out.
    pub(crate) fn retain(&mut self, keeps: impl FnMut(&Entry) -> bool) {
        self.entries.retain(keeps);
    }

    /// Tells whether another run is of the same vectors: of which files, and of which vectors in them.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = FnvHasher::default();
        for entry in &self.entries {
            hasher.write(entry.id.as_bytes());
            hasher.write_u8(0xFF);
        }
        self.files.iter().for_each(|file| hasher.write_u64(file.fingerprint));
        format!("{:016x}", hasher.finish())
    }

    /// Loads the file of the vector at `from`, with all vectors from there on that are of it.
    fn load(&self, from: Index) -> Result<Vec<(Index, Arc<Vector>)>, Failure> {
        let number = self.entries[from].file;
        let file = &self.files[number];
        let of_file = self.entries[from..].iter().take_while(|entry| entry.file == number).zip(from..);
        if let Some(kept) = &file.kept {
            let taken = of_file.filter_map(|(entry, index)| Some((index, Arc::clone(kept.get(entry.place)?))));
            return Ok(taken.collect());
        }
        let loader = Loader::with_signatures(&signature);
        let loaded = loader.source(&file.source).map_err(|error| Failure::Data(error.to_string()))?;
        if loaded.fingerprint != file.fingerprint {
            let path = &loaded.path;
            return Err(Failure::Data(format!("{path} has changed since the run began; begin the run anew")));
        }
        let mut vectors: Vec<Option<Vector>> = loaded.vectors.into_iter().map(Some).collect();
        let taken = of_file.filter_map(|(entry, index)| {
            let mut vector = vectors.get_mut(entry.place)?.take()?;
            vector.id = entry.id.to_string();
            Some((index, Arc::new(vector)))
        });
        Ok(taken.collect())
    }
}

/// Where something is in a list of what occurs often; it is added if it is not there.
fn place_of<T: PartialEq>(known: &mut Vec<T>, one: T) -> usize {
    known.iter().rposition(|known| *known == one).unwrap_or_else(|| {
        known.push(one);
        known.len() - 1
    })
}

/// The names of the arguments of a vector's operators.
fn arguments(vector: &Vector) -> BTreeSet<String> {
    let operators = vector.graph().into_iter().flat_map(|graph| &graph.operators);
    operators.flat_map(|operator| &operator.arguments).map(|argument| argument.name.clone()).collect()
}

/// The vectors at hand: those that are not finished, as far as the window reaches.
#[derive(Debug)]
pub(crate) struct Window {
    roster: Arc<Roster>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    at_hand: BTreeMap<Index, Arc<Vector>>,
    /// The first that was not loaded yet.
    next: Index,
    is_closed: bool,
}

impl Window {
    pub(crate) fn new(roster: Arc<Roster>) -> Self {
        Self { roster, state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A vector, once the window reaches it; none if nobody needs it any more. `waits` is told where that takes waiting for
    /// others.
    ///
    /// # Errors
    /// If its file can not be read any more, or has changed.
    pub(crate) fn get(&self, index: Index, waits: impl Fn()) -> Result<Option<Arc<Vector>>, Failure> {
        let mut state = self.state();
        loop {
            if let Some(vector) = state.at_hand.get(&index) {
                return Ok(Some(Arc::clone(vector)));
            }
            if state.is_closed || index < state.next {
                return Ok(None);
            }
            let first = state.at_hand.first_key_value().map_or(state.next, |(first, _)| *first);
            if index < first + WINDOW {
                let loaded = self.roster.load(state.next)?;
                state.next += loaded.len();
                state.at_hand.extend(loaded);
            } else {
                waits();
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Which vectors are at hand.
    pub(crate) fn at_hand(&self) -> Vec<Index> {
        self.state().at_hand.keys().copied().collect()
    }

    /// Lets go of a vector that nobody needs any more.
    pub(crate) fn finish(&self, index: Index) {
        self.state().at_hand.remove(&index);
        self.changed.notify_all();
    }

    /// Gives nothing out any more: the run has ended.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }
}
