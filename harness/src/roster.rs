//! The vectors of a run: which they are, and what they are about. The vectors themselves are loaded when it is their turn, so
//! that a run of any length takes the memory of some hundreds of them, and of all their names.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use fnv::FnvHasher;
use indexmap::IndexSet;
use webnn_vectors::{DataType, Ids, LoadError, Loader, Source, Vector, VectorFile};

use crate::failure::Failure;
use crate::record::About;
use crate::selection::{of_loading, subject};
use crate::signatures::signature;

/// A vector's place in the run.
pub(crate) type Index = usize;

/// How far ahead of the first vector that is not finished vectors are loaded, and so how far one implementation can be ahead of
/// another.
const WINDOW: usize = 512;

/// How far ahead of what was asked for vectors are loaded.
const AHEAD: usize = 16;

/// The vectors of files of so many bytes are kept as they were when they were looked over: to load them again would cost a run of
/// ordinary size more than their memory.
const KEPT: u64 = 8 << 20;

/// A vector that is not loaded.
#[derive(Clone, Debug)]
struct Entry {
    /// The number of its id.
    id: usize,
    /// Which of the sorts it is of.
    sort: usize,
    file: usize,
    /// Its place among the vectors of its file.
    place: usize,
}

/// What is the same of many vectors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Sort {
    subject: String,
    data_type: Option<DataType>,
    /// The names of the arguments of its operators.
    arguments: BTreeSet<String>,
    /// The error of the specification's text that it shows, if it shows one.
    literal: Option<String>,
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
    ids: Ids,
    entries: Vec<Entry>,
    sorts: IndexSet<Sort>,
    files: Vec<File>,
    /// The bytes of the files whose vectors are kept.
    kept: u64,
    /// Where the expected values come from.
    pub(crate) origins: BTreeSet<String>,
}

impl Roster {
    /// Adds the vectors of a file, once each was looked over; `takes` says which.
    ///
    /// # Errors
    /// If the file can not be read, or something is wrong with it.
    pub(crate) fn add(
        &mut self,
        loader: &Loader<'_>,
        source: Source,
        takes: impl Fn(&Vector) -> bool,
    ) -> Result<(), LoadError> {
        let before = self.entries.len();
        // What can be read only once is kept.
        let length = source.byte_length().unwrap_or(0);
        let mut kept = (self.kept + length <= KEPT).then(Vec::new);
        let file = loader.each(&source, &mut |mut vector| {
            let id = self.ids.make_unique(&mut vector);
            if takes(&vector) {
                let place = kept.as_ref().map_or(vector.index, Vec::len);
                let sort = self.sorts.insert_full(Sort::of(&vector)).0;
                self.entries.push(Entry { id, sort, file: self.files.len(), place });
                if let Some(kept) = &mut kept {
                    kept.push(Arc::new(vector));
                }
            }
            ControlFlow::Continue(())
        })?;
        if let Some(VectorFile { source: origin, fingerprint, .. }) = file
            && self.entries.len() > before
        {
            self.origins.insert(origin);
            self.kept += if kept.is_some() { length } else { 0 };
            self.files.push(File { source: source.unchanged(fingerprint), fingerprint, kept });
        }
        Ok(())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn sort(&self, index: Index) -> &Sort {
        &self.sorts[self.entries[index].sort]
    }

    /// The ids of all vectors, in their order; no two are the same.
    pub(crate) fn ids(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| self.ids.get(entry.id))
    }

    /// The id of a vector.
    pub(crate) fn id(&self, index: Index) -> &str {
        self.ids.get(self.entries[index].id)
    }

    /// What a vector is about: its operator, or else its file.
    pub(crate) fn subject(&self, index: Index) -> &str {
        &self.sort(index).subject
    }

    /// The error of the specification's text that a vector shows, if it shows one.
    pub(crate) fn literal(&self, index: Index) -> Option<&str> {
        self.sort(index).literal.as_deref()
    }

    /// Whether an operator of a vector is given an argument of this name.
    pub(crate) fn has_argument(&self, index: Index, name: &str) -> bool {
        self.sort(index).arguments.contains(name)
    }

    /// What a vector is about.
    pub(crate) fn about(&self, index: Index) -> About {
        let Sort { subject, data_type, .. } = self.sort(index);
        About { subject: subject.clone(), data_type: data_type.map(|data_type| data_type.name().to_owned()) }
    }

    /// Leaves vectors out, by their ids.
    pub(crate) fn retain(&mut self, mut keeps: impl FnMut(&str) -> bool) {
        let ids = &self.ids;
        self.entries.retain(|entry| keeps(ids.get(entry.id)));
    }

    /// Tells whether another run is of the same vectors: of which files, and of which vectors in them.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = FnvHasher::default();
        for id in self.ids() {
            hasher.write(id.as_bytes());
            hasher.write_u8(0xFF);
        }
        self.files.iter().for_each(|file| hasher.write_u64(file.fingerprint));
        format!("{:016x}", hasher.finish())
    }

    /// Loads the vectors one after the other, for as long as somebody takes them.
    fn load(&self, take: impl Fn(Arc<Vector>) -> bool) -> Result<(), Failure> {
        for of_file in self.entries.chunk_by(|a, b| a.file == b.file) {
            if !self.load_file(of_file, &take)? {
                break;
            }
        }
        Ok(())
    }

    /// Loads vectors of one file; whether all of them were taken.
    fn load_file(&self, entries: &[Entry], take: &impl Fn(Arc<Vector>) -> bool) -> Result<bool, Failure> {
        let Some(file) = entries.first().map(|entry| &self.files[entry.file]) else {
            return Ok(true);
        };
        if let Some(kept) = &file.kept {
            return Ok(entries.iter().all(|entry| take(Arc::clone(&kept[entry.place]))));
        }
        let mut wanted = entries.iter().peekable();
        let loaded = Loader::with_signatures(&signature).each(&file.source, &mut |mut vector| {
            let Some(entry) = wanted.next_if(|entry| entry.place == vector.index) else {
                return ControlFlow::Continue(());
            };
            self.ids.get(entry.id).clone_into(&mut vector.id);
            if take(Arc::new(vector)) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match loaded {
            Ok(file) => Ok(file.is_some()),
            Err(LoadError::Changed { path }) => {
                let path = path.display();
                Err(Failure::Data(format!("{path} has changed since the run began; begin the run anew")))
            }
            Err(error) => Err(of_loading(error)),
        }
    }
}

impl Sort {
    fn of(vector: &Vector) -> Self {
        Self {
            subject: subject(vector),
            data_type: About::data_type_of(vector),
            arguments: arguments(vector),
            literal: vector.literal.as_ref().map(|literal| literal.issue.clone()),
        }
    }
}

/// The names of the arguments of a vector's operators.
fn arguments(vector: &Vector) -> BTreeSet<String> {
    let operators = vector.graph().into_iter().flat_map(|graph| &graph.operators);
    operators.flat_map(|operator| &operator.arguments).map(|argument| argument.name.clone()).collect()
}

/// The vectors at hand: those that are not finished, as far as the window reaches. They are loaded in a thread of their own, which
/// ends with this.
#[derive(Debug)]
pub(crate) struct Window(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes who loads.
    has_room: Condvar,
    /// Wakes who waits for a vector.
    has_more: Condvar,
}

#[derive(Debug, Default)]
struct State {
    at_hand: BTreeMap<Index, Arc<Vector>>,
    /// The first that is not loaded yet.
    next: Index,
    /// The first that nobody has asked for yet.
    asked: Index,
    /// How many wait for a vector.
    waiting: usize,
    /// Why no more can be loaded.
    failure: Option<Failure>,
    is_closed: bool,
}

impl State {
    /// How many vectors are to be loaded by now: none before somebody asks for one, as then no implementation has started.
    fn room(&self) -> usize {
        let end = (self.asked + AHEAD).min(self.end());
        if self.asked == 0 { 0 } else { end.saturating_sub(self.next) }
    }

    /// Behind the last that the window may hold.
    fn end(&self) -> Index {
        self.at_hand.first_key_value().map_or(self.next, |(first, _)| *first) + WINDOW
    }

    /// Whether it is worth waking who loads: somebody waits, or there are several to load.
    fn wants_more(&self) -> bool {
        let room = self.room();
        room >= AHEAD / 2 || (self.waiting > 0 && room > 0)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake_who_loads(&self, state: &State) {
        if state.wants_more() {
            self.has_room.notify_one();
        }
    }

    /// Adds the next vector, once there is room; not if nobody needs it any more.
    fn add(&self, vector: Arc<Vector>) -> bool {
        let mut state = self.state();
        while !state.is_closed && state.room() == 0 {
            state = self.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.is_closed {
            let next = state.next;
            state.at_hand.insert(next, vector);
            state.next += 1;
            if state.waiting > 0 {
                self.has_more.notify_all();
            }
        }
        !state.is_closed
    }
}

impl Window {
    /// Begins to load the vectors.
    pub(crate) fn new(roster: Arc<Roster>) -> Self {
        let shared = Arc::<Shared>::default();
        let to = Arc::clone(&shared);
        thread::spawn(move || {
            let loaded = roster.load(|vector| to.add(vector));
            to.state().failure = loaded.err();
            to.has_more.notify_all();
        });
        Self(shared)
    }

    /// A vector, once the window reaches it; none if nobody needs it any more. `waits` is told where that takes waiting,
    /// and whether it is for others to be done with vectors.
    ///
    /// # Errors
    /// If its file can not be read any more, or has changed.
    pub(crate) fn get(&self, index: Index, waits: impl Fn(bool)) -> Result<Option<Arc<Vector>>, Failure> {
        let mut state = self.0.state();
        state.asked = state.asked.max(index + 1);
        self.0.wake_who_loads(&state);
        loop {
            if let Some(vector) = state.at_hand.get(&index) {
                return Ok(Some(Arc::clone(vector)));
            }
            if state.is_closed || index < state.next {
                return Ok(None);
            }
            if let Some(failure) = state.failure.take() {
                state.is_closed = true;
                return Err(failure);
            }
            waits(index >= state.end());
            state.waiting += 1;
            self.0.wake_who_loads(&state);
            state = self.0.has_more.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Which vectors are at hand.
    pub(crate) fn at_hand(&self) -> Vec<Index> {
        self.0.state().at_hand.keys().copied().collect()
    }

    /// Lets go of a vector that nobody needs any more.
    pub(crate) fn finish(&self, index: Index) {
        let mut state = self.0.state();
        state.at_hand.remove(&index);
        self.0.wake_who_loads(&state);
    }

    /// Gives nothing out any more: the run has ended.
    pub(crate) fn close(&self) {
        self.0.state().is_closed = true;
        self.0.has_room.notify_all();
        self.0.has_more.notify_all();
    }
}

/// The thread that loads has nobody left to load for.
impl Drop for Window {
    fn drop(&mut self) {
        self.close();
    }
}
