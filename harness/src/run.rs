//! Runs vectors on implementations: the workers, their time limit, and what came of each vector.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use webnn_reference::steps::Reading;
use webnn_vectors::Vector;

use crate::execute::{Observation, Tensor};
use crate::implementation::{Description, Implementation, Start};
use crate::judge::bound::BoundVerdict;
use crate::judge::distance::{Distance, difference};
use crate::judge::{Outcome, judge};
use crate::outside::transcript::Transcript;
use crate::worker::{Batches, Event, Index, Observed, WorkerId, spawn};

/// How to run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// How long a vector may take.
    pub(crate) timeout: Duration,
    /// How many threads may work at once.
    pub(crate) jobs: usize,
    /// How the specification's text is read.
    pub(crate) reading: Reading,
    /// Where conversations with programs outside are kept.
    pub(crate) transcript: Transcript,
    /// Whether to judge by the derived bound too.
    pub(crate) bounds: bool,
    /// The vectors at which the device is given up, for tests.
    pub(crate) lose_device_at: Vec<Index>,
}

impl Settings {
    fn start(&self) -> Start {
        Start {
            reading: self.reading,
            timeout: self.timeout,
            transcript: self.transcript.clone(),
            lose_device_at: self.lose_device_at.clone(),
        }
    }
}

/// What came of one vector on one implementation.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) implementation: usize,
    pub(crate) vector: Index,
    pub(crate) outcome: Outcome,
    /// What the derived bound says of it, where it was asked.
    pub(crate) bound: Option<BoundVerdict>,
    pub(crate) took: Duration,
}

/// Where two implementations part.
#[derive(Clone, Debug)]
pub(crate) struct Parting {
    pub(crate) vector: Index,
    pub(crate) implementations: (usize, usize),
    pub(crate) output: String,
    /// `None` if the outputs are of different types or shapes.
    pub(crate) worst: Option<(Distance, usize)>,
}

/// What a run tells while it goes on.
#[derive(Debug)]
pub(crate) enum Progress {
    /// An implementation runs.
    Started(usize, Description),
    /// An implementation can not be started.
    NotStarted(usize, String),
    /// A vector was judged.
    Judged(Verdict),
    /// Two implementations were compared on a vector.
    Compared(Parting),
}

/// One implementation's part of a run.
struct Lane {
    implementation: Implementation,
    batches: Batches,
    workers: BTreeMap<WorkerId, Worker>,
    given_up: usize,
    described: bool,
    unfinished: BTreeSet<Index>,
}

struct Worker {
    at: Option<Index>,
    heard: Instant,
}

/// After so many workers that hung or lost their device, the rest of the vectors is not tried.
const MOST_GIVEN_UP: usize = 5;

/// An event, and the worker that told it.
type Told = (WorkerId, Event);

/// The outputs of a vector, by name.
type NamedTensors = Vec<(String, Tensor)>;

/// What is observed of a vector that gave no outputs.
fn without_bound(observation: Observation, took: Duration) -> Observed {
    Observed { observation, bound: None, took }
}

/// Runs all vectors on all implementations.
pub(crate) struct Run<'a> {
    vectors: &'a Arc<Vec<Vector>>,
    settings: Settings,
    lanes: Vec<Lane>,
    workers: usize,
    events: (Sender<Told>, Receiver<Told>),
    outputs: BTreeMap<Index, Vec<(usize, NamedTensors)>>,
}

impl<'a> Run<'a> {
    pub(crate) fn new(vectors: &'a Arc<Vec<Vector>>, implementations: &[Implementation], settings: Settings) -> Self {
        let lanes = implementations
            .iter()
            .map(|implementation| Lane {
                implementation: implementation.clone(),
                batches: Batches::new(vectors.len(), implementation.batch()),
                workers: BTreeMap::new(),
                given_up: 0,
                described: false,
                unfinished: (0..vectors.len()).collect(),
            })
            .collect();
        Self { vectors, settings, lanes, workers: 0, events: channel(), outputs: BTreeMap::new() }
    }

    /// Runs, and tells of every step.
    ///
    /// # Errors
    /// Those of `tell`, which end the run.
    pub(crate) fn run<E>(mut self, mut tell: impl FnMut(Progress) -> Result<(), E>) -> Result<(), E> {
        for lane in 0..self.lanes.len() {
            let threads = self.lanes[lane].implementation.threads(self.settings.jobs);
            for _ in 0..threads.min(self.vectors.len()) {
                self.add_worker(lane);
            }
        }
        while self.lanes.iter().any(|lane| !lane.workers.is_empty()) {
            match self.events.1.recv_timeout(Duration::from_millis(200)) {
                Ok((worker, event)) => self.hear(worker, event, &mut tell)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.give_up_the_silent(&mut tell)?;
        }
        // Every vector has a result, whatever became of the workers.
        for lane in 0..self.lanes.len() {
            let lost = Observation::Errored("the thread that ran it ended without a result".into());
            self.end(lane, &lost, &mut tell)?;
        }
        Ok(())
    }

    fn add_worker(&mut self, lane: usize) {
        let id = self.workers;
        self.workers += 1;
        let worker = Worker { at: None, heard: Instant::now() };
        self.lanes[lane].workers.insert(id, worker);
        spawn(
            id,
            self.lanes[lane].implementation.clone(),
            self.settings.start(),
            self.settings.bounds,
            Arc::clone(self.vectors),
            self.lanes[lane].batches.clone(),
            self.events.0.clone(),
        );
    }

    fn hear<E>(
        &mut self,
        id: WorkerId,
        event: Event,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        // A worker that was given up may still be alive, and is not listened to.
        let Some(lane) = self.lanes.iter().position(|lane| lane.workers.contains_key(&id)) else {
            return Ok(());
        };
        let Some(worker) = self.lanes[lane].workers.get_mut(&id) else {
            return Ok(());
        };
        worker.heard = Instant::now();
        match event {
            Event::Started(description) => {
                let first = !std::mem::replace(&mut self.lanes[lane].described, true);
                if first { tell(Progress::Started(lane, description)) } else { Ok(()) }
            }
            Event::NotStarted(reason) => {
                self.lanes[lane].workers.remove(&id);
                self.not_started(lane, reason, tell)
            }
            Event::At(index) => {
                worker.at = Some(index);
                Ok(())
            }
            Event::Observed(index, observed) => self.observe(lane, index, *observed, tell),
            Event::Lost(reason) => {
                let problem = format!("the device was lost: {reason}");
                self.give_up(lane, id, &problem, Duration::ZERO, tell)
            }
            Event::Finished => {
                self.lanes[lane].workers.remove(&id);
                Ok(())
            }
        }
    }

    fn observe<E>(
        &mut self,
        lane: usize,
        vector: Index,
        observed: Observed,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.lanes[lane].unfinished.remove(&vector) {
            return Ok(());
        }
        let Observed { observation, bound, took } = observed;
        let is_ours = self.lanes[lane].implementation.is_ours();
        let outcome = judge(&self.vectors[vector], &observation, is_ours);
        tell(Progress::Judged(Verdict { implementation: lane, vector, outcome, bound, took }))?;
        if let Observation::Outputs(outputs) = observation
            && self.lanes.len() > 1
        {
            self.compare(lane, vector, outputs, tell)?;
        }
        Ok(())
    }

    /// Compares the outputs with those that other implementations gave before, and keeps them for those to come.
    fn compare<E>(
        &mut self,
        lane: usize,
        vector: Index,
        outputs: Vec<(String, Tensor)>,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        let others = self.outputs.entry(vector).or_default();
        for (other, other_outputs) in others.iter() {
            for ((name, a), (_, b)) in other_outputs.iter().zip(&outputs) {
                let implementations = (lane.min(*other), lane.max(*other));
                let output = name.clone();
                tell(Progress::Compared(Parting { vector, implementations, output, worst: difference(a, b) }))?;
            }
        }
        let is_awaited = self.lanes.iter().any(|lane| lane.unfinished.contains(&vector));
        if is_awaited {
            others.push((lane, outputs));
        } else {
            self.outputs.remove(&vector);
        }
        Ok(())
    }

    fn give_up_the_silent<E>(&mut self, tell: &mut impl FnMut(Progress) -> Result<(), E>) -> Result<(), E> {
        for lane in 0..self.lanes.len() {
            let patience = self.lanes[lane].implementation.patience(self.settings.timeout);
            let silent: Vec<WorkerId> = self.lanes[lane]
                .workers
                .iter()
                .filter(|(_, worker)| worker.heard.elapsed() > patience)
                .map(|(id, _)| *id)
                .collect();
            let timeout = self.settings.timeout;
            let problem = format!("did not answer within {} s (--timeout)", timeout.as_secs_f64());
            for id in silent {
                self.give_up(lane, id, &problem, timeout, tell)?;
            }
        }
        Ok(())
    }

    fn give_up<E>(
        &mut self,
        lane: usize,
        id: WorkerId,
        problem: &str,
        took: Duration,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(worker) = self.lanes[lane].workers.remove(&id) else {
            return Ok(());
        };
        let mut taken = self.lanes[lane].batches.give_up(id);
        self.lanes[lane].given_up += 1;
        match worker.at {
            Some(index) => {
                let observed = without_bound(Observation::Errored(problem.to_owned()), took);
                self.observe(lane, index, observed, tell)?;
            }
            None if taken.is_empty() => {
                return self.not_started(lane, format!("it {problem} when it was started"), tell);
            }
            None => {}
        }
        taken.retain(|index| self.lanes[lane].unfinished.contains(index));
        self.lanes[lane].batches.give_back(&taken);
        if self.lanes[lane].given_up < MOST_GIVEN_UP {
            self.add_worker(lane);
        } else if self.lanes[lane].workers.is_empty() {
            let problem =
                format!("not tried: {MOST_GIVEN_UP} vectors before it were not answered, the last: {problem}");
            self.end(lane, &Observation::Errored(problem), tell)?;
        }
        Ok(())
    }

    /// Notes that a worker could not be started. Where others of the lane go on, that costs time only.
    fn not_started<E>(
        &mut self,
        lane: usize,
        reason: String,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.lanes[lane].workers.is_empty() {
            return Ok(());
        }
        if self.lanes[lane].described {
            let problem = format!("the implementation could not be started again: {reason}");
            return self.end(lane, &Observation::Errored(problem), tell);
        }
        self.end(lane, &Observation::Skipped(reason.clone()), tell)?;
        tell(Progress::NotStarted(lane, reason))
    }

    /// Gives all vectors that are left the same result.
    fn end<E>(
        &mut self,
        lane: usize,
        observation: &Observation,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        for index in self.lanes[lane].unfinished.clone() {
            self.observe(lane, index, without_bound(observation.clone(), Duration::ZERO), tell)?;
        }
        Ok(())
    }
}
