//! Runs web-platform-tests' own tests on an implementation, in threads of its own.
//!
//! A test has a time limit of its own, which script can not overstep. What does not come back from native code is given
//! up by the thread that waits here: the test has crashed, and a new worker goes on with the rest.

pub(crate) mod expectations;
pub(crate) mod report;
pub(crate) mod summary;

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use webnn_reference::steps::{self, Reading};
use webnn_wpt::folder::{Resources, Test};
use webnn_wpt::host::{Host, Limits, THREAD_STACK};
use webnn_wpt::outcome::{FileResult, FileStatus};

use crate::implementation::{Description, Implementation};
use crate::worker::AtWork;

/// How to run tests.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The folder of web-platform-tests.
    pub(crate) root: PathBuf,
    /// Addresses, each with the text that stands there instead of a file's.
    pub(crate) replaced: Vec<(String, String)>,
    /// How the specification's text is read.
    pub(crate) reading: Reading,
    /// How many threads may work at once.
    pub(crate) jobs: usize,
    /// What script may use.
    pub(crate) limits: Limits,
    /// Whether script has what the proposals add.
    pub(crate) has_proposals: bool,
}

impl Settings {
    /// What stands at an address below the root; nothing where there is no file.
    pub(crate) fn text_at(&self, address: &str) -> String {
        let replaced = self.replaced.iter().find(|(replaced, _)| replaced == address);
        let text = replaced.map(|(_, text)| text.clone());
        let path = self.root.join(address.trim_start_matches('/'));
        text.or_else(|| std::fs::read_to_string(path).ok()).unwrap_or_default()
    }
}

/// How long a test may stay in native code after its time is over, before that is multiplied as its time is.
const PATIENCE: Duration = Duration::from_secs(30);

/// After so many workers that hung, the rest of the tests is not tried.
const MOST_GIVEN_UP: usize = 5;

/// What a worker tells.
enum Event {
    Started(Description),
    NotStarted(String),
    At(usize),
    Ran(usize, Box<FileResult>, Duration),
    Finished,
}

type Queue = Arc<Mutex<VecDeque<usize>>>;

/// The run of all tests on one implementation.
struct Run<'a> {
    tests: Arc<Vec<Test>>,
    implementation: &'a Implementation,
    settings: &'a Settings,
    queue: Queue,
    workers: BTreeMap<usize, Option<(usize, Instant)>>,
    begun: usize,
    sender: Sender<(usize, Event)>,
}

/// Runs tests on an implementation, and tells of each result as it comes.
///
/// # Errors
/// Why the implementation does not start, or what `tell` returns.
pub(crate) fn run<E: From<String>>(
    tests: &Arc<Vec<Test>>,
    implementation: &Implementation,
    settings: &Settings,
    mut tell: impl FnMut(usize, FileResult, Duration) -> Result<(), E>,
) -> Result<Option<Description>, E> {
    let (sender, receiver) = channel();
    let queue = Arc::new(Mutex::new((0..tests.len()).collect()));
    let mut run =
        Run { tests: Arc::clone(tests), implementation, settings, queue, workers: BTreeMap::new(), begun: 0, sender };
    for _ in 0..implementation.threads(settings.jobs).min(tests.len()) {
        run.add_worker()?;
    }
    let mut description = None;
    let mut given_up = 0;
    while !run.workers.is_empty() {
        match receiver.recv_timeout(Duration::from_millis(200)) {
            // What a worker that was given up says later does not count.
            Ok((worker, _)) if !run.workers.contains_key(&worker) => {}
            Ok((_, Event::Started(started))) => description = Some(started),
            Ok((_, Event::NotStarted(reason))) => return Err(reason.into()),
            Ok((worker, Event::At(test))) => drop(run.workers.insert(worker, Some((test, Instant::now())))),
            Ok((worker, Event::Ran(test, result, took))) => {
                run.workers.insert(worker, None);
                tell(test, *result, took)?;
            }
            Ok((worker, Event::Finished)) => drop(run.workers.remove(&worker)),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        for (test, took) in run.give_up_the_silent() {
            given_up += 1;
            tell(test, FileResult::of(FileStatus::Crash, "the implementation does not come back"), took)?;
            if given_up < MOST_GIVEN_UP {
                run.add_worker()?;
            }
        }
    }
    for test in run.left() {
        tell(test, FileResult::of(FileStatus::Skip, "too many tests before it did not come back"), Duration::ZERO)?;
    }
    Ok(description)
}

impl Run<'_> {
    fn add_worker(&mut self) -> Result<(), String> {
        let id = self.begun;
        self.begun += 1;
        self.workers.insert(id, None);
        let worker = Worker {
            id,
            tests: Arc::clone(&self.tests),
            implementation: self.implementation.clone(),
            settings: self.settings.clone(),
            queue: Arc::clone(&self.queue),
            sender: self.sender.clone(),
        };
        let at_work = AtWork::begin();
        let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
        let spawned = thread.spawn(move || {
            worker.work();
            drop(at_work);
            worker.tell(Event::Finished);
        });
        spawned.map(drop).map_err(|error| format!("no thread to run tests in: {error}"))
    }

    /// Forgets the workers that have been at a test for too long, and says at which, and for how long.
    fn give_up_the_silent(&mut self) -> Vec<(usize, Duration)> {
        let mut silent = Vec::new();
        let multiplier = self.settings.limits.timeout_multiplier;
        self.workers.retain(|_, at| match *at {
            Some((test, since)) if since.elapsed() > (self.tests[test].time_limit() + PATIENCE).mul_f64(multiplier) => {
                silent.push((test, since.elapsed()));
                false
            }
            _ => true,
        });
        silent
    }

    /// The tests that no worker has taken.
    fn left(&self) -> Vec<usize> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect()
    }
}

struct Worker {
    id: usize,
    tests: Arc<Vec<Test>>,
    implementation: Implementation,
    settings: Settings,
    queue: Queue,
    sender: Sender<(usize, Event)>,
}

impl Worker {
    fn tell(&self, event: Event) {
        // The receiver is gone only when the run has ended.
        drop(self.sender.send((self.id, event)));
    }

    fn next(&self) -> Option<usize> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    fn work(&self) {
        let provider = match self.implementation.provider() {
            Ok((provider, description)) => {
                self.tell(Event::Started(description));
                provider
            }
            Err(reason) => return self.tell(Event::NotStarted(reason)),
        };
        let Settings { root, replaced, reading, limits, has_proposals, .. } = &self.settings;
        let mut host = Host::new(provider, *reading, Resources::new(root, replaced.clone()), *limits);
        if *has_proposals {
            host = host.with_proposals();
        }
        while let Some(index) = self.next() {
            self.tell(Event::At(index));
            let begun = Instant::now();
            let ran = catch_unwind(AssertUnwindSafe(|| host.run(&self.tests[index])));
            let result = ran.unwrap_or_else(|panic| {
                steps::reset();
                FileResult::of(FileStatus::Crash, format!("the implementation panicked: {}", text_of(&*panic)))
            });
            self.tell(Event::Ran(index, Box::new(result), begun.elapsed()));
        }
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
