//! Runs vectors on one implementation, in threads of its own.
//!
//! The object model lives in one thread, so each worker thread starts the implementation for itself. The vectors are
//! taken in batches: everything of a batch is issued, then each result is waited for. What a worker does it tells as
//! events, and one that tells nothing for too long is given up: the vector that it was at has `errored`, and a new
//! worker goes on with the rest.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use webnn_reference::steps::Reading;
use webnn_vectors::Vector;

use crate::execute::Observation;
use crate::implementation::{Description, Implementation};

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
    Observed(Index, Box<Observation>, Duration),
    /// There is nothing left to do.
    Finished,
}

/// Batches of vectors that no worker has taken yet.
#[derive(Clone, Debug)]
pub(crate) struct Batches(Arc<Mutex<VecDeque<Vec<Index>>>>);

impl Batches {
    /// All vectors of a run, in batches of `size`.
    pub(crate) fn new(vectors: usize, size: usize) -> Self {
        let all: Vec<Index> = (0..vectors).collect();
        Self(Arc::new(Mutex::new(all.chunks(size.max(1)).map(<[Index]>::to_vec).collect())))
    }

    fn take(&self) -> Option<Vec<Index>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Gives back what a lost worker had taken, one by one: one of them may be what stopped it.
    pub(crate) fn give_back(&self, indices: &[Index]) {
        let mut batches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for index in indices.iter().rev() {
            batches.push_front(vec![*index]);
        }
    }
}

/// Starts a worker thread.
pub(crate) fn spawn(
    id: WorkerId,
    implementation: Implementation,
    reading: Reading,
    vectors: Arc<Vec<Vector>>,
    batches: Batches,
    events: Sender<(WorkerId, Event)>,
) {
    thread::spawn(move || {
        // The receiver is gone only when the program ends.
        let tell = |event| drop(events.send((id, event)));
        let executor = match implementation.start(reading) {
            Ok((executor, description)) => {
                tell(Event::Started(description));
                executor
            }
            Err(reason) => return tell(Event::NotStarted(reason)),
        };
        while let Some(batch) = batches.take() {
            let mut started = Vec::new();
            for index in batch {
                tell(Event::At(index));
                let begun = Instant::now();
                started.push((index, executor.start(&vectors[index]), begun.elapsed()));
            }
            for (index, vector, spent) in started {
                tell(Event::At(index));
                let begun = Instant::now();
                let observation = executor.finish(vector);
                tell(Event::Observed(index, Box::new(observation), spent + begun.elapsed()));
            }
        }
        // A driver that is still giving up its device when the program ends can bring it down.
        drop(executor);
        tell(Event::Finished);
    });
}
