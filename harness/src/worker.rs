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
use webnn_reference::steps::Reading;
use webnn_vectors::Vector;

use crate::execute::{Executor, Observation, as_written, bounds};
use crate::failure::Failure;
use crate::implementation::{Description, Implementation, Start};
use crate::judge::bound::{BoundVerdict, bound_verdict};
use crate::judge::literal::fails_alike;
use crate::roster::{Index, Window};

/// Which worker an event is of.
pub(crate) type WorkerId = usize;

/// Vectors that are started together.
type Batch = Vec<(Index, Arc<Vector>)>;

/// What a worker tells.
#[derive(Debug)]
pub(crate) enum Event {
    /// The implementation runs.
    Started(Description),
    /// The implementation can not be started.
    NotStarted(String),
    /// It is at this vector now.
    At(Index),
    /// It waits: for vectors to be loaded or, where it is far ahead of the others, for them.
    Waiting { far_ahead: bool },
    /// The vectors can not be loaded.
    NotLoaded(Failure),
    /// This was observed of the vector.
    Observed(Index, Box<Observed>),
    /// The implementation lost its device, for this reason.
    Lost(String),
    /// There is nothing left to do; and what is wrong with the last answer, if that turned out now.
    Finished(Option<String>),
}

/// What was observed of a vector, and what the derived bound says of it.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) observation: Observation,
    pub(crate) bound: Option<BoundVerdict>,
    /// The error of the specification's text that asks for such a failure as it is written.
    pub(crate) as_written: Option<String>,
    /// Whether a program was asked, which may yet turn out to have answered twice.
    pub(crate) was_asked: bool,
    /// What is wrong with the answer to what it was asked before, as it turned out now.
    pub(crate) of_before: Option<String>,
    pub(crate) took: Duration,
}

impl Observed {
    /// Where nothing was observed, for this reason.
    pub(crate) fn nothing(problem: String, took: Duration) -> Self {
        let observation = Observation::Errored(problem);
        Self { observation, bound: None, as_written: None, was_asked: false, of_before: None, took }
    }
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

/// What of a run no worker has taken yet, and who has taken what.
#[derive(Clone, Debug)]
pub(crate) struct Batches(Arc<Mutex<Shared>>);

#[derive(Debug)]
struct Shared {
    /// The first that nobody has taken.
    next: Index,
    end: Index,
    size: usize,
    given_back: VecDeque<Index>,
    taken: BTreeMap<WorkerId, Vec<Index>>,
    given_up: BTreeSet<WorkerId>,
}

impl Batches {
    /// All vectors of a run, in batches of `size`.
    pub(crate) fn new(vectors: usize, size: usize) -> Self {
        Self(Arc::new(Mutex::new(Shared {
            next: 0,
            end: vectors,
            size: size.max(1),
            given_back: VecDeque::new(),
            taken: BTreeMap::new(),
            given_up: BTreeSet::new(),
        })))
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next batch for a worker that is done with the one before; none for one that was given up and is still alive.
    fn take(&self, worker: WorkerId) -> Option<Vec<Index>> {
        let mut shared = self.shared();
        if shared.given_up.contains(&worker) {
            return None;
        }
        let batch = match shared.given_back.pop_front() {
            Some(index) => vec![index],
            None => {
                let from = shared.next;
                shared.next = shared.end.min(from + shared.size);
                (from..shared.next).collect()
            }
        };
        if batch.is_empty() {
            return None;
        }
        shared.taken.insert(worker, batch.clone());
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
        self.shared().given_back.extend(indices);
    }
}

/// Executes a batch, and says why it was cut short if the device was lost.
fn execute(
    batch: &[(Index, Arc<Vector>)],
    executor: &Executor,
    how: &Start,
    allowance: Option<Allowance>,
    tell: &impl Fn(Event),
) -> Result<(), String> {
    let ensure_not_lost = || executor.lost().map_or(Ok(()), Err);
    let mut started = Vec::new();
    for (index, vector) in batch {
        tell(Event::At(*index));
        if how.lose_device_at.contains(index) {
            executor.lose();
        }
        let begun = Instant::now();
        let execution = executor.start(vector);
        ensure_not_lost()?;
        started.push((*index, vector, execution, begun.elapsed()));
    }
    for (index, vector, execution, spent) in started {
        tell(Event::At(index));
        let begun = Instant::now();
        let observation = executor.finish(execution);
        let (was_asked, of_before) = (executor.was_asked(), executor.of_before().map(String::from));
        ensure_not_lost()?;
        let took = spent + begun.elapsed();
        let bounded = allowance.and_then(|allowance| bounds::of_vector(vector, how.reading, allowance));
        let bound = bounded.and_then(|bounded| bound_verdict(vector, &bounded, &observation));
        let as_written = as_written(vector, how.reading, &observation);
        let observed = Observed { observation, bound, as_written, was_asked, of_before, took };
        tell(Event::Observed(index, Box::new(observed)));
    }
    Ok(())
}

/// The error of the specification's text that makes a vector fail in this way, where the text is read as it is meant.
pub(crate) fn as_written(vector: &Vector, reading: Reading, observation: &Observation) -> Option<String> {
    let literal = vector.literal.as_ref().filter(|_| reading == Reading::Corrected)?;
    fails_alike(vector, observation, || as_written::of_vector(vector, observation)).then(|| literal.issue.clone())
}

/// The next batch of vectors, once the window reaches it; none if there is nothing left for this worker.
fn next_batch(
    id: WorkerId,
    batches: &Batches,
    window: &Window,
    tell: &impl Fn(Event),
) -> Result<Option<Batch>, Failure> {
    let Some(indices) = batches.take(id) else {
        return Ok(None);
    };
    let mut batch = Vec::with_capacity(indices.len());
    for index in indices {
        match window.get(index, |far_ahead| tell(Event::Waiting { far_ahead }))? {
            Some(vector) => batch.push((index, vector)),
            None => return Ok(None),
        }
    }
    Ok(Some(batch))
}

/// Starts a worker thread.
pub(crate) fn spawn(
    id: WorkerId,
    implementation: Implementation,
    start: Start,
    bounds: bool,
    window: Arc<Window>,
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
        let mut end = None;
        loop {
            match next_batch(id, &batches, &window, &tell) {
                Ok(Some(batch)) => {
                    let executed = execute(&batch, &executor, &start, bounds.then_some(allowance), &tell);
                    if let Err(reason) = executed {
                        end = Some(Event::Lost(reason));
                        break;
                    }
                }
                Ok(None) => break,
                Err(failure) => {
                    end = Some(Event::NotLoaded(failure));
                    break;
                }
            }
        }
        // A driver that is still giving up its device when the program ends can bring it down.
        let of_the_last = executor.end().map(String::from);
        drop(at_work);
        tell(end.unwrap_or(Event::Finished(of_the_last)));
    });
}
