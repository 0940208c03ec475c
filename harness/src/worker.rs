//! Runs vectors on one implementation, in threads of its own.
//!
//! The object model lives in one thread, so each worker thread starts the implementation for itself. The vectors are
//! taken in batches: everything of a batch is issued, then each result is waited for. What a worker does it tells as
//! events. One that tells nothing for too long is given up, and so is one whose device was lost: the vector that it was
//! at has `errored`, and a new worker, with a new device, goes on with the rest.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use webnn_reference::derived_bound::Allowance;
use webnn_vectors::Vector;

use crate::execute::{Executor, Observation, bounds};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::bound::{BoundVerdict, bound_verdict};

/// A vector's place in the run.
pub(crate) type Index = usize;
/// Which worker an event is of.
pub(crate) type WorkerId = usize;

/// What a worker tells.
#[derive(Debug)]
pub(crate) enum Event {
    /// The implementation runs.
    Started(Description),
    /// The implementation can not be started.
    NotStarted(String),
    /// It is at this vector now.
    At(Index),
    /// This was observed of the vector.
    Observed(Index, Box<Observed>),
    /// The implementation lost its device, for this reason.
    Lost(String),
    /// There is nothing left to do.
    Finished,
}

/// What was observed of a vector, and what the derived bound says of it.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) observation: Observation,
    pub(crate) bound: Option<BoundVerdict>,
    pub(crate) took: Duration,
}

static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Whether a worker of this process is still at work: it was given up, or the run ended before it did.
pub(crate) fn is_one_at_work() -> bool {
    AT_WORK.load(Ordering::Relaxed) > 0
}

/// Counts as a worker at work while it lives.
pub(crate) struct AtWork;

impl AtWork {
    pub(crate) fn begin() -> Self {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The batches of a run that no worker has taken yet, and who has taken the others.
#[derive(Clone, Debug)]
pub(crate) struct Batches(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    waiting: VecDeque<Vec<Index>>,
    taken: BTreeMap<WorkerId, Vec<Index>>,
    given_up: BTreeSet<WorkerId>,
}

impl Batches {
    /// All vectors of a run, in batches of `size`.
    pub(crate) fn new(vectors: usize, size: usize) -> Self {
        let all: Vec<Index> = (0..vectors).collect();
        let waiting = all.chunks(size.max(1)).map(<[Index]>::to_vec).collect();
        Self(Arc::new(Mutex::new(Shared { waiting, taken: BTreeMap::new(), given_up: BTreeSet::new() })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch for a worker; none for one that was given up and is still alive.
    fn take(&self, worker: WorkerId) -> Option<Vec<Index>> {
        let mut shared = self.shared();
        if shared.given_up.contains(&worker) {
            return None;
        }
        let batch = shared.waiting.pop_front()?;
        shared.taken.entry(worker).or_default().extend(&batch);
        Some(batch)
    }

    /// Gives a worker up, and returns what it had taken.
    pub(crate) fn give_up(&self, worker: WorkerId) -> Vec<Index> {
        let mut shared = self.shared();
        shared.given_up.insert(worker);
        shared.taken.remove(&worker).unwrap_or_default()
    }

    /// Gives back what a lost worker had taken, one by one: one of them may be what stopped it.
    pub(crate) fn give_back(&self, indices: &[Index]) {
        let mut shared = self.shared();
        for index in indices.iter().rev() {
            shared.waiting.push_front(vec![*index]);
        }
    }
}

/// Executes a batch, and says why it was cut short if the device was lost.
fn execute(
    batch: &[Index],
    executor: &Executor,
    vectors: &[Vector],
    how: &Start,
    allowance: Option<Allowance>,
    tell: &impl Fn(Event),
) -> Result<(), String> {
    let ensure_not_lost = || executor.lost().map_or(Ok(()), Err);
    let mut started = Vec::new();
    for index in batch {
        tell(Event::At(*index));
        if how.lose_device_at.contains(index) {
            executor.lose();
        }
        let begun = Instant::now();
        let vector = executor.start(&vectors[*index]);
        ensure_not_lost()?;
        started.push((*index, vector, begun.elapsed()));
    }
    for (index, vector, spent) in started {
        tell(Event::At(index));
        let begun = Instant::now();
        let observation = executor.finish(vector);
        ensure_not_lost()?;
        let took = spent + begun.elapsed();
        let bounded = allowance.and_then(|allowance| bounds::of_vector(&vectors[index], how.reading, allowance));
        let bound = bounded.and_then(|bounded| bound_verdict(&vectors[index], &bounded, &observation));
        tell(Event::Observed(index, Box::new(Observed { observation, bound, took })));
    }
    Ok(())
}

/// Starts a worker thread.
pub(crate) fn spawn(
    id: WorkerId,
    implementation: Implementation,
    start: Start,
    bounds: bool,
    vectors: Arc<Vec<Vector>>,
    batches: Batches,
    events: Sender<(WorkerId, Event)>,
) {
    let at_work = AtWork::begin();
    thread::spawn(move || {
        // The receiver is gone only when the program ends.
        let tell = |event| drop(events.send((id, event)));
        let (executor, allowance) = match implementation.start(&start) {
            Ok((executor, description)) => {
                let allowance = description.allowance();
                tell(Event::Started(description));
                (executor, allowance)
            }
            Err(reason) => {
                drop(at_work);
                return tell(Event::NotStarted(reason));
            }
        };
        let mut lost = None;
        while lost.is_none()
            && let Some(batch) = batches.take(id)
        {
            lost = execute(&batch, &executor, &vectors, &start, bounds.then_some(allowance), &tell).err();
        }
        // A driver that is still giving up its device when the program ends can bring it down.
        drop(executor);
        drop(at_work);
        tell(lost.map_or(Event::Finished, Event::Lost));
    });
}
