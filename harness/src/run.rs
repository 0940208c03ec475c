//! Runs vectors on implementations: the workers, their time limit, and what came of each vector.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use webnn_reference::steps::Reading;

use crate::execute::{Observation, Tensor};
use crate::failure::Failure;
use crate::implementation::{Description, Implementation, Start};
use crate::interrupt;
use crate::judge::bound::BoundVerdict;
use crate::judge::distance::{Distance, difference};
use crate::judge::{Outcome, judge};
use crate::outside::board::Board;
use crate::outside::transcript::Transcript;
use crate::roster::{Index, Roster, Window};
use crate::worker::{Batches, Event, Observed, WorkerId, spawn};

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
    fn start(&self, board: Board) -> Start {
        Start {
            reading: self.reading,
            timeout: self.timeout,
            transcript: self.transcript.clone(),
            lose_device_at: self.lose_device_at.clone(),
            board,
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
    /// The error of the specification's text that asks for this failure as it is written.
    pub(crate) as_written: Option<String>,
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
    /// Nothing has come for some time, and this implementation has been at this vector for longest.
    Waiting(usize, Index, Duration),
}

/// One implementation's part of a run.
struct Lane {
    implementation: Implementation,
    batches: Batches,
    workers: BTreeMap<WorkerId, Worker>,
    given_up: usize,
    standing: Standing,
    left: Left,
    board: Board,
}

/// Whether an implementation runs.
enum Standing {
    /// That is not known yet.
    Starting,
    /// It does, or did.
    Started,
    /// It can not be started, for this reason.
    NotStarted(String),
}

struct Worker {
    at: Option<Index>,
    heard: Instant,
    /// Whether it waits for other implementations, and so can not be too slow.
    waits: bool,
    /// What it observed last of a program, which may turn out to have answered twice: that comes to light with its next answer.
    held: Option<(Index, Observed)>,
}

/// The vectors that a lane has no result of: all from one on, but some.
struct Left {
    from: Index,
    end: Index,
    done: BTreeSet<Index>,
}

impl Left {
    fn all(end: Index) -> Self {
        Self { from: 0, end, done: BTreeSet::new() }
    }

    fn first(&self) -> Option<Index> {
        (self.from < self.end).then_some(self.from)
    }

    fn contains(&self, index: Index) -> bool {
        (self.from..self.end).contains(&index) && !self.done.contains(&index)
    }

    /// Takes one out, if it is among them.
    fn remove(&mut self, index: Index) -> bool {
        let is_left = self.contains(index);
        if is_left {
            self.done.insert(index);
        }
        while self.done.remove(&self.from) {
            self.from += 1;
        }
        is_left
    }
}

/// After so many workers that hung or lost their device, the rest of the vectors is not tried.
const MOST_GIVEN_UP: usize = 5;

/// How often a run looks whether it is interrupted, or a worker says nothing for too long.
const LOOK: Duration = Duration::from_millis(100);

/// How long what the workers tell is collected.
const NAP: Duration = Duration::from_millis(5);

/// How long a vector may take before somebody who watches is told of it.
const LONG: Duration = Duration::from_secs(2);

/// An event, and the worker that told it.
type Told = (WorkerId, Event);

/// The outputs of a vector, by name.
type NamedTensors = Vec<(String, Tensor)>;

/// Runs all vectors on all implementations.
pub(crate) struct Run {
    roster: Arc<Roster>,
    window: Arc<Window>,
    settings: Settings,
    lanes: Vec<Lane>,
    workers: usize,
    events: (Sender<Told>, Receiver<Told>),
    /// What implementations gave, for those that are not as far yet.
    outputs: BTreeMap<Index, Vec<(usize, NamedTensors)>>,
}

/// Workers that wait for others end with the run.
impl Drop for Run {
    fn drop(&mut self) {
        self.window.close();
    }
}

impl Run {
    pub(crate) fn new(roster: &Arc<Roster>, implementations: &[Implementation], settings: Settings) -> Self {
        let lane = |implementation: &Implementation| Lane {
            implementation: implementation.clone(),
            batches: Batches::new(roster.len(), implementation.batch()),
            workers: BTreeMap::new(),
            given_up: 0,
            standing: Standing::Starting,
            left: Left::all(roster.len()),
            board: Board::of(roster.len()),
        };
        Self {
            roster: Arc::clone(roster),
            window: Arc::new(Window::new(Arc::clone(roster))),
            settings,
            lanes: implementations.iter().map(lane).collect(),
            workers: 0,
            events: channel(),
            outputs: BTreeMap::new(),
        }
    }

    /// Runs, and tells of every step. Where no implementation starts, no vector has a result.
    ///
    /// # Errors
    /// Those of `tell`, which end the run; and if it is interrupted, or vectors can not be loaded.
    pub(crate) fn run<E: From<Failure>>(mut self, mut tell: impl FnMut(Progress) -> Result<(), E>) -> Result<(), E> {
        for lane in 0..self.lanes.len() {
            let threads = self.lanes[lane].implementation.threads(self.settings.jobs);
            for _ in 0..threads.min(self.roster.len()) {
                self.add_worker(lane);
            }
        }
        while self.lanes.iter().any(|lane| !lane.workers.is_empty()) {
            let heard = self.hear_next();
            // What was started ends with an interruption, which is no result.
            if interrupt::is_asked_for() {
                return Err(Failure::Interrupted.into());
            }
            match heard {
                Ok((worker, event)) => self.hear(worker, event, &mut tell)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    self.waiting().map_or(Ok(()), &mut tell)?;
                }
            }
            self.give_up_the_silent(&mut tell)?;
        }
        let any_started = self.lanes.iter().any(|lane| matches!(lane.standing, Standing::Started));
        for lane in (0..self.lanes.len()).filter(|_| any_started) {
            // Every vector has a result, whatever became of the workers.
            let outcome = match &self.lanes[lane].standing {
                Standing::NotStarted(reason) => Outcome::Skipped(reason.clone()),
                Standing::Starting | Standing::Started => {
                    Outcome::Errored("the thread that ran it ended without a result".into())
                }
            };
            self.end(lane, &outcome, &mut tell)?;
        }
        Ok(())
    }

    /// What the workers tell next. Where there is nothing yet, a little more is let come: to be woken for each word costs the
    /// workers as much as the vector.
    fn hear_next(&self) -> Result<(WorkerId, Event), RecvTimeoutError> {
        self.events.1.try_recv().or_else(|_| {
            thread::sleep(NAP);
            self.events.1.recv_timeout(LOOK)
        })
    }

    fn add_worker(&mut self, lane: usize) {
        let id = self.workers;
        self.workers += 1;
        let worker = Worker { at: None, heard: Instant::now(), waits: false, held: None };
        self.lanes[lane].workers.insert(id, worker);
        spawn(
            id,
            self.lanes[lane].implementation.clone(),
            self.settings.start(self.lanes[lane].board.clone()),
            self.settings.bounds,
            Arc::clone(&self.window),
            self.lanes[lane].batches.clone(),
            self.events.0.clone(),
        );
    }

    fn hear<E: From<Failure>>(
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
        worker.waits = matches!(event, Event::Waiting { .. });
        match event {
            Event::Started(description) => match std::mem::replace(&mut self.lanes[lane].standing, Standing::Started) {
                Standing::Starting | Standing::NotStarted(_) => tell(Progress::Started(lane, description)),
                Standing::Started => Ok(()),
            },
            Event::NotStarted(reason) => {
                self.lanes[lane].workers.remove(&id);
                self.not_started(lane, reason, tell)
            }
            Event::At(index) => {
                worker.at = Some(index);
                Ok(())
            }
            // The others may wait for what is held back.
            Event::Waiting { far_ahead: true } => self.settle(lane, id, None, tell).map(drop),
            Event::Waiting { far_ahead: false } => Ok(()),
            Event::NotLoaded(failure) => Err(failure.into()),
            Event::Observed(index, observed) if observed.was_asked => self.hold_back(lane, id, index, *observed, tell),
            Event::Observed(index, observed) => self.observe(lane, index, *observed, tell),
            Event::Lost(reason) => {
                let problem = format!("the device was lost: {reason}");
                self.give_up(lane, id, &problem, Duration::ZERO, tell)
            }
            Event::Finished(of_the_last) => {
                self.settle(lane, id, of_the_last, tell)?;
                self.lanes[lane].workers.remove(&id);
                Ok(())
            }
        }
    }

    /// Holds back what was observed of a program until its next answer, and settles what was held back before.
    fn hold_back<E: From<Failure>>(
        &mut self,
        lane: usize,
        id: WorkerId,
        index: Index,
        mut observed: Observed,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        let of_before = observed.of_before.take();
        if let Some(problem) = self.settle(lane, id, of_before, tell)? {
            // The one before has its result, and somebody is to hear of it.
            observed = Observed::nothing(format!("at the vector before it {problem}"), observed.took);
        }
        if let Some(worker) = self.lanes[lane].workers.get_mut(&id) {
            worker.held = Some((index, observed));
        }
        Ok(())
    }

    /// Passes on what was held back; or what turned out to be wrong with it. Returns that, if nothing was held back.
    fn settle<E: From<Failure>>(
        &mut self,
        lane: usize,
        id: WorkerId,
        problem: Option<String>,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<Option<String>, E> {
        let held = self.lanes[lane].workers.get_mut(&id).and_then(|worker| worker.held.take());
        let Some((index, observed)) = held else {
            return Ok(problem);
        };
        let observed = match problem {
            Some(problem) => Observed::nothing(problem, observed.took),
            None => observed,
        };
        self.observe(lane, index, observed, tell)?;
        Ok(None)
    }

    fn observe<E: From<Failure>>(
        &mut self,
        lane: usize,
        index: Index,
        observed: Observed,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.lanes[lane].left.contains(index) {
            return Ok(());
        }
        // What has no result yet is at hand.
        let Some(vector) = self.window.get(index, |_| {})? else {
            return Ok(());
        };
        let Observed { observation, bound, as_written, took, .. } = observed;
        let outcome = judge(&vector, &observation, self.lanes[lane].implementation.is_ours());
        self.lanes[lane].left.remove(index);
        let verdict = Verdict { implementation: lane, vector: index, outcome, bound, as_written, took };
        tell(self.judged(verdict))?;
        if let Observation::Outputs(outputs) = observation
            && self.lanes.len() > 1
        {
            self.compare(lane, index, outputs, tell)?;
        }
        self.release(index, tell)
    }

    fn judged(&self, verdict: Verdict) -> Progress {
        self.lanes[verdict.implementation].board.add(self.roster.id(verdict.vector), &verdict.outcome);
        Progress::Judged(verdict)
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
        others.push((lane, outputs));
        Ok(())
    }

    /// Lets go of a vector that has all of its results, but for implementations that did not start: they skip it.
    fn release<E: From<Failure>>(
        &mut self,
        index: Index,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_out = |lane: &Lane| matches!(lane.standing, Standing::NotStarted(_));
        if self.lanes.iter().any(|lane| !is_out(lane) && lane.left.contains(index)) {
            return Ok(());
        }
        self.outputs.remove(&index);
        self.window.finish(index);
        for lane in 0..self.lanes.len() {
            if let Standing::NotStarted(reason) = &self.lanes[lane].standing {
                let outcome = Outcome::Skipped(reason.clone());
                self.conclude(lane, index, outcome, tell)?;
            }
        }
        Ok(())
    }

    /// Who has been at a vector for longest, if that is long.
    fn waiting(&self) -> Option<Progress> {
        let workers = self.lanes.iter().enumerate().flat_map(|(lane, of)| of.workers.values().map(move |w| (lane, w)));
        let at_work = workers.filter(|(_, worker)| !worker.waits);
        let long = at_work.filter_map(|(lane, worker)| Some((lane, worker.at?, worker.heard.elapsed())));
        let (lane, index, time) = long.max_by_key(|(_, _, time)| *time).filter(|(_, _, time)| *time > LONG)?;
        Some(Progress::Waiting(lane, index, time))
    }

    fn give_up_the_silent<E: From<Failure>>(
        &mut self,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        for lane in 0..self.lanes.len() {
            let patience = self.lanes[lane].implementation.patience(self.settings.timeout);
            let silent: Vec<WorkerId> = self.lanes[lane]
                .workers
                .iter()
                .filter(|(_, worker)| !worker.waits && worker.heard.elapsed() > patience)
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

    fn give_up<E: From<Failure>>(
        &mut self,
        lane: usize,
        id: WorkerId,
        problem: &str,
        took: Duration,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        self.settle(lane, id, None, tell)?;
        let Some(worker) = self.lanes[lane].workers.remove(&id) else {
            return Ok(());
        };
        let mut taken = self.lanes[lane].batches.give_up(id);
        self.lanes[lane].given_up += 1;
        match worker.at {
            Some(index) => {
                self.observe(lane, index, Observed::nothing(problem.to_owned(), took), tell)?;
            }
            None if taken.is_empty() => {
                return self.not_started(lane, format!("it {problem} when it was started"), tell);
            }
            None => {}
        }
        taken.retain(|index| self.lanes[lane].left.contains(*index));
        self.lanes[lane].batches.give_back(&taken);
        if self.lanes[lane].given_up < MOST_GIVEN_UP {
            self.add_worker(lane);
        } else if self.lanes[lane].workers.is_empty() {
            let problem =
                format!("not tried: {MOST_GIVEN_UP} vectors before it were not answered, the last: {problem}");
            self.end(lane, &Outcome::Errored(problem), tell)?;
        }
        Ok(())
    }

    /// Notes that a worker could not be started. Where others of the lane go on, that costs time only.
    fn not_started<E: From<Failure>>(
        &mut self,
        lane: usize,
        reason: String,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.lanes[lane].workers.is_empty() {
            return Ok(());
        }
        if matches!(self.lanes[lane].standing, Standing::Started) {
            let problem = format!("the implementation could not be started again: {reason}");
            return self.end(lane, &Outcome::Errored(problem), tell);
        }
        self.lanes[lane].standing = Standing::NotStarted(reason.clone());
        tell(Progress::NotStarted(lane, reason))?;
        // What the others have finished waited for this one.
        self.window.at_hand().into_iter().try_for_each(|index| self.release(index, tell))
    }

    /// Gives all vectors that are left the same result.
    fn end<E: From<Failure>>(
        &mut self,
        lane: usize,
        outcome: &Outcome,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(index) = self.lanes[lane].left.first() {
            self.conclude(lane, index, outcome.clone(), tell)?;
            self.release(index, tell)?;
        }
        Ok(())
    }

    /// Gives a vector a result that nothing was observed for.
    fn conclude<E>(
        &mut self,
        lane: usize,
        index: Index,
        outcome: Outcome,
        tell: &mut impl FnMut(Progress) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.lanes[lane].left.remove(index) {
            let took = Duration::ZERO;
            let verdict = Verdict { implementation: lane, vector: index, outcome, bound: None, as_written: None, took };
            tell(self.judged(verdict))?;
        }
        Ok(())
    }
}
